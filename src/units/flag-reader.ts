import { type Parsed, parsed, unparsed } from "./parsed.js";

/** Reads flags one by one and keeps what is wrong with them, so that the user hears of everything at once. */
export class FlagReader {
  readonly problems: string[] = [];

  /** The parsed value of a flag, or `fallback` where it is absent or wrong. */
  read<T, F>(name: string, text: string | undefined, parse: (text: string) => Parsed<T>, fallback: F): T | F {
    if (text === undefined) return fallback;
    const result = parse(text);
    if (result.ok) return result.value;
    this.refuse(`${name}: ${result.problem}`);
    return fallback;
  }

  refuse(problem: string): void {
    this.problems.push(problem);
  }
}

/** A parser of one of a few words. */
export function oneOf<const T extends string>(...words: readonly T[]): (text: string) => Parsed<T> {
  return (text) => {
    const word = words.find((candidate) => candidate === text.trim());
    return word === undefined ? unparsed(`"${text}" is not one of ${words.join(", ")}`) : parsed(word);
  };
}
