"""What both directions promise, by the ids of the contract."""

from __future__ import annotations

import pytest

from tokenforge_stc import Spelling, decode_stc, encode_stc, encode_stc2

SPELLINGS: list[Spelling] = ["adr", "dense", "flat"]

EXAMPLES = {
    '{"name": "foo", "api_version": "v2", "count": 42}': '{name: "foo", api_version: "v2", count: 42}',
    '{"tags": ["api", "gateway", "mcp"], "scores": [95, 87, 91]}': (
        '{tags[3]: "api","gateway","mcp", scores[3]: 95,87,91}'
    ),
    '[{"id": 1, "name": "users", "method": "GET"}, {"id": 2, "name": "orders", "method": "POST"}]': (
        '[2]{id,name,method}: 1,"users","GET" / 2,"orders","POST"'
    ),
}


@pytest.mark.parametrize("json", EXAMPLES)
def test_s5_k1_the_printed_examples(json: str) -> None:
    assert encode_stc(json) == EXAMPLES[json]
    assert decode_stc(EXAMPLES[json]) == json.replace(": ", ":").replace(", ", ",")


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "minified",
    [
        pytest.param(r'[{"a":"[2]{a}: 1 / 2"},{"a":" / "},{"a":", x: "}]', id="K5 syntax in rows"),
        pytest.param(r'{", x: ":["5\" disk","a\\"]," / ":"\\"}', id="K5 syntax in arrays and keys"),
        pytest.param('[{"%":1,"%b":"%d"},{"%":"%%","%b":2}]', id="K5 percent signs in rows"),
        pytest.param("[1.10,-0,1E400,12345678901234567890123]", id="K6 numbers"),
        pytest.param("[1e-20,0.30000000000000004,-0.0,1e300]", id="I7 numbers"),
        pytest.param('{"b":1,"a":2,"b":3}', id="K7 duplicate keys"),
        pytest.param('[{"a":[1]}]', id="I8 one nested row"),
        pytest.param(
            '[{"a,b":1,"a}b":2,"":3,"x-y":4,"é":5},{"a,b":1,"a}b":2,"":3,"x-y":4,"é":5}]', id="K8 I9 keys"
        ),
        pytest.param(r'["\u0000","\ud800","\/","' + "\u2028" + r'","\u001f"]', id="K9 I10 escapes"),
        pytest.param('["\x7f\x80\u0660"]', id="I10 control characters that need no escape"),
        pytest.param('{"k\\n":1,"' + "a" * 300 + '":2,"٣":3}', id="K8 keys that only look like identifiers"),
        pytest.param('"' + "\\n" * 5000 + '"', id="K9 more escapes than the scanner takes at once"),
        pytest.param("{" + ",".join(f'"k{i}":{i}' for i in range(3000)) + "}", id="K2 a wide object"),
        pytest.param(
            "[" + ",".join(["{" + ",".join(f'"k{i}":{i}' for i in range(3000)) + "}"] * 2) + "]",
            id="K2 wide rows",
        ),
    ],
)
def test_round_trip(minified: str, spelling: Spelling) -> None:
    assert decode_stc(encode_stc(minified, spelling=spelling)) == minified
    assert decode_stc(encode_stc2(minified, level=3)) == minified
    assert decode_stc(minified) == minified


def test_k4_both_places_of_a_table() -> None:
    assert decode_stc("{items: [2]{id}: 1 / 2, n: 2}") == decode_stc("{items[2]{id}: 1 / 2, n: 2}")


def test_k12_white_space() -> None:
    assert decode_stc("\t[2]{ a\n, b } :\r1 , 2\n/\t3,4 ") == '[{"a":1,"b":2},{"a":3,"b":4}]'


def test_s10_an_unknown_spelling_is_refused() -> None:
    with pytest.raises(ValueError, match="'adr', 'dense' or 'flat'"):
        encode_stc("1", spelling="loose")  # type: ignore[arg-type]


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="from 1 to 3"):
        encode_stc2("1", level=4)  # type: ignore[arg-type]
