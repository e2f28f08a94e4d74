/** What both directions promise, by the ids of the contract. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { decodeStc, encodeStc } from "../src/index.js";

const EXAMPLES = [
  ['{"name": "foo", "api_version": "v2", "count": 42}', '{name: "foo", api_version: "v2", count: 42}'],
  [
    '{"tags": ["api", "gateway", "mcp"], "scores": [95, 87, 91]}',
    '{tags[3]: "api","gateway","mcp", scores[3]: 95,87,91}',
  ],
  [
    '[{"id": 1, "name": "users", "method": "GET"}, {"id": 2, "name": "orders", "method": "POST"}]',
    '[2]{id,name,method}: 1,"users","GET" / 2,"orders","POST"',
  ],
] as const;

for (const [json, stc] of EXAMPLES) {
  test(`S5 K1 the printed example ${stc}`, () => {
    assert.equal(encodeStc(json), stc);
    assert.equal(decodeStc(stc), json.replaceAll(": ", ":").replaceAll(", ", ","));
  });
}

const wide = `{${Array.from({ length: 3000 }, (_, index) => `"k${index}":${index}`).join(",")}}`;

const ROUND_TRIPS: Record<string, string> = {
  "K5 syntax in rows": String.raw`[{"a":"[2]{a}: 1 / 2"},{"a":" / "},{"a":", x: "}]`,
  "K5 syntax in arrays and keys": String.raw`{", x: ":["5\" disk","a\\"]," / ":"\\"}`,
  "K6 numbers": "[1.10,-0,1E400,12345678901234567890123]",
  "I7 numbers": "[1e-20,0.30000000000000004,-0.0,1e300]",
  "K7 duplicate keys": '{"b":1,"a":2,"b":3}',
  "K7 keys that mean something to objects": '[{"__proto__":1,"constructor":2},{"__proto__":3,"constructor":4}]',
  "I8 one nested row": '[{"a":[1]}]',
  "K8 I9 keys": '[{"a,b":1,"a}b":2,"":3,"x-y":4,"é":5,"a b":6},{"a,b":1,"a}b":2,"":3,"x-y":4,"é":5,"a b":6}]',
  "K8 keys that only look like identifiers": String.raw`{"k\n":1,"٣":2,"k ":3}`,
  "K9 I10 escapes": String.raw`["\u0000","\ud800","\/","` + "\u2028" + String.raw`","\u001f"]`,
  "I10 control characters that need no escape": '["\x7f\x80\u0660"]',
  "K9 many escapes": `"${"\\n".repeat(200_000)}"`,
  "K2 a wide object": wide,
  "K2 wide rows": `[${wide},${wide}]`,
};

for (const [name, minified] of Object.entries(ROUND_TRIPS)) {
  test(name, () => {
    assert.equal(decodeStc(encodeStc(minified)), minified);
    assert.equal(decodeStc(encodeStc(minified, { spelling: "dense" })), minified);
    assert.equal(decodeStc(encodeStc(minified, { spelling: "flat" })), minified);
    assert.equal(decodeStc(minified), minified);
  });
}

test("K4 both places of a table", () => {
  assert.equal(decodeStc("{items: [2]{id}: 1 / 2, n: 2}"), decodeStc("{items[2]{id}: 1 / 2, n: 2}"));
});

test("K12 white space", () => {
  assert.equal(decodeStc("\t[2]{ a\n, b } :\r1 , 2\n/\t3,4 "), '[{"a":1,"b":2},{"a":3,"b":4}]');
});

test("S10 an unknown spelling is refused", () => {
  // @ts-expect-error: not a spelling
  assert.throws(() => encodeStc("1", { spelling: "loose" }), /"adr", "dense" or "flat"/);
});
