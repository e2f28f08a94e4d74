"""D9: compressed outputs are restored as the vectors say that every implementation does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenforge_engine import TokenforgeError, decode_output

VECTORS = Path(__file__).parents[3] / "spec/vectors/outputs"
SEEN = {"tool": "Bash", "arguments": {"command": "make"}, "text": "cc a.c\nld a"}
DUPLICATE = "[Duplicate of make; see earlier result]"
REFERENCE = "shadow_ahbchxuoehbjilfjlsupesbwyhhhgtwoxkn"


def vectors() -> list[Any]:
    return [
        pytest.param(case, id=f"{file.stem}: {case['name']}")
        for file in sorted(VECTORS.glob("*.json"))
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
    ]


@pytest.mark.parametrize("case", vectors())
def test_d9_vectors(case: dict[str, Any]) -> None:
    given = {"history": case.get("history"), "arguments": case.get("arguments")}
    if case["op"] == "restore":
        assert decode_output(case["input"], **given) == case["output"]
    else:
        with pytest.raises(TokenforgeError) as raised:
            decode_output(case["input"], **given)
        assert case["error"] in str(raised.value)


def test_d9_there_are_vectors() -> None:
    assert len(vectors()) > 100


def test_d9_history_may_be_any_iterable() -> None:
    assert decode_output(DUPLICATE, history=(result for result in [SEEN])) == SEEN["text"]
    assert decode_output("no pointer\n", history=[]) == "no pointer\n"


def test_d9_arguments_may_be_free_text() -> None:
    seen = {"tool": "exec", "arguments": 'text(await tools.exec_command({cmd: "make"}))', "text": "ld a"}
    assert decode_output(DUPLICATE, history=[seen]) == "ld a"


def test_d9_missing_results_are_named() -> None:
    with pytest.raises(TokenforgeError, match="points to earlier results of its request"):
        decode_output(DUPLICATE)
    with pytest.raises(TokenforgeError, match=r"not in the history: \[Duplicate of make"):
        decode_output(DUPLICATE, history=[{"tool": "Read", "text": "x"}])


def test_d9_left_out_text_is_named() -> None:
    with pytest.raises(TokenforgeError, match=f"tokenforge expand {REFERENCE}"):
        decode_output(f"Exit code 1\n<<<SHADOW:{REFERENCE}>>>\nwhat is left\n")


@pytest.mark.parametrize("history", [[{"tool": "Bash"}], [{"tool": 1, "text": "x"}], ["Bash"], [{**SEEN, "id": 1}]])
def test_d9_wrong_history_is_an_error(history: Any) -> None:
    with pytest.raises(TokenforgeError, match="history: expected results such as"):
        decode_output(DUPLICATE, history=history)


def test_d9_half_a_character_is_an_error() -> None:
    with pytest.raises(TokenforgeError, match="half a character"):
        decode_output("a\ud800b")
    with pytest.raises(TokenforgeError, match="half a character"):
        decode_output(DUPLICATE, history=[{**SEEN, "text": "\ud800"}])


def test_d9_output_is_bounded() -> None:
    with pytest.raises(TokenforgeError, match="line above|cannot be read|64 MiB"):
        decode_output("x" * 1000 + "\n" + "[Forge the line above 100000 more times]\n")
