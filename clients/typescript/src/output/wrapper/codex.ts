/** Codex: a header of a few lines, `Output:`, and a warning where Codex itself cut the output. */

import { type Slot, unlessBlank } from "./slot.js";

const HEADER = [
  "Chunk ID: ",
  "Wall time: ",
  "Wall time ",
  "Exit code: ",
  "Process exited with code ",
  "Process running with session ID ",
  "Original token count: ",
  "Total output lines: ",
  "Script completed",
  "Script failed",
  "Script running",
];
const OUTPUT = "Output:";
const WARNING = ["Warning: truncated output ", "Total output lines: "];
const MAX_LINES = 12;

export function header(text: string): Slot[] | undefined {
  let at = 0;
  for (let number = 0; number < MAX_LINES; number++) {
    const [line, behind] = lineAt(text, at);
    if (line === OUTPUT) {
      return number === 0 ? undefined : unlessBlank(text, withoutWarning(text, behind), text.length);
    }
    if (!HEADER.some((start) => line.startsWith(start))) return undefined;
    at = behind;
  }
  return undefined;
}

/** The warning ends with an empty line. */
function withoutWarning(text: string, start: number): number {
  for (let at = start; text.includes("\n", at); ) {
    const [line, behind] = lineAt(text, at);
    if (line === "" && at > start) return behind;
    if (!WARNING.some((known) => line.startsWith(known))) break;
    at = behind;
  }
  return start;
}

/** The line at an offset, and where the next begins. */
function lineAt(text: string, at: number): [line: string, behind: number] {
  const end = text.indexOf("\n", at);
  return end < 0 ? [text.slice(at), text.length] : [text.slice(at, end), end + 1];
}
