/** JSON to STC 2: every string and number is copied as it was written. */

import { Members, parse, type Node } from "../json.js";
import { run, type Steps } from "../steps.js";
import { costBehindSpace } from "./cost.js";
import { HEADER } from "./decode.js";
import { isBare, isBareTail, isBareText, spelledKey } from "./lexeme.js";
import { hasCells, Plan, type Cell, type Column, type Form, type Shape } from "./plan.js";
import { Shares, type Sharing } from "./share.js";
import { children, isString, Tree, type Container } from "./tree.js";

/**
 * Writes a JSON text; `undefined` if minified JSON is no longer. The text is given, and returned, as bytes of UTF-8, one
 * in each character: lengths and orders are those of bytes.
 */
export function encode(bytes: string, level: number): string | undefined {
  const tree = new Tree(parse(bytes));
  const plan = new Plan(tree, level);
  const shares = level === 3 ? new Shares(tree) : undefined;
  if (shares) {
    new Writer(plan, shares).write();
    shares.choose();
  }
  const written = new Writer(plan, shares).write();
  return written.length < tree.minifiedLength ? written : undefined;
}

const BRACKETS = { nested: "{}", tuple: "()", list: "[]" } as const;

class Writer {
  private out = HEADER;
  private readonly tree: Tree;
  private isInHeader = false;
  private isFirstCell = false;
  private isBehindTable = false;

  constructor(
    private readonly plan: Plan,
    private readonly shares: Shares | undefined,
  ) {
    this.tree = plan.tree;
    for (const { columns } of plan.shapes) for (const column of columns) column.last = undefined;
  }

  write(): string {
    run(this.value(this.tree.root));
    return this.out;
  }

  /** Writes a scalar; for a container, returns the steps that write it. */
  private value(node: Node): Steps | undefined {
    if (typeof node === "string") {
      if (isString(node)) this.string(node);
      else this.out += node;
      return undefined;
    }
    if (children(node).length === 0) {
      this.out += node instanceof Members ? "{}" : "[]";
      return undefined;
    }
    if (!this.isToBeWritten(node)) return undefined;
    const shape = this.plan.tables.get(node);
    if (shape) return this.table(shape, node);
    return node instanceof Members ? this.object(node) : this.array(node);
  }

  private *object({ keys, values }: Members): Steps {
    this.out += "{";
    for (let index = 0; index < keys.length; index++) {
      if (index > 0) this.separate();
      this.out += spelledKey(keys[index]!) + ":";
      const value = this.value(values[index]!);
      if (value) yield value;
    }
    this.isBehindTable = false;
    this.out += "}";
  }

  private *array(elements: Node[]): Steps {
    this.out += "[";
    for (let index = 0; index < elements.length; index++) {
      if (index > 0) this.separate();
      const value = this.value(elements[index]!);
      if (value) yield value;
    }
    this.isBehindTable = false;
    this.out += "]";
  }

  /** What stands between members and elements. Behind a table the line ends. */
  private separate(): void {
    this.out += this.isBehindTable ? "\n" : " ";
    this.isBehindTable = false;
  }

  private *table(shape: Shape, node: Container): Steps {
    const records = children(node);
    const keys = node instanceof Members ? node.keys : undefined;
    this.out += keys ? `{${records.length}}{` : `[${records.length}]{`;
    this.isInHeader = true;
    yield this.columns(shape, "}");
    this.isInHeader = false;
    for (let index = 0; index < records.length; index++) {
      this.out += "\n";
      if (keys) this.out += spelledKey(keys[index]!) + ":";
      yield this.record(shape, records[index]!);
    }
    this.isBehindTable = true;
  }

  private *columns({ columns }: Shape, close: string): Steps {
    for (const [index, { key, isSparse, form }] of columns.entries()) {
      this.out += (index > 0 ? " " : "") + spelledKey(key) + (isSparse ? "?" : "");
      const inside = this.columnForm(form);
      if (inside) yield inside;
    }
    this.out += close;
  }

  /** What stands behind the key of a column. */
  private columnForm(form: Form): Steps | undefined {
    switch (form.kind) {
      case "cell":
        return undefined;
      case "constant":
        this.out += ":";
        return this.value(form.value);
      case "run":
        this.out += `=${form.first},${form.second}..`;
        return undefined;
      case "text":
      case "derived":
        this.out += "=" + (form.prefix && `"${form.prefix}"+`);
        this.out += (form.kind === "text" ? "*" : form.source) + (form.suffix && `+"${form.suffix}"`);
        return undefined;
      default:
        this.out += BRACKETS[form.kind].charAt(0);
        return this.columns(form.shape, BRACKETS[form.kind].charAt(1));
    }
  }

  private record(shape: Shape, record: Node): Steps {
    this.isFirstCell = true;
    return this.cells(shape, this.plan.cells.get(record)!);
  }

  private *cells({ columns }: Shape, row: Cell[]): Steps {
    for (const [index, column] of columns.entries()) {
      const { form } = column;
      const cell = row[index];
      if (!hasCells(form)) continue;
      if (form.kind === "nested") {
        yield this.cells(form.shape, this.plan.cells.get(cell!)!);
        continue;
      }
      if (!this.isFirstCell) this.out += " ";
      this.isFirstCell = false;
      const above = column.last;
      column.last = cell;
      if (cell === undefined) {
        this.out += "-";
      } else if (this.shares && above !== undefined && this.isDitto(above, cell, column)) {
        this.out += "^";
      } else {
        const value = this.cell(form, cell);
        if (value) yield value;
      }
    }
  }

  private cell(form: Form, cell: Node): Steps | undefined {
    if (form.kind === "text" && isString(cell)) {
      const text = between(cell, form);
      this.out += isBareText(text) ? text : `"${text}"`;
      return undefined;
    }
    if (form.kind === "tuple" && cell instanceof Members) {
      return this.isToBeWritten(cell) ? this.tuple(form.shape, cell) : undefined;
    }
    if (form.kind === "list" && children(cell).length > 0) {
      return this.isToBeWritten(cell) ? this.list(form.shape, children(cell)) : undefined;
    }
    return this.value(cell);
  }

  private *tuple(shape: Shape, record: Members): Steps {
    this.out += "(";
    yield this.record(shape, record);
    this.out += ")";
    this.isFirstCell = false;
  }

  private *list(shape: Shape, records: Node[]): Steps {
    this.out += "[";
    for (let index = 0; index < records.length; index++) {
      if (index > 0) this.out += " | ";
      yield this.record(shape, records[index]!);
    }
    this.out += "]";
    this.isFirstCell = false;
  }

  /** Is this cell the same as the one above, and longer than the mark that says so? */
  private isDitto(above: Node, cell: Node, { form }: Column): boolean {
    if (!this.tree.isSame(above, cell)) return false;
    if (typeof cell !== "string") return children(cell).length > 0;
    if (!isString(cell)) return costBehindSpace(cell) > 1;
    const text = form.kind === "text" ? between(cell, form) : cell.slice(1, -1);
    const isBareHere = form.kind === "text" ? isBareText(text) : isBare(text);
    return !isBareHere || costBehindSpace(text) > 1;
  }

  private string(string: string): void {
    const sharing = this.meet(string);
    const text = string.slice(1, -1);
    if (!sharing) {
      this.out += isBare(text) ? text : string;
      return;
    }
    const { number, isNew, prefix } = sharing;
    if (prefix === undefined) {
      this.out += isNew ? `&${number}${string}` : `*${number}`;
      return;
    }
    this.out += isNew ? `&${number}"${prefix}"` : `*${number}`;
    const tail = text.slice(prefix.length);
    if (tail !== "") this.out += isBareTail(tail) ? tail : `"${tail}"`;
  }

  /**
   * Writes a reference to a container that was written before, or the number by which it will be referred to. False if
   * it was a reference, and nothing is left to write.
   */
  private isToBeWritten(node: Node): boolean {
    const sharing = this.meet(node);
    if (!sharing) return true;
    this.out += (sharing.isNew ? "&" : "*") + sharing.number;
    return sharing.isNew;
  }

  private meet(node: Node): Sharing | undefined {
    return this.isInHeader ? undefined : this.shares?.meet(node);
  }
}

/** What stands between the prefix and the suffix of the column. */
function between(string: string, { prefix, suffix }: { prefix: string; suffix: string }): string {
  return string.slice(1 + prefix.length, string.length - 1 - suffix.length);
}
