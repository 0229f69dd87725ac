import { parseArgs } from "node:util";

/**
 * Flags of a bench, each with a default whose type it keeps: `--seconds 8 --pacing auto,spin`.
 *
 * @template {Record<string, number | string>} T
 * @param {T} defaults
 * @returns {T}
 */
export function readFlags(defaults) {
  const options = Object.fromEntries(
    Object.keys(defaults).map((name) => [name, { type: /** @type {const} */ ("string") }]),
  );
  try {
    const { values } = parseArgs({ options });
    const given = Object.entries(values).map(([name, text]) => [name, readValue(name, String(text), defaults[name])]);
    return { ...defaults, ...Object.fromEntries(given) };
  } catch (error) {
    const known = Object.entries(defaults).map(([name, value]) => `--${name} ${value}`);
    console.error(`${/** @type {Error} */ (error).message}\nFlags and their defaults: ${known.join(" ")}`);
    return process.exit(2);
  }
}

/** @param {string} name @param {string} text @param {number | string | undefined} standard */
function readValue(name, text, standard) {
  if (typeof standard === "string") return text;
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} is a number above 0, not ${text}`);
  return value;
}
