/** TOON to minified JSON, line by line. */

import { run, type Steps } from "../../steps.js";
import { Unreadable } from "../error.js";
import { matchAt, Writer } from "../text.js";
import { cells, keyAt, keyToJson, toJson } from "./scalar.js";

const HEADER = /\[([0-9]{1,15})(:?)\]/y;

export function decode(text: string, maxOutput: number): string {
  return new Decoder(text.endsWith("\n") ? text.slice(0, -1) : text, maxOutput).decoded();
}

class Decoder {
  private readonly lines: string[];
  private at = 0;
  private readonly out: Writer;

  constructor(text: string, maxOutput: number) {
    this.lines = text.split("\n");
    this.out = new Writer(maxOutput);
  }

  decoded(): string {
    run(this.document());
    if (this.at < this.lines.length) throw new Unreadable();
    return this.out.text();
  }

  /** The next line without its indentation, if it is at this depth; a scope ends with any other. */
  private next(depth: number): string | undefined {
    const line = this.lines[this.at];
    const indent = 2 * depth;
    if (line === undefined || !line.startsWith(" ".repeat(indent))) return undefined;
    if (["", " "].includes(line.charAt(indent))) return undefined;
    this.at++;
    return line.slice(indent);
  }

  private *document(): Steps {
    if (this.lines.length === 1 && this.lines[0] === "[]") {
      this.at = 1;
      this.out.write("[]");
      return;
    }
    const first = this.next(0);
    if (first === undefined) throw new Unreadable();
    yield first.startsWith("[") ? this.array(first, 0, 0) : this.object(first, 0);
  }

  /** The members at a depth, the first on a line that was read. */
  private *object(first: string, depth: number): Steps {
    let comma = "{";
    for (let line: string | undefined = first; line !== undefined; line = this.next(depth)) {
      const key = keyAt(line, 0);
      if (key === "") throw new Unreadable();
      this.out.write(`${comma}${keyToJson(key)}:`);
      comma = ",";
      const rest = line.slice(key.length);
      if (rest.startsWith("[")) {
        yield this.array(rest, 0, depth);
      } else if (rest === ":") {
        const below = this.next(depth + 1);
        if (below === undefined) this.out.write("{}");
        else yield this.object(below, depth + 1);
      } else if (rest === ": []") {
        this.out.write("[]");
      } else if (rest.startsWith(": ")) {
        this.out.write(toJson(rest.slice(2)));
      } else {
        throw new Unreadable();
      }
    }
    this.out.write("}");
  }

  /** What a header at an offset announces: values, items, rows, or rows with keys. */
  private *array(line: string, at: number, depth: number): Steps {
    const header = matchAt(HEADER, line, at);
    if (!header) throw new Unreadable();
    const [count, isKeyed] = [Number(header[1]), header[2] !== ""];
    const end = at + header[0].length;
    if (line.startsWith("{", end)) {
      this.table(line, end + 1, count, isKeyed, depth + 1);
    } else if (isKeyed || !line.startsWith(":", end)) {
      throw new Unreadable();
    } else if (line.startsWith(" ", end + 1)) {
      const values = cells(line, end + 2);
      if (values.length !== count) throw new Unreadable();
      this.out.write(`[${values.join(",")}]`);
    } else if (end + 1 < line.length) {
      throw new Unreadable();
    } else {
      yield this.items(count, depth + 1);
    }
  }

  private *items(count: number, depth: number): Steps {
    this.out.write("[");
    for (let index = 0; index < count; index++) {
      const line = this.next(depth);
      if (line === undefined || !line.startsWith("-")) throw new Unreadable();
      if (index > 0) this.out.write(",");
      const key = keyAt(line, 2);
      if (line === "-") this.out.write("{}");
      else if (!line.startsWith("- ")) throw new Unreadable();
      else if (line.startsWith("[", 2)) yield this.array(line, 2, depth);
      else if (key !== "" && [":", "["].includes(line.charAt(2 + key.length))) {
        yield this.object(line.slice(2), depth + 1);
      } else this.out.write(toJson(line.slice(2)));
    }
    this.out.write("]");
  }

  private table(line: string, at: number, count: number, isKeyed: boolean, depth: number): void {
    const { before, closing, end } = columnsAt(line, at);
    if (end !== line.length) throw new Unreadable();
    this.out.write(isKeyed ? "{" : "[");
    for (let index = 0; index < count; index++) {
      const row = this.next(depth);
      if (row === undefined) throw new Unreadable();
      if (index > 0) this.out.write(",");
      let start = 0;
      if (isKeyed) {
        const key = keyAt(row, 0);
        if (key === "" || !row.startsWith(": ", key.length)) throw new Unreadable();
        this.out.write(`${keyToJson(key)}:`);
        start = key.length + 2;
      }
      const values = cells(row, start);
      if (values.length !== before.length) throw new Unreadable();
      for (const [column, value] of values.entries()) this.out.write(before[column]! + value);
      this.out.write(closing);
    }
    this.out.write(isKeyed ? "}" : "]");
  }
}

interface Columns {
  /** The JSON before each cell of a row. */
  before: string[];
  closing: string;
  /** The offset behind the fields and their colon. */
  end: number;
}

function columnsAt(line: string, at: number): Columns {
  const before: string[] = [];
  let [json, depth] = ["{", 1];
  for (;;) {
    const key = keyAt(line, at);
    if (key === "") throw new Unreadable();
    json += `${keyToJson(key)}:`;
    at += key.length;
    if (line.startsWith("{", at)) {
      json += "{";
      depth++;
      at++;
      continue;
    }
    before.push(json);
    json = "";
    for (; line.startsWith("}", at); at++) {
      json += "}";
      if (--depth > 0) continue;
      if (!line.startsWith(":", at + 1)) throw new Unreadable();
      return { before, closing: json, end: at + 2 };
    }
    if (!line.startsWith(",", at)) throw new Unreadable();
    json += ",";
    at++;
  }
}
