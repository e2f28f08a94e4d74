//! Tools whose lines are known letter by letter, beside those that have a filter of their own: their rules hold where a line
//! that only the tool prints stands in the output. For a test runner that line is its summary.

use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexSet};

use super::super::{Run, signal};
use super::LineRole;
use super::result::is_match;

/// A tool and its lines that may go.
struct KnownTool {
    /// A line that only this tool prints.
    sign: &'static str,
    /// What may go.
    lines: &'static str,
    role: LineRole,
    /// Whether `lines` match nothing but the tool's own words around identifiers, so that a script may have started the tool.
    from_scripts: bool,
}

const fn runner(sign: &'static str, lines: &'static str) -> KnownTool {
    KnownTool { sign, lines, role: LineRole::Pass, from_scripts: false }
}

const fn builder(sign: &'static str, lines: &'static str) -> KnownTool {
    KnownTool { sign, lines, role: LineRole::Progress, from_scripts: false }
}

impl KnownTool {
    const fn even_from_scripts(self) -> Self {
        Self { from_scripts: true, ..self }
    }
}

const TOOLS: &[KnownTool] = &[
    // GoogleTest
    runner(r"^\[=+\] \d+ tests? from \d+ test (?:suite|case)s? ran", r"^\[ +OK \] \S"),
    // Python's unittest, also through stestr, nose and Django
    runner(
        r"^Ran \d+ tests? in \d+\.\d+s$|^ - Passed: \d+$",
        r"^(?:\{\d+\} )?[\w.]+(?: \([\w.<>]+\))?(?: \[\d[\d.]*s\])? \.\.\. ok$",
    )
    .even_from_scripts(),
    // TAP: Node's runner, bats, prove, tape, and what else counts its tests so
    runner(
        r"^TAP version 1\d$|^# (?:tests|pass(?:ed)?|ok) *:? *\d+$|^\d+\.\.\d+(?: |$)",
        r"^\s*ok \d+(?: |$)|^ok - ",
    ),
    runner(r"^(?:All tests successful\.|Files=\d+, Tests=\d+, )", r"^\S+ \.+ ok(?: +\d+ ms)?$"),
    runner(r"^ℹ (?:tests|pass) \d+$", r"^\s*[✔▶✓] .+ \(\d+(?:\.\d+)?ms\)$"),
    // JavaScript: mocha, jest, vitest, AVA, Playwright, Bun, Deno, Jasmine
    runner(r"^\s+\d+ passing(?: \(|$)", r"^\s+[✓✔√] "),
    runner(r"^Tests: .*\d+ total$", r"^\s+[✓√] |^PASS \S+(?: \([\d.]+ m?s\))?$"),
    runner(r"^\s+Tests  .*\(\d+\)$", r"^\s+[✓√] "),
    runner(r"^\s+\d+ tests? (?:passed|failed)$", r"^\s+✔ "),
    runner(r"^\s+\d+ passed \([\d.]+m?s?\)$", r"^\s+[✓✔] +\d+ "),
    runner(r"^ *\d+ pass$", r"^(?:\(pass\)|✓) "),
    runner(r"^(?:ok|FAILED) \| \d+ passed", r" \.\.\. ok \(\d+m?s\)$"),
    // Ruby: minitest, and its reporters
    runner(r"^\d+ (?:runs|tests), \d+ assertions, ", r"^\w[\w:]*#\w+ = \d+\.\d+ s = \.$")
        .even_from_scripts(),
    runner(
        r"^\d+ (?:runs|tests), \d+ assertions, ",
        r"^\s+(?:PASS|test_\w+ +PASS)(?-u:\b)|^\s+test[\w: -]*:[ \t]+\.: \(\d+\.\d+\)$",
    ),
    // PHPUnit, with --testdox, and Pest
    runner(r"^OK \(\d+ tests?, \d+ assertions?\)|^Tests: \d+, Assertions: \d+", r"^ [✔✓] "),
    runner(r"^\s+Tests: +.*\d+ passed", r"^\s+[✓✔] "),
    // .NET
    runner(
        r"^(?:Passed|Failed)! +- Failed: +\d+, Passed: |^Total tests: \d+$",
        r"^\s+(?:Passed|√) .+ \[.*\]$",
    ),
    // CTest and Meson
    runner(
        r"^\d+% tests passed, \d+ tests? failed out of \d+",
        r"^ *\d+/\d+ Test +#\d+: .* Passed +\d+\.\d+ sec$",
    ),
    runner(r"^Ok: +\d+ *$", r"^ *\d+/\d+ .+ OK +\d+\.\d+s"),
    // Automake, lit, tcltest, Busted, bats
    runner(r"^# TOTAL: +\d+|^ +Passed *: +\d+", r"^PASS: "),
    runner(r"\tTotal\t\d+\tPassed\t\d+", r"^\+{4} \S+ PASSED$"),
    runner(r"^\d+ success(?:es)? / \d+ failures?", r"^\+ |^ok \d+ "),
    runner(r"^\d+ tests?, \d+ failures?", r"^ [✓✔] |^  \* test .* \(\d+\.\d+ms\)"),
    // Cargo, Go and pytest under a command that says nothing of them
    runner(r"^test result: (?:ok|FAILED)\. \d+ passed", r"^test .+ \.\.\. ok$"),
    runner(r"^(?:ok|FAIL|---) *\t?\S+\t\d+\.\d+s", r"^\s*--- PASS: \S+ \("),
    runner(
        r"^=+ .*\d+ passed.* in \d|^Results \(\d",
        r"^(?:\[gw\d+\] )?(?:\[ *\d+%\] )?\S+::.+ PASSED|^(?:\[gw\d+\] )?(?:\[ *\d+%\] )?PASSED \S|^ *\S*::.* ✓ +\d+%",
    ),
    // Robot Framework, avocado, green, JUnit's console, XCTest
    runner(r"^\d+ tests?, \d+ passed, \d+ failed", r"\| PASS \|$"),
    runner(r"^RESULTS +: PASS \d+", r"^ *\(\d+/\d+\) .+: +(?:\S+: )?PASS \("),
    runner(r"^(?:OK|FAILED|.*) *\(.*passes=\d+.*\)$", r"^\.   \w|^  \. "),
    runner(r"^\[ +\d+ tests successful +\]$", r" (?:✔|\[OK\])$"),
    runner(r"^\s*Executed \d+ tests?, with ", r"^Test Case '.+' passed \("),
    // Ansible and dbt: their recap counts what went well
    runner(r"^PLAY RECAP \*+", r"^ok: \[[\w.-]+\]$"),
    runner(r"Done\. PASS=\d+ ", r"\[(?:OK|PASS) in \d+\.\d+s\] *$"),
    // Package managers and builds
    builder(
        r"^Reading package lists\.\.\.|^(?:Hit|Get):\d+ \w+://",
        r"^(?:Get:\d+ |Hit:\d+ |Selecting previously |Preparing to unpack |Unpacking |Setting up |Processing triggers )",
    ),
    builder(
        r"^running (?:install|build|build_py|build_ext|bdist_wheel|egg_info|sdist|develop)$",
        r"^(?:copying|creating|writing|reading|adding|byte-compiling|hard linking|building) ",
    ),
    builder(
        r"^checking (?:for a BSD-compatible install|whether build environment is sane|build system type|for gcc|for a C compiler)",
        r"^(?:configure: )?checking (?:for|whether|how|if|that|build|host|the|dependency) .*\.\.\.",
    ),
    builder(r"^\[ *\d+ of \d+\] Compiling ", r"^\[ *\d+ of \d+\] Compiling \w"),
    builder(
        r"^\[ *\d+%\] (?:Building|Linking) |^\[\d+/\d+\] (?:Building|Linking|Compiling) ",
        r"^\[ *\d+(?:%|/\d+)\] (?:Automatic MOC for |Building |Linking |Compiling |Generating |Scanning dependencies )",
    ),
    builder(
        r"^(?:remote: )?(?:Enumerating|Counting|Receiving|Writing) objects: ",
        r"^(?:remote: )?(?:(?:Enumerating|Counting|Compressing|Receiving|Writing|Unpacking) objects|Resolving deltas): ",
    ),
    builder(r"^Auto-merging \S", r"^Auto-merging \S"),
    builder(
        r"^(?:Running Sphinx v|reading sources\.\.\. )",
        r"^(?:reading sources|writing output|copying images|highlighting module code|preparing documents|loading pickled environment)\.\.\.",
    ),
    builder(
        r"^Buildfile: ",
        r"^ +\[\w+\] (?:Compiling|Copying|Created dir:|Building jar:|Running) ",
    ),
    builder(
        r"^\[\d+/\d+\] Cythonizing ",
        r"^(?:\[\d+/\d+\] Cythonizing |Compiling \S+\.pyx because )",
    ),
    // Their own log lines of the lowest level, which a switch turned on
    builder(r"^DEBUG uv \d+\.\d+", r"^(?:DEBUG|TRACE) "),
    builder(r"^INFO +-  Building documentation", r"^DEBUG +-  "),
];

/// Every sign, to be found in one look at a line.
static SIGNS: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSet::new(TOOLS.iter().map(|tool| tool.sign)).ok());

/// The lines of each tool, compiled when its sign is found first.
static LINES: [OnceLock<Option<Regex>>; TOOLS.len()] = [const { OnceLock::new() }; TOOLS.len()];

/// Tests that are counted, whichever runner does so.
static SUMMARY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let tests = r"(?:tests?|specs?|examples?|scenarios?|test cases?|runs)";
    Regex::new(&format!(
        r"(?i)^\W*(?:\w+: +)?\d+(?: of \d+|/\d+)? (?:{tests} )?(?:passed|passing)(?-u:\b)|^\W*\d+ {tests}(?:, | \().*(?-u:\b)(?:pass|fail)"
    ))
    .ok()
});

/// What a pass of a test may be called, and a result is not: an address, an absolute path, `name=value`, `this → that`.
static RESULT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\w://|[\s('"]/[\w.]|\w@\w|→|->|(?:^|\s)\w+=\S"#).ok());

/// The tools that an output shows.
pub(super) struct KnownTools {
    found: Vec<usize>,
    has_summary: bool,
}

impl KnownTools {
    /// Looks for the lines that only one tool prints, and for the summary of a test run. A script may print both: of its output
    /// only lines that hold nothing but identifiers are known.
    pub(super) fn of(lines: &[&str], run: Run) -> Self {
        let mut is_found = [false; TOOLS.len()];
        let mut has_summary = false;
        for line in lines {
            for tool in SIGNS.iter().flat_map(|signs| signs.matches(line)) {
                is_found[tool] = true;
            }
            has_summary |= !has_summary && is_match(&SUMMARY, line);
        }
        let found: Vec<usize> = (0..TOOLS.len()).filter(|&tool| is_found[tool]).collect();
        has_summary |= found.iter().any(|&tool| TOOLS[tool].role == LineRole::Pass);
        let is_trusted = |tool: &usize| TOOLS[*tool].from_scripts || !run.is_script;
        let found = found.into_iter().filter(is_trusted).collect();
        Self { found, has_summary: has_summary && !run.is_script }
    }

    /// What a line is to the tools that were found.
    pub(super) fn role(&self, line: &str) -> Option<LineRole> {
        let is_line = |tool: &usize| {
            let lines = LINES[*tool].get_or_init(|| Regex::new(TOOLS[*tool].lines).ok());
            lines.as_ref().is_some_and(|lines| lines.is_match(line))
        };
        let role = TOOLS[*self.found.iter().find(|tool| is_line(tool))?].role;
        let may_go = match role {
            // Behind ` # ` TAP has a comment, such as how long it took.
            LineRole::Pass => !is_match(&RESULT, line.split(" # ").next().unwrap_or(line)),
            _ => !signal::is_in(line),
        };
        may_go.then_some(role)
    }

    /// Whether a test run is summed up in a line, and no script printed it.
    pub(super) fn has_summary(&self) -> bool {
        self.has_summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_valid() {
        assert!(SIGNS.is_some());
        for tool in TOOLS {
            assert!(Regex::new(tool.lines).is_ok(), "{}", tool.lines);
        }
    }

    #[test]
    fn f18_a_tool_is_known_by_its_summary_alone() {
        let passes = ["[       OK ] Basket.Adds2 (0 ms)", "PASS: t-2"];
        let role = |more: &str, run: Run| {
            let lines = [passes[0], passes[1], more];
            let known = KnownTools::of(&lines, run);
            passes.map(|line| known.role(line))
        };
        let tool = Run::default();
        assert_eq!(role("done", tool), [None, None]);
        assert_eq!(role("# TOTAL: 3", tool), [None, Some(LineRole::Pass)]);
        assert_eq!(
            role("[==========] 2 tests from 1 test suite ran. (5 ms total)", tool),
            [Some(LineRole::Pass), None]
        );
        assert_eq!(role("# TOTAL: 3", Run { is_script: true, ..tool }), [None, None]);
    }
}
