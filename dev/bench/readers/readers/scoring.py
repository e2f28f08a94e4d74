"""Compares answers with the key."""

import json
from collections import defaultdict
from dataclasses import dataclass

from .question import VARIANTS


@dataclass
class Verdict:
    model: str
    variant: str
    id: str
    group: str
    kind: str
    is_right: bool
    answer: object
    expected: object


def plain(answer):
    """A value without what a reader may add or leave away: case, quotes, a stop at the end."""
    if isinstance(answer, bool):
        return str(answer).lower()
    if answer is None:
        return "null"
    text = str(answer).strip().rstrip(".").strip("`\"'").strip().lower()
    try:
        return float(text)
    except ValueError:
        return text


def line(answer):
    """A line without the blanks around it, nor the quotes that a reader put around it."""
    text = str(answer).strip()
    for quote in "`", '"':
        if len(text) > 1 and text[0] == text[-1] == quote:
            return {text, text[1:-1].strip()}
    return {text}


def items(answer):
    if isinstance(answer, str):
        try:
            answer = json.loads(answer)
        except ValueError:
            answer = answer.strip("[]").split(",")
    return {plain(item) for item in (answer if isinstance(answer, list) else [answer])}


def words(answer):
    return {" ".join(text.split()) for text in line(answer)}


def is_right(answer, expected, compare):
    if compare == "value":
        return plain(answer) == plain(expected)
    if compare == "set":
        return items(answer) == items(expected)
    if compare == "words":
        return bool(words(answer) & words(expected))
    return str(expected).strip() in line(answer)


def verdicts(key, answers):
    """`answers`: what a model wrote about a variant's file, by (model, variant, file). What it did not answer is wrong."""
    found = []
    for (model, variant, file), given in sorted(answers.items()):
        for id, question in key.items():
            if question["file"] == file:
                answer = given.get(id, "?")
                right = is_right(answer, question["answer"], question["compare"])
                found.append(Verdict(model, variant, id, question["group"], question["kind"], right, answer, question["answer"]))
    return found


def table(found):
    """Right answers of all, by model, group and kind; a column for each variant."""
    counts = defaultdict(lambda: {variant: [0, 0] for variant in VARIANTS})
    for verdict in found:
        for row in ((verdict.model, verdict.group, verdict.kind), (verdict.model, verdict.group, "all"), (verdict.model, "all", "all")):
            counts[row][verdict.variant][0] += verdict.is_right
            counts[row][verdict.variant][1] += 1
    out = ["| model | group | kind | originals | forwarded | to small models |", "|---|---|---|---|---|---|"]
    for row, variants in sorted(counts.items()):
        cells = [f"{right} of {asked}" if asked else "" for right, asked in (variants[variant] for variant in VARIANTS)]
        out.append("| " + " | ".join([*row, *cells]) + " |")
    return "\n".join(out)
