"""References: ``<<<SHADOW:shadow_...>>>`` on a line of its own before a text of which something was left out."""

from __future__ import annotations

import re

from .error import OutputError

_LEADING = re.compile(r"<<<SHADOW:(shadow_([a-z]{28})([a-z]{7}))>>>(?:\n|\Z)")
# 128 bits of content and 32 of a tag, spelled in letters: what is larger is no reference.
_LARGEST = ("cdhefomrsrxetmsvhtomcungjkbv", "nxmrlxv")
_HINTS = (
    "[Forge shortened this; expand_context(id, lines?, grep?, path?) with the id above gives the original]\n",
    "[Forge shortened this; `tokenforge expand ID [--lines A-B] [--grep REGEX] [--path PATH]` with the id above prints the "
    "original]\n",
    "[Forge shortened this; `tokenforge expand ID [--lines A-B] [--grep RE]` prints all of it]\n",
)


def _find(text: str) -> re.Match[str] | None:
    found = _LEADING.match(text)
    return found if found and found[2] <= _LARGEST[0] and found[3] <= _LARGEST[1] else None


def check(text: str) -> None:
    """An error if something was left out of a text."""
    if found := _find(text):
        raise OutputError(
            f"something was left out of this text; `tokenforge expand {found[1]}` prints all of it"
        )


def without(text: str) -> str:
    """What follows a reference and the hint that may be under it."""
    if found := _find(text):
        text = text[found.end() :]
        for hint in _HINTS:
            if text.startswith(hint):
                return text[len(hint) :]
    return text
