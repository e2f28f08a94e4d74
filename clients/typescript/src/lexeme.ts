/** Where does a lexeme end? */

import { expected } from "./error.js";

/** The characters of the grammar, as `charCodeAt` gives them. */
export const enum Char {
  Quote = 0x22,
  Comma = 0x2c,
  Slash = 0x2f,
  Zero = 0x30,
  Nine = 0x39,
  Colon = 0x3a,
  OpenBracket = 0x5b,
  Backslash = 0x5c,
  CloseBracket = 0x5d,
  OpenBrace = 0x7b,
  CloseBrace = 0x7d,
}

const QUOTED_IDENT = /^"[A-Za-z_][A-Za-z0-9_]*"$/;
const IDENT = /[A-Za-z_][A-Za-z0-9_]*/y;
const HEX = /[0-9A-Fa-f]{4}/y;

/** Does this string, as written, hold an identifier? */
export function holdsIdent(key: string): boolean {
  return QUOTED_IDENT.test(key);
}

/** Skips white space. */
export function space(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** Skips an identifier. */
export function ident(text: string, at: number): number {
  IDENT.lastIndex = at;
  return IDENT.test(text) ? IDENT.lastIndex : at;
}

/** Skips digits. */
export function digits(text: string, at: number): number {
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** The end of the scalar at `at`; an error if there is none. */
export function scalar(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === Char.Quote) return string(text, at);
  if (isDigit(code) || code === 0x2d) return number(text, at);
  const word = code === 0x74 ? "true" : code === 0x66 ? "false" : "null";
  if (text.startsWith(word, at)) return at + word.length;
  throw expected("a value", text, at);
}

/** The end of the string whose opening quote is at `start`. */
export function string(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === Char.Quote) return at + 1;
    if (code === Char.Backslash) at = escape(text, at);
    else if (code < 0x20) throw expected("control characters to be escaped in a string", text, at);
    else if (at >= text.length) throw expected('the closing `"` of the string', text, at);
  }
}

/** The last character of the escape at `at`. */
function escape(text: string, at: number): number {
  const letter = text.charAt(at + 1);
  if (letter === "u") {
    HEX.lastIndex = at + 2;
    if (HEX.test(text)) return at + 5;
    throw expected("four hexadecimal digits after `\\u`", text, at + 2);
  }
  if (letter !== "" && '"\\/bfnrt'.includes(letter)) return at + 1;
  throw expected('one of `"\\/bfnrtu` after the backslash', text, at + 1);
}

function number(text: string, start: number): number {
  let at = text.charAt(start) === "-" ? start + 1 : start;
  at = text.charCodeAt(at) === Char.Zero ? at + 1 : someDigits(text, at);
  if (text.charAt(at) === ".") at = someDigits(text, at + 1);
  if ((text.charCodeAt(at) | 0x20) === 0x65) {
    const sign = text.charAt(at + 1);
    at = someDigits(text, sign === "+" || sign === "-" ? at + 2 : at + 1);
  }
  return at;
}

function someDigits(text: string, at: number): number {
  const end = digits(text, at);
  if (end === at) throw expected("a digit", text, at);
  return end;
}

function isDigit(code: number): boolean {
  return code >= Char.Zero && code <= Char.Nine;
}
