"""Is what was printed what the page shows? `…` on a page stands for any text, and alone on a line for any lines."""

import re


def is_shown(shown, *printed):
    """Does one of these texts look as the page shows it?"""
    pattern = re.compile("".join(line_pattern(line) for line in shown) + r"\Z")
    return any(pattern.match(plain(text)) for text in printed)


def line_pattern(line):
    line = line.rstrip()
    if line == "…":
        return r"(?:.*\n)*?"
    return ".*?".join(map(re.escape, line.split("…"))) + r"\n"


def plain(text):
    """Without colours and without blanks at the ends of lines and of the text."""
    text = re.sub(r"\x1b\[[\d;]*m", "", text)
    return "".join(line.rstrip() + "\n" for line in text.strip("\n").split("\n"))
