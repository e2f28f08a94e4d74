/** TOON, as Tokenforge writes it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { decodeToon, encodeToon, StcError, ToonError } from "../src/index.js";

const EXAMPLES: Record<string, string> = {
  "{}": "",
  "[]": "[]",
  "1.50": "1.50",
  '"a b"': "a b",
  '{"a":1.50,"b":[],"c":{},"d":"x: y","e f":null}': 'a: 1.50\nb: []\nc:\nd: "x: y"\n"e f": null',
  '{"users":[{"id":1,"at":{"x":"a","y":-2}},{"id":2,"at":{"x":"b,","y":3}}]}':
    'users[2]{id,at{x,y}}:\n  1,a,-2\n  2,"b,",3',
  '{"a":{"x":1},"b":{"x":2}}': "[2:]{x}:\n  a: 1\n  b: 2",
  '[1,[2,3],{},{"k":[4],"l":{"m":5}}]': "[4]:\n  - 1\n  - [2]: 2,3\n  -\n  - k[1]: 4\n    l:\n      m: 5",
  '["","true","01","-x","\\u0000\\n\\"\\\\","\u2028"]': '[6]: "","true","01","-x","\\u0000\\n\\"\\\\",\u2028',
};

for (const [json, toon] of Object.entries(EXAMPLES)) {
  test(`TOON there and back: ${json}`, () => {
    assert.equal(encodeToon(json), toon);
    assert.equal(decodeToon(toon), json);
    assert.equal(decodeToon(`${toon}\n`), json);
  });
}

test("TOON rows have the order of the first", () => {
  assert.equal(decodeToon(encodeToon('[{"a":1,"b":2},{"b":3,"a":4}]')), '[{"a":1,"b":2},{"a":4,"b":3}]');
});

test("TOON escapes are respelled", () => {
  assert.equal(encodeToon(String.raw`["\/","\u00e9","\b"]`), String.raw`[3]: /,é,"\u0008"`);
});

for (const json of ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[{"a":1,"a":2}]', '["\\ud800"]']) {
  test(`TOON cannot hold ${json}`, () => {
    assert.throws(() => encodeToon(json), isError(/TOON cannot hold/));
  });
}

for (const [toon, problem] of [
  ["a[3]: 1,2", /line 1 .*expected 3 values as declared, found 2/],
  ["a[2]{b}:\n  1", /line 2 .*expected 2 rows as declared, found 1/],
  ["a[2]{b,c}:\n  1,2\n  3", /line 3 .*expected 2 values as declared, found 1/],
  ["[2]:\n  - 1", /expected 2 items as declared, found 1/],
  ["a: 1\n    b: 2", /line 2 .*belongs to nothing/],
  ["a: 1\na: 2", /line 2 .*the key "a" occurs twice/],
  ["[1]{a,a}:\n  1,2", /the key "a" occurs twice/],
  ['a: "b', /a string does not end/],
  ["a: b: c", /a string needs quotes/],
  [" a: 1", /line 1 .*indented/],
  ["\ud800", /lone surrogate/],
] as const) {
  test(`TOON errors say where: ${JSON.stringify(toon)}`, () => {
    assert.throws(() => decodeToon(toon), isError(problem));
  });
}

test("TOON limits", () => {
  const table = `[99]{${"x".repeat(999)}}:${"\n  1".repeat(99)}`;
  assert.ok(decodeToon(table).length > 90_000);
  assert.throws(() => decodeToon(table, { maxOutput: 10_000 }), isError(/at most 10000 bytes/));
  assert.throws(() => decodeToon("é!", { maxOutput: 4 }), isError(/at most 4 bytes/));
  const deep = `${"[".repeat(511)}[]${"]".repeat(511)}`;
  assert.equal(decodeToon(encodeToon(deep)), deep);
  assert.throws(() => encodeToon(`[${deep}]`), StcError);
});

function isError(problem: RegExp): (wrong: unknown) => boolean {
  return (wrong) => wrong instanceof ToonError && problem.test(wrong.message);
}
