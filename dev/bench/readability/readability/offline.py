"""Questions as a batch file, and answers out of one, for a model on a machine that this program cannot reach.

The format is that of OpenAI's batch endpoint, which `vllm run-batch` reads and writes too. A question's id is the hash of its
prompt, so what two forms write alike is asked once, and the order of the answers does not matter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .ask import PROMPT, body


def name(prompt: str) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()[:32]


def write(path: Path, prompts: Iterable[str], model: str, most: Optional[int]) -> int:
    """Writes each prompt once, in their order, and says how many those are."""
    lines = {name(prompt): body(model, prompt, most) for prompt in prompts}
    with open(path, "w", encoding="utf-8") as file:
        for id, asked in lines.items():
            request = {"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": asked}
            file.write(json.dumps(request, ensure_ascii=False) + "\n")
    return len(lines)


@dataclass(frozen=True)
class Recorded:
    """A model that has answered already."""

    answers: dict[str, str]

    def ask(self, data: str, question: str) -> str:
        return self.answers[name(PROMPT.format(data=data, question=question))]


def recorded(path: Path, prompts: Iterable[str]) -> Recorded:
    """The answers in a file: one to every prompt, or nothing could be paired."""
    answers: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line:
            try:
                reply = json.loads(line)
                answers[reply["custom_id"]] = reply["response"]["body"]["choices"][0]["message"]["content"] or ""
            except (ValueError, KeyError, IndexError, TypeError):
                raise SystemExit(f"{path}, line {number}: this is no answer of a batch: {line[:200]}") from None
    names = {name(prompt) for prompt in prompts}
    missing = len(names - set(answers))
    if missing:
        raise SystemExit(f"{path} has no answer to {missing} of {len(names)} questions; were they written with the same --seed, --documents, --real, --forms and other options?")
    return Recorded(answers)
