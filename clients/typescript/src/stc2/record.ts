/** Rows, and records in cells: each is the steps of its shape. */

import { Char } from "../lexeme.js";
import type { Steps } from "../steps.js";
import { Header, inBounds } from "./header.js";
import { bare } from "./lexeme.js";
import { hasCell, type CellOp, type Made, type Op, type Shape } from "./shape.js";

const ANCHOR = 0x26;
const OPEN_PARENTHESIS = 0x28;

/** A part of the output that was given a number. */
export interface Anchor extends Made {
  isComplete: boolean;
  /** The text of a string without its quotes, to which more can be added. */
  isText: boolean;
}

/** Reads records; what is no record in them is a value. */
export abstract class Records extends Header {
  /** `&N` and what has the number. */
  protected abstract anchored(op: CellOp | undefined): Steps | undefined;
  /** An object, array, table or map. */
  protected abstract container(anchor: Anchor | undefined): Steps;

  /** The members of a record whose brace is written. */
  protected *record(shape: Shape): Steps {
    let isFirst = true;
    for (const op of shape) {
      if (!hasCell(op)) {
        this.stepWithoutCell(shape, op);
        continue;
      }
      if (!isFirst) this.expect(" ", "a space and the next cell");
      isFirst = false;
      const mark = this.mark();
      if (mark === "-") {
        if (!op.isSparse) throw this.expected("a cell: no row lacks this column");
        this.at++;
        op.last = undefined;
        continue;
      }
      this.writeKey(op.key);
      const [start, size] = [this.pieces.length, this.size];
      const value = mark === "^" ? this.ditto(op) : this.cell(op);
      if (value) yield value;
      op.last = { start, end: this.pieces.length, size: this.size - size };
    }
    this.write("}");
    this.checkRoom(0);
  }

  /** `-` or `^`, if the cell is that and nothing more. */
  private mark(): string {
    const mark = this.text.charAt(this.at);
    if (mark !== "-" && mark !== "^") return "";
    const following = this.text.charAt(this.at + 1);
    return following <= " " || following === ")" || following === "]" || following === "}" ? mark : "";
  }

  private cell(op: CellOp): Steps | undefined {
    if (op.kind === "text") return this.cellText(op.prefix, op.suffix);
    const code = this.peek();
    if (code === ANCHOR) return this.anchored(op);
    if (code === Char.OpenBrace || code === Char.OpenBracket || code === OPEN_PARENTHESIS) {
      return this.bracket(op, undefined);
    }
    return this.value();
  }

  /** What a row does not spell. */
  private stepWithoutCell(shape: Shape, op: Exclude<Op, CellOp>): void {
    switch (op.kind) {
      case "constant":
        this.checkRoom(this.length(op.member));
        this.writeKey(op.member);
        break;
      case "open":
        this.writeKey(op.key);
        this.write("{");
        this.enter(1);
        break;
      case "close":
        this.write("}");
        this.leave(1);
        break;
      case "run":
        if (!inBounds(op.next)) throw this.expected("a run that stays below 2^53");
        this.writeKey(op.key);
        this.write(String(op.next));
        op.next += op.step;
        break;
      case "derived": {
        const source = shape[op.source]?.last;
        if (!source || !this.pieces[source.start]!.startsWith('"')) {
          throw this.expected("a string in the column of the template");
        }
        this.checkRoom(source.size + this.length(op.prefix) + this.length(op.suffix));
        this.writeKey(op.key);
        const [start, size] = [this.pieces.length, this.size];
        this.write(`"${op.prefix}${this.made(source).slice(1, -1)}${op.suffix}"`);
        op.last = { start, end: this.pieces.length, size: this.size - size };
      }
    }
  }

  /** The same value as in the record before. */
  private ditto(op: CellOp): undefined {
    if (!op.last) throw this.expected("a cell: there is none above to repeat");
    this.checkRoom(op.last.size);
    this.at++;
    this.write(this.made(op.last));
  }

  /** A string between the prefix and the suffix of its column, or null. */
  private cellText(prefix: string, suffix: string): undefined {
    if (this.peek() === Char.Quote) {
      this.write(`"${prefix}${this.string().slice(1, -1)}${suffix}"`);
    } else {
      const end = bare(this.text, this.at);
      const text = this.text.slice(this.at, end);
      if (text === "" || text === "|" || /^[&*]/.test(text)) throw this.expected("a text");
      this.write(text === "null" ? text : `"${prefix}${text}${suffix}"`);
      this.at = end;
    }
    this.checkRoom(0);
  }

  /** What a bracket begins; a cell of records has its own. */
  protected bracket(op: CellOp | undefined, anchor: Anchor | undefined): Steps {
    const code = this.peek();
    if (op?.kind === "tuple" && code === OPEN_PARENTHESIS) return this.tuple(op.shape, anchor);
    if (op?.kind === "list" && code === Char.OpenBracket) return this.list(op.shape, anchor);
    if (code === Char.OpenBrace || code === Char.OpenBracket) return this.container(anchor);
    throw this.expected("a quoted string or a bracket");
  }

  private *tuple(shape: Shape, anchor: Anchor | undefined): Steps {
    this.enter(1);
    this.at++;
    this.write("{");
    this.checkRoom(0);
    yield this.record(shape);
    this.expect(")", "`)` after the last cell");
    this.leave(1);
    this.complete(anchor);
  }

  private *list(shape: Shape, anchor: Anchor | undefined): Steps {
    this.enter(2);
    this.at++;
    this.write("[");
    if (this.peek() !== Char.CloseBracket) {
      this.write("{");
      this.checkRoom(0);
      yield this.record(shape);
      while (this.text.startsWith(" | ", this.at)) {
        this.at += 3;
        this.write(",");
        this.write("{");
        yield this.record(shape);
      }
      if (this.peek() !== Char.CloseBracket) throw this.expected("` | ` or `]` after the last cell");
    }
    this.at++;
    this.write("]");
    this.leave(2);
    this.complete(anchor);
    this.checkRoom(0);
  }

  protected complete(anchor: Anchor | undefined): void {
    if (!anchor) return;
    anchor.end = this.pieces.length;
    anchor.size = this.size - anchor.size;
    anchor.isComplete = true;
  }
}
