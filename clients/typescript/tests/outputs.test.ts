/** D9: the vectors of compressed outputs, which `tokenforge decode` and both clients restore. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { decodeOutput, OutputError, type EarlierResult } from "../src/index.js";

interface Case {
  name: string;
  op: "restore" | "restore_error";
  input: string;
  history?: EarlierResult[];
  arguments?: unknown;
  output: string;
  error: string;
}

const FOLDER = new URL("../../../../spec/vectors/outputs/", import.meta.url);
const REFERENCE = "shadow_ahbchxuoehbjilfjlsupesbwyhhhgtwoxkn";

for (const file of readdirSync(FOLDER)) {
  const { cases } = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as { cases: Case[] };
  for (const each of cases) {
    test(`D9 ${file}: ${each.name}`, () => {
      if (each.op === "restore") assert.equal(decoded(each), each.output);
      else assert.throws(() => decoded(each), isError(each.error));
    });
    if (each.op === "restore_error") continue;
    test(`D9 ${file}: ${each.name}, just as large as allowed`, () => {
      const size = Buffer.byteLength(each.output);
      assert.equal(decoded(each, size), each.output);
      assert.throws(() => decoded(each, size - 1), isError("maxOutput"));
    });
  }
}

const outputs = process.env["STC_OUTPUTS"];
const skip = outputs ? false : "STC_OUTPUTS names no file of compressed outputs";

test("D9 compressed outputs are restored as the other implementations do", { skip }, () => {
  const lines = readFileSync(outputs!, "utf8").split("\n").filter(Boolean);
  assert.ok(lines.length > 0, "the file has no outputs");
  for (const line of lines) {
    const each = JSON.parse(line) as Case;
    assert.equal(decoded(each), each.output, each.name);
  }
});

test("D9 a small text does not become a large one", () => {
  const long = "x".repeat(999);
  for (const bomb of [
    `a\n${"[Forge the line above 1000000 more times]\n".repeat(9)}`,
    `[Forge LZW Dictionary]\n<<F1:1>> = "${long}"\n${"<<F1:1>>".repeat(99)}`,
    `[Forge paths: a group's first line goes before each line under it]\n${long}\n${"a\n".repeat(99)}`,
    `[Forge patterns: a line "a x y" is pattern a with x and y for its stars]\n[Forge a = ${long} *]\n${"a b\n".repeat(99)}`,
    `[99]{${long}:int}${"\n1".repeat(99)}`,
    `[99]{${long}}:${"\n  1".repeat(99)}`,
  ]) {
    assert.throws(() => decodeOutput(bomb, { maxOutput: 10_000 }), isError("10000"), bomb.slice(0, 40));
  }
});

test("D9 a text made to be slow is given back", () => {
  for (const piece of [" ", "\r", " \n", "[", '{"output":', "</system-reminder>", "<untrusted_context>\n"]) {
    const text = piece.repeat(1_000_000 / piece.length);
    assert.equal(decodeOutput(text), text);
  }
});

test("D9 payloads share what is allowed", () => {
  const payload = "a\n[Forge the line above 999 more times]\n";
  const text = JSON.stringify(Array.from({ length: 9 }, () => ({ query: "q", result: payload })));
  assert.ok(decodeOutput(text).length > 9_000);
  assert.throws(() => decodeOutput(text, { maxOutput: 10_000 }), isError("10000"));
});

test("D9 a pointer does not repeat lines beyond what is allowed", () => {
  const lines = Array.from({ length: 999 }, (_, number) => `line ${number}`);
  const history = [{ tool: "Bash", arguments: { command: "make" }, text: lines.join("\n") }];
  const text = '[Forge same as 999 lines of `make` above, from "line 0" to "line 998"]\n'.repeat(9);
  assert.ok(decodeOutput(text, { history }).length > 50_000);
  assert.throws(() => decodeOutput(text, { history, maxOutput: 10_000 }), isError("10000"));
});

test("D9 what was left out of a payload is missed too", () => {
  const text = `Exit code 1\n<<<SHADOW:${REFERENCE}>>>\nwhat is left\n`;
  assert.throws(() => decodeOutput(text), isError(`tokenforge expand ${REFERENCE}`));
});

test("D9 a header without a value is a word", () => {
  assert.equal(decodeOutput("stc2\n"), "stc2\n");
});

test("D9 half a character is no text", () => {
  const history = [{ tool: "Bash", arguments: { command: "make" }, text: "\ud800" }];
  const duplicate = "[Duplicate of make; see earlier result]";
  assert.throws(() => decodeOutput("a\ud800b"), isError("U+D800"));
  assert.throws(() => decodeOutput(duplicate, { history }), isError("U+D800"));
});

test("D9 a history of something else is an error", () => {
  const history = [{ tool: "Bash" }] as EarlierResult[];
  assert.throws(() => decodeOutput("[Duplicate of make; see earlier result]", { history }), TypeError);
  assert.equal(decodeOutput("no pointer\n", { history }), "no pointer\n");
});

function decoded({ input, history, arguments: own }: Case, maxOutput?: number): string {
  return decodeOutput(input, {
    ...(history && { history }),
    ...(maxOutput !== undefined && { maxOutput }),
    arguments: own,
  });
}

function isError(words: string): (wrong: unknown) => boolean {
  return (wrong) => wrong instanceof OutputError && wrong.message.includes(words);
}
