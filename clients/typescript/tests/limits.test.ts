/** Texts that want too much: deep, wide by a count, large, or not Unicode. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { decodeStc, encodeStc, encodeStc2, StcError } from "../src/index.js";

function failure(action: () => string): StcError {
  const started = performance.now();
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof StcError, String(error));
    assert.ok(error instanceof SyntaxError);
    assert.ok(performance.now() - started < 1000, "an error has to come at once");
    return error;
  }
  assert.fail("expected an StcError");
}

const CONVERSIONS: Record<string, (text: string) => string> = {
  decodeStc: (text) => decodeStc(text),
  encodeStc: (text) => encodeStc(text),
  "encodeStc2 at level 2": (text) => encodeStc2(text),
  "encodeStc2 at level 3": (text) => encodeStc2(text, { level: 3 }),
};

for (const [name, convert] of Object.entries(CONVERSIONS)) {
  for (const [opening, innermost, closing] of [["[", "[]", "]"], ['{"a":', "{}", "}"]] as const) {
    test(`K11 depth of ${opening} in ${name}`, () => {
      const deepest = opening.repeat(511) + innermost + closing.repeat(511);
      assert.equal(decodeStc(convert(deepest)), deepest);
      for (const levels of [512, 100_000]) {
        const tooDeep = failure(() => convert(opening.repeat(levels) + innermost + closing.repeat(levels)));
        assert.equal(tooDeep.offset, opening.length * 512);
        assert.match(tooDeep.message, /at most 512 nested levels/);
      }
    });
  }

  test(`K9 a lone surrogate is not text in ${name}`, () => {
    const error = failure(() => convert('{"é😀":\n"\ud800"}'));
    assert.deepEqual([error.offset, error.line, error.column], [12, 2, 2]);
    assert.match(error.message, /lone surrogate U\+D800/);
  });
}

test("K11 depth of tables and compact arrays", () => {
  assert.ok(decodeStc("[".repeat(510) + "[1]{a}: 1" + "]".repeat(510)));
  assert.equal(failure(() => decodeStc("[".repeat(511) + "[1]{a}: 1" + "]".repeat(511))).offset, 511 + 3);
  assert.equal(failure(() => decodeStc("[1]{a}:".repeat(100_000))).offset, 256 * 7 + 3);
  assert.equal(failure(() => decodeStc("{a[1]:".repeat(100_000))).offset, 256 * 6);
  assert.ok(decodeStc("{a[1]:".repeat(256) + "1" + "}".repeat(256)));
});

for (const [start, again] of [["", "["], ["", "{a:"], ["[1]{", "a{"], ["[1]{", "a("], ["[1]{", "a["], ["[1]{a:", "["], ["[1]{a}\n", "["]]) {
  test(`K11 depth of ${JSON.stringify(start! + again!)} in STC 2`, () => {
    const error = failure(() => decodeStc(`stc2\n${start}${again!.repeat(100_000)}`));
    assert.match(error.message, /at most 512 nested levels/);
  });
}

test("K11 nested columns as deep as allowed survive", () => {
  const levels = (512 - 2) / 2;
  const rows = [1, 2, 4].map((number) => '{"a":'.repeat(levels) + number + "}".repeat(levels));
  const json = `[${rows.join(",")}]`;
  assert.equal(decodeStc(encodeStc2(json)), json);
  assert.equal(decodeStc(encodeStc2(json, { level: 3 })), json);
});

test("K10 references to references stop at the limit", () => {
  let text = 'stc2\n[&1"a rather long text to be repeated"';
  for (let number = 2; number < 100; number++) text += ` &${number}[${`*${number - 1} `.repeat(3)}*${number - 1}]`;
  assert.match(failure(() => decodeStc(`${text}]`, { maxOutput: 1 << 20 })).message, /at most 1048576 bytes/);
});

test("K10 dittos and references of a large text take linear time", () => {
  const rows = "\n" + "^ ^\n".repeat(200_000).trimEnd();
  assert.equal(decodeStc(`stc2\n[200001]{a b}\nx [1 2]${rows}`).length, 200_001 * 20 + 1);
});

for (const count of ["3", "1000000000", "9".repeat(26), "9".repeat(100_000)]) {
  test(`K10 a count of ${count.length} digits that nothing fills`, () => {
    const error = failure(() => decodeStc(`{t[${count}]: 1,2}`));
    assert.equal(error.offset, count.length + 9);
    assert.match(error.message, /values as declared, found 2/);
    assert.match(failure(() => decodeStc(`[${count}]{a}: 1`)).message, /rows as declared, found 1/);
    assert.match(failure(() => decodeStc(`stc2\n[${count}]{a}\n1\n2`)).message, /rows as declared, found 2/);
    assert.equal(failure(() => decodeStc(`stc2\n[*${count}]`)).offset, 6);
  });
}

for (const text of ["{t[0]: }", "{t[01]: 1}", "{t[]: 1}", "{t[1: 1}", "[0]{a}: 1"]) {
  test(`K10 not a count: ${text}`, () => {
    assert.ok([3, 4].includes(failure(() => decodeStc(text)).offset));
  });
}

test("K10 the output limit counts bytes", () => {
  const stc = '[3]{"ключ"}: "é😀" / "é" / "é"';
  const json = '[{"ключ":"é😀"},{"ключ":"é"},{"ключ":"é"}]';
  const size = Buffer.byteLength(json);
  assert.equal(decodeStc(stc, { maxOutput: size }), json);
  assert.match(failure(() => decodeStc(stc, { maxOutput: size - 1 })).message, /at most \d+ bytes/);
});

test("K10 a small text does not become a large one", () => {
  const bomb = `[100000]{${"k".repeat(100_000)}}: ${"1/".repeat(99_999)}1`;
  assert.match(failure(() => decodeStc(bomb)).message, /at most 67108864 bytes/);
});

test("S10 an error says where and what", () => {
  const error = failure(() => encodeStc('{"a": 1,\n "é" 2}'));
  assert.deepEqual([error.offset, error.line, error.column], [15, 2, 6]);
  assert.equal(error.message, "expected `:` after the key, found `2` (line 2, column 6, byte 15)");
  assert.equal(error.name, "StcError");
  assert.match(failure(() => decodeStc('"\x07"')).message, /^expected control characters to be escaped in a string, found U\+0007/);
  assert.match(failure(() => decodeStc("[")).message, /^expected a value, found the end of the text/);
});
