/**
 * What a client puts around a tool's output, taken off and put back.
 *
 * A payload may have been written as a JSON or Python string; it is changed unescaped and escaped again. What would not
 * come back byte for byte is not taken apart.
 *
 * @module
 */

import * as claude from "./claude.js";
import * as codex from "./codex.js";
import * as edges from "./edges.js";
import * as envelope from "./envelope.js";
import * as gemini from "./gemini.js";
import type { Slot, Wrapper } from "./slot.js";
import * as strings from "./strings.js";
import { tagged } from "./tags.js";
import { python } from "./text_content.js";

/** In the order in which they are tried. */
const WRAPPERS: Wrapper[] = [
  claude.untouchable,
  claude.reminders,
  claude.exitCode,
  codex.header,
  edges.firstLines,
  edges.lastLines,
  gemini.untrustedContext,
  gemini.report,
  tagged,
  envelope.json,
  python,
];
/** How many wrappers may lie inside each other. */
const MAX_LEVELS = 6;
/** How many of them may be strings inside strings. */
const MAX_STRINGS = 2;
/** `\ud83d\ude00` and `\U0001f600`. */
const LONGEST_ESCAPE = 12;
/** Two halves of a pair, and a backslash that belongs to the one before it. */
const MAX_CUTS = 4;

interface Payload {
  start: number;
  end: number;
  text: string;
  encode?: strings.Decoded["encode"];
}

interface Limits {
  /** How many wrappers may still lie inside each other. */
  levels?: number;
  /** How many of them may be strings. */
  nested?: number;
  /** What JSON strings escape beyond what they have to and are seen to. */
  special?: string;
}

/** The text with its payloads changed. Without a known wrapper all of it is one. */
export function changePayloads(
  text: string,
  change: (payload: string) => string,
  { levels = MAX_LEVELS, nested = MAX_STRINGS, special = "" }: Limits = {},
): string {
  const payloads = levels > 0 ? payloadsOf(text, nested, special) : undefined;
  if (!payloads) return text === "" ? text : change(text);
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text: payload, encode } of payloads) {
    const limits = { levels: levels - 1, nested: encode ? nested - 1 : nested, special };
    const changed = changePayloads(payload, change, limits);
    pieces.push(text.slice(at, start), encode ? encode(changed) : changed);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}

/** The payloads of the first wrapper that knows the text and whose strings would all come back. */
function payloadsOf(text: string, nested: number, special: string): Payload[] | undefined {
  for (const wrapper of WRAPPERS) {
    const slots = wrapper(text);
    const payloads = slots?.map((slot) => payloadOf(text, slot, nested, special));
    const found = payloads?.filter((payload) => payload !== undefined);
    if (found && found.length === payloads?.length) return found;
  }
  return undefined;
}

function payloadOf(
  text: string,
  { start, end, quote }: Slot,
  nested: number,
  special: string,
): Payload | undefined {
  if (quote === undefined) return { start, end, text: text.slice(start, end) };
  // Where the client cut the text inside an escape, that escape is not part of the payload.
  for (let cut = 0; cut < MAX_CUTS && nested > 0; cut++) {
    const decoded = strings.decode(text.slice(start, end), quote, special);
    if (decoded) return { start, end, ...decoded };
    const escape = text.lastIndexOf("\\", end - 1);
    if (escape < Math.max(text.length - LONGEST_ESCAPE, start)) break;
    end = escape;
  }
  return undefined;
}
