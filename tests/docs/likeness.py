"""Is what was printed what the page shows? `…` on a page stands for any text, and alone on a line for any lines."""

import re


def is_shown(shown, *printed, numbers_vary=False):
    """Does one of these texts look as the page shows it?"""
    if numbers_vary:
        shown = [without_numbers(line) for line in shown]
        printed = [without_numbers(plain(text)) for text in printed]
    pattern = re.compile("".join(line_pattern(line) for line in shown) + r"\Z")
    return any(pattern.match(plain(text)) for text in printed)


def line_pattern(line):
    line = line.rstrip()
    if line == "…":
        return r"(?:.*\n)*?"
    return ".*?".join(map(re.escape, line.split("…"))) + r"\n"


def without_numbers(text):
    """With one word for every number, and for the blanks before it that make columns."""
    return re.sub(r" *-?\d+(?:[.,]\d+)*", " #", text)


def plain(text):
    """Without colours and without blanks at the ends of lines and of the text."""
    text = re.sub(r"\x1b\[[\d;]*m", "", text)
    return "".join(line.rstrip() + "\n" for line in text.strip("\n").split("\n"))
