"""K14: the vectors that every STC encoder and decoder passes."""

from __future__ import annotations

from typing import Any

import pytest

from tokenforge_stc import MAX_OUTPUT, StcError, decode_stc, encode_stc, encode_stc2

from .vectors import vectors


@pytest.mark.parametrize("case", vectors("encode"))
def test_k14_encode(case: dict[str, Any]) -> None:
    assert encode_stc(case["input"], spelling=case["spelling"]) == case["output"]
    minified = decode_stc(case["input"])
    assert decode_stc(case["output"]) == minified


@pytest.mark.parametrize("case", vectors("decode"))
def test_k14_decode(case: dict[str, Any]) -> None:
    assert decode_stc(case["input"], max_output=case.get("max_output", MAX_OUTPUT)) == case["output"]


@pytest.mark.parametrize("case", vectors("round_trip"))
def test_k14_round_trip(case: dict[str, Any]) -> None:
    assert decode_stc(encode_stc(case["input"])) == case["output"]
    assert decode_stc(encode_stc(case["input"], spelling="dense")) == case["output"]
    assert decode_stc(encode_stc(case["input"], spelling="flat")) == case["output"]


@pytest.mark.parametrize("case", vectors("decode_error"))
def test_k14_decode_error(case: dict[str, Any]) -> None:
    with pytest.raises(StcError) as caught:
        decode_stc(case["input"], max_output=case.get("max_output", MAX_OUTPUT))
    assert caught.value.offset == case["offset"], str(caught.value)


@pytest.mark.parametrize("case", vectors("encode_error"))
def test_k14_encode_error(case: dict[str, Any]) -> None:
    with pytest.raises(StcError) as caught:
        encode_stc(case["input"])
    assert caught.value.offset == case["offset"], str(caught.value)


def test_k14_no_operation_is_left_out() -> None:
    tested = vectors("encode", "decode", "round_trip", "decode_error", "encode_error")
    assert len(tested) == len(vectors()) > 0


@pytest.mark.parametrize("case", vectors("encode", folder="stc2"))
def test_stc2_encode(case: dict[str, Any]) -> None:
    assert encode_stc2(case["input"], level=case["level"]) == case["output"]
    assert decode_stc(case["output"]) == decode_stc(case["input"])


@pytest.mark.parametrize("case", vectors("decode", folder="stc2"))
def test_stc2_decode(case: dict[str, Any]) -> None:
    assert decode_stc(case["input"], max_output=case.get("max_output", MAX_OUTPUT)) == case["output"]


@pytest.mark.parametrize("case", vectors("round_trip", folder="stc2"))
def test_stc2_round_trip(case: dict[str, Any]) -> None:
    assert decode_stc(encode_stc2(case["input"], level=1)) == case["output"]
    assert decode_stc(encode_stc2(case["input"], level=2)) == case["output"]
    assert decode_stc(encode_stc2(case["input"], level=3)) == case["output"]


@pytest.mark.parametrize("case", vectors("decode_error", folder="stc2"))
def test_stc2_decode_error(case: dict[str, Any]) -> None:
    with pytest.raises(StcError) as caught:
        decode_stc(case["input"], max_output=case.get("max_output", MAX_OUTPUT))
    assert caught.value.offset == case["offset"], str(caught.value)


def test_stc2_no_operation_is_left_out() -> None:
    tested = vectors("encode", "decode", "round_trip", "decode_error", folder="stc2")
    assert len(tested) == len(vectors(folder="stc2")) > 0
