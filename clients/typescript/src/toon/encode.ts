/** JSON to TOON: numbers are copied as they were written, strings in the one spelling that TOON has. */

import { Members, type Node, parse } from "../json.js";
import { run, type Steps } from "../steps.js";
import { ToonError } from "./error.js";
import { fromJson, keyFromJson, quoted, valueOf } from "./scalar.js";

/**
 * Writes a JSON text as TOON.
 *
 * ```ts
 * encodeToon('{"users": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]}');
 * // users[2]{id,name}:
 * //   1,Ada
 * //   2,Bob
 * ```
 *
 * {@link decodeToon} gives back the minified JSON, but for the spelling of escapes in strings and for the order of members in
 * rows, which is that of the first row.
 *
 * @throws {StcError} if the text is not JSON.
 * @throws {ToonError} if an object has a key twice or a string has a lone surrogate, since TOON has neither.
 */
export function encodeToon(json: string): string {
  const encoder = new Encoder();
  run(encoder.document(parse(json)));
  return encoder.out.join("");
}

class Encoder {
  readonly out: string[] = [];

  *document(root: Node): Steps {
    if (typeof root === "string") {
      const scalar = fromJson(root);
      // A leading byte order mark would be taken for the document's own.
      this.out.push(scalar.startsWith("\ufeff") ? quoted(scalar) : scalar);
    } else if (Array.isArray(root)) {
      if (root.length === 0) this.out.push("[]");
      else yield this.array(root, 0);
    } else if (isKeyedTable(root)) {
      this.keyedRows(root, 0);
    } else {
      yield this.fields(root, 0, true);
    }
  }

  private line(depth: number): void {
    this.out.push(`\n${"  ".repeat(depth)}`);
  }

  /** The members of an object, one to a line; the first on the line that is open, if one is. */
  private *fields(members: Members, depth: number, isOpen: boolean): Steps {
    checkKeys(members);
    for (const [index, value] of members.values.entries()) {
      if (index > 0 || !isOpen) this.line(depth);
      this.out.push(keyFromJson(members.keys[index]!));
      if (typeof value === "string") {
        this.out.push(`: ${fromJson(value)}`);
      } else if (Array.isArray(value)) {
        if (value.length === 0) this.out.push(": []");
        else yield this.array(value, depth);
      } else if (isKeyedTable(value)) {
        this.keyedRows(value, depth);
      } else {
        this.out.push(":");
        yield this.fields(value, depth + 1, false);
      }
    }
  }

  private *array(elements: Node[], depth: number): Steps {
    if (!isTable(elements)) {
      yield this.list(elements, depth);
      return;
    }
    this.out.push(`[${elements.length}]`, columns(elements[0]!));
    for (const row of elements) {
      this.line(depth + 1);
      this.out.push(cellsOf(elements[0]!, row));
    }
  }

  /** An array that is no table: on one line if it holds only scalars, else an item to a line. */
  private *list(elements: Node[], depth: number): Steps {
    this.out.push(`[${elements.length}]:`);
    if (elements.every((element) => typeof element === "string")) {
      if (elements.length > 0) this.out.push(` ${elements.map(fromJson).join(",")}`);
      return;
    }
    for (const element of elements) {
      this.line(depth + 1);
      if (typeof element === "string") {
        this.out.push(`- ${fromJson(element)}`);
      } else if (Array.isArray(element)) {
        this.out.push("- ");
        yield this.list(element, depth + 1);
      } else {
        this.out.push(element.keys.length > 0 ? "- " : "-");
        yield this.fields(element, depth + 2, true);
      }
    }
  }

  /** An object whose values make a table: one entry to a line. */
  private keyedRows(members: Members, depth: number): void {
    checkKeys(members);
    this.out.push(`[${members.keys.length}:]`, columns(members.values[0]!));
    for (const [index, row] of members.values.entries()) {
      this.line(depth + 1);
      this.out.push(`${keyFromJson(members.keys[index]!)}: ${cellsOf(members.values[0]!, row)}`);
    }
  }
}

/** The keys of a row, in braces, and a colon. */
function columns(first: Node): string {
  const pieces: string[] = [];
  const pending: (Members | { written: string })[] = [{ written: ":" }];
  if (first instanceof Members) pending.push(first);
  for (let item = pending.pop(); item; item = pending.pop()) {
    if (!(item instanceof Members)) {
      pieces.push(item.written);
      continue;
    }
    checkKeys(item);
    pieces.push("{");
    pending.push({ written: "}" });
    for (let index = item.keys.length - 1; index >= 0; index--) {
      const value = item.values[index];
      if (value instanceof Members) pending.push(value);
      pending.push({ written: (index > 0 ? "," : "") + keyFromJson(item.keys[index]!) });
    }
  }
  return pieces.join("");
}

/** The scalars of a row, in the order of the first one. */
function cellsOf(first: Node, row: Node): string {
  const cells: string[] = [];
  const pending: [Node, Node][] = [[first, row]];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    const [ours, theirs] = pair;
    if (typeof theirs === "string") cells.push(fromJson(theirs));
    if (!(ours instanceof Members) || !(theirs instanceof Members)) continue;
    const values = inOrderOf(ours, theirs) ?? [];
    for (let at = values.length - 1; at >= 0; at--) pending.push([ours.values[at]!, values[at]!]);
  }
  return cells.join(",");
}

function isKeyedTable(members: Members): boolean {
  return members.keys.length > 1 && isTable(members.values);
}

/** Are these objects that agree on their keys, with scalars, or objects that agree again, in every column? */
function isTable(rows: Node[]): boolean {
  const [first, ...others] = rows;
  return first instanceof Members && isRecord(first) && others.every((row) => agree(first, row));
}

function isRecord(root: Members): boolean {
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (Array.isArray(node) || (node instanceof Members && node.keys.length === 0)) return false;
    if (node instanceof Members) for (const value of node.values) pending.push(value);
  }
  return true;
}

/** Has a row the keys of the first, in whatever order? */
function agree(first: Members, row: Node): boolean {
  const pending: [Node, Node][] = [[first, row]];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    const [ours, theirs] = pair;
    if (typeof ours === "string" && typeof theirs === "string") continue;
    if (!(ours instanceof Members) || !(theirs instanceof Members)) return false;
    const values = inOrderOf(ours, theirs);
    if (!values) return false;
    for (const [at, value] of ours.values.entries()) pending.push([value, values[at]!]);
  }
  return true;
}

/** The values of a row in the order of the keys of another, if it has those. */
function inOrderOf(first: Members, row: Members): Node[] | undefined {
  if (first.keys.length !== row.keys.length) return undefined;
  if (first.keys.every((key, at) => key === row.keys[at])) return row.values;
  const values = new Map(row.keys.map((key, at) => [valueOf(key), row.values[at]!]));
  const found = first.keys.map((key) => values.get(valueOf(key)));
  return found.some((value) => value === undefined) ? undefined : (found as Node[]);
}

function checkKeys({ keys }: Members): void {
  const names = new Set<string>();
  for (const name of keys.map(valueOf)) {
    if (names.has(name)) throw new ToonError(`TOON cannot hold an object with the key ${quoted(name)} twice`);
    names.add(name);
  }
}
