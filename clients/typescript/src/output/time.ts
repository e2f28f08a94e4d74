/** Timestamps, which are one value although they may contain blanks. */

import { matchAt } from "./text.js";

const DATE =
  /[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}\/[0-9]{2}\/[0-9]{2}|[0-9]{2}\/[A-Za-z]{3}\/[0-9]{4}|[0-9]{2}\/[0-9]{2}\/[0-9]{4}/y;
const DIGIT = /[0-9]/y;
const DAY = /Mon|Tue|Wed|Thu|Fri|Sat|Sun/y;
const SEPARATOR = /,? /y;
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const SHORT_DATE = new RegExp(`${MONTH} (?:[0-9]{2}| [0-9]|[0-9])`, "y");
const LONG_DATE = new RegExp(`[0-9]{1,2} ${MONTH} [0-9]{4}`, "y");
const YEAR = / {1,2}[0-9]{4}/y;
const CLOCK = /(?:[0-9]{2}|[0-9]):[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]+)?/y;
const ZONE = /Z| ?[+-][0-9]{2}:?[0-9]{2}| UTC| GMT/y;
const SECONDS = /[0-9]{10}\.[0-9]+/y;
const IN_WORD = /[A-Za-z0-9_]|[^\0-\x7f]/y;

/** Where the timestamp ends that begins at an offset: a date and a time of day, or either of them. */
export function timestamp(text: string, at: number): number | undefined {
  let found = dated(text, at);
  if (found === undefined) {
    const time = clock(text, at);
    found = time === undefined ? end(SECONDS, text, at) : zone(text, time);
  }
  return found !== undefined && ends(text, found) ? found : undefined;
}

function dated(text: string, at: number): number | undefined {
  const date = end(DATE, text, at);
  if (date !== undefined) {
    const time = /[Tt :]/.test(text.charAt(date)) ? clock(text, date + 1) : undefined;
    return time === undefined ? date : zone(text, time);
  }
  if (end(DIGIT, text, at) !== undefined) return undefined;
  const day = end(DAY, text, at);
  const start = day === undefined ? at : end(SEPARATOR, text, day);
  if (start === undefined) return undefined;
  const long = end(LONG_DATE, text, start);
  const before = end(SHORT_DATE, text, start) ?? long;
  if (before === undefined) return undefined;
  let behind = before;
  if (text.startsWith(" ", behind)) behind = clock(text, behind + 1) ?? behind;
  const year = end(YEAR, text, behind);
  if (year !== undefined && ends(text, year)) behind = year;
  // `May 6` alone are two words.
  return behind > before || long !== undefined ? zone(text, behind) : undefined;
}

function clock(text: string, at: number): number | undefined {
  const found = end(CLOCK, text, at);
  return found === undefined || end(DIGIT, text, found) !== undefined ? undefined : found;
}

/** Behind a time zone that follows, if one does. */
function zone(text: string, at: number): number {
  const found = end(ZONE, text, at);
  return found !== undefined && ends(text, found) ? found : at;
}

/** Does no word go on here? */
function ends(text: string, at: number): boolean {
  return end(IN_WORD, text, at) === undefined;
}

function end(pattern: RegExp, text: string, at: number): number | undefined {
  return matchAt(pattern, text, at) ? pattern.lastIndex : undefined;
}
