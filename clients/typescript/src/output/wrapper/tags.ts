/** Outputs between tags: the files that opencode reads, the background tasks of Claude Code. */

import { firstBytes } from "../text.js";
import { type Slot, unlessBlank } from "./slot.js";

/** How such a text starts, and the tags in it that hold payloads. */
const TAGGED: readonly (readonly [start: string, tags: string[]])[] = [
  ["<path>", ["content", "entries"]],
  ["<file>\n", ["file"]],
  ["<retrieval_status>", ["output"]],
  ["<status>", ["stdout", "stderr"]],
];
/** What stands before the first payload is no longer. */
const MAX_HEADING = 8 << 10;

export function tagged(text: string): Slot[] | undefined {
  const tags = TAGGED.find(([start]) => text.startsWith(start))?.[1] ?? [];
  const slots: Slot[] = [];
  let at = 0;
  for (const tag of tags) {
    const [opening, closing] = [`<${tag}>\n`, `\n</${tag}>`];
    const found = firstBytes(text.slice(at, at + MAX_HEADING), MAX_HEADING).indexOf(opening);
    const start = at + found + opening.length;
    // The text may hold the same tag, but not behind its own end.
    const end = text.lastIndexOf(closing);
    if (found < 0 || end < start) continue;
    slots.push(...unlessBlank(text, start, end));
    at = end + closing.length;
  }
  return at > 0 ? slots : undefined;
}
