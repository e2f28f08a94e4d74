/** Results that the model saw, their lines, and what it would call them. */

import { isNote } from "../fold.js";
import * as numbers from "../numbers.js";
import * as reference from "../reference.js";
import { SIGNATURE } from "../text.js";
import * as marker from "./marker.js";
import type { Pointer } from "./marker.js";
import type { CallName, Kind } from "./name.js";
import { Numbering } from "./numbering.js";

const REMARKS = ["[Forge left out ", "[Forge shortened ", "[Forge removed base64: "];

interface ShownLine {
  /** Without a number that is shown before it. */
  bare: string;
  number: number | undefined;
}

/** A text that was shown. */
export class Shown {
  private lines: ShownLine[] | undefined;
  private readonly byNumber = new Map<number, number>();
  private readonly byQuote = new Map<string, number>();

  constructor(
    readonly text: string,
    private readonly kind: Kind,
  ) {}

  /** The lines that a pointer leads to. */
  meant({ lines: which }: Pointer): string[] | undefined {
    const lines = (this.lines ??= this.indexed());
    const isQuoted = "count" in which;
    const start = isQuoted ? this.byQuote.get(which.first) : this.byNumber.get(which.first);
    const count = isQuoted ? which.count : which.last - which.first + 1;
    if (start === undefined || count < 1) return undefined;
    const last = lines[start + count - 1];
    if (!last || (isQuoted ? marker.quote(last.bare) : last.number) !== which.last) return undefined;
    return lines.slice(start, start + count).map(({ bare }) => bare);
  }

  /** The lines that can be pointed to, once somebody asks. */
  private indexed(): ShownLine[] {
    const body = reference.without(this.text).split("\n");
    const numbering = new Numbering();
    // Behind a pointer in a column the lines that follow are not counted on.
    let isLost = false;
    const lines = body.map((line, at): ShownLine => {
      const number = line.startsWith(numbers.SIGNATURE) ? undefined : numbering.nextNumber();
      isLost = number !== undefined && (isLost || line.startsWith(SIGNATURE));
      return { bare: numbering.read(line, body[at + 1]), number: isLost ? undefined : number };
    });
    const isNumbered = lines.some(({ number }) => number !== undefined);
    // In a notation lines mean nothing without its legend; elsewhere than in a file numbers are data.
    if (body.some(isNotation) || (isNumbered && this.kind !== "file")) return [];
    for (const [at, { bare, number }] of lines.entries()) {
      const quote = marker.quote(bare);
      if (number !== undefined && !this.byNumber.has(number)) this.byNumber.set(number, at);
      if (quote !== undefined && !this.byQuote.has(quote)) this.byQuote.set(quote, at);
    }
    return lines;
  }
}

/** Does a line of ours say that the lines around it are to be read in another way? */
function isNotation(line: string): boolean {
  const others = [numbers.SIGNATURE, marker.OPENING, ...REMARKS];
  return line.startsWith(SIGNATURE) && !others.some((start) => line.startsWith(start)) && !isNote(line);
}

/** The results of one name. */
interface Namesakes {
  name: CallName;
  isAmbiguous: boolean;
  /** In their order; `undefined` for those that cannot be pointed to. */
  runs: (Shown | undefined)[];
  /** The latest one that is not wholly a pointer. */
  latest: Shown | undefined;
}

/** Texts that were shown, by name. */
export class Index {
  private readonly byName = new Map<string, Namesakes>();

  add(name: CallName, text: string): void {
    const isDuplicate = marker.duplicated(reference.without(text)) !== undefined;
    const shown = isDuplicate ? undefined : new Shown(text, name.kind);
    const namesakes = this.byName.get(name.text) ?? { name, isAmbiguous: false, runs: [], latest: undefined };
    this.byName.set(name.text, namesakes);
    const { kind, asked } = namesakes.name;
    // A tool's name and first argument must be unique; a file is the file, whoever read it; a command may have been cut.
    namesakes.isAmbiguous ||=
      name.kind !== kind ||
      (kind === "command" && name.asked !== asked) ||
      ((kind === "tool" || kind === "argument") && namesakes.runs.length > 0);
    namesakes.runs.push(shown);
    namesakes.latest = shown ?? namesakes.latest;
  }

  /** The text of a name; commands may be quoted. */
  named(name: string, isQuoted: boolean): Shown | undefined {
    const [bare, run = 1] = marker.splitRun(name);
    const found = this.find(bare, isQuoted) ?? this.find(name, isQuoted);
    return found?.name.kind === "command" ? found.runs[run - 1] : found?.latest;
  }

  private find(name: string, isQuoted: boolean): Namesakes | undefined {
    const command = isQuoted ? /^`(.*)`$/s.exec(name)?.[1] : undefined;
    const found = this.byName.get(command ?? name);
    const isOther = command !== undefined && found?.name.kind !== "command";
    return found?.isAmbiguous || isOther ? undefined : found;
  }
}
