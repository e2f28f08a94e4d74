/** Python literals, written from minified JSON as `repr` prints them. */

import { string } from "../lexeme.js";
import { Unreadable } from "./error.js";
import { matchAt, Writer } from "./text.js";
import { pythonString } from "./wrapper/strings.js";

const MARK = /["{}[\],:]|[^"{}[\],:]+/y;
const WORDS = new Map([
  ["null", "None"],
  ["true", "True"],
  ["false", "False"],
  [",", ", "],
  [":", ": "],
]);

/** What `repr` prints of a minified JSON text, with tuples at a level of its arrays. */
export function write(json: string, tuples: number | undefined, maxOutput: number): string {
  const out = new Writer(maxOutput);
  const open: { isTuple: boolean; needsNoComma: boolean }[] = [];
  for (let at = 0, found = matchAt(MARK, json, at); found; found = matchAt(MARK, json, at)) {
    const [mark] = found;
    const start = at;
    at += mark.length;
    if (mark === '"') {
      at = string(json, start);
      out.write(literal(JSON.parse(json.slice(start, at)) as string));
    } else if (mark === "{" || mark === "[") {
      const isTuple = mark === "[" && tuples === open.length + 1;
      // `()` has no comma, and `(1,)` has one.
      open.push({ isTuple, needsNoComma: json.charAt(at) === "]" });
      out.write(isTuple ? "(" : mark);
    } else if (mark === "}" || mark === "]") {
      const closed = open.pop();
      if (!closed) throw new Unreadable();
      out.write(closed.isTuple ? (closed.needsNoComma ? ")" : ",)") : mark);
    } else {
      const last = open.at(-1);
      if (mark === "," && last) last.needsNoComma = true;
      out.write(WORDS.get(mark) ?? mark);
    }
  }
  return out.text();
}

/** A string in single quotes, unless it has such and no double ones. */
function literal(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + pythonString(text, quote) + quote;
}
