"""The examples of docs/library.md in Python and TypeScript do what the page says. Those in Rust are run by the doc tests of dev/laws."""

import doctest
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/library.md"
TYPESCRIPT = ROOT / "clients/typescript"


def block(language):
    return re.search(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)[1]


class Library(unittest.TestCase):
    def test_python(self):
        sys.path.insert(0, str(ROOT / "clients/python/src"))
        example = doctest.DocTestParser().get_doctest(block("python"), {}, "python", str(PAGE), 0)
        failed, attempted = doctest.DocTestRunner().run(example)
        self.assertEqual((failed, attempted), (0, 2))

    @unittest.skipUnless((TYPESCRIPT / "dist/src/index.js").exists(), "clients/typescript/test has not built it")
    def test_typescript(self):
        script = block("ts")
        done = subprocess.run(["node", "--input-type=module", "--eval", script], cwd=TYPESCRIPT, check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines(), re.findall(r"// (.*)", script))

    def test_the_engine_is_embedded_in_20_lines_that_the_doc_tests_run(self):
        self.assertLessEqual(len(block("rust").splitlines()), 20)
        self.assertIn('#[doc = include_str!("../../../docs/library.md")]', (ROOT / "dev/laws/src/lib.rs").read_text())


if __name__ == "__main__":
    unittest.main()
