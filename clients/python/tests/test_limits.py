"""Texts that want too much: deep, wide by a count, large, or not Unicode."""

from __future__ import annotations

import pickle
import time
from typing import Callable

import pytest

from tokenforge_stc import StcError, decode_stc, encode_stc, encode_stc2


def failure(function: Callable[[str], str], text: str) -> StcError:
    started = time.perf_counter()
    with pytest.raises(StcError) as caught:
        function(text)
    assert time.perf_counter() - started < 1, "an error has to come at once"
    return caught.value


def encode_stc2_shared(json: str) -> str:
    return encode_stc2(json, level=3)


@pytest.mark.parametrize("function", [decode_stc, encode_stc, encode_stc2, encode_stc2_shared])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_k11_depth(function: Callable[[str], str], opening: str, closing: str) -> None:
    innermost = "[]" if opening == "[" else "{}"
    deepest = opening * 511 + innermost + closing * 511
    assert decode_stc(function(deepest)) == deepest
    for levels in (512, 100_000):
        too_deep = failure(function, opening * levels + innermost + closing * levels)
        assert too_deep.offset == len(opening) * 512
        assert "at most 512 nested levels" in str(too_deep)


def test_k11_depth_of_flat_objects_and_tables() -> None:
    assert encode_stc("[" * 511 + '{"a":1}' + "]" * 511)
    assert failure(encode_stc, "[" * 512 + '{"a":1}' + "]" * 512).offset == 512
    assert decode_stc("[" * 510 + "[1]{a}: 1" + "]" * 510)
    assert failure(decode_stc, "[" * 511 + "[1]{a}: 1" + "]" * 511).offset == 511 + 3
    assert failure(decode_stc, "[1]{a}:" * 100_000).offset == 256 * 7 + 3
    assert failure(decode_stc, "{a[1]:" * 100_000).offset == 256 * 6
    assert decode_stc("{a[1]:" * 256 + "1" + "}" * 256)


@pytest.mark.parametrize(
    ("opening", "again"),
    [("", "["), ("", "{a:"), ("[1]{", "a{"), ("[1]{", "a("), ("[1]{", "a["), ("[1]{a:", "["), ("[1]{a}\n", "[")],
)
def test_k11_depth_of_stc2(opening: str, again: str) -> None:
    too_deep = failure(decode_stc, f"stc2\n{opening}{again * 100_000}")
    assert "at most 512 nested levels" in str(too_deep)


def test_k11_nested_columns_as_deep_as_allowed_survive() -> None:
    levels = (512 - 2) // 2
    rows = ('{"a":' * levels + number + "}" * levels for number in "124")
    json = f"[{','.join(rows)}]"
    assert decode_stc(encode_stc2(json, level=2)) == json
    assert decode_stc(encode_stc2(json, level=3)) == json


def test_k11_called_from_deep_code() -> None:
    def deeper(levels: int) -> str:
        if levels:
            return deeper(levels - 1)
        assert encode_stc2_shared("[" * 512 + "]" * 512)
        return encode_stc(decode_stc("[" * 512 + "]" * 512))

    assert deeper(800)


def test_k10_references_to_references_stop_at_max_output() -> None:
    text = 'stc2\n[&1"a rather long text to be repeated"'
    for number in range(2, 100):
        text += f" &{number}[{' '.join([f'*{number - 1}'] * 4)}]"
    with pytest.raises(StcError, match="at most 67108864 bytes"):
        decode_stc(text + "]")


@pytest.mark.parametrize("count", ["3", "1000000000", "9" * 26, "9" * 100_000])
def test_k10_rows_nothing_can_fill(count: str) -> None:
    assert "rows as declared, found 2" in str(failure(decode_stc, f"stc2\n[{count}]{{a}}\n1\n2"))
    assert failure(decode_stc, f"stc2\n[*{count}]").offset == 6


@pytest.mark.parametrize("count", ["3", "1000000000", "9" * 26, "9" * 100_000])
def test_k10_counts_nothing_can_fill(count: str) -> None:
    values = failure(decode_stc, f"{{t[{count}]: 1,2}}")
    assert values.offset == len(count) + 9
    assert "values as declared, found 2" in str(values)
    assert "rows as declared, found 1" in str(failure(decode_stc, f"[{count}]{{a}}: 1"))


@pytest.mark.parametrize("text", ["{t[0]: }", "{t[01]: 1}", "{t[]: 1}", "{t[1: 1}", "[0]{a}: 1"])
def test_k10_counts_that_are_none(text: str) -> None:
    assert failure(decode_stc, text).offset in (3, 4)


def test_k10_output_limit_counts_bytes() -> None:
    stc = '[3]{ключ}: "é" / "é" / "é"'.replace("ключ", '"ключ"')
    json = '[{"ключ":"é"},{"ключ":"é"},{"ключ":"é"}]'
    size = len(json.encode())
    assert decode_stc(stc, max_output=size) == json
    with pytest.raises(StcError, match=f"at most {size - 1} bytes"):
        decode_stc(stc, max_output=size - 1)


def test_k10_a_small_text_does_not_become_a_large_one() -> None:
    bomb = "[100000]{" + "k" * 100_000 + "}: " + "/".join("1" * 100_000)
    with pytest.raises(StcError, match="at most 67108864 bytes"):
        decode_stc(bomb)
    with pytest.raises(StcError, match="at most 67108864 bytes"):
        decode_stc("stc2\n[100000]{" + "k" * 100_000 + "}" + "\n1" * 100_000)


@pytest.mark.parametrize("function", [decode_stc, encode_stc, encode_stc2])
def test_k9_a_lone_surrogate_is_not_text(function: Callable[[str], str]) -> None:
    error = failure(function, '{"é":\n"\ud800"}')
    assert (error.offset, error.line, error.column) == (8, 2, 2)
    assert "lone surrogate U+D800" in str(error)


def test_s10_an_error_says_where_and_what() -> None:
    error = failure(encode_stc, '{"a": 1,\n "é" 2}')
    assert (error.offset, error.line, error.column) == (15, 2, 6)
    assert str(error) == "expected `:` after the key, found `2` (line 2, column 6, byte 15)"
    assert str(failure(decode_stc, '"\x07"')).startswith(
        "expected control characters to be escaped in a string, found U+0007"
    )
    assert str(failure(decode_stc, "[")).startswith("expected a value, found the end of the text")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
