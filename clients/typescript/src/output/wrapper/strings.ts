/** The text between the quotes of a JSON or Python string, in the spellings that real serialisers use. */

import { loneSurrogate } from "../../utf8.js";
import type { Slot } from "./slot.js";

/** The text of a string, and what writes another text just so. Every character is written for itself. */
export interface Decoded {
  text: string;
  encode: (text: string) => string;
}

const JSON_ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|(["\\/bfnrt])|(?:[^]|$))/g;
const JSON_LETTERS: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const SHORT: Record<string, string> = { "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const PYTHON_ESCAPE = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([nrt'"\\])|(?:[^]|$))/g;
const PYTHON_LETTERS: Record<string, string> = { n: "\n", r: "\r", t: "\t" };
// What `repr` escapes: control and format characters and blanks that cannot be seen. A text with characters that were
// unknown when a Python was made, which that escapes too, is left alone.
const INVISIBLE =
  String.raw`\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200f\u2028-\u202f` +
  String.raw`\u205f-\u2064\u2066-\u206f\u3000\ue000-\uf8ff\ufeff\ufff9-\ufffb\u{110bd}\u{110cd}\u{13430}-\u{13438}` +
  String.raw`\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}\u{f0000}-\u{10ffff}`;

/** What a serialiser escapes beyond what it has to, by the name of the style. */
export const STYLES = new Map([
  ["ASCII", String.raw`\x7f-\uffff`],
  ["\\/", "/"],
  ["HTML", String.raw`<>&\u2028\u2029`],
]);

/** A text between the quotes of a JSON string, with these characters escaped and those that must be. */
export function jsonString(text: string, special: string): string {
  // Without the flag `u` a pair is two units, which are escaped one by one.
  return text.replace(new RegExp(String.raw`["\\\x00-\x1f${special}]`, "g"), jsonEscape);
}

/** A text between such quotes of a Python string, as `repr` prints it. */
export function pythonString(text: string, quote: string): string {
  return text.replace(new RegExp(`[${quote}\\\\${INVISIBLE}]`, "gu"), pythonEscape);
}

/** Reads a string, unless it would not come back as it was. `special` is what a JSON string is known to escape. */
export function decode(
  written: string,
  quote: NonNullable<Slot["quote"]>,
  special: string,
): Decoded | undefined {
  const decoded = quote === "{" ? decodeJson(written) : decodePython(written, quote);
  if (decoded?.encode(decoded.text) !== written) return undefined;
  return special !== "" && quote === "{" ? { ...decoded, encode: (text) => jsonString(text, special) } : decoded;
}

function decodeJson(written: string): Decoded | undefined {
  let isJson = true;
  const text = written.replace(JSON_ESCAPE, (_, unit?: string, letter?: string) => {
    if (unit !== undefined) return String.fromCharCode(parseInt(unit, 16));
    isJson &&= letter !== undefined;
    return letter === undefined ? "" : (JSON_LETTERS[letter] ?? letter);
  });
  if (!isJson || loneSurrogate(text) >= 0) return undefined;
  // What a serialiser escapes beyond what it has to: `/` as PHP, `<>&` as Go, all but ASCII as Python.
  const hasEscapes = written.includes("\\");
  const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);
  let special = "";
  if (written.includes("\\/")) special += "/";
  if (/\\u003c|\\u003e|\\u0026/.test(written)) special += String.raw`<>&\u2028\u2029`;
  if (hasEscapes && isAscii(written) && !isAscii(text)) special += String.raw`\x7f-\uffff`;
  return { text, encode: (text) => jsonString(text, special) };
}

function jsonEscape(unit: string): string {
  if (unit === '"' || unit === "\\" || unit === "/") return `\\${unit}`;
  return SHORT[unit] ?? `\\u${hex(unit.charCodeAt(0), 4)}`;
}

function decodePython(written: string, quote: string): Decoded | undefined {
  let isPython = true;
  const text = written.replace(PYTHON_ESCAPE, (_, x?: string, u?: string, U?: string, letter?: string) => {
    const digits = x ?? u ?? U;
    if (digits === undefined) {
      isPython &&= letter !== undefined;
      return letter === undefined ? "" : (PYTHON_LETTERS[letter] ?? letter);
    }
    const code = parseInt(digits, 16);
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    isPython &&= isCharacter;
    return isCharacter ? String.fromCodePoint(code) : "";
  });
  if (!isPython) return undefined;
  return { text, encode: (text) => pythonString(text, quote) };
}

function pythonEscape(character: string): string {
  if (/['"\\]/.test(character)) return `\\${character}`;
  if (/[\n\r\t]/.test(character)) return SHORT[character]!;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
