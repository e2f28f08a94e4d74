/** The arguments of a call: JSON as a rule, and where they hold a command line. */

import { trim, WHITE } from "../text.js";

// Keys under which agents put a command line, the likeliest first.
const KEYS = ["command", "cmd", "commands", "script", "input", "code", "line"];
// Keys that hold the arguments proper.
const ENVELOPES = ["action", "arguments", "params", "args"];
const SHELL_FLAGS = ["-c", "-lc", "-Command"];

// The commands that a script of Codex starts: `tools.exec_command({cmd: "cargo test"})`.
const CALL = "exec_command(";
const MAX_CALLS = 64;
const LITERAL = new RegExp(`^["']*[${WHITE}]*:[${WHITE}]*(["'\`])`);
const IS_WHITE = new RegExp(`[${WHITE}]`);
const ESCAPES: Record<string, string> = { n: "\n", t: "\t" };

type Arguments = Record<string, unknown>;

/** Command lines: for a shell to split, or split already. */
type Lines = (string | string[])[];

/** Arguments as JSON text. Some tools take free text. */
export function spelled(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Arguments by name, in their order. */
export function members(text: string): Arguments {
  const value = parsed(text);
  return isObject(value) ? value : {};
}

/** The command line as a reader would write it down, if there is just one. */
export function commandLine(text: string): string | undefined {
  const value = parsed(text);
  const lines = value === undefined ? inText(text) : inArguments(value);
  const line = lines?.length === 1 ? lines[0] : undefined;
  if (line === undefined || typeof line === "string") return line;
  // `bash -lc` is the client's, not the model's.
  return line.length === 3 && SHELL_FLAGS.includes(line[1]!) ? line[2] : line.join(" ");
}

function inArguments(value: unknown): Lines | undefined {
  if (!isObject(value)) return inValue(value);
  const inside = ENVELOPES.map((key) => value[key]).filter(isObject);
  return firstOf([value, ...inside], named);
}

function named(members: Arguments): Lines | undefined {
  return firstOf(KEYS, (key) => {
    const value = members[key];
    return key === "commands" && Array.isArray(value) ? several(value) : inValue(value);
  });
}

function inValue(value: unknown): Lines | undefined {
  if (typeof value === "string") return inText(value);
  return Array.isArray(value) ? inList(value) : undefined;
}

function inText(text: string): Lines | undefined {
  return trim(text) === "" ? undefined : (started(text) ?? [text]);
}

/** One command split into words, unless the program has blanks in its name: then every item is a line. */
function inList(items: unknown[]): Lines | undefined {
  const words = items.filter((item) => typeof item === "string");
  if (words.length < items.length) return several(items);
  const [program] = words;
  if (program === undefined) return undefined;
  return IS_WHITE.test(trim(program)) ? several(items) : [words];
}

/** One command a line. */
function several(items: unknown[]): Lines | undefined {
  const texts = items.map((item) => {
    const values = isObject(item) ? KEYS.map((key) => item[key]) : [item];
    return values.find((value) => typeof value === "string");
  });
  const lines = texts.filter((text) => text !== undefined);
  return lines.length > 0 && lines.length === items.length ? lines : undefined;
}

/** The command lines in a script; `undefined` if the text is no script. Where one is computed, none is known. */
function started(script: string): Lines | undefined {
  if (!script.includes("tools.") && !script.includes("tools[")) return undefined;
  const commands = script.split(CALL).slice(1, 1 + MAX_CALLS).map(literal);
  const known = commands.filter((command) => command !== undefined);
  return known.length === commands.length ? known : [];
}

/** The string literal behind the first `cmd:` or `"cmd":`. */
function literal(call: string): string | undefined {
  const found = call.indexOf("cmd");
  const value = call.slice(found + "cmd".length);
  const opening = found < 0 ? null : LITERAL.exec(value);
  if (!opening) return undefined;
  let text = "";
  for (let at = opening[0].length; at < value.length; at++) {
    const character = value.charAt(at);
    if (character === opening[1]) return text;
    if (character !== "\\") text += character;
    else if (++at < value.length) text += ESCAPES[value.charAt(at)] ?? value.charAt(at);
  }
  return undefined;
}

function firstOf<T, R>(items: T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
