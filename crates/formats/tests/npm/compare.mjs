// Compares our TOON with the official npm package, in both directions.
//
//   node compare.mjs documents.jsonl   a line is {"json": text, "toon": text or null}
//
// `null` says that we refused. JavaScript cannot hold every JSON text. Where a rule below says so,
// the package encodes a version that works around it (digits passed through, keys marked so that
// they keep their place), and that is our text to the byte.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { decode, encode, rawString } from '@toon-format/toon';
import { canonical, read } from './document.mjs';

/** Why JavaScript's reading of a document may differ from its text. */
const RULES = {
  'number text': (facts) => facts.numbers.some(isChangedByDouble),
  'integer-like keys': (facts) => facts.keys.some(isIntegerLike),
};

/** Why a document has no TOON at all. */
const REFUSALS = {
  'duplicate keys': (facts) => facts.hasDuplicateKey,
  'lone surrogate': (facts) => !facts.isWellFormed,
};

/** A double has another value, or another shortest text. */
function isChangedByDouble(number) {
  return String(Number(number) + 0) !== canonical(number);
}

/** JavaScript moves these to the front of an object. */
function isIntegerLike(key) {
  return /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1;
}

function factsOf(json) {
  const facts = { numbers: [], keys: [], hasDuplicateKey: false, isWellFormed: true };
  const value = read(json, {
    number: (text) => {
      facts.numbers.push(text);
      return 0;
    },
    key: (name, isSecond) => {
      facts.keys.push(name);
      facts.hasDuplicateKey ||= isSecond;
      return name;
    },
  });
  facts.isWellFormed = isWellFormed(value);
  return facts;
}

function isWellFormed(value) {
  if (typeof value === 'string') return value.isWellFormed();
  if (value === null || typeof value !== 'object') return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

function names(rules, facts) {
  return Object.keys(rules).filter((name) => rules[name](facts));
}

/** What the package writes once numbers keep their digits and keys their places. */
function encodeAsWritten(json) {
  const [digits, place] = unusedCharacters(json);
  const marked = read(json, {
    number: (text) => digits + canonical(text),
    key: (name) => (isIntegerLike(name) ? place + name : name),
  });
  const isNumber = (value) => typeof value === 'string' && value.startsWith(digits);
  const replacer = (_, value) => (isNumber(value) ? rawString(value.slice(1)) : value);
  return encode(marked, { replacer }).replaceAll(place, '');
}

/** Two characters of the private use area that the document does not contain. */
function unusedCharacters(json) {
  const text = JSON.stringify(JSON.parse(json));
  const characters = Array.from({ length: 256 }, (_, index) => String.fromCharCode(0xe000 + index));
  return characters.filter((character) => !text.includes(character));
}

/** What the package must read: numbers beyond a double stay text, and there is no negative zero. */
function decodedByRule(json) {
  const number = (text) => (Number.isFinite(Number(text)) ? Number(text) + 0 : canonical(text));
  return read(json, { number, key: (name) => name });
}

/** The names of the rules that one document needed; throws where none explains what was seen. */
function check({ json, toon }) {
  const facts = factsOf(json);
  const refusals = names(REFUSALS, facts);
  if (toon === null) {
    if (refusals.length === 0) throw new Error('refused without a reason');
    return refusals.map((reason) => `refused: ${reason}`);
  }
  if (refusals.length > 0) throw new Error(`should be refused: ${refusals}`);
  const rules = names(RULES, facts);
  const expected = encode(JSON.parse(json));
  const asWritten = rules.length > 0 ? encodeAsWritten(json) : expected;
  if (asWritten !== toon) throw new Error(`the package writes (${rules}):\n${asWritten}`);
  const used = expected === toon ? [] : rules;
  const decoded = decode(toon);
  if (!isDeepStrictEqual(decoded, decodedByRule(json))) {
    throw new Error(`the package reads:\n${JSON.stringify(decoded)}`);
  }
  if (!isDeepStrictEqual(decoded, JSON.parse(json, (_, value) => (value === 0 ? 0 : value)))) {
    used.push('read back: number text');
  }
  return used.length > 0 ? used : ['identical'];
}

const file = process.argv[2] ?? process.env.TOON_DOCUMENTS;
if (file === undefined) {
  console.error('usage: node compare.mjs DOCUMENTS.jsonl (or TOON_DOCUMENTS=...)');
  process.exit(2);
}
const counts = new Map();
const failures = [];
let passed = 0;
for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
  if (line === '') continue;
  const document = JSON.parse(line);
  try {
    for (const rule of check(document)) counts.set(rule, (counts.get(rule) ?? 0) + 1);
    passed += 1;
  } catch (error) {
    failures.push({ ...document, why: error.message });
  }
}
failures.sort((one, other) => one.json.length - other.json.length);
for (const { json, toon, why } of failures.slice(0, 5)) {
  console.log(`unexplained:\n${json}\nours:\n${toon}\n${why}\n`);
}
console.log([...counts].sort().map(([rule, count]) => `${rule} ${count}`).join(', '));
console.log(`compare: ${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 || passed === 0 ? 1 : 0);
