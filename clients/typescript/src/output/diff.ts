/** Diff headers: one line for each file is four again. */

import { TooLarge } from "./error.js";

const LEGEND =
  '[Forge diff: "file P A..B" stands for "diff --git a/P b/P", "index A..B 100644", "--- a/P", "+++ b/P"]\n';
const FILE = /(?<=^|\n)file ([^\n]+) ([0-9a-f]{4,64}\.\.[0-9a-f]{4,64})(?=\n|$)/g;

export function isWritten(text: string): boolean {
  return text.startsWith(LEGEND);
}

export function decode(text: string, maxOutput: number): string {
  const body = text.slice(LEGEND.length);
  let length = body.length;
  for (const [, path = ""] of body.matchAll(FILE)) length += 3 * path.length;
  if (length > maxOutput) throw new TooLarge();
  return body.replace(FILE, (_, path: string, blobs: string) =>
    [`diff --git a/${path} b/${path}`, `index ${blobs} 100644`, `--- a/${path}`, `+++ b/${path}`].join("\n"),
  );
}
