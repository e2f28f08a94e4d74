/** Thinned number columns: `[Forge lines 1-46, every 10th numbered]`, then the lines, the first with its column. */

import { Unreadable } from "./error.js";
import { wholeLines, Writer } from "./text.js";

export const SIGNATURE = "[Forge lines ";

const ANNOUNCED = /^\[Forge lines ([0-9]{1,10})-([0-9]{1,10}), every 10th numbered(?: as N(.+)text)?\]$/s;
const COLUMN = /^( *)([0-9]{1,9})(→|\t|\|| \||:| {2})/;
const WIDEST = 9;

/** Lines that are numbered one after another, and how. */
export class Run {
  private constructor(
    readonly first: number,
    readonly last: number,
    private readonly width: number,
    private readonly padding: string,
    private readonly separator: string,
  ) {}

  /** The run that an announcement and the line after it describe. */
  static announced(announcement: string, firstLine: string): Run | undefined {
    const found = ANNOUNCED.exec(announcement);
    const column = COLUMN.exec(firstLine);
    if (!found || !column) return undefined;
    const [first, last, text] = [Number(found[1]), Number(found[2]), found[3]];
    const [blanks, digits] = [column[1] ?? "", column[2] ?? ""];
    let separator = column[3] ?? "";
    const width = blanks.length + digits.length;
    const isText = text !== undefined;
    if (Number(digits) !== first || width > WIDEST || (isText && text !== separator)) return undefined;
    // A blank behind the separator is part of it, unless the announcement says that it is text.
    if (!isText && /[:|]$/.test(separator) && firstLine.startsWith(" ", column[0].length)) separator += " ";
    const padding = blanks === "" && digits.length > 1 && digits.startsWith("0") ? "0" : " ";
    return new Run(first, last, width, padding, separator);
  }

  /** What the text had before the line of this number. */
  column(number: number): string {
    return `${number}`.padStart(this.width, this.padding) + this.separator;
  }

  /** What the thinned text has there. */
  shown(number: number): string {
    if (number === this.first) return this.column(number);
    return number % 10 === 0 ? `${number}${this.separator}` : "";
  }
}

export function isWritten(text: string): boolean {
  return text.startsWith(SIGNATURE) || text.includes(`\n${SIGNATURE}`);
}

export function decode(text: string, maxOutput: number): string {
  const given = wholeLines(text);
  const out = new Writer(maxOutput);
  for (let at = 0; at < given.length; at++) {
    const [line, end] = given[at]!;
    if (!line.startsWith(SIGNATURE)) {
      out.write(line + end);
      continue;
    }
    const first = given[++at];
    const run = first && Run.announced(line, first[0]);
    if (!run || run.last < run.first || run.last - run.first >= given.length - at) throw new Unreadable();
    out.write(first.join(""));
    for (let number = run.first + 1; number <= run.last; number++) {
      const [thinned, lineEnd] = given[++at]!;
      const shown = run.shown(number);
      if (!thinned.startsWith(shown)) throw new Unreadable();
      out.write(run.column(number) + thinned.slice(shown.length) + lineEnd);
    }
  }
  return out.text();
}
