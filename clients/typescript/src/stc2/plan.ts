/** What is written as a table, and how each of its columns is written. Nothing is written yet. */

import { Members, type Node } from "../json.js";
import { cost } from "./cost.js";
import { derivedFrom, edgesOf, runOf, sourceOf, type Derived, type Source } from "./template.js";
import { children, isRecord, isString, type Container, type Tree } from "./tree.js";

/** A table has at most this many columns. */
const MAX_COLUMNS = 256;

/** `undefined` where a record lacks the column. */
export type Cell = Node | undefined;

/** How the cells of a column are written. */
export type Form =
  /** `key`: each cell a value. */
  | { kind: "cell" }
  /** `key:value`: no cells. */
  | { kind: "constant"; value: Node }
  /** `key{columns}`, `key(columns)`, `key[columns]`. */
  | { kind: "nested" | "tuple" | "list"; shape: Shape }
  /** `key=1,2..`: no cells. */
  | { kind: "run"; first: number; second: number }
  /** `key="prefix"+*+"suffix"`: the cell is what stands in between. */
  | { kind: "text"; prefix: string; suffix: string }
  /** `key="prefix"+other+"suffix"`: no cells. */
  | ({ kind: "derived" } & Derived);

export interface Column {
  key: string;
  /** Do some records lack it? */
  isSparse: boolean;
  form: Form;
  /** The value it had in the record that was written last. */
  last: Cell;
}

/** The columns that objects share, and their cells. */
export interface Shape {
  columns: Column[];
  rows: Cell[][];
  /** Are all records written out, one after the other? Those of tuples and lists may become references. */
  isInOrder: boolean;
}

/** Do rows spell this column? */
export function hasCells({ kind }: Form): boolean {
  return kind !== "constant" && kind !== "run" && kind !== "derived";
}

/** Which arrays and objects of a document are tables. */
export class Plan {
  readonly shapes: Shape[] = [];
  /** The shape of the rows. */
  readonly tables = new Map<Node, Shape>();
  /** The cells of each object that is a record. */
  readonly cells = new Map<Node, Cell[]>();

  constructor(
    readonly tree: Tree,
    private readonly level: number,
  ) {
    const pending = [tree.root];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      // A row is a line: there are no tables inside a table.
      if (typeof node === "string" || this.planTable(node)) continue;
      for (const child of children(node)) pending.push(child);
    }
  }

  private planTable(node: Container): boolean {
    if (this.level === 1 && node instanceof Members) return false;
    let unchosen = this.shapes.length;
    const shape = this.shape(children(node));
    if (!shape) return false;
    shape.isInOrder = true;
    this.tables.set(node, shape);
    for (; unchosen < this.shapes.length; unchosen++) this.chooseForms(this.shapes[unchosen]!);
    return true;
  }

  /** A new shape of these values, if they are objects with enough in common; its columns are still plain. */
  private shape(records: Node[]): Shape | undefined {
    if (records.length < 2 || !records.every(isRecord)) return undefined;
    const merged = merge(records, this.level);
    if (!merged) return undefined;
    const { keys, present } = merged;
    const rows = records.map((record) => cellsOf(record, keys));
    const columns = keys.map((key, index): Column => {
      return { key, isSparse: present[index]! < records.length, form: { kind: "cell" }, last: undefined };
    });
    records.forEach((record, index) => this.cells.set(record, rows[index]!));
    const shape = { columns, rows, isInOrder: false };
    this.shapes.push(shape);
    return shape;
  }

  private chooseForms(shape: Shape): void {
    if (this.level === 1) return;
    const sources: Source[] = [];
    shape.columns.forEach((column, index) => {
      const cells = shape.rows.map((row) => row[index]);
      column.form = this.chooseForm(shape, cells, sources);
      if (this.level === 3 && (column.form.kind === "cell" || column.form.kind === "text")) {
        const source = sourceOf(column.key, cells);
        if (source) sources.push(source);
      }
    });
    // A record without any cell would be an empty line, or nothing at all.
    if (!shape.columns.some(({ form }) => hasCells(form))) shape.columns[0]!.form = { kind: "cell" };
  }

  /** The first form that fits, from the most to the least saved. */
  private chooseForm(shape: Shape, cells: Cell[], sources: Source[]): Form {
    const present = cells.filter((cell) => cell !== undefined) as Node[];
    const isFull = present.length === cells.length;
    if (isFull && present.every((cell) => this.tree.isSame(cell, present[0]!))) {
      return { kind: "constant", value: present[0]! };
    }
    if (present.every((cell) => typeof cell === "string")) {
      return this.chooseScalarForm(shape, present as string[], isFull, sources);
    }
    const records = present.filter(isRecord);
    if (records.length >= 2 && present.every((cell) => cell === "null" || isRecord(cell))) {
      const inner = this.shape(records);
      if (!inner) return { kind: "cell" };
      const isNested = records.length === cells.length && !this.isRepetitive(inner, records);
      inner.isInOrder = isNested && shape.isInOrder;
      return { kind: isNested ? "nested" : "tuple", shape: inner };
    }
    if (present.every((cell) => Array.isArray(cell))) {
      const inner = this.shape((present as Node[][]).flat(1) as Node[]);
      if (inner) return { kind: "list", shape: inner };
    }
    return { kind: "cell" };
  }

  private chooseScalarForm(shape: Shape, lexemes: string[], isFull: boolean, sources: Source[]): Form {
    if (this.level < 3) return { kind: "cell" };
    const numbers = isFull && shape.isInOrder ? runOf(lexemes) : undefined;
    if (numbers) return { kind: "run", first: numbers[0], second: numbers[1] };
    const strings = lexemes.filter(isString).map((lexeme) => lexeme.slice(1, -1));
    const isText = lexemes.every((lexeme) => isString(lexeme) || lexeme === "null");
    if (strings.length < 2 || !isText || strings.some((string) => string.includes("\\"))) return { kind: "cell" };
    const derived = isFull && strings.length === lexemes.length ? derivedFrom(strings, sources) : undefined;
    if (derived) return { kind: "derived", ...derived };
    const edges = edgesOf(strings);
    return edges ? { kind: "text", ...edges } : { kind: "cell" };
  }

  /** Do these objects repeat so often that references to whole objects are cheaper than their cells? */
  private isRepetitive(shape: Shape, records: Node[]): boolean {
    if (this.level < 3 || shape.columns.length < 3) return false;
    return 2 * new Set(records.map((record) => this.tree.print(record))).size <= records.length;
  }
}

/**
 * The columns that hold all records in their order of keys, and how many records have each; nothing if there are no
 * such columns, or if they cost no less than the keys do.
 */
function merge(records: Members[], level: number): { keys: string[]; present: number[] } | undefined {
  const keys: string[] = [];
  const present: number[] = [];
  for (const [index, record] of records.entries()) {
    const isFixed = level === 1 && index > 0;
    if (isFixed && record.keys.length !== keys.length) return undefined;
    let place = 0;
    for (const key of record.keys) {
      const found = keys[place] === key ? place : keys.indexOf(key, place);
      if (found >= 0) {
        place = found;
      } else {
        if (isFixed || keys.length === MAX_COLUMNS || keys.includes(key)) return undefined;
        keys.splice(place, 0, key);
        present.splice(place, 0, 0);
      }
      present[place]!++;
      place++;
    }
  }
  let [header, members] = [0, 0];
  keys.forEach((key, index) => {
    const member = cost(key.slice(1, -1)) + 1;
    header += member + records.length - present[index]!;
    members += member * present[index]!;
  });
  return header < members ? { keys, present } : undefined;
}

/** The value of each column. */
function cellsOf(record: Members, keys: string[]): Cell[] {
  let at = 0;
  return keys.map((key) => (record.keys[at] === key ? record.values[at++] : undefined));
}
