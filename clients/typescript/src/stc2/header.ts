/** Headers: columns, and what their cells have in common. */

import { Char, digits, ident } from "../lexeme.js";
import type { Steps } from "../steps.js";
import { Output } from "./output.js";
import type { Op, Shape } from "./shape.js";

/** The largest number of a run: every language computes up to it exactly. */
const MAX_RUN = 2n ** 53n - 1n;

/** Reads the columns of tables; their constants are values. */
export abstract class Header extends Output {
  protected abstract value(): Steps | undefined;

  /** A list of columns and the bracket behind it. */
  protected *columns(shape: Shape, close: string): Steps {
    const names = new Map<string, number>();
    for (;;) {
      const isBare = this.peek() !== Char.Quote;
      const start = this.at;
      const key = this.key();
      if (isBare) names.set(this.text.slice(start, this.at), shape.length);
      const inside = this.column(shape, key, names);
      if (inside) yield inside;
      if (this.text.charAt(this.at) !== " ") break;
      this.at++;
    }
    this.expect(close, "a space or the end of the columns");
  }

  /** What stands behind the key of a column. */
  private column(shape: Shape, key: string, names: Map<string, number>): Steps | undefined {
    const isSparse = this.text.charAt(this.at) === "?";
    if (isSparse) this.at++;
    const sign = this.text.charAt(this.at);
    if (isSparse && (sign === "{" || sign === ":")) throw this.expected("no `?` before `{` or `:`");
    switch (sign) {
      case "(": {
        const inner: Shape = [];
        shape.push({ kind: "tuple", key, isSparse, shape: inner });
        return this.innerColumns(inner, ")", 1);
      }
      case "[": {
        const inner: Shape = [];
        shape.push({ kind: "list", key, isSparse, shape: inner });
        return this.innerColumns(inner, "]", 2);
      }
      case "{":
        shape.push({ kind: "open", key });
        return this.nestedColumns(shape);
      case ":":
        return this.constant(shape, key);
      case "=":
        shape.push(this.template(key, isSparse, names, shape.length));
        return undefined;
      default:
        shape.push({ kind: "cell", key, isSparse });
        return undefined;
    }
  }

  private *innerColumns(shape: Shape, close: string, levels: number): Steps {
    this.enter(levels);
    this.at++;
    yield this.columns(shape, close);
    this.leave(levels);
  }

  private *nestedColumns(shape: Shape): Steps {
    yield this.innerColumns(shape, "}", 1);
    shape.push({ kind: "close" });
  }

  /** Takes the value back from the output and puts it behind its key. */
  private *constant(shape: Shape, key: string): Steps {
    this.at++;
    const [start, size] = [this.pieces.length, this.size];
    const value = this.value();
    if (value) yield value;
    shape.push({ kind: "constant", member: key + this.pieces.splice(start).join("") });
    this.size = size;
  }

  /** `=1,2..`, `=*`, `=name`, with texts before and behind. */
  private template(key: string, isSparse: boolean, names: Map<string, number>, index: number): Op {
    this.at++;
    if (!isSparse && /[-0-9]/.test(this.text.charAt(this.at))) return this.runOfNumbers(key);
    const prefix = this.piece();
    if (prefix !== "") this.expect("+", "`+` behind the text");
    let source: number | undefined;
    if (this.text.charAt(this.at) === "*") {
      this.at++;
    } else {
      const end = ident(this.text, this.at);
      if (end === this.at) throw this.expected("a key");
      source = names.get(this.text.slice(this.at, end)) ?? index;
      if (source >= index || isSparse) throw this.expected("an earlier column");
      this.at = end;
    }
    let suffix = "";
    if (this.text.charAt(this.at) === "+") {
      this.at++;
      suffix = this.piece();
      if (suffix === "") throw this.expected("a text behind `+`");
    }
    return source === undefined
      ? { kind: "text", key, isSparse, prefix, suffix }
      : { kind: "derived", key, prefix, source, suffix };
  }

  /** A quoted text, or nothing. */
  private piece(): string {
    return this.peek() === Char.Quote ? this.string().slice(1, -1) : "";
  }

  private runOfNumbers(key: string): Op {
    const first = this.integer();
    this.expect(",", "`,` and the second number");
    const second = this.integer();
    this.expect(".", "`..` behind the second number");
    this.expect(".", "`..` behind the second number");
    return { kind: "run", key, next: first, step: second - first };
  }

  private integer(): bigint {
    const start = this.at;
    const end = digits(this.text, this.text.charAt(start) === "-" ? start + 1 : start);
    const text = this.text.slice(start, end);
    if (!/^(?:0|-?[1-9][0-9]{0,15})$/.test(text) || !inBounds(BigInt(text))) {
      throw this.expected("an integer below 2^53");
    }
    this.at = end;
    return BigInt(text);
  }
}

/** Can a run have this number? */
export function inBounds(number: bigint): boolean {
  return -MAX_RUN <= number && number <= MAX_RUN;
}
