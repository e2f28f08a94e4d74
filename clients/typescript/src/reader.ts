/** What reading STC and reading JSON have in common: a place in the text, and how deep it is nested. */

import { error, expected, type StcError } from "./error.js";
import { Char, space } from "./lexeme.js";
import { loneSurrogate } from "./utf8.js";

const MAX_DEPTH = 512;

/** A place in a text. */
export class Reader {
  protected at = 0;
  private depth = 0;

  constructor(protected readonly text: string) {
    const lone = loneSurrogate(text);
    if (lone >= 0) {
      const name = text.charCodeAt(lone).toString(16).toUpperCase();
      throw error(`expected Unicode text, found the lone surrogate U+${name}`, text, lone);
    }
  }

  /** The code at this place; `NaN` at the end of the text. */
  protected peek(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Steps over white space. */
  protected skip(): void {
    this.at = space(this.text, this.at);
  }

  /** Steps over one character and the white space behind it. */
  protected advance(): void {
    this.at = space(this.text, this.at + 1);
  }

  /** Counts the levels of a container that opens here. */
  protected enter(levels: number): void {
    this.depth += levels;
    if (this.depth > MAX_DEPTH) {
      throw error(`expected at most ${MAX_DEPTH} nested levels, found more`, this.text, this.at);
    }
  }

  protected leave(levels: number): void {
    this.depth -= levels;
  }

  /** Steps over a colon and the white space around it. */
  protected colon(what: string): void {
    this.skip();
    if (this.peek() !== Char.Colon) throw this.expected(what);
    this.advance();
  }

  /** Steps over a comma and the white space around it, or stops before the end of the container. */
  protected commaOr(end: Char, what: string): boolean {
    this.skip();
    const code = this.peek();
    if (code !== Char.Comma) {
      if (code !== end) throw this.expected(what);
      return false;
    }
    this.advance();
    return true;
  }

  /** Makes sure that nothing follows. */
  protected finish(): void {
    this.skip();
    if (this.at < this.text.length) throw this.expected("nothing after the value");
  }

  protected expected(what: string): StcError {
    return expected(what, this.text, this.at);
  }
}
