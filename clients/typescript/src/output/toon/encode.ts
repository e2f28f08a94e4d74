/** JSON to TOON. Only what was decoded is written here, to see whether it was TOON. */

import { StcError } from "../../error.js";
import { Members, type Node, parse } from "../../json.js";
import { run, type Steps } from "../../steps.js";
import { Unreadable } from "../error.js";
import { fromJson, keyFromJson } from "./scalar.js";

/** A JSON text as TOON; unreadable if TOON cannot hold it, or if it could not have been read from TOON. */
export function encode(json: string): string {
  const encoder = new Encoder();
  run(encoder.document(parsed(json)));
  return encoder.out.join("");
}

function parsed(json: string): Node {
  try {
    return parse(json);
  } catch (wrong) {
    throw wrong instanceof StcError ? new Unreadable() : wrong;
  }
}

class Encoder {
  readonly out: string[] = [];

  *document(root: Node): Steps {
    if (typeof root === "string") throw new Unreadable();
    if (Array.isArray(root)) {
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
      this.out.push(cellsOf(row));
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
      this.out.push(`${keyFromJson(members.keys[index]!)}: ${cellsOf(row)}`);
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

function cellsOf(row: Node): string {
  const cells: string[] = [];
  const pending = [row];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node === "string") cells.push(fromJson(node));
    else if (node instanceof Members) for (let at = node.values.length - 1; at >= 0; at--) pending.push(node.values[at]!);
  }
  return cells.join(",");
}

function isKeyedTable(members: Members): boolean {
  return members.keys.length > 1 && isTable(members.values);
}

/** Are these objects that agree on their keys, with scalars, or objects that agree again, in every column? */
function isTable(rows: Node[]): boolean {
  const [first, ...others] = rows;
  if (!(first instanceof Members) || !isRecord(first)) return false;
  const orders = new Set(others.map((row) => agree(first, row)));
  if (orders.has("none")) return false;
  // Rows in another order make a table all the same; but what is read from a table is in its order.
  if (orders.has("other")) throw new Unreadable();
  return true;
}

function isRecord(root: Members): boolean {
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (Array.isArray(node) || (node instanceof Members && node.keys.length === 0)) return false;
    if (node instanceof Members) for (const value of node.values) pending.push(value);
  }
  return true;
}

/** Has a row the keys of the first, in the same or another order? */
function agree(first: Members, row: Node): "same" | "other" | "none" {
  let order: "same" | "other" = "same";
  const pending: [Node, Node | undefined][] = [[first, row]];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    const [ours, theirs] = pair;
    if (typeof ours === "string" && typeof theirs === "string") continue;
    if (!(ours instanceof Members) || !(theirs instanceof Members)) return "none";
    if (ours.keys.length !== theirs.keys.length) return "none";
    const values = new Map(theirs.keys.map((key, at) => [key, theirs.values[at]]));
    if (!ours.keys.every((key) => values.has(key))) return "none";
    if (ours.keys.some((key, at) => key !== theirs.keys[at])) order = "other";
    for (const [at, key] of ours.keys.entries()) pending.push([ours.values[at]!, values.get(key)]);
  }
  return order;
}

function checkKeys({ keys }: Members): void {
  if (new Set(keys).size < keys.length) throw new Unreadable();
}
