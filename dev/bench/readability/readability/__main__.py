"""The command: see README.md."""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Optional

from . import forms, mock
from .ask import PROMPT, Endpoint
from .data import document
from .questions import Answer, Question, questions
from .report import Mark, report
from .score import is_right


@dataclass(frozen=True)
class Case:
    """One question about one document in one form."""

    document: int
    form: str
    data: str
    question: Question


def main(arguments: Optional[list[str]] = None) -> str:
    options = parsed(arguments)
    names = options.forms.split(",")
    cases, tokens = prepared(names, options.documents, options.seed)
    expected = {PROMPT.format(data=case.data, question=case.question.text): spoken(case.question.answer) for case in cases}
    with mock.endpoint(expected) if options.mock else nullcontext(options.base_url) as base_url:
        endpoint = Endpoint(base_url, options.model, os.environ.get("OPENAI_API_KEY", ""))
        with ThreadPoolExecutor(options.parallel) as threads:
            answers = list(threads.map(lambda case: endpoint.ask(case.data, case.question.text), cases))
    marks = [
        Mark(case.document, case.form, case.question.kind, is_right(answer, case.question.answer))
        for case, answer in zip(cases, answers)
    ]
    if options.answers:
        keep(options.answers, cases, answers, marks)
    return report(options.model, options.mock, names, tokens, marks)


def parsed(arguments: Optional[list[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="dev/bench/readability/run", description="Can a model read it?")
    parser.add_argument("--base-url", help="an endpoint that speaks OpenAI's chat completions, up to /v1")
    parser.add_argument("--model", help="the model to ask")
    parser.add_argument("--mock", action="store_true", help="ask a mock instead: plumbing, no comprehension")
    parser.add_argument("--documents", type=int, default=50, help="how many documents (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="other documents (default: %(default)s)")
    parser.add_argument("--parallel", type=int, default=4, help="requests at once (default: %(default)s)")
    parser.add_argument("--forms", default=",".join(forms.FORMS), help="the first is what the others are compared with")
    parser.add_argument("--answers", help="a file for every answer, as JSON lines")
    options = parser.parse_args(arguments)
    if options.mock:
        options.model = "mock"
    elif not options.base_url or not options.model:
        parser.error("--base-url and --model say who is asked; --mock asks nobody")
    unknown = [name for name in options.forms.split(",") if name not in forms.FORMS]
    if unknown:
        parser.error(f"there is no form {', '.join(unknown)}; there are {', '.join(forms.FORMS)}")
    return options


def prepared(names: list[str], count: int, seed: int) -> tuple[list[Case], dict[str, int]]:
    """All cases, form by form in the same order, and the tokens of all documents in each form."""
    texts = [(index, document(seed * 1_000_000 + index)) for index in range(count)]
    cases = []
    tokens = {}
    for name in names:
        written = [forms.FORMS[name](forms.minified(each.value)) for _, each in texts]
        tokens[name] = forms.tokens(written)
        for (index, each), data in zip(texts, written):
            cases += [Case(index, name, data, question) for question in questions(each, seed * 1_000_000 + index)]
    return cases, tokens


def spoken(answer: Answer) -> str:
    """An answer as a model would say it."""
    if isinstance(answer, frozenset):
        return ", ".join(sorted(answer)) or "none"
    return str(answer)


def keep(path: str, cases: list[Case], answers: list[str], marks: list[Mark]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for case, answer, mark in zip(cases, answers, marks):
            line: dict[str, Any] = {
                "document": case.document,
                "form": case.form,
                "kind": case.question.kind,
                "question": case.question.text,
                "expected": spoken(case.question.answer),
                "answer": answer,
                "right": mark.is_right,
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    print(main(), end="")
