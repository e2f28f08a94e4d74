/** What went wrong in a text, where, and what would be right. */

import { utf8Length } from "./utf8.js";

/**
 * A text is not STC (when decoding) or not JSON (when encoding), or it is beyond a limit.
 *
 * ```ts
 * decodeStc("{t[3]: 1,2}");
 * // StcError: expected 3 values as declared, found 2 (line 1, column 11, byte 10)
 * ```
 */
export class StcError extends SyntaxError {
  override readonly name = "StcError";

  constructor(
    problem: string,
    /** Where reading could not go on, in bytes of UTF-8 from the start of the text. */
    readonly offset: number,
    /** The line, counted from 1. */
    readonly line: number,
    /** The column in characters, counted from 1. */
    readonly column: number,
  ) {
    super(`${problem} (line ${line}, column ${column}, byte ${offset})`);
  }
}

/** Line, column and byte cost a pass over the text, so they are found only here, once. */
export function error(problem: string, text: string, at: number): StcError {
  let line = 1;
  let column = 1;
  for (let index = 0; index < at; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x0a) {
      line++;
      column = 1;
    } else if (code < 0xdc00 || code >= 0xe000) {
      // The second half of a surrogate pair is no character of its own.
      column++;
    }
  }
  return new StcError(problem, utf8Length(text.slice(0, at)), line, column);
}

/** The everyday error: `what` should stand at `at`. */
export function expected(what: string, text: string, at: number): StcError {
  const code = text.codePointAt(at);
  let found = "the end of the text";
  if (code !== undefined) {
    const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
    found = isControl ? `U+${code.toString(16).toUpperCase().padStart(4, "0")}` : `\`${String.fromCodePoint(code)}\``;
  }
  return error(`expected ${what}, found ${found}`, text, at);
}
