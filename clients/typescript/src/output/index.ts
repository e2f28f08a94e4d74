/** Compressed tool outputs, restored: every notation's own `decode`, the last that was written first. */

import { MAX_OUTPUT, type DecodeOptions } from "../decode.js";
import { loneSurrogate, utf8Length } from "../utf8.js";
import * as columns from "./columns.js";
import * as csv from "./csv.js";
import * as dictionary from "./dictionary.js";
import * as diff from "./diff.js";
import { damaged, OutputError, TooLarge, tooLarge, Unreadable } from "./error.js";
import * as fold from "./fold.js";
import { type EarlierResult, hasPointers, resolve } from "./history/index.js";
import * as json from "./json.js";
import * as numbers from "./numbers.js";
import * as paths from "./paths.js";
import * as reference from "./reference.js";
import * as templates from "./templates.js";
import * as nested from "./nested.js";
import * as pythonRepr from "./python_repr.js";
import * as truncated from "./truncated.js";
import * as unescaped from "./unescaped.js";
import { changePayloads } from "./wrapper/index.js";

export { OutputError } from "./error.js";
export type { EarlierResult } from "./history/index.js";

/** What {@link decodeOutput} is given besides the text. */
export interface OutputOptions extends DecodeOptions {
  /** The results before this one in its request, in their order: pointers lead to them. */
  history?: Iterable<EarlierResult>;
  /** The arguments of the call that made the output, as an object or JSON text: pointers may lead into them. */
  arguments?: unknown;
}

/**
 * What a compressed tool output stands for; a text that nothing changed is given back as it is.
 *
 * ```ts
 * decodeOutput("a\n[Forge the line above 2 more times]\nb\n");
 * // "a\na\na\nb\n"
 * ```
 *
 * Everything that a lossless mode writes is read, as `tokenforge decode` reads it. Pointers lead to the results before
 * this one in its request, or into the arguments of its own call:
 *
 * ```ts
 * const seen = { tool: "Bash", arguments: { command: "make" }, text: "cc a.c\ncc b.c\nld prog" };
 * decodeOutput("[Duplicate of make; see earlier result]", { history: [seen] });
 * // "cc a.c\ncc b.c\nld prog"
 * ```
 *
 * @throws {OutputError} if something was left out of the text, if it points to what is not given, if it is damaged, and
 * beyond `maxOutput` bytes.
 */
export function decodeOutput(text: string, options: OutputOptions = {}): string {
  const { maxOutput = MAX_OUTPUT } = options;
  try {
    return decoded(text, options, maxOutput);
  } catch (wrong) {
    throw wrong instanceof TooLarge ? tooLarge(maxOutput) : wrong;
  }
}

function decoded(text: string, { history, arguments: own }: OutputOptions, maxOutput: number): string {
  checkUnicode(text);
  const isResolved = history !== undefined || own !== undefined;
  const resolved = isResolved ? resolve(text, history ?? [], own, maxOutput) : text;
  checkUnicode(resolved);
  checkIsAll(resolved);
  let left = maxOutput;
  const restored = restorePayloads(resolved, (payload) => {
    checkIsAll(payload);
    const whole = restore(payload, left);
    // All payloads of a text share what is allowed.
    left -= utf8Length(whole);
    if (left < 0) throw new TooLarge();
    return whole;
  });
  if (utf8Length(restored) > maxOutput) throw new TooLarge();
  return restored;
}

function restorePayloads(text: string, restore: (payload: string) => string): string {
  if (!unescaped.isWritten(text)) return changePayloads(text, restore);
  return read("unescaped_strings", () => unescaped.decode(text, restore));
}

/** How what a stage wrote is known, and read. */
interface Reader {
  notation: string;
  isWritten: (text: string) => boolean;
  decode: (text: string, maxOutput: number) => string;
}

/** JSON with a first line of ours. */
const MARKED_JSON: Reader[] = [
  {
    notation: "json_lines",
    isWritten: (text) => text.startsWith(json.LINES),
    decode: json.decodeLines,
  },
  { notation: "csv_rows", ...csv },
  { notation: "nested_json", ...nested },
  { notation: "python_repr", ...pythonRepr },
  { notation: "truncated_json", ...truncated },
];

const READERS: Reader[] = [
  { notation: "repeated_lines", ...fold },
  { notation: "dictionary", ...dictionary },
  { notation: "log_templates", ...templates },
  { notation: "repeated_columns", ...columns },
  { notation: "path_headings", ...paths },
];

function restore(text: string, maxOutput: number): string {
  // JSON is measured once it is restored: what is read to see whether it is in a form may be in none.
  const maxJson = Math.max(maxOutput, MAX_OUTPUT);
  // Over JSON in a form and over the column of a file nothing is written: what looks like a note in them is data.
  const marked = MARKED_JSON.find(({ isWritten }) => isWritten(text));
  if (marked) return read(marked.notation, () => marked.decode(text, maxJson));
  if (diff.isWritten(text)) return read("diff_headers", () => diff.decode(text, maxOutput));
  const inForm = read("json", () => json.form(text, maxJson));
  if (inForm !== undefined) return inForm;
  if (numbers.isWritten(text)) return read("line_numbers", () => numbers.decode(text, maxOutput));
  return READERS.reduce(
    (text, { notation, isWritten, decode }) =>
      isWritten(text) ? read(notation, () => decode(text, maxOutput)) : text,
    text,
  );
}

function read<T>(notation: string, decode: () => T): T {
  try {
    return decode();
  } catch (wrong) {
    throw wrong instanceof Unreadable ? damaged(notation) : wrong;
  }
}

/** An error if a text does not hold all that it stands for. */
function checkIsAll(text: string): void {
  reference.check(text);
  if (!hasPointers(text)) return;
  throw new OutputError("this text points to earlier results of its request, which are needed to restore it");
}

function checkUnicode(text: string): void {
  const lone = loneSurrogate(text);
  if (lone < 0) return;
  const name = text.charCodeAt(lone).toString(16).toUpperCase();
  throw new OutputError(`expected Unicode text, found the lone surrogate U+${name}`);
}
