"""D9: the vectors of compressed outputs, which ``tokenforge decode`` and both clients restore."""

from __future__ import annotations

from typing import Any

import pytest

from tokenforge_stc import OutputError, decode_output

from .vectors import vectors


@pytest.mark.parametrize("case", vectors("restore", folder="outputs"))
def test_d9_restore(case: dict[str, Any]) -> None:
    assert decode_output(case["input"]) == case["output"]


@pytest.mark.parametrize("case", vectors("restore_error", folder="outputs"))
def test_d9_restore_error(case: dict[str, Any]) -> None:
    with pytest.raises(OutputError):
        decode_output(case["input"])


def test_d9_no_operation_is_left_out() -> None:
    tested = vectors("restore", "restore_error", folder="outputs")
    assert len(tested) == len(vectors(folder="outputs")) > 0


@pytest.mark.parametrize(
    "text",
    [
        "[Forge templates: a legend]\nA= x *\n",
        "a\n[Forge same as lines 1-9 of a.rs above]\n",
        "[Duplicate of make; see earlier result]",
        "<<<SHADOW:shadow_ahbchxuoehbjilfjlsupesbwyhhhgtwoxkn>>>\na\n",
    ],
)
def test_d9_what_needs_more_than_the_text_is_an_error(text: str) -> None:
    with pytest.raises(OutputError):
        decode_output(text)


def test_d9_a_small_text_does_not_become_a_large_one() -> None:
    bomb = "a\n" + "[Forge the line above 1000000 more times]\n" * 9
    with pytest.raises(OutputError):
        decode_output(bomb, max_output=10_000)
