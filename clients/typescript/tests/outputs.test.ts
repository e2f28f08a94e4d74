/** D9: the vectors of compressed outputs, which `tokenforge decode` and both clients restore. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { decodeOutput, OutputError } from "../src/index.js";

interface Case {
  name: string;
  op: "restore" | "restore_error";
  input: string;
  output: string;
}

const FILE = new URL("../../../../spec/vectors/outputs/restore.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(FILE, "utf8")) as { cases: Case[] };

for (const { name, op, input, output } of cases) {
  test(`D9 ${name}`, () => {
    if (op === "restore") assert.equal(decodeOutput(input), output);
    else assert.throws(() => decodeOutput(input), OutputError);
  });
}

test("D9 what needs more than the text is an error", () => {
  for (const text of [
    "[Forge templates: a legend]\nA= x *\n",
    "a\n[Forge same as lines 1-9 of a.rs above]\n",
    "[Duplicate of make; see earlier result]",
    "<<<SHADOW:shadow_ahbchxuoehbjilfjlsupesbwyhhhgtwoxkn>>>\na\n",
  ]) {
    assert.throws(() => decodeOutput(text), OutputError, text);
  }
});

test("D9 a small text does not become a large one", () => {
  const bomb = `a\n${"[Forge the line above 1000000 more times]\n".repeat(9)}`;
  assert.throws(() => decodeOutput(bomb, { maxOutput: 10_000 }), OutputError);
});
