/** Columns whose cells follow from something: a run of numbers, a common prefix or suffix, another column. */

import { holdsIdent } from "../lexeme.js";
import { cost, isWordAt } from "./cost.js";
import { mayCut } from "./cut.js";
import { isNumber } from "./lexeme.js";

/** So many earlier columns are looked at for one that a column could be derived from. */
const MAX_SOURCES = 16;
/** A source shorter than this is found everywhere by chance. */
const MIN_SOURCE = 3;
/** A prefix or suffix must save more than this. */
const HEADER_COST = 4;
/** A text column is worth its header from so many numbers in quotes. */
const MIN_NUMBERS = 4;
/** At most 15 digits, which every language computes exactly. */
const INTEGER = /^(?:0|-?[1-9][0-9]{0,14})$/;

/** A column that others can be derived from. */
export interface Source {
  name: string;
  texts: string[];
}

/** The first two numbers of the arithmetic run that these cells are, from three cells up. */
export function runOf(lexemes: string[]): [number, number] | undefined {
  if (lexemes.length < 3 || !lexemes.every((lexeme) => INTEGER.test(lexeme))) return undefined;
  const numbers = lexemes.map(Number);
  const [first, second] = [numbers[0]!, numbers[1]!];
  const isRun = numbers.every((number, index) => index === 0 || number - numbers[index - 1]! === second - first);
  return isRun ? [first, second] : undefined;
}

/** A column with plain strings in every record, under a name that templates can use. */
export function sourceOf(key: string, cells: unknown[]): Source | undefined {
  if (!holdsIdent(key)) return undefined;
  const texts: string[] = [];
  for (const cell of cells) {
    if (typeof cell !== "string" || !cell.startsWith('"') || cell.includes("\\")) return undefined;
    texts.push(cell.slice(1, -1));
  }
  return { name: key.slice(1, -1), texts };
}

/** How a column is made from an earlier one. */
export interface Derived {
  prefix: string;
  source: string;
  suffix: string;
}

/** An earlier column that every text of this one contains at the same place. */
export function derivedFrom(strings: string[], sources: Source[]): Derived | undefined {
  for (const { name, texts } of sources.slice(-MAX_SOURCES).reverse()) {
    const [first, source] = [strings[0]!, texts[0]!];
    const at = first.indexOf(source);
    if (source.length < MIN_SOURCE || at < 0) continue;
    const prefix = first.slice(0, at);
    const suffix = first.slice(at + source.length);
    const isCutWell = (string: string) => mayCut(string, prefix.length) && mayCut(string, string.length - suffix.length);
    if (strings.every((string, index) => string === prefix + texts[index]! + suffix && isCutWell(string))) {
      return { prefix, source: name, suffix };
    }
  }
  return undefined;
}

/** The prefix and the suffix of a text column; nothing if it is none. */
export function edgesOf(strings: string[]): { prefix: string; suffix: string } | undefined {
  const first = strings[0]!;
  let prefix = first.slice(0, commonPrefix(first, strings));
  let suffix = first.slice(first.length - commonSuffix(first, prefix.length, strings));
  const changed = strings.filter((string, index) => index > 0 && string !== strings[index - 1]);
  if (changed.length * cost(prefix) <= HEADER_COST) prefix = "";
  if (changed.length * cost(suffix) <= HEADER_COST) suffix = "";
  if (prefix === "" && suffix === "" && changed.filter(isNumber).length < MIN_NUMBERS) return undefined;
  return { prefix, suffix };
}

/** The length of what all texts start with, up to the last byte that is in no word and behind which all may be cut. */
function commonPrefix(first: string, strings: string[]): number {
  let length = first.length;
  for (const string of strings) length = common(first, string, length);
  const isEnd = () => !isWordAt(first, length - 1) && strings.every((string) => mayCut(string, length));
  while (length > 0 && !isEnd()) length--;
  return length;
}

/**
 * The length of what all texts end with behind their prefix, from the first byte on that is in no word and before which all may be
 * cut.
 */
function commonSuffix(first: string, prefix: number, strings: string[]): number {
  let length = first.length - prefix;
  for (const string of strings) {
    length = Math.min(length, string.length - prefix);
    let same = 0;
    while (same < length && string.charCodeAt(string.length - 1 - same) === first.charCodeAt(first.length - 1 - same)) same++;
    length = same;
  }
  const isStart = () =>
    !isWordAt(first, first.length - length) && strings.every((string) => mayCut(string, string.length - length));
  while (length > 0 && !isStart()) length--;
  return length;
}

/** The length of what two texts start with, `limit` at most. */
export function common(one: string, other: string, limit: number): number {
  let length = 0;
  while (length < limit && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
