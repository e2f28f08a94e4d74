/** Walks through a text line by line and knows which number a thinned column would show next. */

import { Run, SIGNATURE } from "../numbers.js";

export class Numbering {
  private run: Run | undefined;
  private next = 0;

  /** Reads a line, given the one after it; gives the line's text behind a number that is shown. */
  read(line: string, following: string | undefined): string {
    if (line.startsWith(SIGNATURE)) {
      this.run = following === undefined ? undefined : Run.announced(line, following);
      this.next = this.run?.first ?? 0;
      return line;
    }
    const shown = this.shown();
    this.advance();
    return line.startsWith(shown) ? line.slice(shown.length) : line;
  }

  /** The number of the next line, shown or not; `undefined` outside of a column. */
  nextNumber(): number | undefined {
    return this.run && this.next;
  }

  /** A line as it must stand here. */
  write(bare: string): string {
    const line = this.shown() + bare;
    this.advance();
    return line;
  }

  private shown(): string {
    return this.run?.shown(this.next) ?? "";
  }

  private advance(): void {
    this.next++;
    if (this.run && this.next > this.run.last) this.run = undefined;
  }
}
