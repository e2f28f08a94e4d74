"""What the requests of one run cost: as billed, and as if no other run had warmed the provider's cache.

Arms that follow each other within minutes read each other's prompt cache: their tools and system prompts are alike. The
arm that changes these least then looks cheap for a reason that no user has (distil's authors found 14 of 20 points of
another tool's saving to be this). So what a run reads without having sent it before is priced as a write: the cold cost.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Optional

from .meter import Metered, Usage


@dataclass(frozen=True)
class Bill:
    """The sums of a run."""

    requests: int
    tokens: dict[str, int]
    foreign: int
    unmetered: int
    unpriced: list[str]
    cost: Optional[float]
    cold_cost: Optional[float]


def bill(requests: list[Metered], prices: dict[str, Any]) -> Bill:
    """`foreign`: tokens that came from a cache which this run cannot have filled."""
    answered = [request for request in requests if request.status < 400]
    sums: dict[str, int] = asdict(Usage())
    own: dict[tuple[str, str], int] = {}
    cost = cold = 0.0
    foreign = 0
    unpriced: set[str] = set()
    for request in answered:
        usage = request.usage
        if usage is None:
            continue
        # The provider caches tools first, so a conversation with other tools has nothing of this one.
        conversation = (request.model, request.tools)
        strange = max(0, usage.cache_read - own.get(conversation, 0))
        own[conversation] = max(own.get(conversation, 0), usage.prompt)
        foreign += strange
        for name, value in asdict(usage).items():
            sums[name] += value
        price = price_of(request.model, prices)
        if price is None:
            unpriced.add(request.model)
            continue
        paid = sum(price[name] * value for name, value in asdict(usage).items()) / 1e6
        cost += paid
        cold += paid + strange * (price["cache_write"] - price["cache_read"]) / 1e6
    unmetered = sum(request.usage is None for request in answered)
    is_known = not unmetered and not unpriced and bool(answered)
    return Bill(len(answered), sums, foreign, unmetered, sorted(unpriced), cost if is_known else None, cold if is_known else None)


def price_of(model: str, prices: dict[str, Any]) -> Optional[dict[str, float]]:
    """The price of a model by its name, with or without the date of a release.

    >>> price_of("claude-x-1-20990101", {"claude-x-1": {"input": 1.0}})
    {'input': 1.0}
    >>> price_of("claude-x-12", {"claude-x-1": {"input": 1.0}})
    """
    for name, price in prices.items():
        rest = model[len(name):] if model.startswith(name) else "?"
        if not rest or (rest[0] in "-@" and rest[1:].isdigit()):
            return price
    return None
