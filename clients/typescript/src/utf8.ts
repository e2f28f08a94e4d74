/** Lengths in UTF-8 of strings that are held as UTF-16. */

/** How many bytes of UTF-8 a text has. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // A surrogate pair has four bytes: two for each half.
    length += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return length;
}

/** Where the first lone surrogate is, or -1: half a character cannot be sent, so a text that has one is no text. */
export function loneSurrogate(text: string): number {
  return text.search(/\p{Surrogate}/u);
}
