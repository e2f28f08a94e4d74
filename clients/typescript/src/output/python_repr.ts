/** Python literals that were written as JSON. */

import { string } from "../lexeme.js";
import { Unreadable } from "./error.js";
import { decodeAny } from "./json.js";
import * as nested from "./nested.js";
import { write } from "./python_literal.js";

const HEAD = "[Forge a Python literal as JSON";
const HEAD_LINE = /^\[Forge a Python literal as JSON(?:, tuples at level (?:([0-9]{1,9})|2( as objects)))?\]\n/;

export function isWritten(text: string): boolean {
  return text.startsWith(HEAD);
}

export function decode(text: string, maxOutput: number): string {
  const head = HEAD_LINE.exec(text);
  if (!head) throw new Unreadable();
  const body = text.slice(head[0].length);
  const lineEnd = body.endsWith("\n") ? "\n" : "";
  const form = body.slice(0, body.length - lineEnd.length);
  const json = nested.isWritten(form) ? nested.decode(form, maxOutput) : decodeAny(form, maxOutput);
  if (head[2] !== undefined) return write(rows(json), 2, maxOutput) + lineEnd;
  return write(json, head[1] === undefined ? undefined : Number(head[1]), maxOutput) + lineEnd;
}

/** A list of objects as one of arrays. */
function rows(json: string): string {
  const pieces: string[] = [];
  const sign = /["{}[\]]/g;
  let [depth, copied] = [0, 0];
  for (let found = sign.exec(json); found; found = sign.exec(json)) {
    const [mark] = found;
    if (mark === '"') {
      sign.lastIndex = string(json, found.index);
      if (depth !== 2 || json.charAt(sign.lastIndex) !== ":") continue;
      pieces.push(json.slice(copied, found.index));
      copied = ++sign.lastIndex;
      continue;
    }
    if (mark === "{" || mark === "[") depth++;
    if (depth === 2) {
      if (mark !== "{" && mark !== "}") throw new Unreadable();
      pieces.push(json.slice(copied, found.index), mark === "{" ? "[" : "]");
      copied = sign.lastIndex;
    }
    if (mark === "}" || mark === "]") depth--;
  }
  return pieces.join("") + json.slice(copied);
}
