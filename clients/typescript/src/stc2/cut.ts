/**
 * Where a string may be cut: never inside a word, name, number or timestamp (`spec/stc2.md`, "Cuts").
 *
 * @module
 */

import { isWordAt } from "./cost.js";

const JOINERS = "_-.:@+%~";
const GAP = " ,/()" + JOINERS;
/** Between the parts of a timestamp or number stand no more bytes than these, on either side of a cut. */
const LONGEST_GAP = 3;

const MONTHS = "january february march april may june july august september october november december".split(" ");
const WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split(" ");
const NAMES = [...MONTHS, ...WEEKDAYS];
const TIME_WORDS = new Set([...NAMES, ...NAMES.map((name) => name.slice(0, 3)), "gmt", "utc", "am", "pm"]);

/** May what stands before this place in a text, and what stands behind it, be written in two places? */
export function mayCut(text: string, at: number): boolean {
  return at <= 0 || at >= text.length || !(isInName(text, at) || isBetweenTimeParts(text, at));
}

/** Does this byte join words to one name or number? An apostrophe is as often a quotation mark, and joins letters only. */
function joins(text: string, at: number): boolean {
  if (text[at] === "'") return isWordAt(text, at - 1) && isWordAt(text, at + 1);
  return at < text.length && JOINERS.includes(text[at]!);
}

/** Does a name go on from one side to the other? A sign that no name follows ends none. */
function isInName(text: string, at: number): boolean {
  const isName = (place: number) => isWordAt(text, place) || joins(text, place);
  return isName(at - 1) && isName(at) && (isWordAt(text, at) || joins(text, at - 1) || isName(at + 1));
}

/** Are the words on both sides parts of one timestamp or number? */
function isBetweenTimeParts(text: string, at: number): boolean {
  let end = at;
  while (end > 0 && at - end < LONGEST_GAP && GAP.includes(text[end - 1]!)) end--;
  let start = end;
  while (start > 0 && isWordAt(text, start - 1)) start--;
  let behind = at;
  while (behind < text.length && behind - at < LONGEST_GAP && GAP.includes(text[behind]!)) behind++;
  let last = behind;
  while (last < text.length && isWordAt(text, last)) last++;
  return isTimePart(text.slice(start, end)) && isTimePart(text.slice(behind, last));
}

function isTimePart(word: string): boolean {
  return /^[0-9]/.test(word) || TIME_WORDS.has(word.toLowerCase());
}
