// A JSON text as it is written: every number's digits, every key in its place, also twice.
// JSON.parse cannot tell: it rounds, reorders and forgets.

const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"([^"\\]|\\.)*"/sy;
const SPACE = /[ \t\r\n]*/y;

/**
 * Reads a valid JSON text. `number(text)` and `key(name, isSecond)` decide what stands for each of
 * them; `isSecond` says that the object has the key already.
 */
export function read(json, { number, key }) {
  let at = 0;

  function token(pattern) {
    pattern.lastIndex = at;
    const found = pattern.exec(json)[0];
    at += found.length;
    return found;
  }

  function takes(character) {
    token(SPACE);
    const taken = json[at] === character;
    if (taken) at += 1;
    return taken;
  }

  function value() {
    if (takes('{')) return object();
    if (takes('[')) return array();
    if (json[at] === '"') return JSON.parse(token(STRING));
    for (const [literal, meaning] of [['true', true], ['false', false], ['null', null]]) {
      if (json.startsWith(literal, at)) {
        at += literal.length;
        return meaning;
      }
    }
    return number(token(NUMBER));
  }

  function object() {
    const members = {};
    const seen = new Set();
    if (takes('}')) return members;
    do {
      token(SPACE);
      const name = JSON.parse(token(STRING));
      const place = key(name, seen.has(name));
      seen.add(name);
      takes(':');
      // Not an assignment: `__proto__` is a key like any other.
      const member = { value: value(), enumerable: true, writable: true, configurable: true };
      Object.defineProperty(members, place, member);
    } while (takes(','));
    takes('}');
    return members;
  }

  function array() {
    const elements = [];
    if (takes(']')) return elements;
    do elements.push(value());
    while (takes(','));
    takes(']');
    return elements;
  }

  return value();
}

/** The number as TOON's canonical decimal, with all of its digits. */
export function canonical(text) {
  const [, sign, whole, fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const significant = (whole + fraction).replace(/^0+/, '');
  if (significant === '') return '0';
  const digits = significant.replace(/0+$/, '');
  // The value is D.DDD times ten to this power.
  const scale = Number(power) - fraction.length + significant.length - 1;
  return sign + placed(digits, scale);
}

function placed(digits, scale) {
  if (scale < -6 || scale > 20) {
    const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
    return `${mantissa}e${scale < 0 ? '-' : '+'}${Math.abs(scale)}`;
  }
  if (scale < 0) return `0.${'0'.repeat(-scale - 1)}${digits}`;
  const padded = digits.padEnd(scale + 1, '0');
  const fraction = padded.slice(scale + 1);
  return padded.slice(0, scale + 1) + (fraction && `.${fraction}`);
}
