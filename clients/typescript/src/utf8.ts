/** UTF-8 of strings that are held as UTF-16. */

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

/** So many arguments a call can have anywhere. */
const CHUNK = 8192;

/** The bytes of UTF-8 of a text, one in each character; a text of ASCII is its own bytes. */
export function toBytes(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  const bytes = new TextEncoder().encode(text);
  let out = "";
  for (let at = 0; at < bytes.length; at += CHUNK) out += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return out;
}

/** The text of bytes of UTF-8 that are given one in each character. */
export function fromBytes(bytes: string): string {
  if (!/[^\0-\x7f]/.test(bytes)) return bytes;
  const array = Uint8Array.from({ length: bytes.length }, (_, at) => bytes.charCodeAt(at));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(array);
}
