//! Result lines: a status at the beginning or the end of a line, and the name of what has it between.

use std::sync::LazyLock;

use regex::Regex;

use super::super::signal;
use super::LineRole;
use super::value::{holds_value, is_name};

/// What a line says about a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultLine {
    /// Something passed.
    Pass,
    /// Something else became of it, or several results are counted: never left out.
    Kept,
    /// Nothing.
    Other,
}

/// What may stand before a status or a name: a worker, a counter, a time, the tool that speaks. Its words are ASCII: each
/// `\w` of Unicode has hundreds of states, and with so many of them in a row the lazy DFA gave up and left the search to the
/// backtracker, which took four fifths of the time of the whole stage.
pub(super) const PREFIX: &str = r"(?:\[(?-u:[\w %:./-]){1,24}\] |\{\d+\} |\(\d+/\d+\) |\d+/\d+ |\d+ of \d+ |\d\d:\d\d:\d\d(?:[.,]\d+)? +|--- |\+{4} |-{4} )";

/// How long it took, how far the run is, or a comment.
const TIMING: &str = r"(?:in )?[\[(<]?\d+(?:[.,]\d+)? ?(?:%|[num]?s|secs?|seconds?|min)[\])>]?";

/// A status first. A word is followed by a name, and so not by a number alone: `Passed: 46` is a count.
static FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let bracketed = r"\[ *(?:OK|PASS|PASSED|ok|passed) *\] *[^\s\d]";
    let word = r"(?:PASS|PASSED|Passed|OK|ok|\(pass\)|\(ok\)):?[ \t]+(?:- )?[^\s\d=.,)]";
    Regex::new(&format!(
        r"^[ \t]*{PREFIX}{{0,3}}(?:[✓✔√✅☑] *\S|ok \d+(?: |$)|{bracketed}|{word}|\. {{2,}}\w)"
    ))
    .ok()
});

/// A status last, behind what sets it off from the name.
static LAST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let status = r"(?:\.{2,} *|…|  +|\t+|\| *|[:=] +)(?:ok|OK|Ok|PASS|PASSED|Passed|passed)";
    let capitals = r"[\w)\]\x22'] (?:PASS|PASSED|OK)";
    let bracketed = r"[ .]\[ *(?:OK|PASS|PASSED|ok|pass)(?: in [\d.]+ ?m?s)? *\]";
    Regex::new(&format!(
        r"\w.*?(?:(?:{status}|{capitals}) *\|?(?:[ \t]+{TIMING})*|{bracketed}(?:[ \t]+{TIMING})*| [✓✔](?: +{TIMING} *[█▉▊▋▌▍▎▏]*)?|= \d+\.\d+ s = \.|:[ \t]+\.: \(\d+\.\d+\)) *$"
    ))
    .ok()
});

/// Words and counts that say of a line that it is no plain pass: other results, diagnostics, directives, figures,
/// sums.
static KEPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let other = r"(?-u:\b)(?:FAIL|FAILED|FAILURE|ERROR|ERRORS|SKIP|SKIPPED|TODO|XFAIL|XPASS|FLAKY|WARN|WARNING|TIMEOUT|not ok)(?-u:\b)";
    let failed = r"(?:\.{2,}|\|) *(?i:fail(?:ed)?|error)(?-u:\b)";
    let diagnostic = r"^\s*(?:\S+:\d+(?::\d+)?:? +)?(?i:(?:fatal|error|warning)(?-u:[\w\[\]-])*):|^\s*(?-u:[\w.])*(?:Error|Exception|Failure): ";
    let directive = r"(?i:coverage:|# *(?:skip|todo)|(?-u:\b)(?:skipped|pending|ignored|xfail|xpass|flaky|retr(?:y|ied) ?#?\d))";
    let counted = r"(?i:[1-9]\d* (?:(?-u:\w)+ )?(?:fail|error|warn|problem|skip|flak|todo|pending|issue|broken))";
    let sum = r"(?i:^\W*(?:ok|pass(?:ed)?)?\W*\d+ (?:tests?|passed|passing|examples?|specs?|assertions?|checks?|files?|suites?|scenarios?|runs?)(?-u:\b))";
    let verdict = r"(?i:^\W*(?:all|total|results?|status|summary|overall|build|final|test suites?|tests|specs|checks)(?:[\s:=]|$))";
    Regex::new(&format!(
        "{other}|[✗✘✖×✕❌]|{failed}|{diagnostic}|{directive}|{counted}|{sum}|{verdict}"
    ))
    .ok()
});

impl ResultLine {
    pub(super) fn of(line: &str) -> Self {
        let line = line.trim_end();
        if is_match(&KEPT, line) {
            Self::Kept
        } else if is_match(&FIRST, line) || is_match(&LAST, line) {
            Self::Pass
        } else {
            Self::Other
        }
    }
}

/// A counter or a time before a status or a name. Another text in brackets may be a value.
const COUNTER: &str = r"(?:\[ *\d+(?:/| of )\d+ *\] |\[ *\d+%\] |\[gw\d+\] |\{\d+\} |\(\d+/\d+\) |\d+/\d+ |\d+ of \d+ |\d\d:\d\d:\d\d(?:[.,]\d+)? +|--- |\+{4} |-{4} )";

/// The text behind a status.
static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let status = r"(?:[✓✔√✅☑]|ok \d+(?: -)?|\[ *(?:OK|PASS|PASSED|ok|passed) *\]|(?:PASS|PASSED|Passed|OK|ok|\(pass\)|\(ok\)):?[ \t]|\. {2,})";
    Regex::new(&format!(
        r"^[ \t]*{COUNTER}{{0,3}}{status}[ \t]*(?:- )?(.*?)(?:[ \t]+{TIMING}| # time=\S+)*[ \t]*$"
    ))
    .ok()
});

/// The text before a status.
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"^[ \t]*{COUNTER}{{0,3}}(.*?)[ .…|:=\t]*(?:\[ *(?:OK|PASS|ok|pass)(?: in [\d.]+ ?m?s)? *\]|(?-u:\b)(?:ok|OK|Ok|PASS|PASSED|Passed|passed)|[✓✔]) *\|?(?:[ \t]+{TIMING})*[ \t]*$"
    ))
    .ok()
});

/// Whether a line with a passing status says nothing else than a name and how long it took.
pub(super) fn passes_by_name(line: &str) -> bool {
    let name = |pattern: &'static LazyLock<Option<Regex>>| {
        pattern.as_ref()?.captures(line)?.get(1).map(|name| name.as_str())
    };
    name(&BEHIND).or_else(|| name(&BEFORE)).is_some_and(is_name)
}

/// The details of a pass in TAP: a block between `---` and `...`, and the plan of its own subtests.
pub(super) fn mark_details(lines: &[&str], passes: &[usize], roles: &mut [Option<LineRole>]) {
    for &pass in passes {
        if lines.get(pass + 1).is_none_or(|line| line.trim() != "---") {
            continue;
        }
        let block = lines.iter().skip(pass + 1).take(MAX_DETAILS);
        let Some(length) = block.clone().position(|line| line.trim() == "...") else { continue };
        // A test may give details of its own.
        if !block.take(length).all(|line| is_match(&DETAIL, line)) {
            continue;
        }
        roles
            .iter_mut()
            .skip(pass + 1)
            .take(length + 1)
            .for_each(|role| *role = Some(LineRole::Pass));
    }
    let is_plan = |line: &str| {
        line.trim_start().strip_prefix("1..").is_some_and(|count| count.parse::<u32>().is_ok())
    };
    for (line, role) in lines.iter().zip(roles.iter_mut()) {
        if role.is_none() && line.starts_with(' ') && is_plan(line) {
            *role = Some(LineRole::Pass);
        }
    }
}

/// What a runner itself says of a pass.
static DETAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?:---|(?:duration_ms|time|type|location): .*)$").ok());

/// Whether a line may speak of a failure, wherever it stands: outputs of parallel runs are mixed line by line.
pub(super) fn may_be_failure(line: &str) -> bool {
    ResultLine::of(line) == ResultLine::Kept || signal::is_in(line)
}

/// The details of one pass are not longer.
const MAX_DETAILS: usize = 32;

/// The longest name of a group of tests.
const MAX_HEADING: usize = 120;

/// Above which passes headings stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Headings {
    /// Those of runners whose lines are known.
    OfKnownRunner,
    /// Others.
    ByShape,
}

/// Whether a line may go if all that it leads to has passed: it neither speaks of a failure nor counts something, and, unless a
/// known runner printed it, holds no value.
pub(super) fn may_be_heading(line: &str, headings: Headings) -> bool {
    if line.len() > MAX_HEADING || may_be_failure(line) {
        return false;
    }
    match headings {
        Headings::OfKnownRunner => {
            !line.split_whitespace().any(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
        }
        Headings::ByShape => {
            let title = line.trim_end_matches([':', '*', '=', '-', '…', '.', ' ']);
            !holds_value(title.trim_start_matches(['#', '=', '-', '>', ' ']))
        }
    }
}

pub(super) fn is_match(pattern: &LazyLock<Option<Regex>>, line: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_known_by_its_status() {
        for line in [
            "ok 12 - handles errors",
            "ok 5",
            "    ok 1 - tax",
            "PASS: t_order",
            "PASS src/cart.test.js",
            "  ✓ fails for an unknown item (3 ms)",
            "[       OK ] Basket.Prices (0 ms)",
            "test money::rounds ... ok",
            "test_x (tests.test_stock.StockTest.test_x) ... ok",
            "{1} tests.test_basket.Basket.test_x [0.000161s] ... ok",
            " 1/18 ledger:order    OK              0.04s",
            "18/18 Test #18: ledger.supplier ..................   Passed    0.00 sec",
            "Label Accepts Two Rows :: Checks the label            | PASS |",
            "TestRefund#test_rates = 0.00 s = .",
            "  test_address_keeps:\t\t\t.: (0.000182)",
            ".   test_basket_holds",
            "++++ orders-0 PASSED",
            " (01/20) a/basket.py:T.test_sum:  PASS (0.04 s)",
            "19:47:01  1 of 37 OK created sql view model main.address ....... [OK in 0.10s]",
            "--- PASS: TestRates (0.00s)",
            "ok  \texample.com/stock/basket\t0.003s",
            "t/01-invoice.t ... ok",
            "rounds ... ok (3ms)",
            " tests/test_rates.py::test_vat[7] ✓                14% █▍",
            "[gw1] PASSED tests/test_rates.py::test_one",
            "ok: [localhost]",
        ] {
            assert_eq!(ResultLine::of(line), ResultLine::Pass, "{line}");
        }
    }

    #[test]
    fn failures_skips_counts_and_verdicts_are_no_passes() {
        for line in [
            "not ok 4 - handles errors",
            "src/a.c:3:4: warning: unused variable   ok",
            "ValueError: no such row ... ok",
            "✓ sums ... failed",
            "ok  \texample.com/ledger/money\t0.008s\tcoverage: 66.7% of statements",
            "ok 4 - prints # SKIP no printer",
            "ok 4 # TODO later",
            "FAIL: t_order",
            "  ✗ adds up",
            "✖ 2 problems (2 errors, 0 warnings)",
            "[  PASSED  ] 53 tests.",
            "[  FAILED  ] Stock.Splits",
            "test money::rounds ... FAILED",
            "14/18 ledger:discount FAIL            0.04s   exit status 3",
            "All tests passed",
            "Result: PASS",
            "[INFO] BUILD SUCCESS",
            "ok=15   changed=0    unreachable=0    failed=1",
            "OK (55 tests, 55 assertions)",
            "PASS 12 of 14, 2 failed",
            "Passed:    46",
            "87 passed (8.1s)",
            "✓ 87 tests passed",
            "orders.test:	Total	20	Passed	18	Skipped	0	Failed	2",
            "ok 3 - retry #2",
            "  - skipped keeps items",
            "it is ok",
            "the order is passed on",
            "Everything is OK now, said the till",
            " tests/test_rates.py::test_vat[7] ⨯                14% █▍",
        ] {
            assert_ne!(ResultLine::of(line), ResultLine::Pass, "{line}");
        }
    }
}
