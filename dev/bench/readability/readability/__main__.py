"""The command: see README.md."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from . import choice, forms, gguf, mock, offline, real
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
    names = list(forms.ALL) if options.forms == "all" else options.forms.split(",")
    cases, tokens = prepared(names, options.documents, options.seed)
    drawn = real.documents(Path(options.outputs), options.real, options.seed, None if options.forms == "all" else [*names, *options.stages.split(",")], options.questions)
    real_cases = [(form, document.forms[form], asked) for document in drawn for form in document.forms for asked in document.questions]
    expected = {PROMPT.format(data=case.data, question=case.question.text): spoken(case.question.answer) for case in cases}
    expected.update({PROMPT.format(data=data, question=asked.text): json.dumps(asked.answer) if isinstance(asked.answer, list) else str(asked.answer)
                     for _, data, asked in real_cases})
    if options.questions_to:
        written = offline.write(Path(options.questions_to), expected, options.model, options.max_tokens)
        return f"{written} questions in {options.questions_to}\n"
    with model(options, expected) as asked_model, ThreadPoolExecutor(options.parallel) as threads:
        answers = list(threads.map(lambda case: asked_model.ask(case.data, case.question.text), cases))
        real_answers = list(threads.map(lambda case: asked_model.ask(case[1], case[2].text), real_cases))
    marks = [
        Mark(case.document, case.form, case.question.kind, is_right(answer, case.question.answer))
        for case, answer in zip(cases, answers)
    ]
    right = [asked.is_right(answer) for (_, _, asked), answer in zip(real_cases, real_answers)]
    if options.answers:
        keep(options.answers, cases, answers, marks)
        keep_real(options.answers, drawn, real_cases, real_answers, right)
    found = choice.by_group(sizes(drawn), by_form(real_cases, right), [document.group for document in drawn])
    parts = [report(options.model, options.mock, names, tokens, marks)] if cases else []
    parts += [choice.report(options.model, options.mock, found)] if found else []
    if options.evidence:
        parts.append(choice.evidence(options.model, options.evidence, f"dev/bench/readability, {len(drawn)} real outputs, seed {options.seed}", found))
    return "\n".join(parts)


@contextmanager
def model(options: argparse.Namespace, expected: dict[str, str]) -> "Iterator[Union[Endpoint, offline.Recorded]]":
    """Who is asked."""
    if options.answers_from:
        yield offline.recorded(Path(options.answers_from), expected)
        return
    served: "AbstractContextManager[str]"
    if options.mock:
        served = mock.endpoint(expected)
    elif options.gguf:
        target = Path(os.environ.get("CARGO_TARGET_DIR") or Path(__file__).resolve().parents[4] / "target")
        served = gguf.endpoint(Path(options.gguf), options.context, target.absolute() / "xllamacpp")
    else:
        served = nullcontext(options.base_url)
    with served as base_url:
        yield Endpoint(base_url, options.model, os.environ.get("OPENAI_API_KEY", ""), most=options.max_tokens)


def sizes(drawn: list[real.Document]) -> dict[str, dict[int, int]]:
    """The tokens of every form of every output."""
    found: dict[str, dict[int, int]] = {}
    places = [(form, at, document.forms[form]) for at, document in enumerate(drawn) for form in document.forms]
    for (form, at, _), tokens in zip(places, forms.each_token([text for _, _, text in places])):
        found.setdefault(form, {})[at] = tokens
    return found


def by_form(cases: "list[tuple[str, str, real.Asked]]", right: list[bool]) -> dict[str, dict[int, list[bool]]]:
    found: dict[str, dict[int, list[bool]]] = {}
    for (form, _, asked), is_so in zip(cases, right):
        found.setdefault(form, {}).setdefault(asked.document, []).append(is_so)
    return found


def parsed(arguments: Optional[list[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="dev/bench/readability/run", description="Can a model read it?")
    parser.add_argument("--base-url", help="an endpoint that speaks OpenAI's chat completions, up to /v1")
    parser.add_argument("--model", help="the model to ask")
    parser.add_argument("--gguf", help="a local model in this file instead: llama.cpp is installed from PyPI and serves it")
    parser.add_argument("--context", type=int, default=16384, help="tokens of context for a local model (default: %(default)s)")
    parser.add_argument("--max-tokens", type=int, help="tokens of an answer (default: as many as the endpoint allows; 96 with --gguf)")
    parser.add_argument("--mock", action="store_true", help="ask a mock instead: plumbing, no comprehension")
    parser.add_argument("--questions-to", metavar="FILE", help="send no request: write the questions as a batch file (OpenAI's format, which `vllm run-batch` reads)")
    parser.add_argument("--answers-from", metavar="FILE", help="send no request: score the answers in what the batch wrote; all other options as with --questions-to")
    parser.add_argument("--documents", type=int, default=50, help="how many made-up documents (default: %(default)s)")
    parser.add_argument("--real", type=int, default=30, help="how many real outputs (default: %(default)s)")
    parser.add_argument("--questions", type=int, default=3, help="questions about each real output, at most (default: %(default)s)")
    parser.add_argument("--outputs", default=str(real.SAMPLES), help="where they are: a corpus, or a folder with an index.toml (default: dev/samples/outputs)")
    parser.add_argument("--seed", type=int, default=0, help="other documents (default: %(default)s)")
    parser.add_argument("--parallel", type=int, help="requests at once (default: 4; 1 with --gguf)")
    parser.add_argument("--forms", default=",".join(forms.FORMS), help="forms of JSON, the first is what the others are compared with; `all` adds the candidates and every stage")
    parser.add_argument("--stages", default="lossless", help="what else is tried on real outputs: lossless, stage:NAME, numbers-2 (default: %(default)s)")
    parser.add_argument("--answers", help="a file for every answer, as JSON lines")
    parser.add_argument("--evidence", choices=["small", "large"], help="also print entries of this class for crates/tokens/data/model_classes.toml")
    options = parser.parse_args(arguments)
    if options.mock:
        options.model = "mock"
    elif options.gguf:
        options.model = options.model or Path(options.gguf).stem
        options.max_tokens = options.max_tokens or 96
    elif not options.model or not (options.base_url or options.questions_to or options.answers_from):
        parser.error("--base-url and --model say who is asked, or --gguf; --questions-to and --answers-from need only --model, and --mock sends no request")
    options.parallel = options.parallel or (1 if options.gguf else 4)
    if options.forms != "all":
        unknown = [name for name in options.forms.split(",") if name not in forms.ALL]
        if unknown:
            parser.error(f"there is no form {', '.join(unknown)}; there are {', '.join(forms.ALL)}")
    return options


def prepared(names: list[str], count: int, seed: int) -> tuple[list[Case], dict[str, int]]:
    """All cases, form by form in the same order, and the tokens of all documents in each form."""
    texts = [(index, document(seed * 1_000_000 + index)) for index in range(count)]
    cases = []
    tokens = {}
    for name in names:
        written = [forms.written(name, forms.minified(each.value)) for _, each in texts]
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


def keep_real(path: str, drawn: list[real.Document], cases: "list[tuple[str, str, real.Asked]]", answers: list[str], right: list[bool]) -> None:
    with open(path, "a", encoding="utf-8") as file:
        for (form, _, asked), answer, is_so in zip(cases, answers, right):
            line: dict[str, Any] = {
                "output": drawn[asked.document].output.name,
                "form": form,
                "kind": asked.kind,
                "question": asked.text,
                "expected": asked.answer,
                "answer": answer,
                "right": is_so,
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    print(main(), end="")
