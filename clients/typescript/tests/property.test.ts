/** The law over random documents: decoding gives back the minified text, byte for byte. */

import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { test } from "node:test";

import { decodeStc, decodeToon, encodeStc, encodeStc2, encodeToon, StcError, ToonError } from "../src/index.js";

const LEVELS = [1, 2, 3] as const;

const WORDS = ["a", "b", "id", "_x1", "true", "1a", "x-y", "", "é", "😀", " / ", "[2]{a}: ", "$&", "\\u0000", "\\ud800"];
WORDS.push("\\\\", '\\"', "\\/", "\\n", "\u2028", "a,b", "}", ": ", '5\\" disk', "null", "-0", "__proto__");
const NUMBERS = ["0", "-0", "1.10", "1E400", "-1e-20", "12345678901234567890123", "0.30000000000000004", "9"];

/** A text minified, and the same with white space anywhere. */
type Pair = [minified: string, spaced: string];

/** Random JSON. */
class Documents {
  constructor(private seed: number) {}

  below(limit: number): number {
    this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.seed / 2 ** 32) * limit);
  }

  some<T>(size: number, make: () => T): T[] {
    return Array.from({ length: size }, make);
  }

  choice(items: readonly string[]): string {
    return items[this.below(items.length)]!;
  }

  space(): string {
    return this.choice(["", "", "", " ", "\n", "\t ", "\r\n"]);
  }

  string(): string {
    return `"${this.some(this.below(3), () => this.choice(WORDS)).join("")}"`;
  }

  wrap(opening: string, items: Pair[], closing: string): Pair {
    const spaced = items.map(([, item]) => this.space() + item + this.space()).join(",") || this.space();
    return [opening + items.map(([item]) => item).join(",") + closing, opening + spaced + closing];
  }

  object(keys: string[], depth: number): Pair {
    const members = keys.map((key): Pair => {
      const [minified, spaced] = this.value(depth - 1);
      return [`${key}:${minified}`, `${key}${this.space()}:${this.space()}${spaced}`];
    });
    return this.wrap("{", members, "}");
  }

  value(depth: number): Pair {
    const size = this.below(4);
    const keys = this.some(size, () => this.string());
    switch (depth > 0 ? this.below(6) : 0) {
      case 2:
        return this.object(keys, depth);
      case 3:
        return this.wrap("[", this.some(size, () => this.value(depth - 1)), "]");
      case 4: {
        const family = [[this.string()], NUMBERS, ["true", "false"]][this.below(3)]!;
        const items = this.some(size, () => this.choice(family));
        return this.wrap("[", items.map((item): Pair => [item, item]), "]");
      }
      case 5: {
        const inner = this.below(2) === 0 ? 1 : depth;
        return this.wrap("[", this.some(1 + this.below(3), () => this.object(keys, inner)), "]");
      }
      default: {
        const scalar = this.choice([this.string(), this.choice(NUMBERS), "true", "false", "null"]);
        return [scalar, scalar];
      }
    }
  }
}

test("K3 random documents", () => {
  const documents = new Documents(1);
  for (let count = 0; count < 5_000; count++) {
    const [minified, spaced] = documents.value(4);
    const adr = encodeStc(spaced);
    const dense = encodeStc(spaced, { spelling: "dense" });
    assert.equal(decodeStc(adr), minified, spaced);
    assert.equal(decodeStc(dense), minified, spaced);
    assert.equal(decodeStc(encodeStc(spaced, { spelling: "flat" })), minified, spaced);
    assert.equal(decodeStc(spaced), minified);
    // L6: what was encoded is encoded the same again.
    assert.equal(encodeStc(decodeStc(adr)), adr);
    assert.equal(encodeStc(decodeStc(dense), { spelling: "dense" }), dense);
    for (const level of LEVELS) {
      const encoded = encodeStc2(spaced, { level });
      assert.equal(decodeStc(encoded), minified, spaced);
      assert.equal(encodeStc2(minified, { level }), encoded);
    }
  }
});

/** What the other implementations made of a document. */
interface Document extends Record<"json" | "minified" | "adr" | "dense" | "flat", string> {
  toon_verbatim: string | null;
  toon_decoded: string | null;
}

const file = process.env["STC_RANDOM_DOCUMENTS"];
const skip = file ? false : "STC_RANDOM_DOCUMENTS names no file of random documents";

test("K3 K14 random documents agree with the other implementations", { skip }, async () => {
  let count = 0;
  for await (const line of lines(file!)) {
    const { json, minified, adr, dense, flat, toon_verbatim, toon_decoded } = JSON.parse(line) as Document;
    assert.equal(encodeStc(json), adr, line);
    assert.equal(encodeStc(json, { spelling: "dense" }), dense, line);
    assert.equal(decodeStc(adr), minified, line);
    assert.equal(decodeStc(dense), minified, line);
    assert.equal(encodeStc(json, { spelling: "flat" }), flat, line);
    assert.equal(decodeStc(flat), minified, line);
    assert.equal(toon(json), toon_verbatim, line);
    if (toon_verbatim !== null) assert.equal(decodeToon(toon_verbatim), toon_decoded, line);
    count++;
  }
  assert.ok(count > 0, "the file has no documents");
});

/** A text as TOON, if TOON can hold it. */
function toon(json: string): string | null {
  try {
    return encodeToon(json);
  } catch (error) {
    assert.ok(error instanceof ToonError, String(error));
    return null;
  }
}

/** What the other implementations made of a document, and of a damaged text. */
interface Stc2Document {
  json: string;
  minified: string;
  levels: string[];
  damaged: string;
  max_output: number;
  decoded: string | null;
  offset: number | null;
}

const stc2File = process.env["STC2_RANDOM_DOCUMENTS"];
const skipStc2 = stc2File ? false : "STC2_RANDOM_DOCUMENTS names no file of random documents";

test("STC 2 random documents agree with the other implementations", { skip: skipStc2 }, async () => {
  let count = 0;
  for await (const line of lines(stc2File!)) {
    const document = JSON.parse(line) as Stc2Document;
    for (const level of LEVELS) {
      const encoded = document.levels[level - 1]!;
      assert.equal(encodeStc2(document.json, { level }), encoded, line);
      assert.equal(decodeStc(encoded), document.minified, line);
    }
    assert.deepEqual(read(document), [document.decoded, document.offset], line);
    count++;
  }
  assert.ok(count > 0, "the file has no documents");
});

/** The damaged text decoded, or where reading could not go on. */
function read({ damaged, max_output }: Stc2Document): [string | null, number | null] {
  try {
    return [decodeStc(damaged, { maxOutput: max_output }), null];
  } catch (error) {
    assert.ok(error instanceof StcError, String(error));
    return [null, error.offset];
  }
}

/** Splits at line feeds only; `readline` splits at U+2028 as well, which JSON allows in a string. */
async function* lines(path: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(path, "utf8") as AsyncIterable<string>) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
  if (rest !== "") yield rest;
}
