/**
 * What is written once and referred to afterwards: equal values, and strings that start alike.
 *
 * A document is walked twice. The first walk counts what would be written; what was written often enough then gets a
 * number where the second walk meets it first, and is a reference where it is met again.
 *
 * @module
 */

import type { Node } from "../json.js";
import { cost, isWordAt } from "./cost.js";
import { mayCut } from "./cut.js";
import { common } from "./template.js";
import { isString, type Print, type Tree } from "./tree.js";

const REFERENCE_COST = 2;
const ANCHOR_COST = 3;

/** Shorter strings have no prefix. */
const MIN_STRING = 12;
const MIN_PREFIX = 8;
/** So many neighbours are looked at for one group. A prefix that was chosen before is used again. */
const WINDOW = 16;
const PREFIX_REFERENCE_COST = 3;
const PREFIX_ANCHOR_COST = 5;

/** A value that may be shared. `number` is 0 until it is given one. */
interface Entry {
  weight: number;
  uses: number;
  isShared: boolean;
  number: number;
  prefix: Prefix | undefined;
}

/** The start of several strings. */
interface Prefix {
  text: string;
  number: number;
}

/**
 * How the value at hand is written: as a reference to a number, with a number before it for references to come, or as
 * a string that starts with a prefix which may be new.
 */
export interface Sharing {
  number: number;
  isNew: boolean;
  prefix?: string;
}

/** The values of a document that are, or may be, shared. */
export class Shares {
  private readonly entries = new Map<Print, Entry>();
  private isCounting = true;
  private numbers = 0;

  constructor(private readonly tree: Tree) {}

  /** How the string or non-empty container is written, which is to be written now; `undefined` if as ever. */
  meet(node: Node): Sharing | undefined {
    if (this.isCounting) return this.count(node);
    const entry = this.entries.get(this.tree.print(node));
    if (!entry) return undefined;
    if (entry.number > 0) return { number: entry.number, isNew: false };
    if (entry.isShared) {
      entry.number = ++this.numbers;
      return { number: entry.number, isNew: true };
    }
    const { prefix } = entry;
    if (!prefix) return undefined;
    const isNew = prefix.number === 0;
    if (isNew) prefix.number = ++this.numbers;
    return { number: prefix.number, isNew, prefix: prefix.text };
  }

  private count(node: Node): Sharing | undefined {
    const weight = this.tree.weight(node);
    if (weight <= REFERENCE_COST) return undefined;
    const print = this.tree.print(node);
    let entry = this.entries.get(print);
    if (!entry) {
      entry = { weight, uses: 0, isShared: false, number: 0, prefix: undefined };
      this.entries.set(print, entry);
    }
    entry.uses++;
    // Written or not, what is inside is not counted again.
    return entry.uses > 1 && typeof node !== "string" ? { number: 0, isNew: false } : undefined;
  }

  /** Ends the counting: chooses what is shared. */
  choose(): void {
    this.isCounting = false;
    const texts: string[] = [];
    for (const [print, entry] of this.entries) {
      entry.isShared = (entry.uses - 1) * (entry.weight - REFERENCE_COST) > ANCHOR_COST;
      if (typeof print === "string" && !entry.isShared && canHavePrefix(print)) texts.push(print.slice(1, -1));
    }
    texts.sort((one, other) => (one < other ? -1 : 1));
    const known = new Map<string, Prefix>();
    for (let at = 0; at < texts.length; ) {
      const { size, length } = bestGroup(texts, at);
      if (size === 0) {
        at++;
        continue;
      }
      const text = texts[at]!.slice(0, length);
      const prefix = known.get(text) ?? { text, number: 0 };
      known.set(text, prefix);
      for (const end = at + size; at < end; at++) this.entries.get(`"${texts[at]!}"`)!.prefix = prefix;
    }
  }
}

function canHavePrefix(print: string): boolean {
  return isString(print) && print.length - 2 >= MIN_STRING && !print.includes("\\");
}

/**
 * How many strings from this one on start alike, and the length of that start, where it saves most; of equals the
 * largest group.
 */
function bestGroup(texts: string[], start: number): { size: number; length: number } {
  const first = texts[start]!;
  let best = { size: 0, length: 0, saved: 1 };
  let length = first.length;
  for (let others = 1; others < WINDOW && start + others < texts.length; others++) {
    length = commonWords(texts.slice(start, start + others + 1), length);
    if (length < MIN_PREFIX) break;
    const saved = others * (cost(first.slice(0, length)) - PREFIX_REFERENCE_COST) - PREFIX_ANCHOR_COST;
    if (saved >= best.saved) best = { size: others + 1, length, saved };
  }
  return best;
}

/**
 * The length of what strings start with, up to where no word goes on in any of them and all may be cut. All but the last have so
 * many bytes in common as the limit says.
 */
function commonWords(strings: string[], limit: number): number {
  let length = common(strings[0]!, strings[strings.length - 1]!, limit);
  const isEnd = (string: string) => !isWordAt(string, length) && mayCut(string, length);
  while (length > 0 && !strings.every(isEnd)) length--;
  return length;
}
