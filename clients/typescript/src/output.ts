/** Compressed tool outputs, restored: the notations whose lines say for themselves what they stand for. */

import { decodeStc, MAX_OUTPUT, type DecodeOptions } from "./decode.js";
import { encodeStc } from "./encode.js";
import { StcError } from "./error.js";
import { isStc2 } from "./stc2/decode.js";
import { utf8Length } from "./utf8.js";

const MAX_ENTRIES = 20;

/** A compressed output cannot be restored from itself: it is damaged, or not all of it is there. */
export class OutputError extends SyntaxError {
  override readonly name = "OutputError";
}

/**
 * What a compressed tool output stands for; a text that nothing changed is given back as it is.
 *
 * ```ts
 * decodeOutput("a\n[Forge the line above 2 more times]\nb\n");
 * // "a\na\na\nb\n"
 * ```
 *
 * Read are thinned number columns, folded lines, dictionaries, JSON lines and STC. Templates, patterns, path headings
 * and pointers are for `tokenforge decode`, and are an error here, as is a text of which something was left out.
 * Throws {@link OutputError}.
 */
export function decodeOutput(text: string, { maxOutput = MAX_OUTPUT }: DecodeOptions = {}): string {
  for (const [start, what] of ELSEWHERE) {
    if (text.startsWith(start) || text.includes(`\n${start}`)) {
      throw new OutputError(`${what} are read by \`tokenforge decode\``);
    }
  }
  let restored = text;
  // Nothing is written over JSON in a form or over a column, so what looks like a note in them is data.
  for (const read of [json, numbered, folded, dictionary]) {
    restored = read(restored, maxOutput);
    if (utf8Length(restored) > maxOutput) throw tooLarge(maxOutput);
  }
  return restored;
}

const ELSEWHERE = [
  ["[Forge templates: ", "templates"],
  ["[Forge patterns", "patterns"],
  ["[Forge paths", "path headings"],
  ["[Forge matches", "path headings"],
  ["[Forge same as ", "pointers to earlier results"],
  ["[Duplicate of ", "pointers to earlier results"],
  ["<<<SHADOW:", "references to what was left out"],
] as const;

function tooLarge(maxOutput: number): OutputError {
  return new OutputError(`more than ${maxOutput} bytes`);
}

/** The lines of a text, and what ends the last one. */
function linesOf(text: string): [lines: string[], end: string] {
  return text.endsWith("\n") ? [text.slice(0, -1).split("\n"), "\n"] : [text.split("\n"), ""];
}

// Dictionaries: `[Forge LZW Dictionary]`, entries, and a text with markers.

const ESCAPES: Record<string, string> = { '"': '"', "\\": "\\", n: "\n", r: "\r" };

function dictionary(text: string, maxOutput: number): string {
  const header = /^\[Forge (?:LZW|RePair) Dictionary\]\n(?=<<([FR][1-9][0-9]*):1>> = ")/.exec(text);
  if (!header) return text;
  const salt = header[1] ?? "";
  let at = header[0].length;
  const entries: string[] = [];
  while (entries.length < MAX_ENTRIES) {
    const opening = `<<${salt}:${entries.length + 1}>> = "`;
    if (!text.startsWith(opening, at)) break;
    const entry = /((?:[^"\\\n\r]|\\["\\nr])+)"\n/y;
    entry.lastIndex = at + opening.length;
    const found = entry.exec(text);
    if (!found) throw new OutputError(`entry ${entries.length + 1} of the dictionary cannot be read`);
    entries.push((found[1] ?? "").replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter));
    at = entry.lastIndex;
  }
  const pieces: string[] = [];
  let size = 0;
  const marker = new RegExp(`<<${salt}:(?:([1-9][0-9]*)>>)?`, "g");
  marker.lastIndex = at;
  for (let found = marker.exec(text); found; found = marker.exec(text)) {
    const entry = entries[Number(found[1] ?? 0) - 1];
    if (entry === undefined) throw new OutputError(`the dictionary has no entry for ${found[0]}`);
    pieces.push(text.slice(at, found.index), entry);
    size += found.index - at + entry.length;
    if (size > maxOutput) throw tooLarge(maxOutput);
    at = marker.lastIndex;
  }
  return pieces.join("") + text.slice(at);
}

// Folded lines: `[Forge the 2 lines above 3 more times]`, `[Forge 5 lines again from: NAME]`.

const ABOVE = /^\[Forge the (?:line|([1-9][0-9]*) lines) above (?:once more|([1-9][0-9]*) more times)\]$/;
const AGAIN = /^\[Forge ([1-9][0-9]*) lines again from: (.*)\]$/s;
const LONGEST_NAME = 48;

/** A line is known by its first bytes. */
function nameOf(line: string): string {
  const whole = line.replace(/\r+$/, "");
  let name = "";
  let bytes = 0;
  for (const character of whole) {
    bytes += utf8Length(character);
    if (bytes > LONGEST_NAME) break;
    name += character;
  }
  return name;
}

function folded(text: string, maxOutput: number): string {
  if (!text.includes("[Forge ")) return text;
  const [given, end] = linesOf(text);
  const lines: string[] = [];
  const firsts = new Map<string, number>();
  let size = 0;
  for (const line of given) {
    const above = ABOVE.exec(line);
    const again = AGAIN.exec(line);
    let [count, times, first] = [1, 1, lines.length];
    let block = [line];
    if (above) {
      [count, times] = [Number(above[1] ?? 1), Number(above[2] ?? 1)];
      first = lines.length - count;
      block = first < 0 ? [] : lines.slice(first);
    } else if (again) {
      count = Number(again[1]);
      first = firsts.get(again[2] ?? "") ?? lines.length;
      block = lines.slice(first, first + count);
    } else {
      const name = nameOf(line);
      if (!firsts.has(name)) firsts.set(name, lines.length);
    }
    if (block.length !== count) throw new OutputError(`there are no such lines: ${line}`);
    size += times * block.reduce((sum, one) => sum + one.length + 1, 0);
    if (size > maxOutput + 1) throw tooLarge(maxOutput);
    for (let time = 0; time < times; time++) for (const one of block) lines.push(one);
  }
  return lines.join("\n") + end;
}

// Number columns: `[Forge lines 1-46, every 10th numbered]`, then the lines.

const ANNOUNCED = /^\[Forge lines ([0-9]+)-([0-9]+), every 10th numbered(?: as N(.+)text)?\]$/s;
const COLUMN = /^( *)([0-9]+)(→|\t|\|| \||:| {2})/;
const WIDEST = 9;

function numbered(text: string): string {
  if (!text.includes("[Forge lines ")) return text;
  const [given, end] = linesOf(text);
  const lines: string[] = [];
  for (let at = 0; at < given.length; at++) {
    const line = given[at] ?? "";
    if (!line.startsWith("[Forge lines ")) {
      lines.push(line);
      continue;
    }
    const announced = ANNOUNCED.exec(line);
    const shownFirst = given[++at] ?? "";
    const column = COLUMN.exec(shownFirst);
    const [first, last] = [Number(announced?.[1]), Number(announced?.[2])];
    const [blanks, digits] = [column?.[1] ?? "", column?.[2] ?? ""];
    const width = blanks.length + digits.length;
    if (!announced || !column || Number(digits) !== first || width > WIDEST || at + last - first >= given.length) {
      throw new OutputError(`the column of numbers cannot be read: ${line}`);
    }
    let separator = column[3] ?? "";
    const mayHaveBlank = announced[3] === undefined && /[:|]$/.test(separator);
    if (mayHaveBlank && shownFirst.startsWith(" ", column[0].length)) separator += " ";
    const padding = blanks === "" && digits.length > 1 && digits.startsWith("0") ? "0" : " ";
    lines.push(shownFirst);
    for (let number = first + 1; number <= last; number++) {
      const thinned = given[++at] ?? "";
      const shown = number % 10 === 0 ? `${number}${separator}` : "";
      if (!thinned.startsWith(shown)) throw new OutputError(`line ${number} should show its number`);
      lines.push(`${number}`.padStart(width, padding) + separator + thinned.slice(shown.length));
    }
  }
  return lines.join("\n") + end;
}

// JSON: lines as one array, or a document in STC.

const JSON_LINES = "[Forge JSON lines as one array]\n";

function json(text: string, maxOutput: number): string {
  const isLines = text.startsWith(JSON_LINES);
  let decoded: string;
  try {
    decoded = decodeStc(isLines ? text.slice(JSON_LINES.length) : text, { maxOutput });
  } catch (wrong) {
    if (!(wrong instanceof StcError)) throw wrong;
    if (isLines) {
      throw new OutputError(`JSON lines that are not in STC are read by \`tokenforge decode\`: ${wrong.message}`);
    }
    if (isStc2(text)) throw wrong;
    return text;
  }
  if (isLines) return elementsOf(decoded).join("\n") + (text.endsWith("\n") ? "\n" : "");
  if (isStc2(text)) return decoded;
  const isStc = /^[[{]/.test(decoded) && encodeStc(decoded, { spelling: "dense" }) === text;
  return isStc ? decoded : text;
}

/** The elements of a minified array. */
function elementsOf(array: string): string[] {
  const elements: string[] = [];
  let [depth, start] = [0, 1];
  for (const found of array.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]/g)) {
    const [sign] = found;
    if (sign === "[" || sign === "{") depth++;
    else if (sign === "]" || sign === "}") depth--;
    if (depth === 0 || (depth === 1 && sign === ",")) {
      elements.push(array.slice(start, found.index));
      start = found.index + sign.length;
    }
  }
  return elements;
}
