// D9: compressed outputs are restored as the vectors say that every implementation does.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { TokenforgeError, decodeOutput } from "@tokenforge/engine";

const FOLDER = path.join(process.env.VECTORS, "outputs");
const SEEN = { tool: "Bash", arguments: { command: "make" }, text: "cc a.c\nld a" };
const DUPLICATE = "[Duplicate of make; see earlier result]";
const REFERENCE = "shadow_ahbchxuoehbjilfjlsupesbwyhhhgtwoxkn";

let count = 0;
for (const file of readdirSync(FOLDER)) {
  for (const each of JSON.parse(readFileSync(path.join(FOLDER, file), "utf8")).cases) {
    count += 1;
    test(`d9 ${file}: ${each.name}`, () => {
      const { input, history, arguments: own } = each;
      if (each.op === "restore") assert.equal(decodeOutput(input, { history, arguments: own }), each.output);
      else throws(() => decodeOutput(input, { history, arguments: own }), each.error);
    });
  }
}

test("d9 there are vectors", () => assert.ok(count > 100));

test("d9 history may be any iterable", () => {
  assert.equal(decodeOutput(DUPLICATE, { history: new Set([SEEN]) }), SEEN.text);
  assert.equal(decodeOutput("no pointer\n", { history: [] }), "no pointer\n");
});

test("d9 missing results are named", () => {
  throws(() => decodeOutput(DUPLICATE), "points to earlier results of its request");
  throws(() => decodeOutput(DUPLICATE, { history: [{ tool: "Read", text: "x" }] }), "not in the history: [Duplicate of make");
});

test("d9 left out text is named", () => {
  throws(() => decodeOutput(`Exit code 1\n<<<SHADOW:${REFERENCE}>>>\nwhat is left\n`), `tokenforge expand ${REFERENCE}`);
});

test("d9 wrong history is an error", () => {
  for (const history of [[{ tool: "Bash" }], [{ tool: 1, text: "x" }], ["Bash"], [{ ...SEEN, id: 1 }]]) {
    throws(() => decodeOutput(DUPLICATE, { history }), "history: expected results such as");
  }
  throws(() => decodeOutput(DUPLICATE, { history: 5 }), "history: expected an iterable, found number");
});

test("d9 half a character is an error", () => {
  throws(() => decodeOutput("a\ud800b"), "half a character");
  throws(() => decodeOutput(DUPLICATE, { history: [{ ...SEEN, text: "\ud800" }] }), "history: ");
});

function throws(call, words) {
  assert.throws(call, (error) => error instanceof TokenforgeError && error.message.includes(words));
}
