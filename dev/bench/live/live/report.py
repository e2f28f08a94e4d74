"""What a campaign showed, by the rules of PROTOCOL.md."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from .manifest import AGAIN, BASE
from .outcome import DONE

MARGIN = 0.05
FEWEST = 5
"""Tasks below which an interval over tasks means nothing."""
DRAWS = 10_000
Row = dict[str, Any]
Blocks = dict[str, dict[int, dict[str, Row]]]
"""By task and repetition, a row for each arm."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval."""

    value: float
    low: float
    high: float


def complete(rows: list[Row], arms: list[str]) -> Blocks:
    """The blocks in which every arm has a run that counts."""
    found: Blocks = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row["status"] in DONE:
            found[row["task"]][row["repetition"]][row["arm"]] = row
    whole = {task: {at: block for at, block in blocks.items() if set(arms) <= set(block)} for task, blocks in found.items()}
    return {task: blocks for task, blocks in whole.items() if blocks}


def cost_ratio(blocks: Blocks, arm: str, kind: str, level: float, figure: str = "cold_cost") -> Estimate:
    """What an arm costs for each dollar of the base; failed runs cost too. `geometric`: every task weighs the same;
    `total`: every dollar does."""
    tasks = [[(block[arm][figure], block[BASE][figure]) for block in runs.values()] for runs in blocks.values()]

    def ratio(drawn: "list[list[tuple[float, float]]]") -> float:
        sums = [(sum(one for one, _ in pairs), sum(other for _, other in pairs)) for pairs in drawn]
        if kind == "total":
            return sum(one for one, _ in sums) / sum(other for _, other in sums)
        return math.exp(sum(math.log(one / other) for one, other in sums) / len(sums))

    return bootstrap(tasks, ratio, level)


def solved_difference(blocks: Blocks, arm: str, level: float) -> Estimate:
    """How much larger the share of solved runs is than that of the base, task by task."""
    tasks = [[(float(block[arm]["solved"]), float(block[BASE]["solved"])) for block in runs.values()] for runs in blocks.values()]

    def difference(drawn: "list[list[tuple[float, float]]]") -> float:
        return sum(sum(one - other for one, other in pairs) / len(pairs) for pairs in drawn) / len(drawn)

    return bootstrap(tasks, difference, level)


def bootstrap(tasks: "list[list[tuple[float, float]]]", statistic: Any, level: float) -> Estimate:
    """Draws tasks, and within each of them repetitions."""
    dice = random.Random("live arms")
    found = sorted(
        statistic([dice.choices(pairs, k=len(pairs)) for pairs in dice.choices(tasks, k=len(tasks))]) for _ in range(DRAWS)
    )
    out = int((1 - level) / 2 * DRAWS)
    return Estimate(statistic(tasks), found[out], found[DRAWS - 1 - out])


def verdict(cost: Estimate, solved: Estimate) -> str:
    price = "cheaper" if cost.high < 1 else "dearer" if cost.low > 1 else "cost: no difference shown"
    if solved.high < 0:
        return f"solves less; {price}"
    if solved.low > -MARGIN:
        return f"solves no less; {price}"
    return f"solving: not decided; {price}"


def report(name: str, kind: str, rows: list[Row], arms: list[str], is_dry: bool) -> str:
    """Markdown."""
    lines = ["**DRY RUN: a script answered instead of a model. These figures show that the plumbing works, and nothing else.**", ""] if is_dry else []
    blocks = complete(rows, arms)
    count = sum(len(runs) for runs in blocks.values())
    lines += [f"## {name}: {len(blocks)} tasks, {count} complete blocks of {len(arms)} arms", ""]
    broken: dict[str, int] = defaultdict(int)
    for row in rows:
        if row["status"] not in DONE:
            broken[f"{row['arm']} {row['status']}"] += 1
    if broken:
        lines += ["Runs that broke and were run again: " + ", ".join(f"{what} {times}" for what, times in sorted(broken.items())), ""]
    if not blocks:
        return "\n".join([*lines, "No block is complete: nothing can be compared.", ""])
    if AGAIN in arms:
        lines += [_control(blocks, kind), ""]
    compared = [arm for arm in arms if arm not in (BASE, AGAIN)]
    level = 1 - 0.05 / max(1, len(compared))
    lines += [
        f"Intervals at {level:.1%} ({len(compared)} comparisons). Cold cost: tokens from a cache that other runs filled are priced as written.", "",
        "| arm | solved | cold cost of a run | as billed | requests | against none: cost | solved, points | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for arm in arms:
        of_arm = [block[arm] for runs in blocks.values() for block in runs.values()]
        mean = {key: sum(row[key] for row in of_arm) / len(of_arm) for key in ("cold_cost", "cost", "requests")}
        cells = [arm, f"{sum(row['solved'] for row in of_arm)} of {len(of_arm)}", f"${mean['cold_cost']:.4f}", f"${mean['cost']:.4f}", f"{mean['requests']:.1f}"]
        if arm == BASE:
            cells += ["", "", ""]
        else:
            cost, solved = cost_ratio(blocks, arm, kind, level), solved_difference(blocks, arm, level)
            cells += [f"{cost.value:.3f} ({cost.low:.3f} to {cost.high:.3f})",
                      f"{100 * solved.value:+.1f} ({100 * solved.low:+.1f} to {100 * solved.high:+.1f})",
                      "" if arm == AGAIN else verdict(cost, solved) if len(blocks) >= FEWEST else "too few tasks"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _control(blocks: Blocks, kind: str) -> str:
    cost, solved = cost_ratio(blocks, AGAIN, kind, 0.99), solved_difference(blocks, AGAIN, 0.99)
    if cost.low <= 1 <= cost.high and solved.low <= 0 <= solved.high:
        return f"A/A control: the base against itself costs {cost.value:.3f} ({cost.low:.3f} to {cost.high:.3f}, 99 %): as it should be."
    return ("**A/A control failed: two equal arms differ at 99 %. Nothing below may be quoted.** "
            f"Cost {cost.value:.3f} ({cost.low:.3f} to {cost.high:.3f}), solved {100 * solved.value:+.1f} points.")
