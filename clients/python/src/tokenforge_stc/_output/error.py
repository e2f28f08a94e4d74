"""Why a compressed output cannot be restored."""

from __future__ import annotations


class OutputError(ValueError):
    """A compressed output cannot be restored: it is damaged, too large, or not all of it is there."""


class Unreadable(Exception):
    """A text is not as its notation is written; :func:`damaged` says so to the caller."""


class TooLarge(Exception):
    """More would be written than is allowed; :func:`too_large` says so to the caller."""


def damaged(notation: str) -> OutputError:
    return OutputError(
        f"this looks like a compressed output, but its {notation} cannot be read; was it cut or edited?"
    )


def too_large(max_output: int) -> OutputError:
    return OutputError(f"it has more than the {max_output} bytes that max_output allows")
