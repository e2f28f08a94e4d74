"""D9: the vectors of compressed outputs, which ``tokenforge decode`` and both clients restore."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tokenforge_stc import OutputError, decode_output

from .vectors import vectors

OUTPUTS = os.environ.get("STC_OUTPUTS")
REFERENCE = "shadow_ahbchxuoehbjilfjlsupesbwyhhhgtwoxkn"


def decoded(case: dict[str, Any]) -> str:
    return decode_output(case["input"], history=case.get("history"), arguments=case.get("arguments"))


@pytest.mark.parametrize("case", vectors("restore", folder="outputs"))
def test_d9_restore(case: dict[str, Any]) -> None:
    assert decoded(case) == case["output"]


@pytest.mark.parametrize("case", vectors("restore_error", folder="outputs"))
def test_d9_restore_error(case: dict[str, Any]) -> None:
    with pytest.raises(OutputError) as raised:
        decoded(case)
    assert case["error"] in str(raised.value)


def test_d9_no_operation_is_left_out() -> None:
    tested = vectors("restore", "restore_error", folder="outputs")
    assert len(tested) == len(vectors(folder="outputs")) > 0


@pytest.mark.skipif(not OUTPUTS, reason="STC_OUTPUTS names no file of compressed outputs")
def test_d9_compressed_outputs_are_restored_as_the_other_implementations_do() -> None:
    lines = Path(OUTPUTS or "").read_text(encoding="utf-8").split("\n")
    cases = [json.loads(line) for line in lines if line]
    assert cases, "the file has no outputs"
    for case in cases:
        assert decoded(case) == case["output"], case["name"]


@pytest.mark.parametrize(
    "bomb",
    [
        "a\n" + "[Forge the line above 1000000 more times]\n" * 9,
        "[Forge LZW Dictionary]\n<<F1:1>> = \"" + "x" * 999 + '"\n' + "<<F1:1>>" * 99,
        "[Forge paths: a group's first line goes before each line under it]\n" + "x" * 999 + "\n" + "a\n" * 99,
        '[Forge patterns: a line "a x y" is pattern a with x and y for its stars]\n[Forge a = ' + "x" * 999 + " *]\n" + "a b\n" * 99,
        "[99]{" + "x" * 999 + ":int}\n" + "\n".join("1" * 99),
        "[99]{" + "x" * 999 + "}:\n" + "\n".join(["  1"] * 99),
    ],
    ids=["folded lines", "dictionary", "path headings", "repeated columns", "typed table", "TOON"],
)
def test_d9_a_small_text_does_not_become_a_large_one(bomb: str) -> None:
    with pytest.raises(OutputError, match="10000"):
        decode_output(bomb, max_output=10_000)


@pytest.mark.parametrize("case", vectors("restore", folder="outputs"))
def test_d9_what_is_just_as_large_as_allowed_is_restored(case: dict[str, Any]) -> None:
    size = len(case["output"].encode())
    given = {"history": case.get("history"), "arguments": case.get("arguments")}
    assert decode_output(case["input"], max_output=size, **given) == case["output"]
    with pytest.raises(OutputError, match="max_output"):
        decode_output(case["input"], max_output=size - 1, **given)


@pytest.mark.parametrize("piece", [" ", "\r", " \n", "[", '{"output":', "</system-reminder>", "<untrusted_context>\n"])
def test_d9_a_text_made_to_be_slow_is_given_back(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert decode_output(text) == text


def test_d9_payloads_share_what_is_allowed() -> None:
    payload = "a\n[Forge the line above 999 more times]\n"
    text = json.dumps([{"query": "q", "result": payload}] * 9)
    assert len(decode_output(text)) > 9_000
    with pytest.raises(OutputError, match="10000"):
        decode_output(text, max_output=10_000)


def test_d9_a_pointer_does_not_repeat_lines_beyond_what_is_allowed() -> None:
    shown = {"tool": "Bash", "arguments": {"command": "make"}, "text": "\n".join(f"line {n}" for n in range(999))}
    text = '[Forge same as 999 lines of `make` above, from "line 0" to "line 998"]\n' * 9
    assert len(decode_output(text, history=[shown])) > 50_000
    with pytest.raises(OutputError, match="10000"):
        decode_output(text, history=[shown], max_output=10_000)


def test_d9_what_was_left_out_of_a_payload_is_missed_too() -> None:
    with pytest.raises(OutputError, match=f"tokenforge expand {REFERENCE}"):
        decode_output(f"Exit code 1\n<<<SHADOW:{REFERENCE}>>>\nwhat is left\n")


def test_d9_a_header_without_a_value_is_a_word() -> None:
    assert decode_output("stc2\n") == "stc2\n"


def test_d9_half_a_character_is_no_text() -> None:
    with pytest.raises(OutputError, match="U\\+D800"):
        decode_output("a\ud800b")
    seen = {"tool": "Bash", "arguments": {"command": "make"}, "text": "\ud800"}
    with pytest.raises(OutputError, match="U\\+D800"):
        decode_output("[Duplicate of make; see earlier result]", history=[seen])


def test_d9_a_history_of_something_else_is_an_error() -> None:
    with pytest.raises(TypeError, match="expected results such as"):
        decode_output("[Duplicate of make; see earlier result]", history=[{"tool": "Bash"}])
    assert decode_output("no pointer\n", history=[{"tool": "Bash"}]) == "no pointer\n"
