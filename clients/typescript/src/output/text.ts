/** Texts in lines and bytes, as the notations count them. */

import { utf8Length } from "../utf8.js";
import { TooLarge } from "./error.js";

/** What lines of ours begin with. */
export const SIGNATURE = "[Forge ";

/** The white space of Unicode, for a character class; `trim` has another idea of it. */
export const WHITE = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

const IS_WHITE = new RegExp(`[${WHITE}]`);
const LEADING_WHITE = new RegExp(`^[${WHITE}]+`);

/** Where an expression with the flag `y` matches at an offset. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The offset behind what an expression with the flag `y` matches at another. */
export function endAt(pattern: RegExp, text: string, at: number): number {
  const found = matchAt(pattern, text, at);
  return found ? at + found[0].length : at;
}

/** The lines of a text, each with what ends it: nothing, for a last one. A carriage return is part of its line. */
export function wholeLines(text: string): [line: string, end: string][] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const whole = lines.map((line): [string, string] => [line, "\n"]);
  if (last) whole.push([last, ""]);
  return whole;
}

/** A text before its first occurrence of another, and what is behind that; `undefined` if it does not occur. */
export function splitOnce(text: string, mark: string): [before: string, behind: string] | undefined {
  const at = text.indexOf(mark);
  return at < 0 ? undefined : [text.slice(0, at), text.slice(at + mark.length)];
}

/** As much of a text as has no more than so many bytes of UTF-8. */
export function firstBytes(text: string, most: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text.slice(0, most)) {
    bytes += utf8Length(character);
    if (bytes > most) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** As much of a text as has no more than so many characters. */
export function firstCharacters(text: string, most: number): string {
  // A character has no more than two units.
  return [...text.slice(0, 2 * most)].slice(0, most).join("");
}

/** Where a text up to an offset ends, but for white space. Nothing is copied, however often it is asked. */
export function endOf(text: string, end: number): number {
  while (end > 0 && IS_WHITE.test(text.charAt(end - 1))) end--;
  return end;
}

export function trimStart(text: string): string {
  return text.replace(LEADING_WHITE, "");
}

export function trimEnd(text: string): string {
  return text.slice(0, endOf(text, text.length));
}

export function trim(text: string): string {
  return trimStart(trimEnd(text));
}

/** A text that is written in pieces, and never more of it than is allowed. */
export class Writer {
  private readonly pieces: string[] = [];

  constructor(private left: number) {}

  write(piece: string): void {
    // Units of UTF-16 are no more than bytes of UTF-8; those are counted at the end, once.
    this.left -= piece.length;
    if (this.left < 0) throw new TooLarge();
    this.pieces.push(piece);
  }

  text(): string {
    return this.pieces.join("");
  }
}
