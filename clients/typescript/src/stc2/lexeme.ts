/** What is a bare word, and which strings and keys need no quotes. */

const BARE = /[^\0-\x20"\\()[\]{}]*/y;
const KEY = /[^\0-\x20"\\()[\]{}:=?+]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?=[\0-\x20"\\()[\]{}]|$)/y;
const TABLE = /(?:\[([1-9][0-9]*)\]|\{([1-9][0-9]*)\})\{/y;

const BARE_TEXT = /^[^\0-\x20"\\()[\]{}&*][^\0-\x20"\\()[\]{}]*$/;
const BARE_TAIL = /^[^\0-\x20"\\()[\]{}0-9][^\0-\x20"\\()[\]{}]*$/;
const BARE_KEY = /^[^\0-\x20"\\()[\]{}:=?+&*][^\0-\x20"\\()[\]{}:=?+]*$/;
const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** The end of the bare word at `at`. */
export function bare(text: string, at: number): number {
  return end(BARE, text, at);
}

/** The end of the bare key at `at`. */
export function bareKey(text: string, at: number): number {
  return end(KEY, text, at);
}

/** The end of the number that is the whole word at `at`; `at` if there is none. */
export function wholeNumber(text: string, at: number): number {
  return end(NUMBER, text, at);
}

/** The count of the table or map that starts at `at`, and where its columns start. */
export function tableStart(text: string, at: number): { count: number; columns: number } | undefined {
  TABLE.lastIndex = at;
  const found = TABLE.exec(text);
  // No text has as many rows as a count too large to be exact.
  return found ? { count: Number(found[1] ?? found[2]), columns: TABLE.lastIndex } : undefined;
}

/** Is a text a number as JSON writes it? */
export function isNumber(text: string): boolean {
  return WHOLE_NUMBER.test(text);
}

/** Can the text of a string stand without quotes as a value? */
export function isBare(text: string): boolean {
  return isBareText(text) && text !== "true" && text !== "false" && !isNumber(text);
}

/** Can a text stand without quotes in a column that holds text only? */
export function isBareText(text: string): boolean {
  return BARE_TEXT.test(text) && text !== "-" && text !== "^" && text !== "|" && text !== "null";
}

/** Can a text stand without quotes right behind a reference? */
export function isBareTail(text: string): boolean {
  return BARE_TAIL.test(text);
}

/** A key as it is written, without quotes if it needs none. */
export function spelledKey(key: string): string {
  const text = key.slice(1, -1);
  return BARE_KEY.test(text) ? text : key;
}

function end(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}
