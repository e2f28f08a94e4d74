import json
import random
import unittest

from readers import files, json_questions, text_questions
from readers.corpus import Call, call_of
from readers.question import Case, Question

ROWS = [{"id": at, "name": f"n{at}", "state": "open" if at % 3 else "closed", "code": str(at), "url": f"u/n{at}", "end": None, **({"note": "x"} if at == 4 else {})}
        for at in range(12)]


class Json(unittest.TestCase):
    def test_answers_follow_from_the_document(self):
        text, forwarded, kinds = json.dumps({"rows": ROWS}), json.dumps({"rows": ROWS}).replace("u/n", "n"), set()
        for seed in range(60):
            for question in json_questions.questions(text, forwarded, random.Random(seed)):
                kinds.add(question.kind)
                if question.kind == "count":
                    self.assertIn(question.answer, (4, 8))
                if question.kind == "index":
                    row = ROWS[int(question.text.split("index ")[1].split(" ")[0])]
                    self.assertIn(question.answer, row.values())
                if question.kind == "assembled":
                    self.assertTrue(question.answer.startswith("u/n"))
                if question.kind == "absent":
                    self.assertEqual(question.answer == "yes", any(f" {key} " in question.text for key in ('4', '"n4"', '"4"', '"u/n4"')))
        self.assertEqual(kinds, {"path", "assembled", "null", "type", "index", "lookup", "count", "list", "absent"})

    def test_what_is_ambiguous_or_no_json_is_not_asked_about(self):
        for text in ('{"a": {"b": 1}, "a": {"b": 2}}', "no json"):
            self.assertEqual(json_questions.questions(text, text, random.Random(1)), [])


class Text(unittest.TestCase):
    def test_lines_are_asked_for_only_where_they_are_shown(self):
        lines = [f"request number {at} was served" for at in range(30)]
        shown = lines[:10] + ["[Forge left out 10 lines]"] + lines[20:]
        for seed in range(60):
            for question in text_questions.questions("\n".join(lines), "\n".join(shown), random.Random(seed)):
                if question.compare == "text":
                    self.assertIn(question.answer, shown)
                if question.kind == "line after":
                    self.assertNotEqual(question.answer, lines[20])

    def test_numbered_lines(self):
        lines = [f"{at:6}→let some_value_{at} = {at};" for at in range(1, 20)]
        kinds = {question.kind: question for seed in range(9)
                 for question in text_questions.questions("\n".join(lines), "\n".join(lines), random.Random(seed))}
        self.assertEqual(set(kinds), {"line text", "line number"})
        self.assertTrue(kinds["line number"].text.endswith(f"let some_value_{kinds['line number'].answer} = {kinds['line number'].answer};"))

    def test_padding_does_not_count_where_it_is_not_shown(self):
        lines = text_questions.Lines("a    column of blanks\nother line of text", "a column of blanks\nother line of text")
        self.assertEqual([lines.compare(line) for line in lines.all], ["words", "text"])


class Calls(unittest.TestCase):
    def test_a_recorded_output_becomes_a_call(self):
        cases = [
            (dict(kind="git", tool="Bash", command="git log"), ("Bash", {"command": "git log"})),
            (dict(kind="cli_json", tool="jc df", command=None), ("Bash", {"command": "jc df"})),
            (dict(kind="api_json_list", tool="aws", command="aws s3"), ("Bash", {"command": "aws s3"})),
            (dict(kind="file_read", tool="Read", command="Read a b.py"), ("Read", {"file_path": "a b.py"})),
            (dict(kind="mcp_text", tool="route", command='{"query": "x"}'), ("route", {"query": "x"})),
            (dict(kind="mcp_text", tool="route", command='{"a": "x", "query": "y'), ("route", {"a": "x"})),
        ]
        for record, expected in cases:
            self.assertEqual(call_of(record), expected)


class Files(unittest.TestCase):
    def test_both_variants_have_the_same_questions_and_no_file_is_too_large(self):
        def case(at):
            return Case("general", "git", f"c{at}", [Call("Bash", {"command": "x"}, "long " * 4000, f"short {at}")], [Question("count", f"why {at}?", 1, "value")])
        packed = files.pack([case(at) for at in range(5)])
        self.assertEqual([len(file) for file in packed], [2, 2, 1])
        self.assertIn("short 3", case(3).text("forge", 7))
        self.assertNotIn("short 3", case(3).text("raw", 7))
        self.assertTrue(all("- 7.1: why 3?" in case(3).text(variant, 7) for variant in ("raw", "forge")))
