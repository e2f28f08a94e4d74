"""The test of the documentation is no use if it cannot fail."""

import unittest

import page
from likeness import is_shown


class Likeness(unittest.TestCase):
    def test_what_is_shown_must_be_all_that_is_printed(self):
        self.assertTrue(is_shown(["a", "b"], "a\nb\n"))
        self.assertFalse(is_shown(["a"], "a\nb\n"))
        self.assertFalse(is_shown(["a", "b"], "a\n"))

    def test_an_ellipsis_stands_for_what_varies_and_for_nothing_else(self):
        self.assertTrue(is_shown(["took … ms"], "took 12 ms\n"))
        self.assertFalse(is_shown(["took … ms"], "took 12 s\n"))
        self.assertFalse(is_shown(["took … ms"], "took 12\n ms\n"))
        self.assertTrue(is_shown(["a", "…", "z"], "a\nb\nc\nz\n"))
        self.assertFalse(is_shown(["a", "…", "z"], "a\nb\n"))

    def test_numbers_vary_only_where_a_page_says_so(self):
        self.assertTrue(is_shown(["a  1,234  5 %"], "a    12  -0.5 %\n", numbers_vary=True))
        self.assertFalse(is_shown(["a 1 b"], "a x b\n", numbers_vary=True))
        self.assertFalse(is_shown(["a 1 b"], "a 2 b\n"))

    def test_colours_and_blanks_at_the_ends_of_lines_are_not_looked_at(self):
        self.assertTrue(is_shown(["ok", "done"], "\x1b[32mok\x1b[0m  \ndone"))

    def test_either_output_may_be_the_one_that_is_shown(self):
        self.assertTrue(is_shown(["b"], "a\n", "b\n"))


class Pages(unittest.TestCase):
    def test_a_console_block_has_commands_and_what_they_print(self):
        [block] = page.blocks("x\n```console\n$ cat > f <<'EOF'\n$ no command\nEOF\n$ cat f\n$ no command\n```\n")
        heredoc, cat, last = block.commands()
        self.assertEqual(heredoc.text, "cat > f <<'EOF'\n$ no command\nEOF")
        self.assertEqual((cat.text, cat.shown, last.text), ("cat f", [], "no command"))
        self.assertEqual(block.line, 2)

    def test_a_shell_block_has_a_command_on_each_line_and_a_backslash_joins_two(self):
        [block] = page.blocks("```sh\n# why\na \\\n  b\n\nc\n```\n")
        self.assertEqual([command.text for command in block.commands()], ["a \\\n  b", "c"])

    def test_comments_before_a_block_are_about_it_and_no_other(self):
        text = "<!-- not run: why -->\n```sh\na\n```\n\n```sh\nb\n```\n<!-- file: x -->\n<!-- exits: 1 -->\n```sh\nc\n```\n"
        notes = [block.notes for block in page.blocks(text)]
        self.assertEqual(notes, [{"not run": "why"}, {}, {"file": "x", "exits": "1"}])

    def test_commands_and_links_in_running_text_are_found_outside_of_blocks(self):
        text = "# A `b`: c\n\n```\n`tokenforge x`\n```\n\n`tokenforge y --z` and [w](w.md#v), [u](#a-b-c), [t](https://t)\n"
        self.assertEqual(list(page.spans(text)), [(7, "tokenforge y --z")])
        self.assertEqual(list(page.links(text)), [(7, "w.md", "v"), (7, "", "a-b-c")])
        self.assertEqual(page.anchors(text), {"a-b-c"})


if __name__ == "__main__":
    unittest.main()
