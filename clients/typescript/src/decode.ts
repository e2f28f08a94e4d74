/** STC to minified JSON, in one pass. */

import { error, expected } from "./error.js";
import { Char, digits, ident, scalar, string } from "./lexeme.js";
import { Reader } from "./reader.js";
import { decode as decodeStc2, isStc2 } from "./stc2/decode.js";
import { run, type Steps } from "./steps.js";
import { utf8Length } from "./utf8.js";

/** The default of `maxOutput`: 64 MiB. */
export const MAX_OUTPUT = 64 * 1024 * 1024;

/** Limits of {@link decodeStc}. */
export interface DecodeOptions {
  /** The largest output in bytes of UTF-8; a table repeats its keys, so a small text can decode to a large one. */
  maxOutput?: number;
}

/**
 * Reads STC of either version, which is JSON too, and returns minified JSON text.
 *
 * ```ts
 * decodeStc('{tags[2]: "a","b", n: 1.10}'); // {"tags":["a","b"],"n":1.10}
 * decodeStc('stc2\n{tags:[a b] n:1.10}'); // {"tags":["a","b"],"n":1.10}
 * ```
 *
 * @throws {StcError} if the text is not STC, or decodes to more than `maxOutput` bytes.
 */
export function decodeStc(stc: string, { maxOutput = MAX_OUTPUT }: DecodeOptions = {}): string {
  return isStc2(stc) ? decodeStc2(stc, maxOutput) : decodeStc1(stc, maxOutput);
}

/** Reads STC 1 or JSON. */
export function decodeStc1(stc: string, maxOutput: number): string {
  return new Decoder(stc, maxOutput).document();
}

class Decoder extends Reader {
  private out = "";
  private size = 0;
  private readonly isAscii: boolean;

  constructor(
    text: string,
    private readonly maxOutput: number,
  ) {
    super(text);
    this.isAscii = !/[^\0-\x7f]/.test(text);
  }

  document(): string {
    this.skip();
    run(this.value());
    this.finish();
    this.checkOutput();
    return this.out;
  }

  /** Copies a scalar; for a container, returns the steps that read it. */
  private value(): Steps | undefined {
    const code = this.peek();
    if (code === Char.OpenBrace) return this.object();
    if (code === Char.OpenBracket) return this.startsTable() ? this.table(this.count()) : this.array();
    const end = scalar(this.text, this.at);
    this.write(this.text.slice(this.at, end));
    this.at = end;
    this.checkOutput();
    return undefined;
  }

  private *object(): Steps {
    this.enter(1);
    this.write("{");
    this.advance();
    if (this.peek() !== Char.CloseBrace) {
      for (;;) {
        const value = this.member();
        if (value) yield value;
        if (!this.commaOr(Char.CloseBrace, "`,` or `}`")) break;
        this.write(",");
      }
    }
    this.at++;
    this.leave(1);
    this.write("}");
  }

  /** `key: value`, `key[N]: values` or `key[N]{columns}: rows`. */
  private member(): Steps | undefined {
    this.write(this.key());
    this.skip();
    if (this.peek() !== Char.OpenBracket) {
      this.colon("`:` or `[` after the key");
      return this.value();
    }
    const count = this.count();
    if (this.peek() === Char.OpenBrace) return this.table(count);
    this.colon("`{` or `:` after the count");
    return this.compact(count);
  }

  private *array(): Steps {
    this.enter(1);
    this.write("[");
    this.advance();
    if (this.peek() !== Char.CloseBracket) {
      for (;;) {
        const value = this.value();
        if (value) yield value;
        if (!this.commaOr(Char.CloseBracket, "`,` or `]`")) break;
        this.write(",");
      }
    }
    this.at++;
    this.leave(1);
    this.write("]");
  }

  /** Exactly `count` values. */
  private *compact(count: number): Steps {
    this.enter(1);
    this.write("[");
    for (let index = 0; index < count; index++) {
      if (index > 0) {
        this.separator(Char.Comma, "values", count, index);
        this.write(",");
      }
      const value = this.value();
      if (value) yield value;
    }
    this.leave(1);
    this.write("]");
  }

  /** The columns, and exactly `count` rows. */
  private *table(count: number): Steps {
    this.enter(2);
    const columns = this.columns();
    this.colon("`:` after the columns");
    this.write("[");
    for (let row = 0; row < count; row++) {
      if (row > 0) {
        this.separator(Char.Slash, "rows", count, row);
        this.write(",");
      }
      for (let index = 0; index < columns.length; index++) {
        if (index > 0) this.separator(Char.Comma, "cells", columns.length, index);
        this.write(columns[index]!);
        const value = this.value();
        if (value) yield value;
      }
      this.write("}");
    }
    this.leave(2);
    this.write("]");
  }

  /** What to write before each cell of a row: `{"first":`, `,"second":` ... */
  private columns(): string[] {
    const columns: string[] = [];
    this.advance();
    do columns.push((columns.length > 0 ? "," : "{") + this.key());
    while (this.commaOr(Char.CloseBrace, "`,` or `}` after the column"));
    this.at++;
    return columns;
  }

  /** Reads a key, an identifier or a string; returns it as JSON, with its colon. */
  private key(): string {
    const start = this.at;
    if (this.peek() === Char.Quote) {
      this.at = string(this.text, start);
      return this.text.slice(start, this.at) + ":";
    }
    this.at = ident(this.text, start);
    if (this.at === start) throw this.expected("a key");
    return `"${this.text.slice(start, this.at)}":`;
  }

  /** Is this a count, `]` and `{` without a gap? `[2]` alone is an array. */
  private startsTable(): boolean {
    const first = this.at + 1;
    const end = digits(this.text, first);
    return end > first && this.text.charCodeAt(first) !== Char.Zero && this.text.startsWith("]{", end);
  }

  /** Reads `[N]`. */
  private count(): number {
    const first = this.at + 1;
    if (this.text.charCodeAt(first) === Char.Zero) {
      throw expected("a count from 1 up, without leading zeros", this.text, first);
    }
    const end = digits(this.text, first);
    if (end === first) throw expected("a count", this.text, first);
    if (this.text.charCodeAt(end) !== Char.CloseBracket) throw expected("`]` after the count", this.text, end);
    this.at = end + 1;
    // No text has as many values as a count too large to be exact.
    return Number(this.text.slice(first, end));
  }

  /** The separator before item `index` of `count`; without it there are too few items. */
  private separator(mark: Char, of: string, count: number, index: number): void {
    this.skip();
    if (this.peek() !== mark) {
      throw error(`expected ${count} ${of} as declared, found ${index}`, this.text, this.at);
    }
    this.advance();
  }

  protected override enter(levels: number): void {
    super.enter(levels);
    this.checkOutput();
  }

  private write(piece: string): void {
    this.out += piece;
    this.size += this.isAscii ? piece.length : utf8Length(piece);
  }

  private checkOutput(): void {
    if (this.size > this.maxOutput) {
      const problem = `expected an output of at most ${this.maxOutput} bytes, it would be larger`;
      throw error(problem, this.text, this.at);
    }
  }
}
