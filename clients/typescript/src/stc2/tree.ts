/** What an encoder has to know of the values of a document: which are equal, and how much they weigh. */

import { Members, type Node } from "../json.js";
import { cost } from "./cost.js";
import { isBare } from "./lexeme.js";

/** Equal values have equal prints. That of a scalar is its lexeme. */
export type Print = string | number;

export type Container = Node[] | Members;

/** Can this value be a record: an object with members? */
export function isRecord(node: Node | undefined): node is Members {
  return node instanceof Members && node.keys.length > 0;
}

export function isString(node: Node | undefined): node is string {
  return typeof node === "string" && node.startsWith('"');
}

/** The values inside a container. */
export function children(node: Node): Node[] {
  if (typeof node === "string") return [];
  return node instanceof Members ? node.values : node;
}

/** A document, and the prints and weights of its values. */
export class Tree {
  minifiedLength = 0;
  private readonly prints = new Map<Container, number>();
  private readonly weights = new Map<Print, number>();

  constructor(readonly root: Node) {
    if (typeof root === "string") this.minifiedLength = root.length;
    const known = new Map<string, number>();
    for (const node of containers(root).reverse()) {
      const inside = children(node);
      const keys = node instanceof Members ? node.keys : [];
      // No lexeme has a control character in it, or starts with `#`.
      const inner = inside.map((each) => (typeof each === "string" ? each : `#${this.print(each)}`));
      const whole = `${node instanceof Members ? "{" : "["}${keys.join("\0")}\x01${inner.join("\0")}`;
      let print = known.get(whole);
      if (print === undefined) known.set(whole, (print = known.size));
      this.prints.set(node, print);
      this.minifiedLength += 2 + Math.max(inside.length - 1, 0);
      for (const key of keys) this.minifiedLength += key.length + 1;
      for (const each of inside) if (typeof each === "string") this.minifiedLength += each.length;
    }
  }

  print(node: Node): Print {
    return typeof node === "string" ? node : this.prints.get(node)!;
  }

  /** Are two values the same once minified? */
  isSame(one: Node, other: Node): boolean {
    return this.print(one) === this.print(other);
  }

  /** About how many tokens a value costs where it is written plainly. */
  weight(node: Node): number {
    const known = this.weights.get(this.print(node));
    if (known !== undefined) return known;
    // What is inside a container comes behind it in the list.
    for (const inner of containers(node).reverse()) {
      if (this.weights.has(this.print(inner))) continue;
      let weight = 2;
      if (inner instanceof Members) for (const key of inner.keys) weight += cost(key.slice(1, -1)) + 1;
      for (const each of children(inner)) weight += this.knownWeight(each);
      this.weights.set(this.print(inner), weight);
    }
    return this.knownWeight(node);
  }

  private knownWeight(node: Node): number {
    const print = this.print(node);
    let weight = this.weights.get(print);
    if (weight === undefined) this.weights.set(print, (weight = scalarWeight(String(node))));
    return weight;
  }
}

function scalarWeight(lexeme: string): number {
  if (!isString(lexeme)) return cost(lexeme);
  const text = lexeme.slice(1, -1);
  return cost(text) + (isBare(text) ? 0 : 2);
}

/** All containers of a value, each before those inside of it. */
function containers(root: Node): Container[] {
  const found: Container[] = [];
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node === "string") continue;
    found.push(node);
    for (const child of children(node)) pending.push(child);
  }
  return found;
}
