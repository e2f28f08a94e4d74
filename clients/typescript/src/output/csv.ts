/** CSV rows that became one array: each object a row again, in the dialect that the first line names. */

import { StcError } from "../error.js";
import { Members, type Node, parse } from "../json.js";
import { loneSurrogate } from "../utf8.js";
import { Unreadable } from "./error.js";
import { decodeAny } from "./json.js";

const ANNOUNCEMENT = "[Forge CSV rows as one array";
const FIRST_LINE =
  /^\[Forge CSV rows as one array(, tab|, semicolon|, bar|)(, without quotes|, strings quoted|, all quoted|, quoted as by sqlite3|)(, CRLF|)\]\n/;
const DELIMITERS: Record<string, string> = { "": ",", ", tab": "\t", ", semicolon": ";", ", bar": "|" };
const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const SQLITE = /[^!#-&(-~]/;

export function isWritten(text: string): boolean {
  return text.startsWith(ANNOUNCEMENT);
}

export function decode(text: string, maxOutput: number): string {
  const first = FIRST_LINE.exec(text);
  if (!first) throw new Unreadable();
  const [whole, named = "", quoting = "", crlf = ""] = first;
  const delimiter = DELIMITERS[named]!;
  const lineEnd = crlf ? "\r\n" : "\n";
  const rows = rowsOf(text.slice(whole.length), maxOutput);
  const lines = rows.map((row) => row.map((value) => cell(value, quoting, delimiter)).join(delimiter));
  return lines.join(lineEnd) + (text.endsWith("\n") ? lineEnd : "");
}

/** The names, and the values of each object. */
function rowsOf(array: string, maxOutput: number): string[][] {
  const objects = parsed(decodeAny(array, maxOutput));
  if (!Array.isArray(objects) || objects.length === 0) throw new Unreadable();
  const rows: string[][] = [];
  for (const row of objects) {
    if (!(row instanceof Members) || row.keys.length === 0) throw new Unreadable();
    if (rows.length === 0) rows.push(row.keys);
    const values = row.values.filter((value) => typeof value === "string");
    if (row.values.length !== rows[0]!.length || values.length !== row.values.length) throw new Unreadable();
    rows.push(values);
  }
  return rows;
}

function parsed(json: string): Node {
  try {
    return parse(json);
  } catch (wrong) {
    throw wrong instanceof StcError ? new Unreadable() : wrong;
  }
}

/** A JSON value as a cell. */
function cell(value: string, quoting: string, delimiter: string): string {
  const tellsMissing = quoting !== "" && quoting !== ", without quotes";
  if (value === "null" && tellsMissing) return "";
  if (!/^["\-0-9]/.test(value)) throw new Unreadable();
  const content = value.startsWith('"') ? stringOf(value) : value;
  return isQuoted(content, quoting, delimiter) ? `"${content.replaceAll('"', '""')}"` : content;
}

function isQuoted(content: string, quoting: string, delimiter: string): boolean {
  const must = () => content.includes(delimiter) || /["\r\n]/.test(content);
  switch (quoting) {
    case "":
      return must();
    case ", strings quoted":
      return !NUMBER.test(content);
    case ", quoted as by sqlite3":
      return content === "" || SQLITE.test(content) || must();
    default:
      return quoting === ", all quoted";
  }
}

function stringOf(value: string): string {
  const string = JSON.parse(value) as string;
  if (loneSurrogate(string) >= 0) throw new Unreadable();
  return string;
}
