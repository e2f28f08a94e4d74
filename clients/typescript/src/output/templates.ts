/** Log templates: `A= ...` is a line with stars for what varies, and the rows below it give only those values. */

import { utf8Length } from "../utf8.js";
import { Unreadable } from "./error.js";
import { splitOnce, wholeLines, Writer } from "./text.js";
import { timestamp } from "./time.js";

const SIGNATURE = "[Forge templates: ";

const LEGEND = new RegExp(
  String.raw`^\[Forge templates: "A= \.\.\." is a line with (\*|<\*>|\{\}|…) for what varies, rows below it give only those values; ` +
    String.raw`"A \.\.\." is a row of A again, "= \.\.\." begins plain lines(?:; ([~^"…]) as above)?(?:; ([→⇥⟶])9 fills up to column 9)?\]$`,
);
const DEFINED = /^([A-Z]{1,2})= (.*)$/s;
const NAMED = /^([A-Z]{1,2})(?: |$)/;
const LITERAL = "= ";
const COLUMN = /^[0-9]{1,4}(?![0-9])/;
/** No blank beyond this many bytes of a line reaches up to a column. */
const MAX_COLUMN = 1024;

/** Text of a template between two values. */
interface Constant {
  text: string;
  /** Columns up to which blanks reach, and the text behind each. */
  filled: [column: number, text: string][];
}

export function isWritten(text: string): boolean {
  return text.startsWith(SIGNATURE);
}

export function decode(text: string, maxOutput: number): string {
  const [legend, body] = splitOnce(text, "\n") ?? [];
  const signs = LEGEND.exec(legend ?? "");
  if (!signs || body === undefined) throw new Unreadable();
  const reader = new Reader(signs[1] ?? "", signs[2], signs[3]);
  const out = new Writer(maxOutput);
  for (const [line, end] of wholeLines(body)) {
    const restored = reader.line(line);
    if (restored !== undefined) out.write(restored + end);
  }
  return out.text();
}

class Reader {
  private readonly templates: Constant[][] = [];
  private current: Constant[] | undefined;
  private above: string[] = [];

  constructor(
    private readonly hole: string,
    private readonly ditto: string | undefined,
    private readonly blank: string | undefined,
  ) {}

  /** What a line stands for; a definition stands for none, unless it is itself the line. */
  line(line: string): string | undefined {
    const defined = DEFINED.exec(line);
    if (defined && numberOf(defined[1]!) === this.templates.length) {
      const template = defined[2]!.split(this.hole).map((text) => this.constant(text));
      this.templates.push(template);
      this.current = template;
      return template.length === 1 ? this.row(template, "", 0) : undefined;
    }
    if (line.startsWith(LITERAL)) {
      this.current = undefined;
      return line.slice(LITERAL.length);
    }
    const named = NAMED.exec(line);
    const template = named ? this.templates[numberOf(named[1]!)] : undefined;
    if (named && template) {
      this.current = template;
      return this.row(template, line, named[0].length);
    }
    return this.current ? this.row(this.current, line, 0) : line;
  }

  private constant(whole: string): Constant {
    const [text = "", ...others] = this.blank === undefined ? [whole] : whole.split(this.blank);
    const filled = others.map((piece): [number, string] => {
      const column = COLUMN.exec(piece)?.[0];
      if (column === undefined || Number(column) > MAX_COLUMN) throw new Unreadable();
      return [Number(column), piece.slice(column.length)];
    });
    return { text, filled };
  }

  /** The line whose values begin at an offset of a row. */
  private row([first, ...others]: Constant[], line: string, at: number): string {
    const pieces: string[] = [];
    const values: string[] = [];
    if (first) fill(first, pieces);
    for (const [column, constant] of others.entries()) {
      const end = column + 1 === others.length ? line.length : cellEnd(line, at);
      const cell = line.slice(at, end);
      const value = cell === this.ditto ? this.above[column] : cell;
      if (value === undefined) throw new Unreadable();
      pieces.push(value);
      values.push(value);
      fill(constant, pieces);
      at = end + 1;
    }
    if (values.length > 0) this.above = values;
    return pieces.join("");
  }
}

/** Adds a constant to the pieces of a line, with its blanks filled. */
function fill({ text, filled }: Constant, pieces: string[]): void {
  pieces.push(text);
  for (const [column, behind] of filled) {
    const before = pieces.join("");
    if (utf8Length(before) >= MAX_COLUMN) throw new Unreadable();
    const width = [...before].length;
    pieces.splice(0, pieces.length, before, " ".repeat(Math.max(column - width, 1)), behind);
  }
}

/** Where the value ends that begins at an offset. Of all values only times contain blanks. */
function cellEnd(line: string, at: number): number {
  const time = timestamp(line, at);
  const end = time !== undefined && line.startsWith(" ", time) ? time : line.indexOf(" ", at);
  if (end < 0) throw new Unreadable();
  return end;
}

/** Templates are called `A` to `Z`, then `AA` to `ZZ`. */
function numberOf(name: string): number {
  const digit = (at: number): number => name.charCodeAt(at) - 65;
  return name.length === 1 ? digit(0) : 26 + digit(0) * 26 + digit(1);
}
