/** A header, once read: what to do for each record. */

/** A value in the output. */
export interface Made {
  start: number;
  end: number;
  /** In bytes. */
  size: number;
}

interface WithKey {
  /** The key as JSON, with its colon. */
  key: string;
}

interface WithCell extends WithKey {
  /** May records lack it? */
  isSparse: boolean;
}

/** A step that makes a part of a record; `last` is the value it made last, if it made one. */
export type Op = { last?: Made | undefined } & (
  | (WithCell & { kind: "cell" })
  | (WithCell & { kind: "text"; prefix: string; suffix: string })
  | (WithCell & { kind: "tuple" | "list"; shape: Shape })
  | { kind: "constant"; member: string }
  | (WithKey & { kind: "run"; next: bigint; step: bigint })
  | (WithKey & { kind: "derived"; prefix: string; source: number; suffix: string })
  | (WithKey & { kind: "open" })
  | { kind: "close" }
);

/** A step that has a cell in each row. */
export type CellOp = Extract<Op, { isSparse: boolean }>;

/** The steps that make a record, in order. */
export type Shape = Op[];

export function hasCell(op: Op): op is CellOp {
  return "isSparse" in op;
}
