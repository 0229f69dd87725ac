import type { Command } from "commander";
import { CommanderError } from "commander";

/** What came of reading a command line: all its problems, or none. */
export interface ParsedLine {
  readonly problems: readonly string[];
  /** Help was asked for, and has been printed. */
  readonly helped: boolean;
}

const UNKNOWN_OPTION = "commander.unknownOption";
const MISSING_VALUE = "commander.optionMissingArgument";
const TOO_MANY = "commander.excessArguments";

/**
 * Reads a command line with commander, which stops at the first problem, again and again without the word it stopped at, so
 * that the user hears of every misspelt flag at once. The command's options and arguments are those of the last reading.
 */
export function parseAll(command: Command, words: readonly string[]): ParsedLine {
  const problems: string[] = [];
  command.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} });
  let rest = [...words];
  for (;;) {
    try {
      command.parse(rest, { from: "user" });
      return { problems, helped: false };
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0) return { problems, helped: true };
      problems.push(problemOf(error, command));
      const shorter = without(rest, error);
      if (shorter === undefined) return { problems, helped: false };
      rest = shorter;
    }
  }
}

function problemOf({ code, message }: CommanderError, command: Command): string {
  if (code === TOO_MANY) {
    const extra = command.args.slice(command.registeredArguments.length).map((word) => `"${word}"`);
    return `${extra.join(" ")}: not expected here; a value with blanks needs quotes around it`;
  }
  return message.replace(/^error: /, "").replace(/\n\(Did you mean (.*)\)$/, "; did you mean $1");
}

/** The words without those an error was about; `undefined` if they cannot be told. */
function without(words: readonly string[], error: CommanderError): string[] | undefined {
  if (error.code !== UNKNOWN_OPTION && error.code !== MISSING_VALUE) return undefined;
  const [, flag] = /'[^']*?(-[^\s'<,=]+)/.exec(error.message) ?? [];
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (flag === undefined || at < 0) return undefined;
  const next = words[at + 1];
  // `--rat 50`: the value goes with its flag, unless it is the URL.
  const hasValue =
    error.code === UNKNOWN_OPTION &&
    words[at] === flag &&
    next !== undefined &&
    !next.startsWith("-") &&
    !next.includes("://");
  return words.filter((_, i) => i !== at && !(hasValue && i === at + 1));
}
