/** Claude Code: blocks that are not to be touched, the exit code before an output and reminders behind it. */

import { endOf, trimStart } from "../text.js";
import { type Slot, unlessBlank } from "./slot.js";

const PERSISTED = ["<persisted-output>", "</persisted-output>"] as const;
const REMINDER = ["<system-reminder>", "</system-reminder>"] as const;

/** An error in the use of a tool, and the preview of an output that Claude Code saved: both stay as they are. */
export function untouchable(text: string): Slot[] | undefined {
  const start = trimStart(text);
  if (start.startsWith("<tool_use_error>")) return [];
  if (!start.startsWith(PERSISTED[0])) return undefined;
  const end = text.lastIndexOf(PERSISTED[1]);
  return unlessBlank(text, end < 0 ? text.length : end + PERSISTED[1].length, text.length);
}

/** Reminders to the model behind a result. */
export function reminders(text: string): Slot[] | undefined {
  const whole = endOf(text, text.length);
  let end = whole;
  while (text.endsWith(REMINDER[1], end)) {
    const last = end - REMINDER[1].length - REMINDER[0].length;
    const start = last < 0 ? -1 : text.lastIndexOf(REMINDER[0], last);
    if (start < 0) break;
    end = endOf(text, start);
  }
  return end < whole ? unlessBlank(text, 0, end) : undefined;
}

/** The exit code of a command that failed. */
export function exitCode(text: string): Slot[] | undefined {
  const code = /^Exit code [0-9]{1,9}\n/.exec(text)?.[0];
  return code === undefined ? undefined : unlessBlank(text, code.length, text.length);
}
