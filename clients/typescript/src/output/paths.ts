/** Path headings: lines in groups under what they share, as `rg --heading` prints them. */

import { Unreadable } from "./error.js";
import { SIGNATURE, wholeLines, Writer } from "./text.js";

const END = "[Forge end of groups]";
/** The heading of lines that share nothing with each other. */
const ROOT = "./";
const NUMBERED = /^[0-9]+([:-])/;
const CHECKSUM = /^[0-9A-Fa-f]{32,}$/;

/** How a heading and a line under it make up the original line. */
type Layout = (heading: string, row: string) => string;

const LAYOUTS = new Map<string, Layout>([
  ["[Forge paths: a group's first line goes before each line under it]", (heading, row) => heading + row],
  ["[Forge paths: a group's first line goes before the last column of each line under it]", column],
  ["[Forge matches: a group's first line is the file of the lines under it]", match],
]);

export function isWritten(text: string): boolean {
  return text.includes(SIGNATURE) && text.split("\n").some((line) => LAYOUTS.has(line));
}

export function decode(text: string, maxOutput: number): string {
  const out = new Writer(maxOutput);
  let layout: Layout | undefined;
  let heading: string | undefined;
  for (const [line, end] of wholeLines(text)) {
    if (!layout) {
      if (line === END) throw new Unreadable();
      [layout, heading] = [LAYOUTS.get(line), undefined];
      if (!layout) out.write(line + end);
    } else if (line === END) {
      layout = undefined;
    } else if (heading === undefined) {
      if (line === "") throw new Unreadable();
      heading = line === ROOT ? "" : line;
    } else if (line === "") {
      heading = undefined;
    } else {
      out.write(layout(heading, line) + end);
    }
  }
  return out.text();
}

function column(heading: string, row: string): string {
  const at = lastColumn(row);
  return row.slice(0, at) + heading + row.slice(at);
}

function match(heading: string, row: string): string {
  // What searches print between parts that are not adjacent.
  if (/^--\r*$/.test(row)) return row;
  const delimiter = NUMBERED.exec(row)?.[1];
  if (delimiter === undefined) throw new Unreadable();
  return heading + delimiter + row;
}

/**
 * Behind the last tab; else, in a list of sizes, counts or checksums, behind the first blanks, so that names may hold
 * spaces; else behind the last blank.
 */
function lastColumn(line: string): number {
  const tab = line.lastIndexOf("\t");
  if (tab >= 0) return tab + 1;
  const [, start = "", first = "", blanks = ""] = /^( *)([^ ]*)( *)/.exec(line) ?? [];
  if (/^[0-9]/.test(first) || CHECKSUM.test(first)) return start.length + first.length + blanks.length;
  return line.lastIndexOf(" ") + 1;
}
