/**
 * The structural cost: about how many tokens a text is, without a tokenizer, so that all encoders agree.
 *
 * Texts are given as bytes of UTF-8, one in each character of the string.
 *
 * @module
 */

const RUNS = /([A-Za-z\x80-\xff]+)|([0-9]+)|( +)|[^A-Za-z0-9 \x80-\xff]+/g;

/**
 * Words cost one per eight letters begun, numbers one per three digits begun, other characters one per two begun; a
 * single space before a word is free.
 */
export function cost(text: string): number {
  let total = 0;
  for (const [run, letters, digits, spaces] of text.matchAll(RUNS)) {
    if (letters !== undefined) total += Math.ceil(run.length / 8);
    else if (digits !== undefined) total += Math.ceil(run.length / 3);
    else if (spaces === undefined) total += Math.ceil(run.length / 2);
    else total++;
  }
  // A space was counted whatever follows it.
  return total - freeSpaces(text);
}

/** The cost of a text behind a space. */
export function costBehindSpace(text: string): number {
  return cost(text) + (isLetter(text.charCodeAt(0)) ? 0 : 1);
}

/** Is the byte at this place part of a word? Those of characters outside ASCII are. */
export function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isLetter(code) || (code >= 0x30 && code <= 0x39);
}

function freeSpaces(text: string): number {
  let count = 0;
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) {
    if (text.charCodeAt(at - 1) !== 0x20 && isLetter(text.charCodeAt(at + 1))) count++;
  }
  return count;
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code >= 0x80;
}
