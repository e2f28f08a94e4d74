"""The law over random documents: decoding gives back the minified text, byte for byte."""

from __future__ import annotations

import json
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tokenforge_stc import (
    Level,
    StcError,
    ToonError,
    decode_stc,
    decode_toon,
    encode_stc,
    encode_stc2,
    encode_toon,
)

RANDOM_DOCUMENTS = os.environ.get("STC_RANDOM_DOCUMENTS")
RANDOM_STC2_DOCUMENTS = os.environ.get("STC2_RANDOM_DOCUMENTS")
LEVELS: list[Level] = [1, 2, 3]

WORDS = [
    "a",
    "b",
    "id",
    "_x1",
    "true",
    "1a",
    "x-y",
    "",
    "é",
    "😀",
    " / ",
    "[2]{a}: ",
    "%b",
    "\\u0000",
    "\\ud800",
    "\\\\",
    '\\"',
]
WORDS += ["\\/", "\\n", "\u2028", "a,b", "}", ": ", '5\\" disk', "null", "-0"]
NUMBERS = ["0", "-0", "1.10", "1E400", "-1e-20", "12345678901234567890123", "0.30000000000000004", "9"]


class Documents:
    """Random JSON: written once minified, and once with white space anywhere."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def space(self) -> str:
        return self.random.choice(["", "", "", " ", "\n", "\t ", "\r\n"])

    def string(self) -> str:
        return '"' + "".join(self.random.choices(WORDS, k=self.random.randrange(3))) + '"'

    def scalar(self) -> str:
        return self.random.choice([self.string(), self.random.choice(NUMBERS), "true", "false", "null"])

    def wrap(self, opening: str, items: list[tuple[str, str]], closing: str) -> tuple[str, str]:
        minified = opening + ",".join(item for item, _ in items) + closing
        spaced = ",".join(self.space() + item + self.space() for _, item in items) or self.space()
        return minified, opening + spaced + closing

    def object(self, keys: list[str], depth: int) -> tuple[str, str]:
        members = [(key, self.value(depth - 1)) for key in keys]
        return self.wrap(
            "{", [(f"{k}:{v}", f"{k}{self.space()}:{self.space()}{s}") for k, (v, s) in members], "}"
        )

    def value(self, depth: int) -> tuple[str, str]:
        kind = self.random.randrange(6) if depth else 0
        size = self.random.randrange(4)
        keys = [self.string() for _ in range(size)]
        if kind < 2:
            scalar = self.scalar()
            return scalar, scalar
        if kind == 2:
            return self.object(keys, depth)
        if kind == 3:
            return self.wrap("[", [self.value(depth - 1) for _ in range(size)], "]")
        if kind == 4:
            family = self.random.choice([[self.string()], NUMBERS, ["true", "false"]])
            return self.wrap("[", [(item, item) for item in self.random.choices(family, k=size)], "]")
        inner = self.random.choice([1, depth])
        return self.wrap("[", [self.object(keys, inner) for _ in range(self.random.randrange(1, 4))], "]")


def test_k3_random_documents() -> None:
    documents = Documents(seed=1)
    for _ in range(5_000):
        minified, spaced = documents.value(4)
        adr, dense = encode_stc(spaced), encode_stc(spaced, spelling="dense")
        assert decode_stc(adr) == minified, spaced
        assert decode_stc(dense) == minified, spaced
        assert decode_stc(encode_stc(spaced, spelling="flat")) == minified, spaced
        assert decode_stc(spaced) == minified
        # L6: what was encoded is encoded the same again.
        assert encode_stc(decode_stc(adr)) == adr
        assert encode_stc(decode_stc(dense), spelling="dense") == dense
        for level in LEVELS:
            encoded = encode_stc2(spaced, level=level)
            assert decode_stc(encoded) == minified, spaced
            assert encode_stc2(minified, level=level) == encoded


@pytest.mark.skipif(not RANDOM_DOCUMENTS, reason="STC_RANDOM_DOCUMENTS names no file of random documents")
def test_k3_k14_random_documents_agree_with_the_other_implementations() -> None:
    with Path(RANDOM_DOCUMENTS or "").open(encoding="utf-8", newline="\n") as lines:
        count = 0
        for count, line in enumerate(lines, start=1):
            document = json.loads(line)
            assert encode_stc(document["json"]) == document["adr"], line
            assert encode_stc(document["json"], spelling="dense") == document["dense"], line
            assert decode_stc(document["adr"]) == document["minified"], line
            assert decode_stc(document["dense"]) == document["minified"], line
            assert encode_stc(document["json"], spelling="flat") == document["flat"], line
            assert decode_stc(document["flat"]) == document["minified"], line
            assert toon(document["json"]) == document["toon_verbatim"], line
            if document["toon_verbatim"] is not None:
                assert decode_toon(document["toon_verbatim"]) == document["toon_decoded"], line
    assert count > 0, "the file has no documents"


def toon(json: str) -> str | None:
    """A text as TOON, if TOON can hold it."""
    try:
        return encode_toon(json)
    except ToonError:
        return None


@pytest.mark.skipif(not RANDOM_STC2_DOCUMENTS, reason="STC2_RANDOM_DOCUMENTS names no file of random documents")
def test_stc2_random_documents_agree_with_the_other_implementations() -> None:
    shares = os.cpu_count() or 1
    with ProcessPoolExecutor(shares) as processes:
        counts = processes.map(agree_on_share, range(shares), [shares] * shares)
        assert sum(counts) > 0, "the file has no documents"


def agree_on_share(share: int, shares: int) -> int:
    """Checks one of so many lines, from the given one on, and says how many there were."""
    count = 0
    with Path(RANDOM_STC2_DOCUMENTS or "").open(encoding="utf-8", newline="\n") as lines:
        for line in islice(lines, share, None, shares):
            document = json.loads(line)
            for level, encoded in zip(LEVELS, document["levels"]):
                assert encode_stc2(document["json"], level=level) == encoded, line
                assert decode_stc(encoded) == document["minified"], line
            assert read(document) == (document["decoded"], document["offset"]), line
            count += 1
    return count


def read(document: dict[str, Any]) -> tuple[str | None, int | None]:
    """The damaged text decoded, or where reading could not go on."""
    try:
        return decode_stc(document["damaged"], max_output=document["max_output"]), None
    except StcError as error:
        return None, error.offset
