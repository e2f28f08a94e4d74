"""Forms that no part of Tokenforge writes yet: what the first measurements suggested for small models.

They lost on tables because they cannot count rows and because bare words are copied less surely than quoted ones, so these
have a number before each row, quotes, or both. One becomes a form of ours when it reads as well as the original at fewer
tokens than minified JSON, and not before.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tokenforge_stc import encode_stc2

_COLUMN = re.compile(r"( *)(\d+)([\t→:|])")


def minified(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_table(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(row, dict) and row for row in value)


def has_rows(value: Any) -> bool:
    """Is there a table in it?"""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return is_table(value) or any(map(has_rows, inner))


def rows_on_lines(text: str, numbered: bool = False) -> str:
    """Minified JSON with every row on a line of its own.

    >>> rows_on_lines('{"a":[{"x":1},{"x":2}]}')
    '{"a":[\\n{"x":1},\\n{"x":2}]}'
    >>> rows_on_lines('[{"x":1},{"x":2}]', numbered=True)
    '[\\n0 {"x":1},\\n1 {"x":2}]'
    """

    def write(value: Any) -> str:
        if is_table(value):
            return "[\n" + ",\n".join((f"{at} " if numbered else "") + minified(row) for at, row in enumerate(value)) + "]"
        if isinstance(value, dict):
            return "{" + ",".join(f"{minified(key)}:{write(inner)}" for key, inner in value.items()) + "}"
        return minified(value)

    return write(json.loads(text))


def stc2_with_row_numbers(text: str) -> str:
    """STC 2 at level 2 whose tables begin with a column of numbers.

    >>> stc2_with_row_numbers('[{"id": 7, "name": "users"}, {"id": 9, "name": "orders"}]')
    'stc2\\n[2]{# id name}\\n0 7 users\\n1 9 orders'
    """

    def numbered(value: Any) -> Any:
        if is_table(value):
            return [{"#": at, **{key: numbered(inner) for key, inner in row.items()}} for at, row in enumerate(value)]
        if isinstance(value, dict):
            return {key: numbered(inner) for key, inner in value.items()}
        return [numbered(inner) for inner in value] if isinstance(value, list) else value

    return encode_stc2(minified(numbered(json.loads(text))), level=2)


def quoted_rows(text: str, numbered: bool = False) -> str:
    """Tables with a header and cells as JSON has them, quotes and all.

    >>> quoted_rows('[{"id":1,"n":"a"},{"id":2,"n":"b"}]', numbered=True)
    '[2]{#,id,n}\\n0,1,"a"\\n1,2,"b"'
    >>> quoted_rows('{"a":[{"id":1},{"no":2}]}')
    '{"a":[{"id":1},{"no":2}]}'
    """

    def write(value: Any) -> str:
        if is_table(value) and all(list(row) == list(value[0]) for row in value):
            header = [*(["#"] if numbered else []), *value[0]]
            lines = [",".join([*([str(at)] if numbered else []), *map(write, row.values())]) for at, row in enumerate(value)]
            return "\n".join([f"[{len(value)}]{{{','.join(header)}}}", *lines])
        if isinstance(value, dict):
            return "{" + ",".join(f"{minified(key)}:{write(inner)}" for key, inner in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(write, value)) + "]"
        return minified(value)

    return write(json.loads(text))


def anchors(text: str, every: int) -> str:
    """A numbered file read with a number at the first line of it and at every so many.

    >>> anchors("  1→a\\n  2→b\\n  3→c\\n  4→d", 2)
    '[Lines 1-4, every 2nd numbered]\\n  1→a\\n2→b\\nc\\n4→d'
    """
    lines = text.split("\n")
    found = [_COLUMN.match(line) for line in lines]
    numbers = [int(match[2]) for match in found if match]
    if len(numbers) < 2 or not all(found[: len(numbers)]):
        return text
    ordinal = {2: "2nd", 3: "3rd"}.get(every, f"{every}th")
    out = [f"[Lines {numbers[0]}-{numbers[-1]}, every {ordinal} numbered]"]
    for at, (line, match) in enumerate(zip(lines, found)):
        if match and at:
            line = line[match.end():] if int(match[2]) % every else line[len(match[1]):]
        out.append(line)
    return "\n".join(out)
