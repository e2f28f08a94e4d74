"""Questions about the lines of a text.

`shown` is the text that is left when every notation is decoded. What was left out of it is not asked for.
"""

import re

from .reading import bare, number
from .question import Question, one_of_each

FEWEST_LINES = 6


def words(line):
    return " ".join(line.split())


class Lines:
    """The lines of an output, those that can be asked for, and how to compare them."""

    def __init__(self, original, shown):
        self.all = original.split("\n")
        self.shown = shown.split("\n")
        self.exact = {line.strip() for line in self.shown}
        self.loose = [words(line) for line in self.shown]
        self.pairs = set(zip(self.loose, self.loose[1:]))
        self.times = {}
        for line in self.all:
            self.times[words(line)] = self.times.get(words(line), 0) + 1
        loose = set(self.loose)
        self.usable = [at for at, line in enumerate(self.all)
                       if 12 <= len(line.strip()) <= 220 and self.times[words(line)] == 1 and words(line) in loose]

    def compare(self, line):
        return "text" if line.strip() in self.exact else "words"

    def follows(self, at):
        return at + 1 < len(self.all) and (words(self.all[at]), words(self.all[at + 1])) in self.pairs


def questions(original, shown, rng, wanted=3):
    lines = Lines(original, shown)
    if len(lines.usable) < FEWEST_LINES:
        return []
    column = {number(lines.all[at]): bare(lines.all[at]) for at in lines.usable}
    is_numbered = None not in column and list(column) == sorted(column)
    makers = (numbered_text, numbered_line) if is_numbered else (after, begins, count)
    given = column if is_numbered else lines
    return one_of_each(rng, [lambda make=make: make(given, rng) for make in makers], wanted)


def numbered_text(column, rng):
    at = rng.choice(list(column))
    return Question("line text", f"What is the text of line {at} of the file, word for word?", column[at].strip(), "text")


def numbered_line(column, rng):
    texts = [line.strip() for line in column.values()]
    found = [at for at, line in column.items() if len(line.strip()) >= 8 and texts.count(line.strip()) == 1]
    if found:
        at = rng.choice(found)
        return Question("line number", f"Which line number of the file has this text: {column[at].strip()}", at, "value")


def after(lines, rng):
    found = [at for at in lines.usable if lines.follows(at) and 4 <= len(lines.all[at + 1].strip()) <= 220]
    if found:
        at = rng.choice(found)
        line = lines.all[at + 1].strip()
        return Question("line after", f"Write, word for word, the line of the output that comes right after this line: {lines.all[at].strip()}", line, lines.compare(line))


def begins(lines, rng):
    at = rng.choice(lines.usable)
    line = lines.all[at].strip()
    start = line[:max(10, len(line) // 2)]
    if start != line and sum(words(other).startswith(words(start)) for other in lines.all) == 1:
        return Question("line begins", f"One line of the output begins as follows. Write the whole line, word for word: {start}", line, lines.compare(line))


def count(lines, rng):
    """Of a word that some lines have, all of them shown."""
    found = re.findall(r"[A-Za-z_]{5,}", lines.all[rng.choice(lines.usable)])
    for word in rng.sample(found, len(found)):
        times = sum(word in other for other in lines.all)
        if 2 <= times <= 8 and times == sum(word in other for other in lines.shown):
            return Question("count", f"How many lines of the output contain the text `{word}` (upper and lower case as given)?", times, "value")
