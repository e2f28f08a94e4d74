"""What came of it, as Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from . import statistics
from .questions import KINDS
from .statistics import Marks

PLUMBING = (
    "PLUMBING, NOT COMPREHENSION: a mock that was given the answers was asked, not a model. "
    "These figures show that the evaluation runs; they say nothing about any form."
)


@dataclass(frozen=True)
class Mark:
    """One answer."""

    document: int
    form: str
    kind: str
    is_right: bool


def report(model: str, is_mock: bool, forms: list[str], tokens: dict[str, int], marks: list[Mark]) -> str:
    """The report of a run; `tokens` are those of all documents in each form."""
    lines = [f"**{PLUMBING}**", ""] if is_mock else []
    documents = {mark.document for mark in marks}
    lines += [
        f"Model: {model}. {len(documents)} documents, {len(marks) // len(forms)} questions in each form.",
        "",
        "| form | tokens | right | 95 % | against JSON | 95 % | p (McNemar, Holm) |" + "".join(f" {kind} |" for kind in KINDS),
        "|---|---|---|---|---|---|---|" + "---|" * len(KINDS),
    ]
    by_form = {form: [mark for mark in marks if mark.form == form] for form in forms}
    base = forms[0]
    others = [form for form in forms if form != base]
    values = dict(zip(others, statistics.holm([_p(by_form[base], by_form[form]) for form in others])))
    for form in forms:
        own = by_form[form]
        right = sum(mark.is_right for mark in own)
        low, high = statistics.wilson(right, len(own))
        cells = [form, str(tokens[form]), f"{right / len(own):.1%}", f"{low:.1%} to {high:.1%}"]
        if form in values:
            gain, least, most = statistics.difference(_marks(own), _marks(by_form[base]))
            cells += [f"{gain:+.1%}", f"{least:+.1%} to {most:+.1%}", f"{values[form]:.3f}"]
        else:
            cells += ["", "", ""]
        for kind in KINDS:
            of_kind = [mark.is_right for mark in own if mark.kind == kind]
            cells.append(f"{sum(of_kind) / len(of_kind):.0%}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _p(base: list[Mark], other: list[Mark]) -> float:
    pairs = list(zip(base, other))
    assert all((one.document, one.kind) == (two.document, two.kind) for one, two in pairs)
    only_base = sum(one.is_right and not two.is_right for one, two in pairs)
    only_other = sum(two.is_right and not one.is_right for one, two in pairs)
    return statistics.mcnemar(only_base, only_other)


def _marks(marks: list[Mark]) -> Marks:
    by_document: Marks = {}
    for mark in marks:
        by_document.setdefault(mark.document, []).append(mark.is_right)
    return by_document
