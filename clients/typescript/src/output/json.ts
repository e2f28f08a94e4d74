/** JSON in a form: STC of either version, a typed table or TOON, and JSON lines written as one array. */

import { decodeStc } from "../decode.js";
import { encodeStc } from "../encode.js";
import { StcError } from "../error.js";
import { parse } from "../json.js";
import { string } from "../lexeme.js";
import { isStc2 } from "../stc2/decode.js";
import { Unreadable } from "./error.js";
import * as table from "./table.js";
import * as toon from "./toon/index.js";

/** Those in which a model is given STC 1. */
const SPELLINGS = ["dense", "flat"] as const;

export const LINES = "[Forge JSON lines as one array]\n";

/** The JSON of a text that is an object or array in a form other than JSON, known by writing it once more. */
export function form(text: string, maxOutput: number): string | undefined {
  if (isStc2(text) && /[^ \t\n\r\f]/.test(text.slice(text.indexOf("\n")))) return decodeAny(text, maxOutput);
  if (text === "" || isJson(text)) return undefined;
  if (/^[{[]/.test(text)) {
    const json = unless(StcError, () => decodeStc(text, { maxOutput }));
    if (json !== undefined && SPELLINGS.some((spelling) => encodeStc(json, { spelling }) === text)) return json;
    // A header and as many rows as it says is nothing else.
    const rows = text.endsWith("\n") ? undefined : unless(Unreadable, () => table.decode(text, maxOutput));
    if (rows !== undefined) return rows;
  }
  return toon.written(text, maxOutput);
}

/** Reads a text that is in some form. */
export function decodeAny(text: string, maxOutput: number): string {
  return (
    unless(StcError, () => decodeStc(text, { maxOutput })) ??
    unless(Unreadable, () => table.decode(text, maxOutput)) ??
    toon.decode(text, maxOutput)
  );
}

/** The lines that became one array. */
export function decodeLines(text: string, maxOutput: number): string {
  const array = decodeAny(text.slice(LINES.length), maxOutput);
  if (!array.startsWith("[")) throw new Unreadable();
  return elementsOf(array).join("\n") + (text.endsWith("\n") ? "\n" : "");
}

function isJson(text: string): boolean {
  return /^[ \t\n\r\f]*[{[]/.test(text) && unless(StcError, () => parse(text)) !== undefined;
}

/** What a function gives, or nothing if it throws such an error. */
export function unless<T>(error: new (...parameters: never[]) => Error, read: () => T): T | undefined {
  try {
    return read();
  } catch (wrong) {
    if (wrong instanceof error) return undefined;
    throw wrong;
  }
}

/** The elements of a minified array. */
function elementsOf(array: string): string[] {
  const elements: string[] = [];
  const sign = /["[\]{},]/g;
  let [depth, start] = [0, 1];
  for (let found = sign.exec(array); found; found = sign.exec(array)) {
    const [mark] = found;
    if (mark === '"') sign.lastIndex = string(array, found.index);
    else if (mark === "[" || mark === "{") depth++;
    else if (mark === "]" || mark === "}") depth--;
    if (depth === 0 || (depth === 1 && mark === ",")) {
      elements.push(array.slice(start, found.index));
      start = sign.lastIndex;
    }
  }
  return elements;
}
