import ansis from "ansis";

/** A cell of text, and how wide it is on a terminal: colours take no room. */
export type Cell = string;

export const widthOf = (text: string): number => ansis.strip(text).length;

/** Rows of cells in columns: the first to the left, the others to the right. @returns lines without trailing blanks */
export function alignColumns(rows: readonly (readonly Cell[])[], gap = 2): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const padding = " ".repeat(widths[column]! - widthOf(cell));
        return column === 0 ? cell + padding : padding + cell;
      })
      .join(" ".repeat(gap))
      .trimEnd(),
  );
}

/**
 * Breaks text at blanks so that no line is wider than `width`, but for words that are; later lines are indented. Several blanks in a
 * row stay together.
 */
export function wrap(text: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/ (?! )/)) {
    const grown = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(grown.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = indent + word;
    } else line = grown;
  }
  return [...lines, line];
}
