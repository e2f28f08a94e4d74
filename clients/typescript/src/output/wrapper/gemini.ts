/** Gemini CLI and Qwen Code: the report of a shell command, and the marks around what is not to be trusted. */

import { firstBytes } from "../text.js";
import { type Slot, unlessBlank } from "./slot.js";

const CONTEXT = ["<untrusted_context>\n", "\n</untrusted_context>"] as const;
const FOOTER = ["Error: ", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "];
const OUTPUT = "Output: ";
/** A command and its folder are no longer. */
const MAX_HEADING = 64 << 10;

/** Every block between the marks; what stands between blocks stays. */
export function untrustedContext(text: string): Slot[] | undefined {
  if (!text.startsWith(CONTEXT[0])) return undefined;
  const slots: Slot[] = [];
  let at = 0;
  for (let opening = 0; opening >= 0; opening = text.indexOf(CONTEXT[0], at)) {
    const start = opening + CONTEXT[0].length;
    const end = text.indexOf(CONTEXT[1], start);
    if (end < 0) break;
    const [first, last] = reported(text.slice(start, end)) ?? [0, end - start];
    slots.push(...unlessBlank(text, start + first, start + last));
    at = end + CONTEXT[1].length;
  }
  return at > 0 ? slots : undefined;
}

/** `Command: ...`, `Directory: ...`, `Output: ...` and a footer. */
export function report(text: string): Slot[] | undefined {
  const place = text.startsWith("Command: ") ? reported(text) : undefined;
  return place && unlessBlank(text, ...place);
}

function reported(text: string): [start: number, end: number] | undefined {
  let start = 0;
  if (text.startsWith("Command: ")) {
    const heading = firstBytes(text, MAX_HEADING);
    const folder = heading.indexOf("\nDirectory: ");
    const output = heading.indexOf("\nOutput: ", folder + 1);
    if (folder < 0 || output < 0) return undefined;
    start = output + 1;
  }
  if (!text.startsWith(OUTPUT, start)) return undefined;
  start += OUTPUT.length;
  let end = text.length;
  for (let count = 0; count < FOOTER.length && end > start; count++) {
    const newline = text.lastIndexOf("\n", end - 1);
    const line = text.slice(newline + 1, end);
    if (newline < start || !FOOTER.some((known) => line.startsWith(known))) break;
    end = newline;
  }
  return [start, end];
}
