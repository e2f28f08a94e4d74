"""docs/contracts.md explains every id that the name of a test carries, and nothing that no test shows."""

import os
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = "docs/contracts.md"
# Where the names of tests are, by the ends of files. Rust writes d62_decision_29_..., the others "K3 K14 ...".
NAMES = {
    ".rs": re.compile(r"^\s*(?:async )?fn (\w+)\(", re.MULTILINE),
    ".py": re.compile(r"^\s*def test_(\w+)\(", re.MULTILINE),
    (".js", ".mjs", ".ts"): re.compile(r"""\btest\(\s*[`'"](.+?)[`'"]\s*,"""),
}
IDS = re.compile(r"(?:[a-z]\d+[_ ]|decision_\d+_)+", re.IGNORECASE)
# Laws are shown by other tests too, and decisions are reasons: those that no test names are on the page all the same.
MAY_BE_UNNAMED = re.compile(r"L\d+|decision \d+")


def names(file, text):
    """The names of all functions in which there may be tests."""
    return [name for ends, pattern in NAMES.items() if file.endswith(ends) for name in pattern.findall(text)]


def ids(file, name):
    """The ids at the start of a name, as the page writes them."""
    match = IDS.match(name)
    for letter, number in re.findall(r"(decision_|[a-z])(\d+)", match[0].lower() if match else ""):
        number = int(number)
        if letter == "decision_":
            yield f"decision {number}"
        elif letter == "e" or letter == "d" and file.startswith("crates/formats/"):
            yield f"TOON {letter.upper()}{number}"
        else:
            yield f"{letter.upper()}{number}"


def carried(files):
    """The ids of all tests, each with a test that carries it."""
    return {id: f"{file}: {name}" for file, text in files for name in names(file, text) for id in ids(file, name)}


def explained(text):
    """The ids that have a row on the page."""
    return [f"decision {cell}" if cell.isdigit() else cell for cell in re.findall(r"^\| ((?:TOON )?[A-Z]\d+|\d+) \|", text, re.MULTILINE)]


def sources():
    for top in ["clients", "crates", "dev", "examples", "packaging", "tests"]:
        for folder, folders, files in os.walk(ROOT / top):
            folders[:] = sorted(set(folders) - {"target", "node_modules", ".venv", "__pycache__"})
            for path in (Path(folder) / file for file in files if file.endswith((".rs", ".py", ".js", ".mjs", ".ts"))):
                yield path.relative_to(ROOT).as_posix(), path.read_text()


class Contracts(unittest.TestCase):
    def setUp(self):
        self.page = (ROOT / PAGE).read_text()

    def test_every_id_of_a_test_is_explained(self):
        missing = {id: test for id, test in carried(sources()).items() if id not in explained(self.page)}
        self.assertFalse(missing, f"ids that {PAGE} does not explain")

    def test_every_promise_is_shown_by_a_test(self):
        known = carried(sources())
        unshown = [id for id in explained(self.page) if id not in known and not MAY_BE_UNNAMED.fullmatch(id)]
        self.assertFalse(unshown, f"ids of {PAGE} that no test carries")

    def test_no_id_is_explained_twice(self):
        all_ids = explained(self.page)
        self.assertEqual(sorted({id for id in all_ids if all_ids.count(id) > 1}), [])

    def test_what_it_names_is_there(self):
        paths = re.findall(r"`((?:crates|dev|spec|tests)/[^`]+)`", self.page)
        self.assertEqual([path for path in paths if not (ROOT / path).exists()], [])

    def test_ids_are_read_from_names_of_all_languages(self):
        files = [
            ("crates/a/src/b.rs", "#[test]\n    fn d62_decision_29_and_text() {}\nfn visit_u64() {}\nasync fn d02_l4_x() {}\n"),
            ("crates/formats/tests/t.rs", "fn d5_e2_k9_x() {}\n"),
            ("clients/test_c.py", "def test_k3_k14_x(self):\n    pass\ndef d9_helper():\n"),
            ("tests/c.test.js", "test('d60 a link', async () => {})\ntest(`K11 depth ${x} in y`, () => {})\ntest('k 1', () => {})\n"),
        ]
        expected = {"D62", "decision 29", "D2", "L4", "TOON D5", "TOON E2", "K9", "K3", "K14", "D60", "K11"}
        self.assertEqual(set(carried(files)), expected)

    def test_a_missing_and_an_extra_id_are_seen(self):
        known = carried([("crates/a/b.rs", "fn q7_x() {}\n")])
        self.assertNotIn(next(iter(known)), explained(self.page))
        self.assertIn("Q8", explained(f"{self.page}\n| Q8 | a promise that nothing shows |\n"))


if __name__ == "__main__":
    unittest.main()
