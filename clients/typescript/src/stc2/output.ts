/** The JSON being written, and what all parts of the decoder read. */

import { error } from "../error.js";
import { Char, string } from "../lexeme.js";
import { Reader } from "../reader.js";
import { utf8Length } from "../utf8.js";
import { bareKey } from "./lexeme.js";
import type { Made } from "./shape.js";

/** A place in a text, and what was made of it so far. */
export class Output extends Reader {
  /** What is referred to is some of these pieces: no text is cut out of a growing one. */
  protected readonly pieces: string[] = [];
  /** In bytes. */
  protected size = 0;
  private readonly isAscii: boolean;

  constructor(
    text: string,
    private readonly maxOutput: number,
  ) {
    super(text);
    this.isAscii = !/[^\0-\x7f]/.test(text);
  }

  /** Reads a key; returns it as JSON, with its colon. */
  protected key(): string {
    if (this.peek() === Char.Quote) return this.string() + ":";
    const end = bareKey(this.text, this.at);
    const key = this.text.slice(this.at, end);
    if (key === "" || /^[&*]/.test(key)) throw this.expected("a key");
    this.at = end;
    return `"${key}":`;
  }

  protected string(): string {
    const start = this.at;
    this.at = string(this.text, start);
    return this.text.slice(start, this.at);
  }

  protected expect(sign: string, what: string): void {
    if (this.text.charAt(this.at) !== sign) throw this.expected(what);
    this.at++;
  }

  protected made({ start, end }: Made): string {
    return end === start + 1 ? this.pieces[start]! : this.pieces.slice(start, end).join("");
  }

  protected writeKey(key: string): void {
    if (this.pieces.at(-1) !== "{") this.write(",");
    this.write(key);
  }

  protected write(piece: string): void {
    this.pieces.push(piece);
    this.size += this.length(piece);
  }

  protected length(text: string): number {
    return this.isAscii ? text.length : utf8Length(text);
  }

  /** Fails if so many more bytes would be too many. */
  protected checkRoom(more: number): void {
    if (this.size + more > this.maxOutput) {
      const problem = `expected an output of at most ${this.maxOutput} bytes, it would be larger`;
      throw error(problem, this.text, this.at);
    }
  }
}
