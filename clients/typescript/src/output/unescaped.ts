/** Unescaped strings: an output as its wrapper around `…` and the payloads behind it, as they are. */

import { Unreadable } from "./error.js";
import { changePayloads } from "./wrapper/index.js";
import { STYLES } from "./wrapper/strings.js";

const HEAD = "[Forge … in the next ";
const HEAD_LINE =
  /^\[Forge … in the next (?:line|([0-9]{1,9}) lines) is the text below, unescaped(?: from ([^\]\n]+))?\]\n/;
const PLACEHOLDER = "…";
const NEXT = "\n[Forge next text]\n";

export function isWritten(text: string): boolean {
  return text.startsWith(HEAD);
}

/** The output with its payloads restored, and escaped again as their wrapper says. */
export function decode(text: string, restore: (payload: string) => string): string {
  const head = HEAD_LINE.exec(text);
  if (!head) throw new Unreadable();
  const [frame, rest] = splitLines(text.slice(head[0].length), Number(head[1] ?? 1));
  const special = specialOf(head[2]);
  const places: string[] = [];
  changePayloads(frame, (place) => {
    places.push(place);
    return place;
  });
  const payloads = places.length === 1 ? [rest] : rest.split(NEXT);
  if (payloads.length !== places.length || places.some((place) => place !== PLACEHOLDER)) throw new Unreadable();
  const restored = payloads.map(restore).values();
  return changePayloads(frame, (place) => restored.next().value ?? place, { special });
}

function splitLines(text: string, lines: number): [string, string] {
  let end = -1;
  for (let line = 0; line < lines; line++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) break;
  }
  if (end < 0) throw new Unreadable();
  return [text.slice(0, end), text.slice(end + 1)];
}

function specialOf(words: string | undefined): string {
  const styles = words?.split(", ").map((word) => STYLES.get(word)) ?? [];
  if (styles.includes(undefined)) throw new Unreadable();
  return styles.join("");
}
