/** STC 2 to minified JSON, in one pass. */

import { error } from "../error.js";
import { Char, digits } from "../lexeme.js";
import { run, type Steps } from "../steps.js";
import { bare, tableStart, wholeNumber } from "./lexeme.js";
import { Records, type Anchor } from "./record.js";
import type { CellOp, Shape } from "./shape.js";

/** The line that every STC 2 text starts with. */
export const HEADER = "stc2\n";

const FIRST_LINE = /^stc2(?: \([^()\n]*\))?\n/;

/** Is a text STC 2, by its first line? A model's has a legend. */
export function isStc2(text: string): boolean {
  return FIRST_LINE.test(text);
}

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const ANCHOR = 0x26;
const REFERENCE = 0x2a;

/** Reads a text that starts with {@link HEADER}, or with a header that has a legend for models. */
export function decode(text: string, maxOutput: number): string {
  return new Decoder(text, maxOutput).document();
}

class Decoder extends Records {
  private readonly anchors: Anchor[] = [];
  private isInTable = false;
  private isInHeader = false;

  constructor(text: string, maxOutput: number) {
    super(text, maxOutput);
    this.at = FIRST_LINE.exec(text)?.[0].length ?? 0;
  }

  document(): string {
    run(this.value());
    this.finish();
    this.checkRoom(0);
    return this.pieces.join("");
  }

  /** Reads a scalar or a reference; for a container, returns the steps that read it. */
  protected value(): Steps | undefined {
    switch (this.peek()) {
      case Char.Quote:
        this.write(this.string());
        break;
      case Char.OpenBrace:
      case Char.OpenBracket:
        return this.container(undefined);
      case ANCHOR:
        return this.anchored(undefined);
      case REFERENCE:
        this.reference();
        return undefined;
      default:
        this.word();
    }
    this.checkRoom(0);
    return undefined;
  }

  /** A word without quotes: a literal, a number or a string. */
  private word(): void {
    const start = this.at;
    const number = wholeNumber(this.text, start);
    const end = number > start ? number : bare(this.text, start);
    const word = this.text.slice(start, end);
    if (word === "" || word === "-" || word === "^" || word === "|") throw this.expected("a value");
    this.at = end;
    const isVerbatim = number > start || word === "true" || word === "false" || word === "null";
    this.write(isVerbatim ? word : `"${word}"`);
  }

  protected container(anchor: Anchor | undefined): Steps {
    const table = tableStart(this.text, this.at);
    if (table) {
      if (this.isInTable) throw this.expected("no table inside a table");
      return this.table(table.count, table.columns, anchor);
    }
    return this.peek() === Char.OpenBrace ? this.object(anchor) : this.array(anchor);
  }

  private *object(anchor: Anchor | undefined): Steps {
    this.open("{");
    if (this.peek() !== Char.CloseBrace) {
      this.checkRoom(0);
      do {
        this.write(this.key());
        this.expect(":", "`:` after the key");
        const value = this.value();
        if (value) yield value;
      } while (this.separator(Char.CloseBrace, "a space or `}`"));
    }
    this.close("}", anchor);
  }

  private *array(anchor: Anchor | undefined): Steps {
    this.open("[");
    if (this.peek() !== Char.CloseBracket) {
      this.checkRoom(0);
      do {
        const value = this.value();
        if (value) yield value;
      } while (this.separator(Char.CloseBracket, "a space or `]`"));
    }
    this.close("]", anchor);
  }

  private open(bracket: string): void {
    this.enter(1);
    this.at++;
    this.write(bracket);
  }

  /** Steps over what separates members and elements, or stops before the end of the container. */
  private separator(end: Char, what: string): boolean {
    const code = this.peek();
    if (code === SPACE || code === LINE_FEED) {
      this.at++;
      this.write(",");
      return true;
    }
    if (code !== end) throw this.expected(what);
    return false;
  }

  private close(bracket: string, anchor: Anchor | undefined): void {
    this.at++;
    this.write(bracket);
    this.leave(1);
    this.complete(anchor);
    this.checkRoom(0);
  }

  /** The columns, and exactly `count` rows; each has a key if it is a map. */
  private *table(count: number, columns: number, anchor: Anchor | undefined): Steps {
    const isMap = this.peek() === Char.OpenBrace;
    this.enter(2);
    this.at = columns;
    this.write(isMap ? "{" : "[");
    this.isInTable = this.isInHeader = true;
    const shape: Shape = [];
    yield this.columns(shape, "}");
    this.isInHeader = false;
    for (let row = 0; row < count; row++) {
      if (this.peek() !== LINE_FEED) {
        throw error(`expected ${count} rows as declared, found ${row}`, this.text, this.at);
      }
      this.at++;
      if (row > 0) this.write(",");
      if (isMap) {
        this.write(this.key());
        this.expect(":", "`:` after the key");
      }
      this.write("{");
      yield this.record(shape);
    }
    this.write(isMap ? "}" : "]");
    this.leave(2);
    this.isInTable = false;
    this.complete(anchor);
    this.checkRoom(0);
  }

  /** `&N` and a quoted string, which more text may follow, or a container, or what only this cell can have. */
  protected anchored(op: CellOp | undefined): Steps | undefined {
    const [number, end] = this.number();
    if (number !== this.anchors.length + 1) throw this.expected("the next number after `&`");
    this.at = end;
    const isText = this.peek() === Char.Quote;
    if (isText) this.write('"');
    const anchor = { start: this.pieces.length, end: 0, size: this.size, isComplete: false, isText };
    this.anchors.push(anchor);
    if (!isText) return this.bracket(op, anchor);
    this.write(this.string().slice(1, -1));
    this.complete(anchor);
    return this.tail();
  }

  /** `*N`, which more text may follow if it refers to a string. */
  private reference(): void {
    const [number, end] = this.number();
    const anchor = this.anchors[number - 1];
    if (!anchor?.isComplete) throw this.expected("the number of a value that was read before");
    this.at = end;
    this.checkRoom(anchor.size);
    if (anchor.isText) this.write('"');
    this.write(this.made(anchor));
    if (anchor.isText) this.tail();
  }

  /** What is added to a shared string, bare or quoted, and the quote that ends it. */
  private tail(): undefined {
    if (this.peek() === Char.Quote) {
      this.write(this.string().slice(1, -1));
    } else {
      const end = bare(this.text, this.at);
      this.write(this.text.slice(this.at, end));
      this.at = end;
    }
    this.write('"');
    this.checkRoom(0);
  }

  /** The number behind the mark at hand, and where it ends; no header may have one. */
  private number(): [number, number] {
    if (this.isInHeader) throw this.expected("a value without references in a header");
    const start = this.at + 1;
    const end = digits(this.text, start);
    if (end === start || this.text.charCodeAt(start) === Char.Zero) {
      this.at = start;
      throw this.expected("a number from 1 up");
    }
    return [Number(this.text.slice(start, end)), end];
  }
}
