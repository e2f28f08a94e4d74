/** Repeated columns: `[Forge a = -rw-r--r-- 1 root root * Nov 15 00:24 *]`, and rows such as `a 292 a.toml`. */

import { Unreadable } from "./error.js";
import { endAt, wholeLines, Writer } from "./text.js";
import { timestamp } from "./time.js";

const HEADER = '[Forge patterns: a line "a x y" is pattern a with x and y for its stars]\n';
const PATTERN = /^\[Forge ([a-z]) = (.+)\]$/s;
const BLANKS = /[ \t]*/y;
const WORD = /[^ \t]*/y;

/** The columns of a kind of row; `undefined` is a star. */
type Pattern = (string | undefined)[];

export function isWritten(text: string): boolean {
  return text.startsWith(HEADER);
}

export function decode(text: string, maxOutput: number): string {
  const out = new Writer(maxOutput);
  const patterns = new Map<string, Pattern>();
  let inPatterns = true;
  for (const [line, end] of wholeLines(text.slice(HEADER.length))) {
    const defined = inPatterns ? PATTERN.exec(line) : null;
    if (defined) {
      const columns = [...fields(defined[2]!, line.length)];
      const pattern = columns.map((column) => (column === "*" || column === " *" ? undefined : column));
      if (!patterns.has(defined[1]!)) patterns.set(defined[1]!, pattern);
      continue;
    }
    inPatterns = false;
    const pattern = isBlankOrEnd(line, 1) ? patterns.get(line.charAt(0)) : undefined;
    out.write((pattern ? row(pattern, line.slice(1)) : line) + end);
  }
  return out.text();
}

/** The row that has `own` in the place of the stars. */
function row(pattern: Pattern, own: string): string {
  // A first column has no blank of its own that would part it from the letter.
  const isFirstOwn = pattern[0] === undefined;
  if (isFirstOwn && !own.startsWith(" ")) throw new Unreadable();
  const stars = pattern.filter((column) => column === undefined).length;
  const cells = fields(isFirstOwn ? own.slice(1) : own, stars);
  let whole = "";
  for (const column of pattern) {
    const field = column ?? cells.next().value;
    if (field === undefined) throw new Unreadable();
    whole += field;
  }
  return whole;
}

/** The first `most` columns of a line, each with the blanks before it; the last takes the rest of the line. */
function* fields(line: string, most: number): Generator<string, undefined> {
  for (let at = 0; at < line.length && most > 0; most--) {
    const end = most === 1 ? line.length : wordEnd(line, endAt(BLANKS, line, at));
    yield line.slice(at, end);
    at = end;
  }
}

/** Where the word at an offset ends. A time with its date is one. */
function wordEnd(line: string, at: number): number {
  const time = timestamp(line, at);
  return time !== undefined && isBlankOrEnd(line, time) ? time : endAt(WORD, line, at);
}

function isBlankOrEnd(line: string, at: number): boolean {
  return ["", " ", "\t"].includes(line.charAt(at));
}
