/** TOON to minified JSON, line by line. */

import { MAX_OUTPUT, type DecodeOptions } from "../decode.js";
import { run, type Steps } from "../steps.js";
import { loneSurrogate, utf8Length } from "../utf8.js";
import { ToonError } from "./error.js";
import { cells, keyAt, keyToJson, matchAt, toJson } from "./scalar.js";

const HEADER = /\[([0-9]{1,15})(:?)\]/y;

/**
 * Reads TOON as Tokenforge writes it, with two spaces a level and commas, and returns minified JSON.
 *
 * ```ts
 * decodeToon("users[2]{id,name}:\n  1,Ada\n  2,Bob"); // {"users":[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]}
 * ```
 *
 * @throws {ToonError} for any other text, and for one that decodes to more than `maxOutput` bytes.
 */
export function decodeToon(toon: string, { maxOutput = MAX_OUTPUT }: DecodeOptions = {}): string {
  if (loneSurrogate(toon) >= 0) throw new ToonError("expected Unicode text, found a lone surrogate");
  return new Decoder(toon.endsWith("\n") ? toon.slice(0, -1) : toon, maxOutput).decoded();
}

class Decoder {
  private readonly lines: string[];
  private at = 0;
  private readonly out: string[] = [];
  private left: number;

  constructor(
    text: string,
    private readonly maxOutput: number,
  ) {
    this.lines = text.split("\n");
    this.left = maxOutput;
  }

  decoded(): string {
    try {
      run(this.document());
      if (this.at < this.lines.length) {
        this.at++;
        throw new ToonError("it belongs to nothing before it");
      }
    } catch (wrong) {
      if (!(wrong instanceof ToonError)) throw wrong;
      throw new ToonError(`line ${Math.max(this.at, 1)} cannot be read as TOON: ${wrong.message}`);
    }
    const json = this.out.join("");
    if (utf8Length(json) > this.maxOutput) throw this.tooLarge();
    return json;
  }

  private tooLarge(): ToonError {
    return new ToonError(`expected an output of at most ${this.maxOutput} bytes`);
  }

  private write(piece: string): void {
    // Units of UTF-16 are no more than bytes of UTF-8; those are counted at the end, once.
    this.left -= piece.length;
    if (this.left < 0) throw this.tooLarge();
    this.out.push(piece);
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
    if (this.lines.length === 1 && ["[]", ""].includes(this.lines[0]!)) {
      this.at = 1;
      this.write(this.lines[0] || "{}");
      return;
    }
    const first = this.next(0);
    if (first === undefined) throw new ToonError("it is indented");
    if (first.startsWith("[")) yield this.array(first, 0, 0);
    else if (this.lines.length === 1 && ![":", "["].includes(first.charAt(keyAt(first, 0).length))) this.write(toJson(first));
    else yield this.object(first, 0);
  }

  /** The members at a depth, the first on a line that was read. */
  private *object(first: string, depth: number): Steps {
    let comma = "{";
    const keys = new Set<string>();
    for (let line: string | undefined = first; line !== undefined; line = this.next(depth)) {
      const key = newKey(line, 0, keys);
      this.write(`${comma}${keyToJson(key)}:`);
      comma = ",";
      const rest = line.slice(key.length);
      if (rest.startsWith("[")) {
        yield this.array(rest, 0, depth);
      } else if (rest === ":") {
        const below = this.next(depth + 1);
        if (below === undefined) this.write("{}");
        else yield this.object(below, depth + 1);
      } else if (rest === ": []") {
        this.write("[]");
      } else if (rest.startsWith(": ")) {
        this.write(toJson(rest.slice(2)));
      } else {
        throw new ToonError("expected `:` behind the key");
      }
    }
    this.write("}");
  }

  /** What a header at an offset announces: values, items, rows, or rows with keys. */
  private *array(line: string, at: number, depth: number): Steps {
    const header = matchAt(HEADER, line, at);
    if (!header) throw new ToonError("expected a count such as `[2]`");
    const [count, isKeyed] = [Number(header[1]), header[2] !== ""];
    const end = at + header[0].length;
    if (line.startsWith("{", end)) {
      this.table(line, end + 1, count, isKeyed, depth + 1);
    } else if (isKeyed || !line.startsWith(":", end)) {
      throw new ToonError("expected `:` or columns behind the count");
    } else if (line.startsWith(" ", end + 1)) {
      const values = cells(line, end + 2);
      if (values.length !== count) throw new ToonError(`expected ${count} values as declared, found ${values.length}`);
      this.write(`[${values.join(",")}]`);
    } else if (end + 1 < line.length) {
      throw new ToonError("expected a space behind `:`");
    } else {
      yield this.items(count, depth + 1);
    }
  }

  private *items(count: number, depth: number): Steps {
    this.write("[");
    for (let index = 0; index < count; index++) {
      const line = this.next(depth);
      if (line === undefined || (line !== "-" && !line.startsWith("- "))) {
        throw new ToonError(`expected ${count} items as declared, found ${index}`);
      }
      if (index > 0) this.write(",");
      const key = keyAt(line, 2);
      if (line === "-") this.write("{}");
      else if (line.startsWith("[", 2)) yield this.array(line, 2, depth);
      else if (key !== "" && [":", "["].includes(line.charAt(2 + key.length))) {
        yield this.object(line.slice(2), depth + 1);
      } else this.write(toJson(line.slice(2)));
    }
    this.write("]");
  }

  private table(line: string, at: number, count: number, isKeyed: boolean, depth: number): void {
    const { before, closing, end } = columnsAt(line, at);
    if (end !== line.length) throw new ToonError("expected the end of the line behind the columns");
    const keys = new Set<string>();
    this.write(isKeyed ? "{" : "[");
    for (let index = 0; index < count; index++) {
      const row = this.next(depth);
      if (row === undefined) throw new ToonError(`expected ${count} rows as declared, found ${index}`);
      if (index > 0) this.write(",");
      let start = 0;
      if (isKeyed) {
        const key = newKey(row, 0, keys);
        if (!row.startsWith(": ", key.length)) throw new ToonError("expected `: ` behind the key");
        this.write(`${keyToJson(key)}:`);
        start = key.length + 2;
      }
      const values = cells(row, start);
      if (values.length !== before.length) {
        throw new ToonError(`expected ${before.length} values as declared, found ${values.length}`);
      }
      for (const [column, value] of values.entries()) this.write(before[column]! + value);
      this.write(closing);
    }
    this.write(isKeyed ? "}" : "]");
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
  let json = "{";
  const keys = [new Set<string>()];
  for (;;) {
    const key = newKey(line, at, keys.at(-1)!);
    json += `${keyToJson(key)}:`;
    at += key.length;
    if (line.startsWith("{", at)) {
      json += "{";
      keys.push(new Set());
      at++;
      continue;
    }
    before.push(json);
    json = "";
    for (; line.startsWith("}", at); at++) {
      json += "}";
      keys.pop();
      if (keys.length > 0) continue;
      if (!line.startsWith(":", at + 1)) throw new ToonError("expected `:` behind the columns");
      return { before, closing: json, end: at + 2 };
    }
    if (!line.startsWith(",", at)) throw new ToonError("expected `,` between columns");
    json += ",";
    at++;
  }
}

/** The key at an offset, as it is written, which none of these is. */
function newKey(line: string, at: number, keys: Set<string>): string {
  const key = keyAt(line, at);
  if (key === "") throw new ToonError("expected a key");
  const name = keyToJson(key);
  if (keys.has(name)) throw new ToonError(`the key ${name} occurs twice`);
  keys.add(name);
  return key;
}
