/** Nested JSON: strings that hold JSON, or a Python literal, and were written as the values that they hold. */

import { StcError } from "../error.js";
import { string } from "../lexeme.js";
import { TooLarge, Unreadable } from "./error.js";
import { decodeAny, unless } from "./json.js";
import { type Layout, layoutOf, write as writeJson } from "./layout.js";
import { write as writeLiteral } from "./python_literal.js";
import { splitOnce } from "./text.js";
import { jsonString, STYLES } from "./wrapper/strings.js";

const HEAD = "[Forge strings that hold JSON, unescaped: ";
const HEAD_END = "]\n";
const SEPARATOR = "; ";
/** How many strings may lie inside each other. */
const MOST_LAYERS = 4;

/** How a string was written that holds a value. */
interface Style {
  layout: Layout;
  isPython: boolean;
  tuples: number | undefined;
  lineEnd: string;
  special: string;
}

type Members = Map<string, Style>;

export function isWritten(text: string): boolean {
  return text.startsWith(HEAD);
}

export function decode(text: string, maxOutput: number): string {
  const parts = splitOnce(text.slice(HEAD.length), HEAD_END);
  if (!parts) throw new Unreadable();
  const [names, form] = parts;
  const members = unless(StcError, () => membersOf(names));
  if (!members) throw new Unreadable();
  return lower(decodeAny(form, maxOutput), members, MOST_LAYERS, maxOutput);
}

/** The minified text with the objects and arrays of these members as strings. */
function lower(json: string, members: Members, layers: number, maxOutput: number): string {
  const pieces: string[] = [];
  const quote = /"/g;
  let copied = 0;
  for (let found = quote.exec(json); found; found = quote.exec(json)) {
    const end = string(json, found.index);
    quote.lastIndex = end;
    const style = members.get(json.slice(found.index + 1, end - 1));
    if (!style || json.charAt(end) !== ":" || !/[{[]/.test(json.charAt(end + 1))) continue;
    if (layers === 0) throw new Unreadable();
    const close = containerEnd(json, end + 1);
    const inner = lower(json.slice(end + 1, close), members, layers - 1, maxOutput);
    pieces.push(json.slice(copied, end + 1), writeString(inner, style, maxOutput));
    copied = quote.lastIndex = close;
  }
  const lowered = pieces.join("") + json.slice(copied);
  if (lowered.length > maxOutput) throw new TooLarge();
  return lowered;
}

/** Behind the bracket that closes the container that begins at an offset. */
function containerEnd(json: string, at: number): number {
  const sign = /["{}[\]]/g;
  sign.lastIndex = at;
  let depth = 0;
  for (let found = sign.exec(json); found; found = sign.exec(json)) {
    if (found[0] === '"') sign.lastIndex = string(json, found.index);
    else depth += /[{[]/.test(found[0]) ? 1 : -1;
    if (depth === 0) return sign.lastIndex;
  }
  throw new Unreadable();
}

/** The string that holds a value, with its quotes. */
function writeString(json: string, style: Style, maxOutput: number): string {
  const { layout, isPython, tuples, lineEnd, special } = style;
  const held = isPython ? writeLiteral(json, tuples, maxOutput) : writeJson(json, layout, maxOutput);
  return `"${jsonString(held + lineEnd, special)}"`;
}

function membersOf(names: string): Members {
  const members: Members = new Map();
  let rest = names;
  while (rest.startsWith('"')) {
    const end = string(rest, 0);
    const [words, others] = splitOnce(rest.slice(end), SEPARATOR) ?? [rest.slice(end), undefined];
    members.set(rest.slice(1, end - 1), styleOf(words.split(" ").filter((word) => word !== "")));
    if (others === undefined) return members;
    rest = others;
  }
  throw new Unreadable();
}

function styleOf(words: string[]): Style {
  const style: Style = { layout: {}, isPython: false, tuples: undefined, lineEnd: "", special: "" };
  for (const word of words) {
    const layout = layoutOf(word);
    const tuples = /^tuples:([0-9]{1,9})$/.exec(word);
    const special = STYLES.get(word);
    if (layout) style.layout = layout;
    else if (tuples) [style.isPython, style.tuples] = [true, Number(tuples[1])];
    else if (special !== undefined) style.special += special;
    else if (word === "Python") style.isPython = true;
    else if (word === "newline") style.lineEnd = "\n";
    else throw new Unreadable();
  }
  return style;
}
