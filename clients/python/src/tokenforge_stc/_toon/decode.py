"""TOON to minified JSON, line by line."""

from __future__ import annotations

import re

from .._decode import MAX_OUTPUT
from .._error import utf8
from .._steps import Steps, run
from .error import ToonError
from .scalar import cells, key_at, key_to_json, to_json

_HEADER = re.compile(r"\[([0-9]{1,15})(:?)\]")


def decode_toon(toon: str, *, max_output: int = MAX_OUTPUT) -> str:
    """Reads TOON as Tokenforge writes it, with two spaces a level and commas, and returns minified JSON.

    >>> decode_toon("users[2]{id,name}:\\n  1,Ada\\n  2,Bob")
    '{"users":[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]}'

    Raises :class:`ToonError` for any other text, and for one that decodes to more than ``max_output`` bytes.
    """
    utf8(toon)
    decoder = _Decoder(toon[:-1] if toon.endswith("\n") else toon, max_output)
    try:
        run(decoder.document())
        if decoder.at < len(decoder.lines):
            decoder.at += 1
            raise ToonError("it belongs to nothing before it")
    except ToonError as error:
        raise ToonError(f"line {max(decoder.at, 1)} cannot be read as TOON: {error}") from None
    json = "".join(decoder.out)
    if len(json.encode()) > max_output:
        raise _too_large(max_output)
    return json


def _too_large(max_output: int) -> ToonError:
    return ToonError(f"expected an output of at most {max_output} bytes")


class _Decoder:
    def __init__(self, text: str, max_output: int) -> None:
        self.lines = text.split("\n")
        self.at = 0
        self.out: list[str] = []
        self.left = self.max_output = max_output

    def write(self, piece: str) -> None:
        # Characters are no more than bytes; those are counted at the end, once.
        self.left -= len(piece)
        if self.left < 0:
            raise _too_large(self.max_output)
        self.out.append(piece)

    def next(self, depth: int) -> str | None:
        """The next line without its indentation, if it is at this depth; a scope ends with any other."""
        if self.at == len(self.lines):
            return None
        line = self.lines[self.at]
        indent = 2 * depth
        if not line.startswith(" " * indent) or line[indent : indent + 1] in ("", " "):
            return None
        self.at += 1
        return line[indent:]

    def document(self) -> Steps:
        if self.lines in (["[]"], [""]):
            self.at = 1
            self.write("[]" if self.lines[0] else "{}")
            return
        first = self.next(0)
        if first is None:
            raise ToonError("it is indented")
        if first.startswith("["):
            yield self.array(first, 0, 0)
        elif len(self.lines) == 1 and not first.startswith((":", "["), len(key_at(first, 0))):
            self.write(to_json(first))
        else:
            yield self.object(first, 0)

    def object(self, line: str | None, depth: int) -> Steps:
        """The members at a depth, the first on a line that was read."""
        comma = "{"
        keys: set[str] = set()
        while line is not None:
            key = _new_key(line, 0, keys)
            self.write(f"{comma}{key_to_json(key)}:")
            comma = ","
            rest = line[len(key) :]
            if rest.startswith("["):
                yield self.array(rest, 0, depth)
            elif rest == ":":
                below = self.next(depth + 1)
                if below is None:
                    self.write("{}")
                else:
                    yield self.object(below, depth + 1)
            elif rest == ": []":
                self.write("[]")
            elif rest.startswith(": "):
                self.write(to_json(rest[2:]))
            else:
                raise ToonError("expected `:` behind the key")
            line = self.next(depth)
        self.write("}")

    def array(self, line: str, at: int, depth: int) -> Steps:
        """What a header at an offset announces: values, items, rows, or rows with keys."""
        header = _HEADER.match(line, at)
        if not header:
            raise ToonError("expected a count such as `[2]`")
        count, is_keyed = int(header[1]), bool(header[2])
        if line.startswith("{", header.end()):
            self.table(line, header.end() + 1, count, is_keyed, depth + 1)
        elif is_keyed or not line.startswith(":", header.end()):
            raise ToonError("expected `:` or columns behind the count")
        elif line.startswith(" ", header.end() + 1):
            values = cells(line, header.end() + 2)
            if len(values) != count:
                raise ToonError(f"expected {count} values as declared, found {len(values)}")
            self.write(f"[{','.join(values)}]")
        elif header.end() + 1 < len(line):
            raise ToonError("expected a space behind `:`")
        else:
            yield self.items(count, depth + 1)

    def items(self, count: int, depth: int) -> Steps:
        self.write("[")
        for index in range(count):
            line = self.next(depth)
            if line is None or not line.startswith("- ") and line != "-":
                raise ToonError(f"expected {count} items as declared, found {index}")
            self.write("," if index else "")
            if line == "-":
                self.write("{}")
            elif line.startswith("- ["):
                yield self.array(line, 2, depth)
            elif (key := key_at(line, 2)) and line.startswith((":", "["), 2 + len(key)):
                yield self.object(line[2:], depth + 1)
            else:
                self.write(to_json(line[2:]))
        self.write("]")

    def table(self, line: str, at: int, count: int, is_keyed: bool, depth: int) -> None:
        before, end = _columns(line, at)
        if end != len(line):
            raise ToonError("expected the end of the line behind the columns")
        opening, closing = ("{", "}") if is_keyed else ("[", "]")
        self.write(opening)
        keys: set[str] = set()
        for index in range(count):
            row, start = self.next(depth), 0
            if row is None:
                raise ToonError(f"expected {count} rows as declared, found {index}")
            self.write("," if index else "")
            if is_keyed:
                key = _new_key(row, 0, keys)
                if not row.startswith(": ", len(key)):
                    raise ToonError("expected `: ` behind the key")
                self.write(f"{key_to_json(key)}:")
                start = len(key) + 2
            values = cells(row, start)
            if len(values) != len(before) - 1:
                raise ToonError(f"expected {len(before) - 1} values as declared, found {len(values)}")
            for piece, value in zip(before, values):
                self.write(piece + value)
            self.write(before[-1])
        self.write(closing)


def _columns(line: str, at: int) -> tuple[list[str], int]:
    """The JSON before each cell of a row and behind the last, and the offset behind the fields and their colon."""
    pieces: list[str] = []
    before = "{"
    keys: list[set[str]] = [set()]
    while True:
        key = _new_key(line, at, keys[-1])
        before += f"{key_to_json(key)}:"
        at += len(key)
        if line.startswith("{", at):
            before += "{"
            keys.append(set())
            at += 1
            continue
        pieces.append(before)
        before = ""
        while line.startswith("}", at):
            before += "}"
            keys.pop()
            at += 1
            if not keys:
                if not line.startswith(":", at):
                    raise ToonError("expected `:` behind the columns")
                return [*pieces, before], at + 1
        if not line.startswith(",", at):
            raise ToonError("expected `,` between columns")
        before += ","
        at += 1


def _new_key(line: str, at: int, keys: set[str]) -> str:
    """The key at an offset, as it is written, which none of these is."""
    key = key_at(line, at)
    if not key:
        raise ToonError("expected a key")
    name = key_to_json(key)
    if name in keys:
        raise ToonError(f"the key {name} occurs twice")
    keys.add(name)
    return key
