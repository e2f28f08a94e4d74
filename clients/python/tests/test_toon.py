"""TOON, as Tokenforge writes it."""

from __future__ import annotations

import pytest

from tokenforge_stc import StcError, ToonError, decode_toon, encode_toon

EXAMPLES = {
    "{}": "",
    "[]": "[]",
    "1.50": "1.50",
    '"a b"': "a b",
    '{"a":1.50,"b":[],"c":{},"d":"x: y","e f":null}': 'a: 1.50\nb: []\nc:\nd: "x: y"\n"e f": null',
    '{"users":[{"id":1,"at":{"x":"a","y":-2}},{"id":2,"at":{"x":"b,","y":3}}]}': (
        'users[2]{id,at{x,y}}:\n  1,a,-2\n  2,"b,",3'
    ),
    '{"a":{"x":1},"b":{"x":2}}': "[2:]{x}:\n  a: 1\n  b: 2",
    '[1,[2,3],{},{"k":[4],"l":{"m":5}}]': "[4]:\n  - 1\n  - [2]: 2,3\n  -\n  - k[1]: 4\n    l:\n      m: 5",
    '["","true","01","-x","\\u0000\\n\\"\\\\","\u2028"]': (
        '[6]: "","true","01","-x","\\u0000\\n\\"\\\\",\u2028'
    ),
}


@pytest.mark.parametrize("json", EXAMPLES)
def test_toon_round_trip(json: str) -> None:
    assert encode_toon(json) == EXAMPLES[json]
    assert decode_toon(EXAMPLES[json]) == json
    assert decode_toon(EXAMPLES[json] + "\n") == json


def test_toon_rows_have_the_order_of_the_first() -> None:
    assert decode_toon(encode_toon('[{"a":1,"b":2},{"b":3,"a":4}]')) == '[{"a":1,"b":2},{"a":4,"b":3}]'


def test_toon_escapes_are_respelled() -> None:
    assert encode_toon(r'["\/","\u00e9","\b"]') == r'[3]: /,é,"\u0008"'


@pytest.mark.parametrize("json", ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[{"a":1,"a":2}]', '["\\ud800"]'])
def test_toon_refuses_what_it_cannot_hold(json: str) -> None:
    with pytest.raises(ToonError, match="TOON cannot hold"):
        encode_toon(json)


@pytest.mark.parametrize(
    ("toon", "problem"),
    [
        ("a[3]: 1,2", "line 1 .*expected 3 values as declared, found 2"),
        ("a[2]{b}:\n  1", "line 2 .*expected 2 rows as declared, found 1"),
        ("a[2]{b,c}:\n  1,2\n  3", "line 3 .*expected 2 values as declared, found 1"),
        ("[2]:\n  - 1", "expected 2 items as declared, found 1"),
        ("a: 1\n    b: 2", "line 2 .*belongs to nothing"),
        ("a: 1\na: 2", 'line 2 .*the key "a" occurs twice'),
        ('a: 1\n"a": 2', 'the key "a" occurs twice'),
        ("[1]{a,a}:\n  1,2", 'the key "a" occurs twice'),
        ('a: "b', "a string does not end"),
        ("a: b: c", "a string needs quotes"),
        (" a: 1", "line 1 .*indented"),
    ],
)
def test_toon_errors_say_where(toon: str, problem: str) -> None:
    with pytest.raises(ToonError, match=problem):
        decode_toon(toon)


def test_toon_limits() -> None:
    table = f"[99]{{{'x' * 999}}}:" + "\n  1" * 99
    assert len(decode_toon(table)) > 90_000
    with pytest.raises(ToonError, match="at most 10000 bytes"):
        decode_toon(table, max_output=10_000)
    with pytest.raises(ToonError, match="at most 4 bytes"):
        decode_toon("é!", max_output=4)
    deep = "[" * 511 + "[]" + "]" * 511
    assert decode_toon(encode_toon(deep)) == deep
    with pytest.raises(StcError, match="nested levels"):
        encode_toon("[" + deep + "]")


def test_toon_is_made_of_json_alone() -> None:
    with pytest.raises(StcError):
        encode_toon("{a:1}")
    with pytest.raises(StcError, match="U\\+D800"):
        decode_toon("\ud800")
