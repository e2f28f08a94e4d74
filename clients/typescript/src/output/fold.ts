/** Folded lines: `[Forge the 2 lines above 3 more times]`, `[Forge 5 lines again from: NAME]`. */

import { TooLarge, Unreadable } from "./error.js";
import { firstBytes, SIGNATURE, wholeLines } from "./text.js";

const ABOVE =
  /^\[Forge the (?:line|([1-9][0-9]{0,18}) lines) above (?:once more|([1-9][0-9]{0,18}) more times)\]$/;
const AGAIN = /^\[Forge ([1-9][0-9]{0,18}) lines again from: (.*)\]$/s;
const LONGEST_NAME = 48;
/** More lines than this are no output anyone reads. */
const MOST_LINES = 1 << 21;

/** Does a line stand for others that are shown above it? */
export function isNote(line: string): boolean {
  return ABOVE.test(line) || AGAIN.test(line);
}

export function isWritten(text: string): boolean {
  return text.includes(SIGNATURE) && text.split("\n").some(isNote);
}

export function decode(text: string, maxOutput: number): string {
  const lines: string[] = [];
  const firsts = new Map<string, number>();
  let size = 0;
  for (const [line] of wholeLines(text)) {
    const above = ABOVE.exec(line);
    const again = AGAIN.exec(line);
    let [count, times] = [1, 1];
    let block = [line];
    if (above) {
      [count, times] = [Number(above[1] ?? 1), Number(above[2] ?? 1)];
      block = count > lines.length ? [] : lines.slice(lines.length - count);
    } else if (again) {
      count = Number(again[1]);
      const first = firsts.get(again[2] ?? "") ?? lines.length;
      block = lines.slice(first, first + count);
    } else {
      const name = nameOf(line);
      if (!firsts.has(name)) firsts.set(name, lines.length);
    }
    if (block.length !== count) throw new Unreadable();
    size += times * block.reduce((sum, one) => sum + one.length + 1, 0);
    const added = times * count;
    if (size > maxOutput + 1 || (added > 1 && lines.length + added > MOST_LINES)) throw new TooLarge();
    for (let time = 0; time < times; time++) for (const one of block) lines.push(one);
  }
  return lines.join("\n") + (text.endsWith("\n") ? "\n" : "");
}

/** A line is known by its first bytes. */
function nameOf(line: string): string {
  let end = line.length;
  while (line.charAt(end - 1) === "\r") end--;
  return firstBytes(line.slice(0, end), LONGEST_NAME);
}
