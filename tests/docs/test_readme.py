"""README's figures are those of dev/bench/RESULTS.md, of every set."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# The sets of recorded sessions, as the bench calls them and as README does.
SETS = {
    "claude_code_spotter": "Claude Code", "livemcpbench": "LiveMCPBench", "pi_coding_agent": "pi coding agent", "swe_agent": "SWE-agent",
    "tau_bench_airline": "tau-bench", "toolbench": "ToolBench", "trail_swe": "TRAIL SWE",
}


def rows(file):
    """The rows of a page's tables, as lists of cells."""
    for line in (ROOT / file).read_text().split("\n"):
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split("|")]


class Readme(unittest.TestCase):
    def test_d37_every_set_of_sessions_is_shown_with_its_figures(self):
        measured = {row[0]: row for row in rows("dev/bench/RESULTS.md") if len(row) == 15 and row[1].isdigit()}
        self.assertEqual(sorted(measured), sorted(SETS), "sets that were measured")
        shown = {match[1]: (match[2], row) for row in rows("README.md") if (match := re.match(r"(.+?) \((\d+)(?: sessions)?\)", row[0]))
                 and len(row) == 5}
        self.assertEqual(sorted(shown), sorted(SETS.values()), "sets in README")
        for name, row in measured.items():
            sessions, (_, lossless, standard, bill, _) = shown[SETS[name]]
            with self.subTest(name):
                self.assertEqual(sessions, row[1])
                saved = [float(part) for part in re.findall(r"([\d.]+) %", row[4])]
                bills = [float(part) for part in row[5].split(", ")]
                self.rounded(lossless, saved[0], 0.5)
                self.rounded(standard, saved[min(1, len(saved) - 1)], 0.5)
                self.rounded(bill, bills[min(1, len(bills) - 1)], 0.005)

    def rounded(self, shown, measured, half):
        """Both are rounded: what was measured lies where it may have been rounded to either side."""
        self.assertAlmostEqual(float(shown.split(" ")[0]), measured, delta=half * 1.01)

    def test_d37_no_more_is_claimed_of_the_bill_than_was_measured(self):
        text = (ROOT / "README.md").read_text()
        self.assertIn("44 % of the context that was billed", text)
        self.assertNotRegex(text, r"most of what an agent pays")


if __name__ == "__main__":
    unittest.main()
