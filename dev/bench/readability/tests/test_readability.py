"""The evaluation without a model: questions, scoring, statistics, and a run against the mock."""

from __future__ import annotations

import doctest
import json
import tempfile
import unittest
from pathlib import Path

from readability import score, statistics
from readability.__main__ import main, spoken
from readability.data import SHAPES, document
from readability.questions import KINDS, questions
from readability.report import PLUMBING
from readability.score import is_right


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str) -> unittest.TestSuite:
    for module in (score, statistics):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


class Questions(unittest.TestCase):
    def test_every_document_has_one_question_of_every_kind_and_its_answer_is_right(self) -> None:
        for seed in range(200):
            asked = questions(document(seed), seed)
            self.assertEqual([question.kind for question in asked], list(KINDS))
            for question in asked:
                self.assertTrue(is_right(spoken(question.answer), question.answer), question)
                self.assertFalse(is_right("something else", question.answer), question)

    def test_the_same_seed_asks_the_same(self) -> None:
        self.assertEqual(document(3), document(3))
        self.assertEqual(questions(document(3), 3), questions(document(3), 3))
        self.assertNotEqual(document(3), document(3 + len(SHAPES)))


class Scores(unittest.TestCase):
    def test_what_is_said_around_a_word_does_not_count_and_more_than_it_is_wrong(self) -> None:
        for given in ("Oslo", "oslo.", '"Oslo"', "**Oslo**", " Oslo\n"):
            self.assertTrue(is_right(given, "Oslo"), given)
        for given in ("Oslo or Lima", "The city is Oslo", ""):
            self.assertFalse(is_right(given, "Oslo"), given)

    def test_lists_are_sets(self) -> None:
        self.assertTrue(is_right("2, 1", frozenset(["1", "2"])))
        self.assertFalse(is_right("1", frozenset(["1", "2"])))
        self.assertFalse(is_right("1, 2, 3", frozenset(["1", "2"])))
        self.assertFalse(is_right("none", frozenset(["1"])))


class Run(unittest.TestCase):
    def test_a_run_against_the_mock_is_labelled_as_plumbing_and_pairs_every_question(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answers.jsonl"
            arguments = ["--mock", "--documents", "10", "--forms", "json,stc1,stc2-2,stc2-3", "--answers", str(file)]
            text = main(arguments)
            answers = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        self.assertIn(PLUMBING, text.splitlines()[0])
        self.assertEqual(len(answers), 4 * 10 * len(KINDS))
        wrong = [answer for answer in answers if not answer["right"]]
        self.assertTrue(all(answer["answer"] == "something else" for answer in wrong))
        self.assertTrue(wrong, "the mock spoils some")
        for form in ("json", "stc1", "stc2-2", "stc2-3"):
            self.assertIn(f"| {form} |", text)


if __name__ == "__main__":
    unittest.main()
