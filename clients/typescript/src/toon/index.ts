/** TOON as Tokenforge writes it: two spaces a level, commas, and every string in the one spelling that it has. */

export { decodeToon } from "./decode.js";
export { encodeToon } from "./encode.js";
export { ToonError } from "./error.js";
