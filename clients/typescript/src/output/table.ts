/** Typed tables: `[3]{id:int,path:string}`, then a line of cells per row, escaped as in CSV. */

import { Unreadable } from "./error.js";
import { endAt, matchAt, Writer } from "./text.js";

const HEADER = /\[([1-9][0-9]{0,15})\]\{/y;
const NAME = /([A-Za-z0-9_]+)|"/y;
const TYPE = /:(int|float|string|bool|null|any)([,}])/y;
const INTEGER = "-?(?:0|[1-9][0-9]*)";
const NUMBER = `${INTEGER}(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`;
const ESCAPE = /\\(?:[\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
const PLAIN = /[^",\\\x00-\x1f]*/y;
const LEXEMES: Record<string, RegExp> = {
  int: lexeme(`${INTEGER}|null`),
  float: lexeme(`${NUMBER}|null`),
  bool: lexeme("true|false|null"),
  null: lexeme("null"),
  any: lexeme(`${NUMBER}|true|false|null`),
};

interface Column {
  /** The name as a JSON key with its colon. */
  key: string;
  kind: string;
}

function lexeme(pattern: string): RegExp {
  return new RegExp(`(?:${pattern})(?=[,\\n]|$)`, "y");
}

/** Reads a typed table and writes minified JSON. */
export function decode(text: string, maxOutput: number): string {
  const header = matchAt(HEADER, text, 0);
  if (!header) throw new Unreadable();
  const count = Number(header[1]);
  const [columns, behind] = columnsAt(text, header[0].length);
  let at = behind;
  const out = new Writer(maxOutput);
  for (let row = 0; row < count; row++) {
    if (!text.startsWith("\n", at)) throw new Unreadable();
    out.write(row > 0 ? "," : "[");
    at = writeRow(text, at + 1, columns, out);
  }
  out.write("]");
  // A final line end is welcome, not required.
  if (text.slice(at, at + 2) !== "" && text.slice(at, at + 2) !== "\n") throw new Unreadable();
  return out.text();
}

function columnsAt(text: string, at: number): [columns: Column[], behind: number] {
  const columns: Column[] = [];
  for (;;) {
    const name = matchAt(NAME, text, at);
    if (!name) throw new Unreadable();
    const [key, end]: [string, number] =
      name[1] === undefined ? quoted(text, at) : [`"${name[1]}"`, at + name[0].length];
    const kind = matchAt(TYPE, text, end);
    if (!kind) throw new Unreadable();
    columns.push({ key: `${key}:`, kind: kind[1]! });
    at = end + kind[0].length;
    if (kind[2] === "}") return [columns, at];
  }
}

/** Writes the object of the row at an offset; gives the offset of its line end. */
function writeRow(text: string, at: number, columns: Column[], out: Writer): number {
  let comma = "{";
  for (const [index, { key, kind }] of columns.entries()) {
    if (index > 0 && text.charAt(at++) !== ",") throw new Unreadable();
    // An empty cell is a member that is not there.
    if (["", ",", "\n"].includes(text.charAt(at))) {
      if (columns.length === 1) throw new Unreadable();
      continue;
    }
    const [cell, end] = cellAt(text, at, kind);
    out.write(comma + key + cell);
    comma = ",";
    at = end;
  }
  if (!["", "\n"].includes(text.charAt(at))) throw new Unreadable();
  out.write(comma === "{" ? "{}" : "}");
  return at;
}

function cellAt(text: string, at: number, kind: string): [cell: string, end: number] {
  if ((kind === "string" || kind === "any") && text.startsWith('"', at)) return quoted(text, at);
  if (kind === "string") {
    const end = plainEnd(text, at);
    const cell = text.slice(at, end);
    return [cell === "null" ? cell : `"${cell}"`, end];
  }
  const found = matchAt(LEXEMES[kind]!, text, at);
  if (!found) throw new Unreadable();
  return [found[0], at + found[0].length];
}

/** The JSON string of the quoted cell at an offset, in which a quote is doubled, and the offset behind it. */
function quoted(text: string, at: number): [string: string, end: number] {
  const pieces = ['"'];
  at++;
  for (;;) {
    const end = plainEnd(text, at);
    pieces.push(text.slice(at, end));
    at = end;
    if (text.startsWith(",", at)) {
      pieces.push(",");
      at++;
    } else if (text.startsWith('""', at)) {
      pieces.push('\\"');
      at += 2;
    } else if (text.startsWith('"', at)) {
      pieces.push('"');
      return [pieces.join(""), at + 1];
    } else {
      throw new Unreadable();
    }
  }
}

/** The offset behind text without commas, quotes and control characters. */
function plainEnd(text: string, at: number): number {
  for (;;) {
    const end = endAt(PLAIN, text, at);
    at = endAt(ESCAPE, text, end);
    if (at === end) return end;
  }
}
