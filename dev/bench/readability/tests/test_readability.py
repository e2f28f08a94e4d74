"""The evaluation without a model: questions, scoring, statistics, and a run against the mock."""

from __future__ import annotations

import doctest
import json
import tempfile
import unittest
from pathlib import Path

from readability import candidates, choice, forms, mock, real, score, statistics
from readability.__main__ import main, spoken
from readability.data import SHAPES, document
from readability.questions import KINDS, questions
from readability.report import PLUMBING
from readability.score import is_right
from tokenforge_stc import decode_stc, encode_stc


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str) -> unittest.TestSuite:
    for module in (score, statistics, candidates):
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
            arguments = ["--mock", "--documents", "10", "--real", "0", "--forms", "json,stc1,stc2-2,stc2-3", "--answers", str(file)]
            text = main(arguments)
            answers = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        self.assertIn(PLUMBING, text.splitlines()[0])
        self.assertEqual(len(answers), 4 * 10 * len(KINDS))
        wrong = [answer for answer in answers if not answer["right"]]
        self.assertTrue(all(answer["answer"] == "something else" for answer in wrong))
        self.assertTrue(wrong, "the mock spoils some")
        for form in ("json", "stc1", "stc2-2", "stc2-3"):
            self.assertIn(f"| {form} |", text)

    def test_real_outputs_are_asked_about_in_every_form_and_behind_every_stage(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answers.jsonl"
            text = main(["--mock", "--documents", "5", "--real", "12", "--forms", "all", "--answers", str(file), "--evidence", "small"])
            answers = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        self.assertIn(PLUMBING, text.splitlines()[0])
        self.assertIn("| table |", text)
        answers = [answer for answer in answers if "output" in answer]
        asked = {answer["form"] for answer in answers}
        self.assertLessEqual({"original", "json", "stc1", "stc2-2", "stc2-2-rows", "quoted-rows", "json-rows", "lossless", "numbers-2"}, asked)
        self.assertTrue(any(form.startswith("stage:") for form in asked), asked)
        by_form: dict[str, list[str]] = {}
        for answer in answers:
            by_form.setdefault(answer["form"], []).append(f"{answer['output']} {answer['question']}")
        for form, questions in by_form.items():
            self.assertLessEqual(set(questions), set(by_form["original"]), f"{form} is asked what the original is asked")
        self.assertIn('forms = ["stc2"]', text)


class Offline(unittest.TestCase):
    ASKED = ["--documents", "5", "--real", "6", "--forms", "json,stc1,json-rows"]

    def test_the_answers_of_a_batch_are_scored_as_those_of_an_endpoint(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            batch, answered, kept = (Path(folder) / name for name in ("batch", "answered", "kept"))
            by_endpoint = main(["--mock", *self.ASKED, "--answers", str(kept)])
            expected = {line["question"]: line["expected"] for line in map(json.loads, kept.read_text(encoding="utf-8").splitlines())}
            said = main(["--model", "m", *self.ASKED, "--max-tokens", "96", "--questions-to", str(batch)])
            requests = [json.loads(line) for line in batch.read_text(encoding="utf-8").splitlines()]
            self.assertEqual(said, f"{len(requests)} questions in {batch}\n")
            self.assertEqual({(request["url"], request["body"]["model"], request["body"]["max_tokens"]) for request in requests}, {("/v1/chat/completions", "m", 96)})
            answers = []
            for request in reversed(requests):  # a batch comes back in any order
                prompt = request["body"]["messages"][0]["content"]
                answer, = (answer for question, answer in expected.items() if f"\n\n{question}\nAnswer" in prompt)
                text = mock.spoiled(prompt, json.dumps(answer) if isinstance(answer, list) else str(answer))
                answers.append({"custom_id": request["custom_id"], "response": {"body": {"choices": [{"message": {"content": text}}]}}})
            answered.write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
            by_batch = main(["--model", "m", *self.ASKED, "--answers-from", str(answered)])
        self.assertIn("| stc1 |", by_batch)
        self.assertEqual([line for line in by_batch.splitlines() if line.startswith("|")], [line for line in by_endpoint.splitlines() if line.startswith("|")])
        self.assertNotIn(PLUMBING, by_batch)

    def test_a_missing_answer_and_what_is_no_answer_are_told(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            answered = Path(folder) / "answered"
            answered.write_text("", encoding="utf-8")
            with self.assertRaisesRegex(SystemExit, "no answer to 50 of 50 questions"):
                main(["--model", "m", "--documents", "5", "--real", "0", "--forms", "json,stc1", "--answers-from", str(answered)])
            answered.write_text('\n{"custom_id": "x", "response": null}', encoding="utf-8")
            with self.assertRaisesRegex(SystemExit, "line 2: this is no answer"):
                main(["--model", "m", "--documents", "5", "--real", "0", "--answers-from", str(answered)])


class Real(unittest.TestCase):
    def test_outputs_of_the_repository_are_told_apart_by_kind(self) -> None:
        kinds = {output.name: output.kind for output in real.outputs(real.SAMPLES)}
        self.assertEqual((kinds["json-api"], kinds["read-arrow"], kinds["git-log"]), ("json", "numbered", "text"))

    def test_json_without_rows_is_not_asked_about_in_forms_of_rows(self) -> None:
        flat = real.Output("flat", "Bash", "", '{"a": {"b": 1, "c": ["x", "y"]}}')
        names = ["json", "stc1-flat", "json-rows", "quoted-rows"]
        self.assertEqual(set(real.in_every_form(flat, names)), {"original", "json", "stc1-flat"})
        rows = real.Output("rows", "Bash", "", '{"a": [{"b": 1}, {"b": 2}]}')
        self.assertEqual(set(real.in_every_form(rows, names)), {"original", *names})
        self.assertEqual([real.Document(output, {}, []).group for output in (flat, rows)], ["other JSON", "JSON with rows"])

    def test_rows_are_told_as_the_engine_tells_them(self) -> None:
        cases = json.loads((Path(__file__).parent / "rows.json").read_text(encoding="utf-8"))["cases"]
        for case in cases:
            self.assertEqual(candidates.has_rows(json.loads(case["json"])), case["rows"], case["json"])

    def test_stc_1_without_tables_is_what_the_engine_writes_and_decoders_read_it(self) -> None:
        rows = '{"a":[{"b c":1,"d":"x"},{"b c":2,"d":null}]}'
        flat = forms.ALL["stc1-flat"](rows)
        self.assertEqual(flat, '{a:[{"b c":1,d:"x"},{"b c":2,d:null}]}')
        self.assertEqual(flat, encode_stc(rows, spelling="flat"))
        self.assertEqual(decode_stc(flat), rows)

    def test_what_a_stage_writes_alone_is_what_it_writes(self) -> None:
        listing = next(output for output in real.outputs(real.SAMPLES) if output.name == "find-type-f")
        alone = real.in_every_form(listing, ["stage:path_headings", "stage:log_templates"])
        self.assertIn("stage:path_headings", alone)
        self.assertNotEqual(alone["stage:path_headings"], alone.get("stage:log_templates"))


class Choice(unittest.TestCase):
    def readings(self, lost: int, gained: int = 0, size: int = 80) -> choice.Reading:
        base = {document: [True, True, False, False] for document in range(50)}
        own = {document: [document >= lost, True, document < gained, False] for document in range(50)}
        tokens = {"original": dict.fromkeys(range(50), 100), "json": dict.fromkeys(range(50), 85), "x": dict.fromkeys(range(50), size)}
        found, = (one for one in choice.readings(tokens, {"original": base, "x": own}) if one.form == "x")
        return found

    def test_a_form_that_loses_answers_is_read_worse_and_one_that_loses_as_many_as_it_gains_is_kept(self) -> None:
        self.assertTrue(self.readings(lost=20).is_worse)
        self.assertFalse(self.readings(lost=20).is_kept)
        same = self.readings(lost=3, gained=3)
        self.assertFalse(same.is_worse)
        self.assertTrue(same.is_kept)
        self.assertAlmostEqual(same.gain, 0)

    def test_what_is_no_shorter_than_minified_json_is_not_kept_however_well_it_is_read(self) -> None:
        self.assertFalse(self.readings(lost=0, size=85).is_kept)

    def test_what_harms_one_group_of_outputs_is_not_thinned_out_by_another(self) -> None:
        tokens = {form: dict.fromkeys(range(100), size) for form, size in (("original", 100), ("json", 85), ("x", 80))}
        right = {at: [at % 2 == 0, True] for at in range(100)}
        own = {at: [False, True] if at < 50 else right[at] for at in range(100)}
        found = choice.by_group(tokens, {"original": right, "x": own}, ["tables"] * 50 + ["text"] * 50)
        worse = {group: {one.form: one.is_worse for one in of_group} for group, of_group in found.items()}
        self.assertEqual(worse, {"tables": {"x": True}, "text": {"x": False}})

    def test_evidence_has_the_interval_that_decides(self) -> None:
        found = [choice.Reading("stc2-2", 9, 36, 0.6, 0.7, 0.4, 0.5, -0.1, -0.2, -0.01, 0.03), choice.Reading("quoted", 9, 36, 0.6, 0.7, 0.4, 0.5, -0.1, -0.2, -0.01, 0.03)]
        text = choice.evidence("m", "small", "s", {"JSON with rows": found})
        self.assertIn('[[small.measured]]\nforms = ["stc2"]\ndocuments = "rows"\nmodel = "m"\nquestions = 36\npoints = -10.0\nlow = -20.0\nhigh = -1.0\ntokens = 0.60\nsource = "s: JSON with rows, stc2-2, 9 outputs"', text)
        self.assertNotIn("documents", choice.evidence("m", "small", "s", {"text": found}))
        self.assertNotIn("quoted", text, "a candidate is no form of the engine")


if __name__ == "__main__":
    unittest.main()
