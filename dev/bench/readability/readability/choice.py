"""What the answers say about each form: how it is read against the original, and whether a class of models may get it."""

from __future__ import annotations

from dataclasses import dataclass

from . import statistics
from .real import ORIGINAL
from .report import PLUMBING
from .statistics import Marks

WITHIN = 0.03


@dataclass(frozen=True)
class Reading:
    """A form against the original, over the outputs that have both."""

    form: str
    documents: int
    questions: int
    tokens: float
    of_minified: float
    right: float
    originally: float
    gain: float
    low: float
    high: float
    p: float

    @property
    def is_worse(self) -> bool:
        """The interval excludes zero: such a form is not chosen (decision 37)."""
        return self.high < 0

    @property
    def is_kept(self) -> bool:
        """Within three points of the original and not shown to be worse, at fewer tokens than minified JSON (text: than the original)."""
        return self.gain >= -WITHIN and not self.is_worse and self.of_minified < 1


def readings(tokens: dict[str, dict[int, int]], marks: "dict[str, dict[int, list[bool]]]") -> list[Reading]:
    """`tokens` and `marks` by form and document."""
    pairs = []
    for form in marks:
        if form == ORIGINAL:
            continue
        at = sorted(marks[form])
        own: Marks = {document: marks[form][document] for document in at}
        base: Marks = {document: marks[ORIGINAL][document] for document in at}
        gain, low, high = statistics.difference(own, base)
        only_own = sum(one and not other for document in at for one, other in zip(own[document], base[document]))
        only_base = sum(other and not one for document in at for one, other in zip(own[document], base[document]))
        count = sum(len(own[document]) for document in at)
        size = sum(tokens[form][document] for document in at)
        minified = sum(tokens.get("json", {}).get(document, tokens[ORIGINAL][document]) for document in at)
        share = [sum(sum(side[document]) for document in at) / count for side in (own, base)]
        pairs.append((form, len(at), count, size / sum(tokens[ORIGINAL][document] for document in at), size / minified, *share, gain, low, high,
                      statistics.mcnemar(only_base, only_own)))
    corrected = statistics.holm([pair[-1] for pair in pairs])
    return [Reading(*pair[:-1], p) for pair, p in zip(pairs, corrected)]


def by_group(tokens: dict[str, dict[int, int]], marks: "dict[str, dict[int, list[bool]]]", groups: list[str]) -> dict[str, list[Reading]]:
    """The readings of each group of documents: what harms tables is not thinned out by outputs that have none."""
    found = {}
    for group in sorted(set(groups)):
        own = {form: {at: right for at, right in answered.items() if groups[at] == group} for form, answered in marks.items()}
        found[group] = readings(tokens, {form: answered for form, answered in own.items() if answered})
    return found


def report(model: str, is_mock: bool, found: dict[str, list[Reading]]) -> str:
    """Markdown: a table for each group of outputs, the most compact form first."""
    lines = [f"**{PLUMBING}**", ""] if is_mock else []
    lines.append(f"Model: {model}. Real outputs; each form against the original over the outputs that have both.")
    for group, of_group in found.items():
        lines += ["", *table(group, of_group)]
    return "\n".join(lines) + "\n"


def table(group: str, found: list[Reading]) -> list[str]:
    lines = [f"| {group} | outputs | questions | tokens of the original | right | originally | points | 95 % | p (McNemar, Holm) | |", "|---|---|---|---|---|---|---|---|---|---|"]
    for one in sorted(found, key=lambda one: one.tokens):
        verdict = "read worse" if one.is_worse else "kept" if one.is_kept else ""
        lines.append(f"| {one.form} | {one.documents} | {one.questions} | {one.tokens:.2f} | {one.right:.1%} | {one.originally:.1%} | {100 * one.gain:+.1f} "
                     f"| {100 * one.low:+.1f} to {100 * one.high:+.1f} | {one.p:.3f} | {verdict} |")
    return lines


def evidence(model: str, name: str, source: str, found: dict[str, list[Reading]]) -> str:
    """Entries for crates/tokens/data/model_classes.toml: there the intervals decide."""
    entries = []
    for group, one in ((group, one) for group, of_group in found.items() for one in of_group):
        if one.form in NAMES or one.form.startswith("stage:"):
            form = NAMES.get(one.form, one.form.removeprefix("stage:"))
            documents = f'documents = "{DOCUMENTS[group]}"\n' if group in DOCUMENTS else ""
            entries.append(f'[[{name}.measured]]\nforms = ["{form}"]\n{documents}model = "{model}"\nquestions = {one.questions}\npoints = {100 * one.gain:.1f}\n'
                           f'low = {100 * one.low:.1f}\nhigh = {100 * one.high:.1f}\ntokens = {one.tokens:.2f}\nsource = "{source}: {group}, {one.form}, {one.documents} outputs"\n')
    return "\n".join(entries)


NAMES = {"json": "json", "toon": "toon", "stc1": "stc", "stc1-flat": "stc-flat", "stc2-2": "stc2", "stc2-3": "stc2", "table": "table"}
"""What the engine calls our forms. Candidates have no name there until they are written by it."""

DOCUMENTS = {"JSON with rows": "rows", "other JSON": "other"}
"""What the data file calls the groups of documents in which a form of JSON is measured."""
