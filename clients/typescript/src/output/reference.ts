/** References: `<<<SHADOW:shadow_...>>>` on a line of its own before a text of which something was left out. */

import { OutputError } from "./error.js";

const LEADING = /^<<<SHADOW:(shadow_([a-z]{28})([a-z]{7}))>>>(?:\n|$)/;
// 128 bits of content and 32 of a tag, spelled in letters: what is larger is no reference.
const LARGEST_CONTENT = "cdhefomrsrxetmsvhtomcungjkbv";
const LARGEST_TAG = "nxmrlxv";
const HINTS = [
  "[Forge shortened this; expand_context(id, lines?, grep?, path?) with the id above gives the original]\n",
  "[Forge shortened this; `tokenforge expand ID [--lines A-B] [--grep REGEX] [--path PATH]` with the id above prints the original]\n",
  "[Forge shortened this; `tokenforge expand ID [--lines A-B] [--grep RE]` prints all of it]\n",
];

function find(text: string): RegExpExecArray | undefined {
  const found = LEADING.exec(text);
  return found && found[2]! <= LARGEST_CONTENT && found[3]! <= LARGEST_TAG ? found : undefined;
}

/** An error if something was left out of a text. */
export function check(text: string): void {
  const reference = find(text)?.[1];
  if (reference === undefined) return;
  throw new OutputError(`something was left out of this text; \`tokenforge expand ${reference}\` prints all of it`);
}

/** What follows a reference and the hint that may be under it. */
export function without(text: string): string {
  const found = find(text);
  if (!found) return text;
  const rest = text.slice(found[0].length);
  return rest.slice(HINTS.find((hint) => rest.startsWith(hint))?.length ?? 0);
}
