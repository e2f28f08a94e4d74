/**
 * Just enough JSON to find the strings of an envelope: where members and elements are, not what they mean.
 *
 * Clients cut long outputs, so a text may end inside a string or an object.
 *
 * @module
 */

import { endAt } from "../text.js";

const BLANK = /[ \n\r\t]*/y;
const WORD = /[^,}\] \n\r\t]*/y;

/** A value: where it stands, and its kind by its first character. */
export class Value {
  constructor(
    readonly start: number,
    readonly end: number,
    private readonly kind: string,
    /** Is its end there, or was the text cut? */
    private readonly isClosed: boolean,
  ) {}

  /** What stands between the quotes of a string. */
  string(): [start: number, end: number] | undefined {
    return this.kind === '"' ? [this.start + 1, this.end - (this.isClosed ? 1 : 0)] : undefined;
  }

  /** The keys, as written between their quotes, and values of an object. */
  members(text: string): [key: string, value: Value][] | undefined {
    if (this.kind !== "{") return undefined;
    const cursor = new Cursor(text, this.start + 1, this.end);
    const members: [string, Value][] = [];
    while (cursor.hasMore("}")) {
      const name = cursor.value()?.string();
      if (!name) return undefined;
      if (!cursor.passes(":")) return cursor.isAtEnd() ? members : undefined;
      const value = cursor.value();
      if (!value) return undefined;
      members.push([text.slice(...name), value]);
    }
    return members;
  }

  /** The elements of an array. */
  elements(text: string): Value[] | undefined {
    if (this.kind !== "[") return undefined;
    const cursor = new Cursor(text, this.start + 1, this.end);
    const elements: Value[] = [];
    while (cursor.hasMore("]")) {
      const value = cursor.value();
      if (!value) return undefined;
      elements.push(value);
    }
    return elements;
  }
}

/** The value that fills the text, but for white space. */
export function whole(text: string): Value | undefined {
  const cursor = new Cursor(text, 0, text.length);
  const value = cursor.value();
  return cursor.isBlankFromHere() ? value : undefined;
}

class Cursor {
  constructor(
    private readonly text: string,
    private at: number,
    private readonly end: number,
  ) {}

  isAtEnd(): boolean {
    return this.at >= this.end;
  }

  isBlankFromHere(): boolean {
    this.skip(BLANK);
    return this.isAtEnd();
  }

  private peek(): string {
    return this.isAtEnd() ? "" : this.text.charAt(this.at);
  }

  private skip(what: RegExp): void {
    this.at = Math.min(endAt(what, this.text, this.at), this.end);
  }

  passes(mark: string): boolean {
    this.skip(BLANK);
    const isThere = this.peek() === mark;
    if (isThere) this.at++;
    return isThere;
  }

  /** Does something follow in this container? */
  hasMore(close: string): boolean {
    this.passes(",");
    this.skip(BLANK);
    return !["", close].includes(this.peek());
  }

  value(): Value | undefined {
    this.skip(BLANK);
    const start = this.at;
    const kind = this.peek();
    let isClosed = true;
    if (["", ",", ":", "}", "]"].includes(kind)) return undefined;
    if (kind === '"') isClosed = this.skipString();
    else if (kind === "{" || kind === "[") isClosed = this.skipContainer();
    else this.skip(WORD);
    return new Value(start, this.at, kind, isClosed);
  }

  private skipString(): boolean {
    const stop = /["\\]/g;
    stop.lastIndex = this.at + 1;
    for (let found = stop.exec(this.text); found && found.index < this.end; found = stop.exec(this.text)) {
      this.at = stop.lastIndex;
      if (found[0] === '"') return true;
      stop.lastIndex++;
    }
    this.at = this.end;
    return false;
  }

  private skipContainer(): boolean {
    const stop = /["[\]{}]/g;
    let depth = 0;
    stop.lastIndex = this.at;
    for (let found = stop.exec(this.text); found && found.index < this.end; found = stop.exec(this.text)) {
      this.at = found.index;
      if (found[0] === '"') {
        this.skipString();
        stop.lastIndex = this.at;
        continue;
      }
      this.at = stop.lastIndex;
      depth += found[0] === "{" || found[0] === "[" ? 1 : -1;
      if (depth === 0) return true;
    }
    this.at = this.end;
    return false;
  }
}
