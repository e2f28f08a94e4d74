/** Pointers to earlier results of the same request, resolved from what the model saw. */

import { OutputError } from "../error.js";
import * as reference from "../reference.js";
import { Writer } from "../text.js";
import { members, spelled } from "./arguments.js";
import * as marker from "./marker.js";
import * as name from "./name.js";
import { Numbering } from "./numbering.js";
import { Index } from "./shown.js";

export { hasPointers } from "./marker.js";

/** A result that the model saw before. */
export interface EarlierResult {
  /** The name of the tool. */
  tool: string;
  /** What it was called with: an object, or a text for tools that take one. */
  arguments?: unknown;
  /** The result as the model saw it. */
  text: string;
}

/** What a text with pointers stands for, given the results before it and the arguments of its own call. */
export function resolve(text: string, history: Iterable<EarlierResult>, own: unknown, maxOutput: number): string {
  const body = reference.without(text);
  if (!marker.hasPointers(body)) return text;
  const results = indexed(history);
  const duplicated = marker.duplicated(body);
  if (duplicated !== undefined) {
    const shown = results.named(duplicated, false);
    if (!shown) throw nowhere(text);
    return shown.text;
  }
  const ownWords = ownWordsOf(spelled(own));
  const numbering = new Numbering();
  const out = new Writer(maxOutput + 1);
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    if (!marker.isPointer(line)) {
      numbering.read(line, lines[at + 1]);
      out.write(`${line}\n`);
      continue;
    }
    const pointer = marker.parse(line);
    const meant = pointer && (pointer.isOwn ? ownWords : results).named(pointer.name, true)?.meant(pointer);
    if (!meant) throw nowhere(line);
    for (const bare of meant) out.write(`${numbering.write(bare)}\n`);
  }
  return out.text().slice(0, -1);
}

function nowhere(pointer: string): OutputError {
  return new OutputError(`it points to a result that is not in the history: ${pointer}`);
}

function indexed(history: Iterable<EarlierResult>): Index {
  const index = new Index();
  for (const { tool, arguments: args, text } of history) {
    if (typeof tool !== "string" || typeof text !== "string") {
      throw new TypeError('expected results such as {"tool": "Read", "arguments": {"file_path": "a.rs"}, "text": "..."}');
    }
    const called = name.ofCall(tool, spelled(args));
    if (called) index.add(called, text);
  }
  return index;
}

/** The texts in the arguments of the call. */
function ownWordsOf(args: string): Index {
  const index = new Index();
  for (const [key, value] of Object.entries(members(args))) {
    const called = name.ofArgument(key);
    if (called && typeof value === "string") index.add(called, value);
  }
  return index;
}
