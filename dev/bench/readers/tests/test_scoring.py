import unittest

from readers.scoring import is_right, table, verdicts


class Scoring(unittest.TestCase):
    def test_numbers_by_value_and_words_without_case_quotes_and_stop(self):
        for answer, expected in [("17", 17), (17.0, 17), ("Open.", "open"), ('"ann"', "ann"), (True, True), ("true", True), (None, "null")]:
            self.assertTrue(is_right(answer, expected, "value"), answer)
        for answer, expected in [("18", 17), ("?", 17), ("opened", "open"), ("", "open")]:
            self.assertFalse(is_right(answer, expected, "value"), answer)

    def test_lists_as_sets(self):
        self.assertTrue(is_right(["b", "a"], ["a", "b"], "set"))
        self.assertTrue(is_right('["b", "a"]', ["a", "b"], "set"))
        self.assertTrue(is_right("2, 1", [1, 2], "set"))
        self.assertFalse(is_right(["a"], ["a", "b"], "set"))

    def test_lines_exactly_but_for_blanks_around_them(self):
        self.assertTrue(is_right("  let a = 1;  ", "let a = 1;", "text"))
        self.assertTrue(is_right("`let a = 1;`", "let a = 1;", "text"))
        self.assertTrue(is_right('"dim": "gray"', '"dim": "gray"', "text"))
        for wrong in ("let a =  1;", "Let a = 1;", "let a = 1"):
            self.assertFalse(is_right(wrong, "let a = 1;", "text"), wrong)
        self.assertTrue(is_right("a b", "a   b", "words"))

    def test_what_was_not_answered_is_wrong_and_other_files_do_not_count(self):
        key = {"1.1": dict(file=0, group="g", kind="k", answer=1, compare="value"), "1.2": dict(file=0, group="g", kind="k", answer=2, compare="value"),
               "2.1": dict(file=1, group="g", kind="k", answer=3, compare="value")}
        found = verdicts(key, {("m", "forge", 0): {"1.1": 1}})
        self.assertEqual([(verdict.id, verdict.is_right) for verdict in found], [("1.1", True), ("1.2", False)])
        self.assertIn("| m | g | k |  | 1 of 2 |", table(found))
