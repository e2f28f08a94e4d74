"""The text between the quotes of a JSON or Python string, in the spellings that real serialisers use."""

from __future__ import annotations

import re
from typing import Callable, Optional, Tuple

Encode = Callable[[str], str]
Decoded = Optional[Tuple[str, Encode]]
"""The text of a string, and what writes another text just so. Every character is written for itself."""

_JSON_ESCAPE = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|(["\\/bfnrt])|(.|\Z))', re.DOTALL)
_JSON_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SURROGATES = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")
_SHORT = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

_PYTHON_ESCAPE = re.compile(
    r"""\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([nrt'"\\])|(.|\Z))""", re.DOTALL
)
_PYTHON_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
# What `repr` escapes: control and format characters and blanks that cannot be seen. A text with characters that were
# unknown when a Python was made, which that escapes too, is left alone.
_INVISIBLE = (
    "\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064"
    "\u2066-\u206f\u3000\ue000-\uf8ff\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U00013438\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\U000f0000-\U0010ffff"
)
_PYTHON_SPECIAL = {quote: re.compile(f"[{quote}\\\\{_INVISIBLE}]") for quote in "'\""}


STYLES = {"ASCII": "\x7f-\U0010ffff", "\\/": "/", "HTML": "<>&\u2028\u2029"}
"""What a serialiser escapes beyond what it has to, by the name of the style."""


def json_string(text: str, special: str = "") -> str:
    """A text between the quotes of a JSON string, with these characters escaped and those that must be."""
    return _json_encode(f'["\\\\\x00-\x1f{special}]')(text)


def python_string(text: str, quote: str) -> str:
    """A text between such quotes of a Python string, as ``repr`` prints it."""
    return _PYTHON_SPECIAL[quote].sub(_python_escape, text)


def decode(written: str, quote: str, special: str = "") -> Decoded:
    """Reads a string, unless it would not come back as it was. ``special`` is what a JSON string is known to escape."""
    decoded = _json(written) if quote == "{" else _python(written, quote)
    if not decoded or decoded[1](decoded[0]) != written:
        return None
    if not special or quote != "{":
        return decoded
    return decoded[0], lambda text: json_string(text, special)


def _json(written: str) -> Decoded:
    if "\\" not in written:
        return written, _json_encode('["\\\\\x00-\x1f]')
    if any(escape[3] is not None for escape in _JSON_ESCAPE.finditer(written)):
        return None
    text = _JSON_ESCAPE.sub(_json_character, written)
    text = _SURROGATES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    if _is_lone(text):
        return None
    # What a serialiser escapes beyond what it has to: `/` as PHP, `<>&` as Go, all but ASCII as Python.
    special = '"\\\\\x00-\x1f'
    special += "/" if "\\/" in written else ""
    is_html = any(escape in written for escape in ("\\u003c", "\\u003e", "\\u0026"))
    special += "<>&\u2028\u2029" if is_html else ""
    special += "\x7f-\U0010ffff" if written.isascii() and not text.isascii() else ""
    return text, _json_encode(f"[{special}]")


def _json_character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _JSON_LETTERS.get(escape[2], escape[2])


def _is_lone(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text) if not text.isascii() else False


def _json_encode(special: str) -> Encode:
    pattern = re.compile(special)
    return lambda text: pattern.sub(_json_escape, text)


def _json_escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in '"\\/':
        return "\\" + character
    units = character.encode("utf-16-be").hex()
    return _SHORT.get(character) or "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _python(written: str, quote: str) -> Decoded:
    if any(not _is_python_escape(escape) for escape in _PYTHON_ESCAPE.finditer(written)):
        return None
    text = _PYTHON_ESCAPE.sub(_python_character, written)
    return text, lambda text: python_string(text, quote)


def _is_python_escape(escape: re.Match[str]) -> bool:
    code = int(escape[1] or escape[2] or escape[3] or "0", 16)
    return escape[5] is None and code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF


def _python_character(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3]
    return chr(int(digits, 16)) if digits else _PYTHON_LETTERS.get(escape[4], escape[4])


def _python_escape(found: re.Match[str]) -> str:
    character, code = found[0], ord(found[0])
    if character in "'\"\\":
        return "\\" + character
    if character in "\n\r\t":
        return _SHORT[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
