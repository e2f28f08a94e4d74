"""A page of the documentation, taken apart: what is typed, what that prints, and what must be so.

Comments right before a block say what its words do not:

    <!-- not run: REASON -->    cannot be run here; counted, and printed with its reason
    <!-- file: NAME -->         the block is the content of this file
    <!-- varies: numbers -->    any number stands for any other in what is printed
    <!-- exits: CODE -->        its commands end with this code, not with 0
    <!-- answers: y -->         its commands ask, at a terminal, and this is what a person types
"""

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!-- (not run|file|varies|exits|answers): (.*?) -->\s*\Z")
HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
SPAN = re.compile(r"`(tokenforge [^`]+)`")
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]+)?\)")


@dataclass
class Command:
    """What is typed, and the lines that the page shows below it, if it does."""

    text: str
    shown: list = field(default_factory=list)


@dataclass
class Block:
    language: str
    text: str
    line: int
    notes: dict

    def commands(self):
        """The commands in a block of them."""
        if self.language == "console":
            return console(self.text)
        if self.language == "sh":
            return [Command(text) for text in whole(self.text.splitlines())]
        return []


def blocks(text):
    """All fenced blocks of a page, with the comments before them."""
    found = []
    for match in FENCE.finditer(text):
        notes, before = {}, text[: match.start()]
        while comment := COMMENT.search(before):
            notes[comment[1]] = comment[2]
            before = before[: comment.start()]
        found.append(Block(match[1], match[2], text.count("\n", 0, match.start()) + 1, notes))
    return found


def spans(text):
    """Commands in running text, with their lines."""
    prose = FENCE.sub(blank, text)
    for match in SPAN.finditer(prose):
        yield prose.count("\n", 0, match.start()) + 1, match[1]


def links(text):
    """Links to other places of the project: the path and the heading, either of which may be missing."""
    prose = FENCE.sub(blank, text)
    for match in LINK.finditer(prose):
        if "://" not in match[1]:
            yield prose.count("\n", 0, match.start()) + 1, match[1], (match[2] or "")[1:]


def anchors(text):
    """What links can name on a page: its headings, as GitHub spells them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub(blank, text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def blank(match):
    """As many lines of nothing."""
    return "\n" * match[0].count("\n")


def console(text):
    """`$ ` begins a command; what follows is what it prints."""
    commands, lines = [], text.splitlines()
    while lines:
        line = lines.pop(0)
        if line.startswith("$ "):
            end = HEREDOC.search(line)
            typed = [line[2:]]
            while end and typed[-1] != end[2]:
                typed.append(lines.pop(0))
            commands.append(Command("\n".join(typed)))
        elif commands:
            commands[-1].shown.append(line)
        elif line:
            raise ValueError(f"a console block begins with a command, not with {line!r}")
    for command in commands:
        while command.shown and not command.shown[-1]:
            command.shown.pop()
    return commands


def whole(lines):
    """Lines joined to commands: to the end of a here-document, and where a backslash ends a line."""
    lines = list(lines)
    while lines:
        typed = [lines.pop(0)]
        end = HEREDOC.search(typed[0])
        while lines and (typed[-1].endswith("\\") or (end and typed[-1] != end[2])):
            typed.append(lines.pop(0))
        if typed[0].strip() and not typed[0].startswith("#"):
            yield "\n".join(typed)
