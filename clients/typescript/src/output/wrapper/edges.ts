/** Lines that clients put before or behind an output. */

import { endOf, firstBytes } from "../text.js";
import { type Slot, unlessBlank } from "./slot.js";

type Edges = readonly (readonly [start: string, end: string])[];

// OpenHands and SWE-agent on a file they show.
const FIRST_LINES: Edges = [
  ["Here's the result of running `cat -n` on ", ":"],
  ["[File: ", "]"],
];
// Qwen and Gemini on a file they cut.
const FIRST_BLOCKS: Edges = [
  ["Showing lines ", "\n\n---\n\n"],
  ["IMPORTANT: The file content has been truncated.\n", "--- FILE CONTENT (truncated) ---\n"],
];
const MAX_HEADING = 1024;

const LAST_LINES: Edges = [
  // Copilot
  ["<shellId: ", ">"],
  ["<exited with exit code ", ">"],
  ["<command with shellId: ", ">"],
  // pi
  ["Command exited with code ", ""],
  ["Command timed out after ", " seconds"],
  ["[Showing lines ", "]"],
  // SWE-agent
  ["bash-$", ""],
  ["(Current directory: ", ")"],
  ["(Open file: ", ")"],
  // OpenHands
  ["[The command completed with exit code ", "]"],
  ["[Command finished with exit code ", "]"],
  ["[Python Interpreter: ", "]"],
  ["[Python interpreter: ", "]"],
  ["[Current working directory: ", "]"],
  // opencode
  ["(End of file - total ", ")"],
  ["(Showing lines ", ")"],
  ["</bash_metadata>", ""],
];
const MAX_LAST_LINES = 8;

/** A heading that says how the output came about. */
export function firstLines(text: string): Slot[] | undefined {
  const newline = text.indexOf("\n");
  const first = newline < 0 ? text : text.slice(0, newline);
  const line = newline >= 0 && first.endsWith("\r") ? first.slice(0, -1) : first;
  if (isBetween(line, FIRST_LINES)) return unlessBlank(text, Math.min(line.length + 1, text.length), text.length);
  const block = FIRST_BLOCKS.find(([start]) => text.startsWith(start));
  if (!block) return undefined;
  const [start, end] = block;
  const found = firstBytes(text, MAX_HEADING).indexOf(end, start.length);
  return found < 0 ? undefined : unlessBlank(text, found + end.length, text.length);
}

/** Lines about the exit of a command or the end of a file. */
export function lastLines(text: string): Slot[] | undefined {
  const whole = endOf(text, text.length);
  let end = whole;
  for (let count = 0; count < MAX_LAST_LINES && end > 0; count++) {
    let start = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end);
    if (!isBetween(line, LAST_LINES)) break;
    if (line === "</bash_metadata>") {
      const opening = text.lastIndexOf("<bash_metadata>", end);
      start = opening < 0 ? end : opening;
    }
    end = endOf(text, start);
  }
  return end < whole ? unlessBlank(text, 0, end) : undefined;
}

function isBetween(line: string, edges: Edges): boolean {
  return edges.some(([start, end]) => line.startsWith(start) && line.endsWith(end));
}
