/** Truncated JSON: what can be read of it in a form, and the rest as it was. */

import { Unreadable } from "./error.js";
import { decodeAny } from "./json.js";
import { splitOnce } from "./text.js";

const HEAD = "[Forge JSON that was cut off, closed with ";
const HEAD_END = "]\n";
const LIST = "\n[Forge the elements that follow, as a list]\n";
const TEXT = "\n[Forge then the text as it was]\n";

export function isWritten(text: string): boolean {
  return text.startsWith(HEAD);
}

export function decode(text: string, maxOutput: number): string {
  const [closers, afterHead] = split(text.slice(HEAD.length), HEAD_END);
  const [head, rest] = split(afterHead, TEXT);
  const json = decodeAny(head, maxOutput);
  if (!json.endsWith(closers)) throw new Unreadable();
  const decoded = json.slice(0, json.length - closers.length);
  if (!rest.includes(LIST)) return decoded + rest;
  const [before, afterMark] = split(rest, LIST);
  const [elements, behind] = split(afterMark, TEXT);
  const list = decodeAny(elements, maxOutput);
  if (!list.startsWith("[") || !list.endsWith("]")) throw new Unreadable();
  return decoded + before + list.slice(1, -1) + behind;
}

function split(text: string, mark: string): [string, string] {
  const parts = splitOnce(text, mark);
  if (!parts) throw new Unreadable();
  return parts;
}
