"""Intervals and tests."""

from __future__ import annotations

from math import comb, sqrt
from random import Random

_Z = 1.959963984540054
_RESAMPLES = 2000

Marks = dict[int, list[bool]]
"""For each document, whether each of its questions was answered right."""


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.49, 0.943]
    """
    if of == 0:
        return 0.0, 1.0
    share = right / of
    middle = share + _Z**2 / (2 * of)
    spread = _Z * sqrt(share * (1 - share) / of + _Z**2 / (4 * of**2))
    scale = 1 + _Z**2 / of
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def mcnemar(only_one: int, only_other: int) -> float:
    """The exact two-sided p of pairs of which so many were right in one alone, and so many in the other alone.

    >>> round(mcnemar(1, 9), 4), mcnemar(0, 0)
    (0.0215, 1.0)
    """
    pairs = only_one + only_other
    tail = sum(comb(pairs, count) for count in range(min(only_one, only_other) + 1))
    return min(1.0, tail * 0.5 ** (pairs - 1))


def holm(values: list[float]) -> list[float]:
    """p values corrected for their number.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        corrected[index] = highest
    return corrected


def difference(one: Marks, other: Marks, seed: int = 0) -> tuple[float, float, float]:
    """How much larger the share of the first is, with a 95 % interval by resampling documents."""
    random = Random(f"bootstrap {seed}")
    gains = [(sum(one[at]) - sum(other[at]), len(one[at])) for at in sorted(one)]
    drawn = sorted(_share(random.choices(gains, k=len(gains))) for _ in range(_RESAMPLES))
    return _share(gains), drawn[int(0.025 * _RESAMPLES)], drawn[int(0.975 * _RESAMPLES)]


def _share(gains: list[tuple[int, int]]) -> float:
    return sum(gain for gain, _ in gains) / sum(count for _, count in gains)
