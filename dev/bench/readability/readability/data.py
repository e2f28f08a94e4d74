"""Documents made up from a seed, in the shapes that tools return."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

NAMES = ["Ada", "Boris", "Chen", "Dora", "Emil", "Fatima", "Goran", "Hana", "Ivan", "Jonas", "Kavya", "Lena"]
SURNAMES = ["Ahmed", "Berg", "Costa", "Diaz", "Eriksen", "Fischer", "Garcia", "Horvat", "Ito", "Jensen"]
CITIES = ["Berlin", "Lisbon", "Osaka", "Quito", "Nairobi", "Oslo", "Lima", "Hanoi"]


@dataclass(frozen=True)
class Document:
    """Some data, and the shape it has."""

    shape: str
    value: Any


def document(seed: int) -> Document:
    """A document, the same for the same seed; the shapes take turns."""
    random = Random(f"document {seed}")
    shape = list(SHAPES)[seed % len(SHAPES)]
    return Document(shape, SHAPES[shape](random))


def people(random: Random) -> Any:
    """Flat rows."""
    first = random.randrange(1000, 5000)
    return [
        {
            "id": first + index,
            "name": f"{random.choice(NAMES)} {random.choice(SURNAMES)}",
            "city": random.choice(CITIES),
            "active": random.random() < 0.7,
            "score": random.randrange(100, 1000),
        }
        for index in range(random.randrange(20, 40))
    ]


def orders(random: Random) -> Any:
    """Rows with an object and a list inside."""
    first = random.randrange(1000, 9000)
    return {
        "total": None,
        "orders": [
            {
                "number": first + index,
                "customer": {
                    "name": f"{random.choice(NAMES)} {random.choice(SURNAMES)}",
                    "city": random.choice(CITIES),
                },
                "lines": [
                    {"sku": f"SKU-{random.randrange(100, 999)}", "quantity": random.randrange(1, 9)}
                    for _ in range(random.randrange(1, 5))
                ],
                "status": random.choice(["open", "paid", "shipped", "returned"]),
                "currency": "EUR",
            }
            for index in range(random.randrange(12, 20))
        ],
    }


def issues(random: Random) -> Any:
    """Rows of which some lack a field, with addresses that start alike."""
    first = random.randrange(100, 900)
    rows = []
    for number in range(first, first + random.randrange(12, 20)):
        is_closed = random.random() < 0.4
        row = {
            "number": number,
            "title": f"{random.choice(['Fix', 'Add', 'Document', 'Remove'])} the {random.choice(['parser', 'cache', 'login', 'build'])}",
            "author": {"login": random.choice(NAMES).lower(), "type": "User"},
            "state": "closed" if is_closed else "open",
            "labels": [{"name": name} for name in random.sample(["bug", "docs", "feature", "urgent"], random.randrange(3))],
            "url": f"https://api.example.com/repos/acme/widgets/issues/{number}",
            "comments_url": f"https://api.example.com/repos/acme/widgets/issues/{number}/comments",
            "comments": random.randrange(12),
        }
        if is_closed:
            row["closed_at"] = f"2026-0{random.randrange(1, 9)}-{random.randrange(10, 28)}"
        rows.append(row)
    return rows


def events(random: Random) -> Any:
    """A log: what is in an event depends on its kind, and much repeats."""
    rows = []
    for index in range(random.randrange(25, 45)):
        level = random.choice(["info", "info", "info", "warning", "error"])
        row: dict[str, Any] = {
            "at": f"2026-07-14T10:{index:02}:{random.randrange(60):02}Z",
            "level": level,
            "service": random.choice(["billing", "gateway", "search"]),
            "message": random.choice(["request served", "cache refreshed", "connection reset", "timeout while waiting"]),
        }
        if level == "error":
            row["code"] = random.choice([500, 502, 504])
        if random.random() < 0.5:
            row["latency_ms"] = random.randrange(5, 900)
        rows.append(row)
    return {"events": rows}


def services(random: Random) -> Any:
    """Objects of one shape, by name."""
    names = random.sample(["auth", "billing", "cart", "gateway", "index", "mail", "queue", "search", "users"], 7)
    return {
        "region": random.choice(["eu-west", "us-east"]),
        "services": {
            name: {
                "image": f"registry.example.com/acme/{name}:1.{random.randrange(20)}.{random.randrange(10)}",
                "replicas": random.randrange(1, 9),
                "memory_mb": random.choice([128, 256, 512, 1024]),
                "public": random.random() < 0.3,
            }
            for name in names
        },
    }


SHAPES = {"people": people, "orders": orders, "issues": issues, "events": events, "services": services}
