"""Questions that follow from the data, one of every kind for each document, with their answers."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Callable, Union

from .data import Document

KINDS = ("lookup", "filter", "count", "compare", "structure")

Answer = Union[int, str, "frozenset[str]"]
"""A number, a word, or a set of words."""


@dataclass(frozen=True)
class Question:
    """A question, and the only right answer."""

    kind: str
    text: str
    answer: Answer


def questions(document: Document, seed: int) -> list[Question]:
    """One question of every kind about a document."""
    random = Random(f"questions {seed}")
    asked = SHAPES[document.shape](document.value, random)
    return [Question(kind, *asked[kind]) for kind in KINDS]


Asked = dict[str, "tuple[str, Answer]"]


def people(rows: Any, random: Random) -> Asked:
    row, other = random.sample(rows, 2)
    while row["score"] == other["score"]:
        other = random.choice(rows)
    city = random.choice(rows)["city"]
    least = random.randrange(600, 900)
    found = [each["id"] for each in rows if each["city"] == city and each["score"] > least]
    return {
        "lookup": (f"What is the city of the person with id {row['id']}?", row["city"]),
        "filter": (
            f"What are the ids of the people in {city} with a score above {least}? {LIST}",
            words(found),
        ),
        "count": ("How many people are active?", sum(each["active"] for each in rows)),
        "compare": (
            f"Who has the higher score, the person with id {row['id']} or the one with id {other['id']}? Answer with the id.",
            max(row, other, key=lambda each: each["score"])["id"],
        ),
        "structure": ("How many fields does each person have?", len(rows[0])),
    }


def orders(value: Any, random: Random) -> Asked:
    rows = value["orders"]
    row, other = random.sample(rows, 2)
    while quantity(row) == quantity(other):
        row, other = random.sample(rows, 2)
    status = random.choice(rows)["status"]
    found = [each["number"] for each in rows if each["status"] == status and len(each["lines"]) > 2]
    line = random.choice(row["lines"])
    return {
        "lookup": (
            f"In which city is the customer of order {row['number']}?",
            row["customer"]["city"],
        ),
        "filter": (
            f"Which orders have the status {status} and more than two lines? Answer with their numbers. {LIST}",
            words(found),
        ),
        "count": (
            f"How many lines do all orders with the status {status} have together?",
            sum(len(each["lines"]) for each in rows if each["status"] == status),
        ),
        "compare": (
            f"Which order has the larger total quantity over its lines, {row['number']} or {other['number']}? Answer with the number.",
            max(row, other, key=quantity)["number"],
        ),
        "structure": (
            f"In order {row['number']}, what is the quantity of the line that has the sku {line['sku']} (the first such line)?",
            next(each["quantity"] for each in row["lines"] if each["sku"] == line["sku"]),
        ),
    }


def quantity(order: Any) -> int:
    return sum(line["quantity"] for line in order["lines"])


def issues(rows: Any, random: Random) -> Asked:
    row, other = random.sample(rows, 2)
    while row["comments"] == other["comments"]:
        row, other = random.sample(rows, 2)
    login = random.choice(rows)["author"]["login"]
    found = [each["number"] for each in rows if each["author"]["login"] == login and each["state"] == "open"]
    label = random.choice(["bug", "docs", "feature", "urgent"])
    return {
        "lookup": (f"What is the comments_url of issue {row['number']}?", row["comments_url"]),
        "filter": (
            f"Which open issues were opened by {login}? Answer with their numbers. {LIST}",
            words(found),
        ),
        "count": (
            f"How many issues have the label {label}?",
            sum(any(each["name"] == label for each in issue["labels"]) for issue in rows),
        ),
        "compare": (
            f"Which issue has more comments, {row['number']} or {other['number']}? Answer with the number.",
            max(row, other, key=lambda each: each["comments"])["number"],
        ),
        "structure": (
            f"Does issue {row['number']} have the field closed_at? Answer yes or no.",
            "yes" if "closed_at" in row else "no",
        ),
    }


def events(value: Any, random: Random) -> Asked:
    rows = value["events"]
    row = random.choice(rows)
    service = random.choice(rows)["service"]
    timed = [each for each in rows if "latency_ms" in each]
    one, other = random.sample(timed, 2)
    while one["latency_ms"] == other["latency_ms"]:
        other = random.choice(timed)
    found = [each["at"] for each in rows if each["level"] == "error" and each["service"] == service]
    return {
        "lookup": (f"What is the message of the event at {row['at']}?", row["message"]),
        "filter": (
            f"When did {service} have events with the level error? Answer with the values of `at`. {LIST}",
            words(found),
        ),
        "count": ("How many events have the level error?", sum(each["level"] == "error" for each in rows)),
        "compare": (
            f"Which event has the higher latency_ms, the one at {one['at']} or the one at {other['at']}? Answer with its `at`.",
            max(one, other, key=lambda each: each["latency_ms"])["at"],
        ),
        "structure": (
            f"Does the event at {row['at']} have the field latency_ms? Answer yes or no.",
            "yes" if "latency_ms" in row else "no",
        ),
    }


def services(value: Any, random: Random) -> Asked:
    by_name = value["services"]
    name, other = random.sample(sorted(by_name), 2)
    least = random.choice([128, 256, 512])
    found = [each for each, service in by_name.items() if service["memory_mb"] > least]
    pairs = [
        (one, two)
        for one in by_name
        for two in by_name
        if one < two and by_name[one]["replicas"] != by_name[two]["replicas"]
    ]
    one, two = random.choice(pairs) if pairs else (name, other)
    return {
        "lookup": (f"What is the image of the service {name}?", by_name[name]["image"]),
        "filter": (f"Which services have more than {least} MB of memory? Answer with their names. {LIST}", words(found)),
        "count": ("How many services are public?", sum(service["public"] for service in by_name.values())),
        "compare": (
            f"Which service has more replicas, {one} or {two}? Answer with its name.",
            max(one, two, key=lambda each: by_name[each]["replicas"]),
        ),
        "structure": ("How many services are there?", len(by_name)),
    }


LIST = "Separate them by commas; answer none if there are none."

SHAPES: dict[str, Callable[[Any, Random], Asked]] = {
    "people": people,
    "orders": orders,
    "issues": issues,
    "events": events,
    "services": services,
}


def words(values: list[Any]) -> Answer:
    return frozenset(str(value) for value in values)
