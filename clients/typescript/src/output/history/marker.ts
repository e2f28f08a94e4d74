/**
 * The words of pointers and duplicate markers.
 *
 * `[Forge same as lines 434-440 of src/main.rs above, here 440-446]`, or, where lines have no numbers,
 * ``[Forge same as 38 lines of `cargo test` above, from "running 38 tests" to "test z ... ok"]``.
 *
 * @module
 */

import { firstCharacters, SIGNATURE, splitOnce, trim, trimEnd } from "../text.js";
import { BEHIND } from "./name.js";

export const OPENING = "[Forge same as ";

const OWN = "this call's ";
const LONGEST_QUOTE = 48;
const BETWEEN = '" to "';
const FROM = ', from "';
const HERE = /, here [0-9]{1,10}-[0-9]{1,10}$/;
const NUMBERED = /^lines ([0-9]{1,10})-([0-9]{1,10}) of (.*)$/s;
const COUNTED = /^([0-9]{1,18}) lines of (.*)$/s;
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/;
const DUPLICATE = /^\[Duplicate of ([^\n]*); see earlier result\]$/;
const RUN = /^(.*) \(run ([0-9]{1,18}) of [0-9]{1,18}\)$/s;

/** What stands for lines that were shown before. */
export interface Pointer {
  name: string;
  /** Are the lines in the arguments of the call itself? */
  isOwn: boolean;
  /** Those with these numbers, or so many from one that reads so to one that reads so. */
  lines: { first: number; last: number } | { count: number; first: string; last: string };
}

/** Is a line a pointer, or made to look like one? */
export function isPointer(line: string): boolean {
  return line.startsWith(OPENING);
}

/** Does a text lead to other results? */
export function hasPointers(text: string): boolean {
  return duplicated(text) !== undefined || text.startsWith(OPENING) || text.includes(`\n${OPENING}`);
}

/** The name in a marker of a whole duplicate. */
export function duplicated(text: string): string | undefined {
  return DUPLICATE.exec(text)?.[1];
}

export function parse(line: string): Pointer | undefined {
  if (!line.startsWith(OPENING) || !line.endsWith("]")) return undefined;
  const rest = line.slice(OPENING.length, -1).replace(HERE, "");
  const numbered = NUMBERED.exec(rest);
  if (numbered) {
    const name = without(numbered[3]!, BEHIND);
    const lines = { first: Number(numbered[1]), last: Number(numbered[2]) };
    return name === undefined ? undefined : { name, isOwn: false, lines };
  }
  const counted = COUNTED.exec(rest);
  const [name, quotes] = splitOnce(counted?.[2] ?? "", FROM) ?? [];
  const [first, last] = splitOnce(quotes ?? "", BETWEEN) ?? [];
  if (!counted || name === undefined || first === undefined || !last?.endsWith('"')) return undefined;
  const lines = { count: Number(counted[1]), first, last: last.slice(0, -1) };
  const above = without(name, BEHIND);
  if (above !== undefined) return { name: above, isOwn: false, lines };
  return name.startsWith(OWN) ? { name: name.slice(OWN.length), isOwn: true, lines } : undefined;
}

function without(name: string, suffix: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}

/** A name without the run behind it, and which run of a command that is, counted from one. */
export function splitRun(name: string): [name: string, run: number | undefined] {
  const found = RUN.exec(name);
  return found ? [found[1]!, Number(found[2])] : [name, undefined];
}

/** How a line is quoted, if it can be: without its indentation, and cut if it is long. */
export function quote(whole: string): string | undefined {
  const line = trim(whole);
  if (line === "" || line.startsWith(SIGNATURE) || line.endsWith("…")) return undefined;
  if (line.includes(BETWEEN) || line.includes(FROM) || CONTROL.test(line)) return undefined;
  const first = firstCharacters(line, LONGEST_QUOTE);
  return first.length < line.length ? `${trimEnd(first)}…` : line;
}
