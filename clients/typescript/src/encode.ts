/** JSON to STC: every string and number is copied as it was written. */

import { decodeStc1 } from "./decode.js";
import { Members, parse, type Node } from "./json.js";
import { holdsIdent } from "./lexeme.js";
import { encode as encodeBytes } from "./stc2/encode.js";
import { run, type Steps } from "./steps.js";
import { fromBytes, toBytes } from "./utf8.js";

/** `adr` is what HTTP uses; `dense` has no optional spaces and is for a model to read; `flat` is dense without tables, for a small one. */
export type Spelling = "adr" | "dense" | "flat";

/** How {@link encodeStc} writes. */
export interface EncodeOptions {
  /** `adr` by default. */
  spelling?: Spelling;
}

/**
 * Writes a JSON text as STC 1; {@link decodeStc} gives back the minified JSON byte for byte.
 *
 * ```ts
 * encodeStc('{"tags": ["api", "mcp"], "n": 1.10}'); // {tags[2]: "api","mcp", n: 1.10}
 * encodeStc('{"tags": ["api", "mcp"], "n": 1.10}', { spelling: "dense" }); // {tags:["api","mcp"],n:1.10}
 * encodeStc('[{"id": 1}, {"id": 2}]', { spelling: "flat" }); // [{id:1},{id:2}]
 * ```
 *
 * @throws {StcError} if the text is not JSON.
 */
export function encodeStc(json: string, { spelling = "adr" }: EncodeOptions = {}): string {
  if (spelling !== "adr" && spelling !== "dense" && spelling !== "flat") {
    throw new TypeError(`expected the spelling "adr", "dense" or "flat", found ${JSON.stringify(spelling)}`);
  }
  const encoder = new Encoder(spelling === "adr", spelling !== "flat");
  run(encoder.value(parse(json)));
  return encoder.out;
}

/**
 * How much STC 2 factors out: 1 is bare words and tables, 2 adds nested, sparse and constant columns, 3 adds prefixes,
 * templates and references.
 */
export type Level = 1 | 2 | 3;

/** How {@link encodeStc2} writes. */
export interface EncodeStc2Options {
  /** 2 by default. */
  level?: Level;
}

/**
 * Writes a JSON text as STC 2, or minified where that is not shorter; {@link decodeStc} gives back the minified JSON byte
 * for byte.
 *
 * ```ts
 * encodeStc2('[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]'); // stc2\n[2]{id name}\n1 users\n2 orders
 * encodeStc2('{"a": 1}'); // {"a":1}
 * ```
 *
 * @throws {StcError} if the text is not JSON.
 */
export function encodeStc2(json: string, { level = 2 }: EncodeStc2Options = {}): string {
  if (level !== 1 && level !== 2 && level !== 3) {
    throw new TypeError(`expected a level from 1 to 3, found ${JSON.stringify(level)}`);
  }
  const bytes = toBytes(json);
  // An error names its place in the text, which that in the bytes is not.
  if (bytes !== json) parse(json);
  const written = encodeBytes(bytes, level);
  return written === undefined ? decodeStc1(json, Infinity) : fromBytes(written);
}

class Encoder {
  out = "";
  /** Between members, and between elements of mixed or nested arrays. */
  private readonly comma: string;
  /** Behind a key or a header. */
  private readonly colon: string;
  /** Between the rows of a table. */
  private readonly rowEnd: string;

  constructor(
    private readonly isAdr: boolean,
    private readonly hasTables: boolean,
  ) {
    [this.comma, this.colon, this.rowEnd] = isAdr ? [", ", ": ", " / "] : [",", ":", "/"];
  }

  /** Writes a scalar; for a container, returns the steps that write it. */
  value(node: Node): Steps | undefined {
    if (typeof node === "string") {
      this.out += node;
      return undefined;
    }
    if (node instanceof Members) return this.object(node);
    return this.isTable(node) ? this.table(node) : this.array(node);
  }

  private *object({ keys, values }: Members): Steps {
    this.out += "{";
    for (let index = 0; index < keys.length; index++) {
      if (index > 0) this.out += this.comma;
      this.out += spelled(keys[index]!);
      const value = this.member(values[index]!);
      if (value) yield value;
    }
    this.out += "}";
  }

  /** What follows a key: a header with its rows or values, or a colon and the value. */
  private member(node: Node): Steps | undefined {
    if (Array.isArray(node)) {
      if (this.isTable(node)) return this.table(node);
      if (this.isAdr && isHomogeneous(node)) {
        this.out += `[${node.length}]: `;
        return this.items(node, ",");
      }
    }
    this.out += this.colon;
    return this.value(node);
  }

  private *array(elements: Node[]): Steps {
    this.out += "[";
    const items = this.items(elements, isHomogeneous(elements) ? "," : this.comma);
    if (items) yield items;
    this.out += "]";
  }

  private *table(rows: Members[]): Steps {
    this.out += `[${rows.length}]{${rows[0]!.keys.map(spelled).join(",")}}${this.colon}`;
    for (let index = 0; index < rows.length; index++) {
      if (index > 0) this.out += this.rowEnd;
      const cells = this.items(rows[index]!.values, ",");
      if (cells) yield cells;
    }
  }

  /** Writes scalars; if there are containers among the values, returns the steps that write them. */
  private items(nodes: Node[], comma: string): Steps | undefined {
    if (!areScalars(nodes)) return this.mixedItems(nodes, comma);
    this.out += nodes.join(comma);
    return undefined;
  }

  private *mixedItems(nodes: Node[], comma: string): Steps {
    for (let index = 0; index < nodes.length; index++) {
      if (index > 0) this.out += comma;
      const value = this.value(nodes[index]!);
      if (value) yield value;
    }
  }

  /** Two or more objects with the same keys in the same order; `adr` asks for scalar cells as well. */
  private isTable(elements: Node[]): elements is Members[] {
    const first = elements[0];
    if (!this.hasTables || elements.length < 2 || !(first instanceof Members) || first.keys.length === 0) return false;
    return elements.every(
      (row) =>
        row instanceof Members &&
        row.keys.length === first.keys.length &&
        row.keys.every((key, index) => key === first.keys[index]) &&
        (!this.isAdr || areScalars(row.values)),
    );
  }
}

function areScalars(nodes: Node[]): nodes is string[] {
  return nodes.every((node) => typeof node === "string");
}

/** All strings, all numbers or all booleans? */
function isHomogeneous(elements: Node[]): boolean {
  const first = family(elements[0]);
  return first !== undefined && elements.every((element) => family(element) === first);
}

function family(node: Node | undefined): string | undefined {
  if (typeof node !== "string" || node === "null") return undefined;
  const first = node.charAt(0);
  if (first === '"') return "string";
  return first === "t" || first === "f" ? "boolean" : "number";
}

/** A key loses its quotes if the text between them, as written, is an identifier. */
function spelled(key: string): string {
  return holdsIdent(key) ? key.slice(1, -1) : key;
}
