/** What a model would call a result: the file it read, the command it ran, or the tool and what that was asked for. */

import { utf8Length } from "../../utf8.js";
import { firstCharacters, trim, trimEnd } from "../text.js";
import { commandLine, members as membersOf } from "./arguments.js";
import { canonical } from "./tools.js";

/** What stands behind a name in a pointer, so that no name may contain it. */
export const BEHIND = " above";

const LONGEST = 80;
const LONGEST_PATH = 200;
const PATH_KEYS = [
  "file_path",
  "path",
  "filePath",
  "absolute_path",
  "target_file",
  "file",
  "filename",
  "file_name",
  "notebook_path",
  "uri",
];
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

export type Kind = "file" | "command" | "tool" | "argument";

export interface CallName {
  text: string;
  kind: Kind;
  /** The same for calls that ask for the same thing. */
  asked: string;
}

/** The name of a call's result; `undefined` if nothing can point to it. */
export function ofCall(tool: string, args: string): CallName | undefined {
  const members = membersOf(args);
  const does = whatItDoes(tool, members);
  if (does === "read") {
    const path = PATH_KEYS.map((key) => members[key]).find((value) => typeof value === "string");
    const isPart = Object.values(members).some(isRange);
    return path === undefined || isPart ? undefined : file(trim(path));
  }
  if (does === "edit" || does === "write") return undefined;
  const line = does === "shell" ? commandLine(args) : undefined;
  if (line !== undefined) return plain({ text: cut(line), kind: "command", asked: `${tool}\n${line}` });
  const first = Object.values(members).find((value) => typeof value === "string");
  const text = first === undefined ? tool : `${tool} "${cut(first)}"`;
  return utf8Length(tool) <= LONGEST ? plain({ text, kind: "tool", asked: args }) : undefined;
}

/** A text in the arguments of the call that is answered. */
export function ofArgument(key: string): CallName | undefined {
  return /^[A-Za-z0-9_.-]{1,80}$/.test(key) ? { text: key, kind: "argument", asked: "" } : undefined;
}

function whatItDoes(tool: string, members: Record<string, unknown>): string {
  const does = canonical(tool);
  if (does === "router") {
    const names = [members["tool_name"], members["tool"], members["name"]];
    return canonical(names.find((name) => typeof name === "string") ?? "");
  }
  // Editors also show files.
  return does === "edit" && members["command"] === "view" ? "read" : does;
}

function file(path: string): CallName | undefined {
  return utf8Length(path) <= LONGEST_PATH ? plain({ text: path, kind: "file", asked: path }) : undefined;
}

/** A name that cannot be mistaken for other words of a pointer. */
function plain(name: CallName): CallName | undefined {
  const isPlain = name.text !== "" && !name.text.includes(BEHIND) && !CONTROL.test(name.text);
  return isPlain ? name : undefined;
}

/** The first line, no longer than a name may be. */
function cut(whole: string): string {
  const text = trim(whole);
  const first = firstCharacters(trimEnd(text.split("\n", 1)[0] ?? ""), LONGEST);
  return first.length < text.length ? `${trimEnd(first)}…` : first;
}

/** Does an argument say where to begin or to end? It is a number, some numbers, or a text of them. */
function isRange(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isRange);
  if (typeof value === "string") return /[0-9]/.test(value) && /^[0-9 \-:,.+$L]*$/.test(value);
  return typeof value === "number";
}
