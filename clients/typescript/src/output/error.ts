/** Why a compressed output cannot be restored. */

/** A compressed output cannot be restored: it is damaged, too large, or not all of it is there. */
export class OutputError extends SyntaxError {
  override readonly name = "OutputError";
}

/** A text is not as its notation is written; {@link damaged} says so to the caller. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** More would be written than is allowed; {@link tooLarge} says so to the caller. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

export function damaged(notation: string): OutputError {
  return new OutputError(
    `this looks like a compressed output, but its ${notation} cannot be read; was it cut or edited?`,
  );
}

export function tooLarge(maxOutput: number): OutputError {
  return new OutputError(`it has more than the ${maxOutput} bytes that maxOutput allows`);
}
