/** Keys and scalars of TOON, and what they are in JSON. */

import { loneSurrogate } from "../utf8.js";
import { ToonError } from "./error.js";

const PLAIN = /[^"\\\x00-\x1f]*/y;
// Of the control characters three have escapes of their own.
const ESCAPE = /\\(?:["\\nrt]|u00(?:0[0-8bcef]|1[0-9a-f]))/y;
const BARE_KEY = /[A-Za-z_][A-Za-z0-9_.]*/y;
const BARE_CELL = /[^,"]*/y;
const LITERAL = /^(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)$/;
const IS_BARE_KEY = /^[A-Za-z_][A-Za-z0-9_.]*$/;

// A string that is none of these may stand without quotes.
const NEEDS_QUOTES =
  /^$|[,:[\]{}"\\\x00-\x1f]|^[ \-#]| $|^(?:true|false|null|\+?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
const RESPELLED = /\\(?:u0008|u000c|[^u])/g;
const TO_JSON: Record<string, string> = { "\\u0008": "\\b", "\\u000c": "\\f" };
const SPECIAL = /["\\\x00-\x1f]/g;
const ESCAPES: Record<string, string> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Where an expression with the flag `y` matches at an offset. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The offset behind what an expression with the flag `y` matches at another. */
function endAt(pattern: RegExp, text: string, at: number): number {
  const found = matchAt(pattern, text, at);
  return found ? at + found[0].length : at;
}

/** The offset behind the string whose opening quote is at another. In rounds: an expression would keep state for each. */
function stringEnd(text: string, at: number): number {
  for (let end = at + 1; ; ) {
    const stop = endAt(PLAIN, text, end);
    end = endAt(ESCAPE, text, stop);
    if (end > stop) continue;
    if (text.charAt(stop) !== '"') throw new ToonError("a string does not end");
    return stop + 1;
  }
}

/** The key at an offset, as it is written; empty if there is none. */
export function keyAt(text: string, at: number): string {
  return text.slice(at, text.startsWith('"', at) ? stringEnd(text, at) : endAt(BARE_KEY, text, at));
}

/** A scalar as JSON writes it. */
export function toJson(scalar: string): string {
  if (scalar.startsWith('"')) {
    if (stringEnd(scalar, 0) < scalar.length) throw new ToonError("something stands behind a string");
    return scalar.replace(RESPELLED, (escape) => TO_JSON[escape] ?? escape);
  }
  if (LITERAL.test(scalar)) return scalar;
  if (NEEDS_QUOTES.test(scalar)) throw new ToonError("a string needs quotes");
  return `"${scalar}"`;
}

export function keyToJson(key: string): string {
  return key.startsWith('"') ? toJson(key) : `"${key}"`;
}

/** The values between commas, as JSON. */
export function cells(text: string, at: number): string[] {
  const values: string[] = [];
  for (;;) {
    const end = text.startsWith('"', at) ? stringEnd(text, at) : endAt(BARE_CELL, text, at);
    if (!["", ","].includes(text.charAt(end))) throw new ToonError("expected `,` between values");
    values.push(toJson(text.slice(at, end)));
    if (end === text.length) return values;
    at = end + 1;
  }
}

/** The value of a string of JSON. TOON has no escape for half a character. */
export function valueOf(string: string): string {
  if (!string.includes("\\")) return string.slice(1, -1);
  const text = JSON.parse(string) as string;
  const lone = loneSurrogate(text);
  if (lone < 0) return text;
  throw new ToonError(`TOON cannot hold the lone surrogate U+${text.charCodeAt(lone).toString(16).toUpperCase()}`);
}

/** A scalar of JSON as TOON writes it. */
export function fromJson(scalar: string): string {
  if (!scalar.startsWith('"')) return scalar;
  const text = valueOf(scalar);
  return NEEDS_QUOTES.test(text) ? quoted(text) : text;
}

export function keyFromJson(key: string): string {
  const text = valueOf(key);
  return IS_BARE_KEY.test(text) ? text : quoted(text);
}

export function quoted(text: string): string {
  const escaped = (special: string) =>
    ESCAPES[special] ?? `\\u${special.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `"${text.replace(SPECIAL, escaped)}"`;
}
