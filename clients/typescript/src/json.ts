/** JSON text to a tree of its lexemes, each as it was written. */

import { Char, scalar, string } from "./lexeme.js";
import { Reader } from "./reader.js";
import { run, type Steps } from "./steps.js";

/** A string is a scalar, an array an array. */
export type Node = string | Node[] | Members;

/** The members of an object in their order; keys keep their quotes and may repeat. */
export class Members {
  readonly keys: string[] = [];
  readonly values: Node[] = [];
}

/** Reads one JSON text. */
export function parse(text: string): Node {
  return new JsonReader(text).document();
}

class JsonReader extends Reader {
  document(): Node {
    const root: Node[] = [];
    this.skip();
    run(this.value(root));
    this.finish();
    return root[0]!;
  }

  /** Appends a value; for a container, returns the steps that fill it. */
  private value(into: Node[]): Steps | undefined {
    const code = this.peek();
    if (code === Char.OpenBrace) {
      const members = new Members();
      into.push(members);
      return this.object(members);
    }
    if (code === Char.OpenBracket) {
      const elements: Node[] = [];
      into.push(elements);
      return this.array(elements);
    }
    const end = scalar(this.text, this.at);
    into.push(this.text.slice(this.at, end));
    this.at = end;
    return undefined;
  }

  private *object({ keys, values }: Members): Steps {
    this.enter(1);
    this.advance();
    if (this.peek() !== Char.CloseBrace) {
      do {
        keys.push(this.key(keys.length > 0 ? "a key" : "a key or `}`"));
        this.colon("`:` after the key");
        const value = this.value(values);
        if (value) yield value;
      } while (this.commaOr(Char.CloseBrace, "`,` or `}`"));
    }
    this.at++;
    this.leave(1);
  }

  private *array(elements: Node[]): Steps {
    this.enter(1);
    this.advance();
    if (this.peek() !== Char.CloseBracket) {
      do {
        const value = this.value(elements);
        if (value) yield value;
      } while (this.commaOr(Char.CloseBracket, "`,` or `]`"));
    }
    this.at++;
    this.leave(1);
  }

  private key(what: string): string {
    if (this.peek() !== Char.Quote) throw this.expected(what);
    const start = this.at;
    this.at = string(this.text, start);
    return this.text.slice(start, this.at);
  }
}
