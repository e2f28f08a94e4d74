/**
 * STC: JSON that costs fewer tokens, and comes back byte for byte.
 *
 * ```ts
 * encodeStc('[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]');
 * // [2]{id,name}: 1,"users" / 2,"orders"
 * decodeStc('[2]{id,name}: 1,"users" / 2,"orders"');
 * // [{"id":1,"name":"users"},{"id":2,"name":"orders"}]
 * ```
 *
 * `decodeStc` reads both versions; `encodeStc2` writes the smaller one, which a reader has to know:
 *
 * ```ts
 * encodeStc2('[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]');
 * // stc2
 * // [2]{id name}
 * // 1 users
 * // 2 orders
 * ```
 *
 * All functions copy strings and numbers as they were written. Nothing becomes a number or an object on the way,
 * so `1.10`, `1E400`, `\u00e9` and duplicate keys survive. {@link stcFetch} decodes responses.
 *
 * {@link encodeToon} and {@link decodeToon} are for TOON. Compressed tool outputs are restored by the package
 * `@tokenforge/engine`.
 *
 * @module
 */

export { decodeStc, MAX_OUTPUT, type DecodeOptions } from "./decode.js";
export {
  encodeStc,
  encodeStc2,
  type EncodeOptions,
  type EncodeStc2Options,
  type Level,
  type Spelling,
} from "./encode.js";
export { StcError } from "./error.js";
export { stcFetch, type FetchOptions } from "./fetch.js";
export { decodeToon, encodeToon, ToonError } from "./toon/index.js";
