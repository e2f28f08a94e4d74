/** TOON as Tokenforge writes it: two spaces a level, commas, and every string in the one spelling that it has. */

import { Unreadable } from "../error.js";
import { decode } from "./decode.js";
import { encode } from "./encode.js";

export { decode };

/**
 * The JSON of a text that is, character for character, what TOON makes of some object or array.
 *
 * Much text can be read as TOON; little of it would be written so.
 */
export function written(text: string, maxOutput: number): string | undefined {
  try {
    const json = decode(text, maxOutput);
    return encode(json) === text ? json : undefined;
  } catch (wrong) {
    if (wrong instanceof Unreadable) return undefined;
    throw wrong;
  }
}
