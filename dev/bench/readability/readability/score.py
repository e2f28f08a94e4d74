"""Is an answer right? Decided by the value alone."""

from __future__ import annotations

import re

from .questions import Answer

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NONE = {"none", "no one", "nobody", ""}


def is_right(given: str, answer: Answer) -> bool:
    """A number by its value, a word without case, quotes and the stop at its end, a list as a set.

    >>> is_right("**42**.", 42), is_right("There are 42", 42), is_right("42 or 43", 42)
    (True, True, False)
    >>> is_right("a, `B`", frozenset(["a", "b"])), is_right("None.", frozenset())
    (True, True)
    """
    if isinstance(answer, frozenset):
        return _set(given) == {_word(word) for word in answer}
    if isinstance(answer, int):
        numbers = {float(number) for number in _NUMBER.findall(given.replace(",", ""))}
        return numbers == {float(answer)}
    return _word(given) == _word(answer)


def _word(text: str) -> str:
    return text.strip().strip("`*\"'").rstrip(".").strip("`*\"'").strip().casefold()


def _set(given: str) -> set[str]:
    found = {_word(part) for part in re.split(r"[,\n;]", _word(given))} - {""}
    return set() if found <= _NONE else found
