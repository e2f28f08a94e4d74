"""TOON to minified JSON, line by line."""

from __future__ import annotations

import re

from ..._steps import Steps, run
from ..error import Unreadable
from ..text import Writer
from .scalar import cells, key_at, key_to_json, to_json

_HEADER = re.compile(r"\[([0-9]{1,15})(:?)\]")


def decode(text: str, max_output: int) -> str:
    decoder = _Decoder(text[:-1] if text.endswith("\n") else text, max_output)
    run(decoder.document())
    if decoder.at < len(decoder.lines):
        raise Unreadable
    return decoder.out.text()


class _Decoder:
    def __init__(self, text: str, max_output: int) -> None:
        self.lines = text.split("\n")
        self.at = 0
        self.out = Writer(max_output)

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
        if self.lines == ["[]"]:
            self.at = 1
            self.out.write("[]")
            return
        first = self.next(0)
        if first is None:
            raise Unreadable
        yield self.array(first, 0, 0) if first.startswith("[") else self.object(first, 0)

    def object(self, line: str | None, depth: int) -> Steps:
        """The members at a depth, the first on a line that was read."""
        comma = "{"
        while line is not None:
            key = key_at(line, 0)
            if not key:
                raise Unreadable
            self.out.write(f"{comma}{key_to_json(key)}:")
            comma = ","
            rest = line[len(key) :]
            if rest.startswith("["):
                yield self.array(rest, 0, depth)
            elif rest == ":":
                below = self.next(depth + 1)
                if below is None:
                    self.out.write("{}")
                else:
                    yield self.object(below, depth + 1)
            elif rest == ": []":
                self.out.write("[]")
            elif rest.startswith(": "):
                self.out.write(to_json(rest[2:]))
            else:
                raise Unreadable
            line = self.next(depth)
        self.out.write("}")

    def array(self, line: str, at: int, depth: int) -> Steps:
        """What a header at an offset announces: values, items, rows, or rows with keys."""
        header = _HEADER.match(line, at)
        if not header:
            raise Unreadable
        count, is_keyed = int(header[1]), bool(header[2])
        if line.startswith("{", header.end()):
            self.table(line, header.end() + 1, count, is_keyed, depth + 1)
        elif is_keyed or not line.startswith(":", header.end()):
            raise Unreadable
        elif line.startswith(" ", header.end() + 1):
            values = cells(line, header.end() + 2)
            if len(values) != count:
                raise Unreadable
            self.out.write(f"[{','.join(values)}]")
        elif header.end() + 1 < len(line):
            raise Unreadable
        else:
            yield self.items(count, depth + 1)

    def items(self, count: int, depth: int) -> Steps:
        self.out.write("[")
        for index in range(count):
            line = self.next(depth)
            if line is None or not line.startswith("- ") and line != "-":
                raise Unreadable
            self.out.write("," if index else "")
            if line == "-":
                self.out.write("{}")
            elif line.startswith("- ["):
                yield self.array(line, 2, depth)
            elif (key := key_at(line, 2)) and line.startswith((":", "["), 2 + len(key)):
                yield self.object(line[2:], depth + 1)
            else:
                self.out.write(to_json(line[2:]))
        self.out.write("]")

    def table(self, line: str, at: int, count: int, is_keyed: bool, depth: int) -> None:
        before, end = _columns(line, at)
        if end != len(line):
            raise Unreadable
        opening, closing = ("{", "}") if is_keyed else ("[", "]")
        self.out.write(opening)
        for index in range(count):
            row, start = self.next(depth), 0
            if row is None:
                raise Unreadable
            self.out.write("," if index else "")
            if is_keyed:
                key = key_at(row, 0)
                if not key or not row.startswith(": ", len(key)):
                    raise Unreadable
                self.out.write(f"{key_to_json(key)}:")
                start = len(key) + 2
            values = cells(row, start)
            if len(values) != len(before) - 1:
                raise Unreadable
            for piece, value in zip(before, values):
                self.out.write(piece + value)
            self.out.write(before[-1])
        self.out.write(closing)


def _columns(line: str, at: int) -> tuple[list[str], int]:
    """The JSON before each cell of a row and behind the last, and the offset behind the fields and their colon."""
    pieces: list[str] = []
    before, depth = "{", 1
    while True:
        key = key_at(line, at)
        if not key:
            raise Unreadable
        before += f"{key_to_json(key)}:"
        at += len(key)
        if line.startswith("{", at):
            before += "{"
            depth += 1
            at += 1
            continue
        pieces.append(before)
        before = ""
        while line.startswith("}", at):
            before += "}"
            depth -= 1
            at += 1
            if depth == 0:
                if not line.startswith(":", at):
                    raise Unreadable
                return [*pieces, before], at + 1
        if not line.startswith(",", at):
            raise Unreadable
        before += ","
        at += 1
