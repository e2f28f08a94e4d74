import random
import unittest

from readers import pointer_questions, pointers
from readers.corpus import Call
from readers.resolve import check

PATH = "/src/a.rs"


def numbered(lines, first=1):
    return "\n".join(f"{at:6}→{line}" for at, line in enumerate(lines, first))


def thinned(lines):
    shown = [f"     1→{lines[0]}"] + [f"{at}→{line}" if at % 10 == 0 else line for at, line in enumerate(lines[1:], 2)]
    return "\n".join([f"[Forge lines 1-{len(lines)}, every 10th numbered]", *shown])


def file(count):
    return [f"let value_{at} = {at * at};" for at in range(1, count + 1)]


def read(lines):
    return Call("Read", {"file_path": PATH}, numbered(lines), thinned(lines))


def moved():
    """The file again, one line longer at its beginning, with a pointer."""
    old = file(20)
    new = ["// new", *old]
    pointer = f"[Forge same as lines 2-20 of {PATH} above, here 3-21]"
    shown = f"[Forge lines 1-21, every 10th numbered]\n     1→// new\n{old[0]}\n{pointer}"
    return read(old), Call("Read", {"file_path": PATH}, numbered(new), shown)


class Pointers(unittest.TestCase):
    def test_a_pointer_by_numbers_is_resolved(self):
        first, second = moved()
        self.assertEqual(check(second, [first]), [])

    def test_a_pointer_that_is_off_by_one_is_found(self):
        first, second = moved()
        second.forwarded = second.forwarded.replace("lines 2-20", "lines 1-19")
        self.assertIn("leads to other lines", check(second, [first])[0])

    def test_a_wrong_number_here_is_found(self):
        first, second = moved()
        second.forwarded = second.forwarded.replace("here 3-21", "here 2-20")
        self.assertIn("stands for other numbers", check(second, [first])[0])

    def test_a_pointer_by_quotes_and_run_is_resolved(self):
        text = "start\nalpha one\nbeta two\ngamma three\nend"
        runs = [Call("Bash", {"command": "make", "timeout": 5}, text, text) for _ in range(2)]
        pointer = '[Forge same as 3 lines of `make` (run 1 of 2) above, from "alpha one" to "gamma three"]'
        other = Call("Bash", {"command": "make all"}, text + "!", f"start\n{pointer}\nend!")
        self.assertEqual(check(other, runs), [])
        self.assertIn("ran 1 times", check(other, runs[:1])[0])

    def test_a_duplicate_stands_for_the_whole(self):
        text = "one line\nanother line"
        first = Call("Bash", {"command": "make"}, text, text)
        again = Call("Bash", {"command": "make"}, text, "[Duplicate of make; see earlier result]")
        self.assertEqual(check(again, [first]), [])

    def test_the_arguments_of_the_call_itself_are_a_source(self):
        content = "\n".join(file(9))
        pointer = f'[Forge same as 9 lines of this call\'s content, from "{file(9)[0]}" to "{file(9)[-1]}"]'
        call = Call("Write", {"file_path": PATH, "content": content}, "Written:\n" + content, "Written:\n" + pointer)
        self.assertEqual(check(call, []), [])

    def test_a_search_in_the_file_is_not_the_file(self):
        first, second = moved()
        grep = Call("Grep", {"pattern": "x", "path": PATH}, "1:x", "1:x")
        self.assertEqual(check(second, [first, grep]), [])

    def test_a_later_result_with_other_text_under_the_same_numbers_is_found(self):
        first, second = moved()
        write = Call("Write", {"file_path": PATH}, numbered(["other"] * 9), "")
        self.assertIn("a later Write shows other text at 8", check(second, [first, write])[0])

    def test_a_new_wording_is_refused(self):
        with self.assertRaises(pointers.Unreadable):
            pointers.parse("[Forge same as something else]")


class Questions(unittest.TestCase):
    def test_answers_follow_from_the_original(self):
        first, second = moved()
        for seed in range(40):
            for question in pointer_questions.questions([first, second], random.Random(seed)):
                lines = ["// new", *file(20)]
                if question.kind == "line number":
                    self.assertTrue(question.text.endswith(lines[question.answer - 1]))
                elif question.kind == "line after":
                    self.assertEqual(lines[lines.index(question.answer) - 1], question.text.split("this line: ")[1])
                elif question.kind == "line text":
                    self.assertIn(f"line {lines.index(question.answer) + 1} of", question.text)

    def test_edits_of_the_file_in_between_are_shown(self):
        first, second = moved()
        edit = Call("Edit", {"file_path": PATH, "old_string": "a", "new_string": "b"}, "done", "done")
        other = Call("Bash", {"command": "ls"}, "a", "a")
        self.assertEqual(pointer_questions.context(second, [other, first, edit]), [first, edit, second])
