/** The layouts in which serialisers print JSON, written from the minified text. */

import { string } from "../lexeme.js";
import { Unreadable } from "./error.js";
import { Writer } from "./text.js";

/** What stands between the tokens of a JSON text. */
export interface Layout {
  /** What each level is indented by, if elements and members have lines of their own. */
  indent?: string;
  /** Does a blank follow every comma and colon? */
  isSpaced?: boolean;
}

/** The layout of this name. */
export function layoutOf(word: string): Layout | undefined {
  if (word === "spaced") return { isSpaced: true };
  if (word === "indented:tabs") return { indent: "\t" };
  const width = /^indented:([1-8])$/.exec(word);
  return width ? { indent: " ".repeat(Number(width[1])) } : undefined;
}

export function write(json: string, { indent, isSpaced }: Layout, maxOutput: number): string {
  const out = new Writer(maxOutput);
  const sign = /["{}[\],:]/g;
  let [depth, copied] = [0, 0];
  for (let found = sign.exec(json); found; found = sign.exec(json)) {
    const [mark] = found;
    const next = json.charAt(sign.lastIndex);
    if (mark === '"') {
      sign.lastIndex = string(json, found.index);
    } else if (indent === undefined) {
      if (!isSpaced || !/[,:]/.test(mark)) continue;
      out.write(`${json.slice(copied, sign.lastIndex)} `);
      copied = sign.lastIndex;
    } else if (/[{[]/.test(mark) && /[}\]]/.test(next)) {
      sign.lastIndex++;
    } else {
      out.write(json.slice(copied, found.index));
      copied = sign.lastIndex;
      if (mark === ":") {
        out.write(": ");
      } else if (mark === "}" || mark === "]") {
        if (--depth < 0) throw new Unreadable();
        out.write(`\n${indent.repeat(depth)}${mark}`);
      } else {
        if (mark !== ",") depth++;
        out.write(`${mark}\n${indent.repeat(depth)}`);
      }
    }
  }
  out.write(json.slice(copied));
  return out.text();
}
