/** Where a wrapper holds its payloads, and how they are written there. */

import { trim } from "../text.js";

/** A place in a text that holds a payload. */
export interface Slot {
  start: number;
  end: number;
  /** How it is written: `{` between the quotes of a JSON string, `'` or `"` between these of a Python string. */
  quote?: "{" | "'" | '"';
}

/** Says where the payloads are in a text that it knows. None at all means that the text is not to be touched. */
export type Wrapper = (text: string) => Slot[] | undefined;

/** A payload as it is, or nothing to be touched where there is only white space. */
export function unlessBlank(text: string, start: number, end: number): Slot[] {
  return trim(text.slice(start, end)) === "" ? [] : [{ start, end }];
}
