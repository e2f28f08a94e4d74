"""Questions about a JSON text, by what it parses to."""

import json
import re

from .question import Question, one_of_each

LONGEST = 80


class Repeated(ValueError):
    """An object has a key twice: a path would mean two things."""


def unique_keys(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Repeated
    return value


def is_scalar(value):
    return not isinstance(value, (dict, list))


def is_short(value):
    return is_scalar(value) and value is not None and 0 < len(str(value)) <= LONGEST and "\n" not in str(value)


def walk(value, path="$"):
    """Every value below a value, with its path."""
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            is_name = re.fullmatch(r"[A-Za-z_]\w*", key)
            yield from walk(inner, f"{path}.{key}" if is_name else f"{path}[{json.dumps(key, ensure_ascii=False)}]")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from walk(inner, f"{path}[{at}]")


def same(a, b):
    return type(a) is type(b) and a == b


def spelled(value):
    return json.dumps(value, ensure_ascii=False)


def compare(value):
    """Strings count as they are, but for a single word or number: there case and quotes do not matter."""
    is_simple = not isinstance(value, str) or re.fullmatch(r"\w+|-?[\d.]+", value)
    return "value" if is_simple else "text"


def questions(text, forwarded, rng, wanted=3):
    try:
        root = json.loads(text, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):
        return []
    values = list(walk(root))
    tables = [(path, rows) for path, rows in values if isinstance(rows, list) and len(rows) > 2 and all(isinstance(row, dict) for row in rows)]
    leaves = [(path, value) for path, value in values if is_short(value) and path.count(".") + path.count("[") >= 2]
    # A notation put these together from parts: nowhere in the forwarded text do they stand as they are.
    assembled = [(path, value) for path, value in leaves if isinstance(value, str) and value not in forwarded]
    nulls = [(path, "null") for path, value in values if value is None]
    makers = [
        lambda: at_path(leaves, rng, "path"),
        lambda: at_path(assembled, rng, "assembled"),
        lambda: at_path(nulls, rng, "null"),
        lambda: type_of(values, rng),
    ]
    if tables:
        path, rows = max(tables, key=lambda table: len(table[1]))
        makers += [lambda make=make: make(path, rows, rng) for make in (by_index, by_key, count, listed, absent)]
    return one_of_each(rng, makers, wanted)


def at_path(leaves, rng, kind):
    if leaves:
        path, value = rng.choice(leaves)
        return Question(kind, f"What is the value at `{path}` (`$` is the whole document)?", value, compare(value))


def type_of(values, rng):
    """Of a string that looks like something else, or of a number."""
    looks = [(path, value) for path, value in values if isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?|true|false|null", value)]
    numbers = [(path, value) for path, value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if looks and numbers:
        path, value = rng.choice(rng.choice([looks, numbers]))
        answer = "string" if isinstance(value, str) else "number"
        return Question("type", f"Is the value at `{path}` (`$` is the whole document) a JSON string or a JSON number? Answer `string` or `number`.", answer, "value")


def by_index(path, rows, rng):
    at = rng.randrange(len(rows))
    fields = [key for key, value in rows[at].items() if is_short(value)]
    if fields:
        field = rng.choice(fields)
        return Question("index", f"In the array at `{path}`, what is `{field}` of the element with index {at} (the first element has index 0)?", rows[at][field], compare(rows[at][field]))


def keys(rows):
    """Fields that tell the rows apart."""
    return [key for key in rows[0] if all(is_short(row.get(key)) for row in rows) and len({spelled(row[key]) for row in rows}) == len(rows)]


def by_key(path, rows, rng):
    names = keys(rows)
    if not names:
        return None
    key, row = rng.choice(names), rng.choice(rows)
    fields = [field for field, value in row.items() if field != key and is_short(value)]
    if fields:
        field = rng.choice(fields)
        return Question("lookup", f"In the array at `{path}`, what is `{field}` of the element whose `{key}` is {spelled(row[key])}?", row[field], compare(row[field]))


def shared(rows, most):
    """Fields and values that some but not all rows have."""
    found = [(field, value) for row in rows for field, value in row.items() if is_short(value)]
    return [(field, value) for field, value in found if 1 < len(having(rows, field, value)) < min(len(rows), most + 1)]


def having(rows, field, value):
    return [row for row in rows if field in row and same(row[field], value)]


def count(path, rows, rng):
    found = shared(rows, 12)
    if found:
        field, value = rng.choice(found)
        return Question("count", f"In the array at `{path}`, how many elements have `{field}` equal to {spelled(value)}?", len(having(rows, field, value)), "value")


def listed(path, rows, rng):
    found = [(key, field, value) for key in keys(rows) for field, value in shared(rows, 6) if field != key]
    if found:
        key, field, value = rng.choice(found)
        answer = [row[key] for row in having(rows, field, value)]
        return Question("list", f"In the array at `{path}`, list the `{key}` of every element whose `{field}` equals {spelled(value)}. Answer with a JSON array.", answer, "set")


def absent(path, rows, rng):
    """Does a row have a field that some have, and some have not?"""
    names, fields = keys(rows), {field for row in rows for field in row}
    sparse = sorted(field for field in fields if any(field not in row for row in rows))
    if names and sparse:
        key, field, row = rng.choice(names), rng.choice(sparse), rng.choice(rows)
        answer = "yes" if field in row else "no"
        return Question("absent", f"In the array at `{path}`, does the element whose `{key}` is {spelled(row[key])} have the field `{field}` (a field that is null counts as present)? Answer `yes` or `no`.", answer, "value")
