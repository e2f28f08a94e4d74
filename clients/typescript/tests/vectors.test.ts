/** K14: the vectors that every STC encoder and decoder passes. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import {
  decodeStc,
  encodeStc,
  encodeStc2,
  StcError,
  type DecodeOptions,
  type Level,
  type Spelling,
} from "../src/index.js";

interface Case {
  name: string;
  op: string;
  input: string;
  output: string;
  spelling: Spelling;
  level: Level;
  offset: number;
  max_output?: number;
}

const FOLDER = new URL("../../../../spec/vectors/", import.meta.url);

const CHECKS: Record<string, (given: Case) => void> = {
  encode({ input, output, spelling }) {
    assert.equal(encodeStc(input, { spelling }), output);
    assert.equal(decodeStc(output), decodeStc(input));
  },
  decode(given) {
    assert.equal(decodeStc(given.input, limits(given)), given.output);
  },
  round_trip({ input, output }) {
    assert.equal(decodeStc(encodeStc(input)), output);
    assert.equal(decodeStc(encodeStc(input, { spelling: "dense" })), output);
    assert.equal(decodeStc(encodeStc(input, { spelling: "flat" })), output);
  },
  decode_error(given) {
    fails(() => decodeStc(given.input, limits(given)), given.offset);
  },
  encode_error({ input, offset }) {
    fails(() => encodeStc(input), offset);
  },
};

const STC2_CHECKS: Record<string, (given: Case) => void> = {
  ...CHECKS,
  encode({ input, output, level }) {
    assert.equal(encodeStc2(input, { level }), output);
    assert.equal(decodeStc(output), decodeStc(input));
  },
  round_trip({ input, output }) {
    for (const level of [1, 2, 3] as const) assert.equal(decodeStc(encodeStc2(input, { level })), output);
  },
};

for (const [folder, checks] of [["", CHECKS], ["stc2/", STC2_CHECKS]] as const) {
  const url = new URL(folder, FOLDER);
  for (const file of readdirSync(url).filter((name) => name.endsWith(".json"))) {
    const { cases } = JSON.parse(readFileSync(new URL(file, url), "utf8")) as { cases: Case[] };
    for (const given of cases) {
      test(`K14 ${folder}${file}: ${given.name}`, () => {
        const check = checks[given.op];
        assert.ok(check, `unknown operation ${given.op}`);
        check(given);
      });
    }
  }
}

function limits({ max_output }: Case): DecodeOptions {
  return max_output === undefined ? {} : { maxOutput: max_output };
}

function fails(action: () => string, offset: number): void {
  assert.throws(action, (error) => {
    assert.ok(error instanceof StcError);
    assert.equal(error.offset, offset, error.message);
    return true;
  });
}
