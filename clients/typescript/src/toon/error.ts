/** Why a text cannot be read as TOON, or written as TOON. */

/**
 * A text is not TOON as Tokenforge writes it, or is beyond a limit; or TOON cannot hold a JSON value.
 *
 * ```ts
 * decodeToon("a[3]: 1,2");
 * // ToonError: line 1 cannot be read as TOON: expected 3 values as declared, found 2
 * ```
 */
export class ToonError extends SyntaxError {
  override readonly name = "ToonError";
}
