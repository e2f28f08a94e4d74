/** The result of an MCP tool as Python prints it: `[TextContent(type='text', text='...', annotations=None)]`. */

import { firstBytes } from "../text.js";
import type { Slot } from "./slot.js";

const STARTS = [
  "[TextContent(",
  "TextContent(",
  "meta=",
  "_meta=",
  "content=[TextContent(",
  "CallToolResult(",
];
const TEXT = "TextContent(type='text', text=";
/** The first block starts no later. */
const MAX_HEADING = 256;

export function python(text: string): Slot[] | undefined {
  if (!STARTS.some((start) => text.startsWith(start))) return undefined;
  if (!firstBytes(text, MAX_HEADING).includes(TEXT)) return undefined;
  const slots: Slot[] = [];
  let at = 0;
  for (let found = text.indexOf(TEXT); found >= 0; found = text.indexOf(TEXT, at)) {
    const start = found + TEXT.length + 1;
    const quote = text.charAt(start - 1);
    if (quote !== "'" && quote !== '"') return undefined;
    at = endOfString(text, start, quote);
    slots.push({ start, end: at, quote });
  }
  return slots;
}

/** Where the closing quote stands; in a text that was cut there may be none. */
function endOfString(text: string, start: number, quote: string): number {
  const stop = quote === "'" ? /['\\]/g : /["\\]/g;
  stop.lastIndex = start;
  for (let found = stop.exec(text); found; found = stop.exec(text)) {
    if (found[0] === quote) return found.index;
    stop.lastIndex++;
  }
  return text.length;
}
