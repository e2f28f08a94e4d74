/**
 * JSON around an output: Codex's chunks, the results of MCP tools, Cline's list of results.
 *
 * Only what can be nothing else counts as an envelope: other JSON is compressed as such. Whether something is one does
 * not depend on its payloads, so that an envelope is still one when these have shrunk.
 *
 * @module
 */

import { utf8Length } from "../../utf8.js";
import type { Slot } from "./slot.js";
import { type Value, whole } from "./value.js";

// Keys of strings that are outputs.
const PAYLOADS = words("output stdout stderr result text content");
// Keys that say something about an output.
const COMPANIONS = words(
  "_meta annotations chunk_id duration duration_ms error exitCode exit_code interrupted isError isImage is_error meta " +
    "metadata original_token_count resultType returncode return_code session_id signal status structuredContent success " +
    "timed_out truncated type wall_time_seconds",
);
// The blocks of an MCP result.
const BLOCKS = words("text image audio resource resource_link");
// What Cline says about each of its commands and files.
const CLINE = words("query result success error");
const MAX_PAYLOADS = 1024;
/** More than this beside the payloads is data. */
const MAX_BESIDE = 1024;
// The first key alone is looked at, so that other JSON costs nothing.
const START = /^[ \n\r\t]*(?:\[[ \n\r\t]*)?\{[ \n\r\t]*"([A-Za-z_]+)"/;

type Members = [key: string, value: Value][];

function words(names: string): Set<string> {
  return new Set(names.split(" "));
}

export function json(text: string): Slot[] | undefined {
  const first = START.exec(text)?.[1] ?? "";
  if (![PAYLOADS, COMPANIONS, CLINE].some((known) => known.has(first))) return undefined;
  const value = whole(text);
  const elements = value?.elements(text);
  const slots = elements ? listed(elements, text) : value && inObject(value, text);
  return slots && slots.length > 0 ? slots : undefined;
}

/** An object whose keys all belong to an envelope, and that says little beside its payloads. */
function inObject(value: Value, text: string): Slot[] | undefined {
  const slots: Slot[] = [];
  let beside = 0;
  for (const [key, member] of value.members(text) ?? [["", value]]) {
    if (COMPANIONS.has(key)) {
      beside += utf8Length(text.slice(member.start, member.end));
      continue;
    }
    if (!PAYLOADS.has(key)) return undefined;
    const elements = key === "content" && !member.string() ? member.elements(text) : undefined;
    const found = elements ? listed(elements, text) : slot(member);
    if (!found) return undefined;
    slots.push(...found);
  }
  return beside <= MAX_BESIDE ? slots : undefined;
}

/** The blocks of an MCP result, or Cline's results. */
function listed(elements: Value[], text: string): Slot[] | undefined {
  if (elements.length > MAX_PAYLOADS) return undefined;
  const slots: Slot[] = [];
  for (const element of elements) {
    const members = element.members(text);
    const found = members && (block(members, text) ?? cline(members));
    if (!found) return undefined;
    slots.push(...found);
  }
  return slots;
}

function block(members: Members, text: string): Slot[] | undefined {
  const name = member(members, "type")?.string();
  const kind = name ? text.slice(...name) : "";
  if (!BLOCKS.has(kind)) return undefined;
  if (kind === "text") return slot(member(members, "text"));
  if (kind !== "resource") return [];
  const resource = member(members, "resource")?.members(text);
  return resource && (slot(member(resource, "text")) ?? []);
}

function cline(members: Members): Slot[] | undefined {
  const isCline = members.every(([key]) => CLINE.has(key)) && member(members, "query") !== undefined;
  return isCline ? slot(member(members, "result")) : undefined;
}

function member(members: Members, key: string): Value | undefined {
  return members.find(([name]) => name === key)?.[1];
}

/** The place of a string. */
function slot(value: Value | undefined): Slot[] | undefined {
  const place = value?.string();
  return place && [{ start: place[0], end: place[1], quote: "{" }];
}
