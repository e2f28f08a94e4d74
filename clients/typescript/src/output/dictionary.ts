/** Dictionaries: `[Forge LZW Dictionary]`, entries such as `<<F1:1>> = "..."`, and a text with their markers. */

import { Unreadable } from "./error.js";
import { Writer } from "./text.js";

const HEADER = /^\[Forge (?:LZW Dictionary\]\n(?=<<F)|RePair Dictionary\]\n(?=<<R))/;
const SALT = /^<<[FR][1-9][0-9]{0,18}:/;
const ESCAPES: Record<string, string> = { '"': '"', "\\": "\\", n: "\n", r: "\r" };
const MAX_ENTRIES = 20;

export function isWritten(text: string): boolean {
  return text.startsWith("[Forge LZW Dictionary]\n") || text.startsWith("[Forge RePair Dictionary]\n");
}

export function decode(text: string, maxOutput: number): string {
  let at = HEADER.exec(text)?.[0].length ?? text.length;
  const opening = SALT.exec(text.slice(at, at + 32))?.[0];
  if (opening === undefined) throw new Unreadable();
  const entries: string[] = [];
  while (entries.length < MAX_ENTRIES) {
    const before = `${opening}${entries.length + 1}>> = "`;
    if (!text.startsWith(before, at)) break;
    const [entry, behind] = unquoted(text, at + before.length);
    if (entry === "" || entry.includes(opening)) throw new Unreadable();
    entries.push(entry);
    at = behind;
  }
  if (entries.length === 0) throw new Unreadable();
  const out = new Writer(maxOutput);
  const marker = new RegExp(`${opening}(?:([1-9][0-9]?)>>)?`, "g");
  marker.lastIndex = at;
  for (let found = marker.exec(text); found; found = marker.exec(text)) {
    const entry = entries[Number(found[1] ?? 0) - 1];
    if (entry === undefined) throw new Unreadable();
    out.write(text.slice(at, found.index));
    out.write(entry);
    at = marker.lastIndex;
  }
  out.write(text.slice(at));
  return out.text();
}

/** The entry whose opening quote is before `at`, and where the line after it begins. */
function unquoted(text: string, at: number): [entry: string, behind: number] {
  const pieces: string[] = [];
  const stop = /["\\\n\r]/g;
  stop.lastIndex = at;
  for (let found = stop.exec(text); found; found = stop.exec(text)) {
    pieces.push(text.slice(at, found.index));
    at = found.index + 1;
    if (found[0] === '"' && text.startsWith("\n", at)) return [pieces.join(""), at + 1];
    const escaped = ESCAPES[text.charAt(at)];
    if (found[0] !== "\\" || escaped === undefined) break;
    pieces.push(escaped);
    stop.lastIndex = ++at;
  }
  throw new Unreadable();
}
