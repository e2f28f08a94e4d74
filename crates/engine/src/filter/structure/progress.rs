//! Progress lines: what a tool says it is doing, with a counter or a verb, and the commands it runs.

use std::sync::LazyLock;

use regex::Regex;

use super::super::signal;
use super::result::is_match;

/// What tools do to files and packages. Other verbs may be about what a program prints as its result.
const VERBS: &str = "Analyzing|Archiving|Assembling|Auto-merging|Building|Bundling|Caching|Checking|Checkout|Cloning|\
    Collecting|Compiling|Compressing|Configuring|Constructing|Converting|Copying|Counting|Creating|Cythonizing|Deltifying|\
    Detecting|Documenting|Downloading|Dumping|Emitting|Enumerating|Entering|Exporting|Extracting|Fetching|Generating|\
    Hashing|Importing|Indexing|Inspecting|Installing|Leaving|Linking|Loading|Looking|Making|Minifying|Optimizing|Packaging|\
    Packing|Parsing|Performing|Precompiling|Preparing|Processing|Pulling|Pushing|Reading|Rebasing|Receiving|Refreshing|\
    Regenerating|Rendering|Resolving|Retrieving|Running|Scanning|Selecting|Setting up|Stripping|Symlinking|\
    Transforming|Transpiling|Unpacking|Unzipping|Updating|Uploading|Validating|Verifying|Waiting|Writing|\
    Compiled|Downloaded|Extracted|Fetched|Unpacked|Get:\\d+|Hit:\\d+";

/// `[12/99] Linking a`, `remote: Counting objects`, `[ 4%] Building b`, `copying a -> b`: at most a few words, no data.
static VERB: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let before = r"(?:\[ *\d+(?:/| of | )?\d*%?\] |\(\d+/\d+\) |remote: |-- |> |=> |\[(?-u:[\w:.-]){1,24}\] |(?-u:[\w.-]){1,24}: |\d\d:\d\d:\d\d +)";
    Regex::new(&format!(r"^\s*{before}{{0,3}}(?i:{VERBS})(?:\s+[^=]*)?$")).ok()
});

/// A counter with one name behind it, or a name and a counter, as in `reading sources... [ 12%] index`.
static COUNTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:(?-u:[\w -]){1,40}\.\.\. *)?(?:\[ *\d+%\]|\[\d+/\d+\]|\(\d+/\d+\)) +\S+$")
        .ok()
});

/// Dots, where `F` and `E` would say that something went wrong, and bars of what is transferred.
static BAR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let dots = r"[.·•,✓✔sSIi]{12,}(?:\s*\[? *\d+%\]?|\s+\d+ ?/ ?\d+.*)?";
    let bar = r".{0,40}?[━█▉▊▋▌▍▎▏░▓#]{8,}.{0,40}?(?:B/s|[kMG]i?B|eta ).{0,40}";
    Regex::new(&format!(r"^\s*(?:{dots}|{bar})\s*$")).ok()
});

/// A configure script's checks, and log lines of the lowest levels.
static DETAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let check = r"(?:configure: )?checking (?:for|whether|how|if|that|build|host|the|dependency) .*\.\.\..*";
    let log = r"(?:\S+ ){0,3}\[?(?:DEBUG|TRACE|VERBOSE|debug|trace|verbose|silly)\]?(?:[: ]\s*).*";
    Regex::new(&format!("^(?:{check}|{log})$")).ok()
});

/// A program and its options, as `make` and `ninja -v` echo them.
static COMMAND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let before = r"(?:\[\d+/\d+\] |: && |libtool: (?-u:\w)+: +|(?-u:\w)+=\S* )*";
    let program = r"(?-u:[\w./+-])*[A-Za-z+]";
    Regex::new(&format!(
        r"^\s*{before}{program}(?: +[^\s-]\S*){{0,3}}(?: +-{{1,2}}[A-Za-z][^\s:]*(?: +[^\s-]\S*)*){{4,}} *\\?$|^depbase=`|^mv -f \S+ \S+$"
    ))
    .ok()
});

/// Whether a line says what is being done, and no more.
pub(super) fn is_progress(line: &str) -> bool {
    let line = line.trim_end();
    !signal::is_in(line)
        && line.len() <= MAX_PROGRESS
        && [&VERB, &COUNTER, &BAR, &DETAIL].into_iter().any(|pattern| is_match(pattern, line))
        && !is_match(&FIGURE, line)
}

/// A longer line says more.
const MAX_PROGRESS: usize = 240;

/// `loss: 0.53` and `running 12 tests` are data.
static FIGURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[:=] +-?\d[\d.]*(?:[^%\d.]|$)|(?-u:\b)\d+ (?:tests?|specs?|examples?|scenarios?|cases?|checks?)(?-u:\b)")
        .ok()
});

/// Whether a line is a command with its options. Options may be called `-Werror`; a diagnostic has a place and a colon.
pub(super) fn is_command(line: &str) -> bool {
    let line = line.trim_end();
    !line.contains(": error") && !line.contains(": warning") && is_match(&COMMAND, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_being_done_is_progress() {
        for line in [
            "[48/53] Linking C executable t_discount",
            "[ 12%] Building C object src/a.c.o",
            "reading sources... [ 12%] page10",
            "[1 of 9] Compiling Basket           ( Basket.hs, Basket.o )",
            "Unpacking libfoo:amd64 (1.2-3) ...",
            "Setting up libfoo:amd64 (1.2-3) ...",
            "Get:3 http://deb.debian.org/debian bookworm/main amd64 zip amd64 3.0-13 [233 kB]",
            "copying shop/money.py -> build/lib/shop",
            "checking for sys/epoll.h... yes",
            "Auto-merging src/a.c",
            "..................s..............  [ 42%]",
            "...................................  63 / 100 ( 63%)",
            "DEBUG   -  Reading: p1.md",
            "     ━━━━━━━━━━━━━━━━━━━━ 134.9/134.9 kB 5 MB/s eta 0:00:00",
            "remote: Counting objects, done.",
        ] {
            assert!(is_progress(line), "{line}");
        }
        for line in [
            "cc -O2 -Wall -Werror -c -o src/a.o src/a.c",
            "libtool: compile:  gcc -DHAVE_X -I. -g -O2 -c a.c  -fPIC -DPIC -o .libs/a.o",
            "[3/9] /usr/bin/clang -Iinclude -g -O2 -MD -MT a.o -c a.c",
        ] {
            assert!(is_command(line), "{line}");
        }
    }

    #[test]
    fn results_and_data_are_not() {
        for line in [
            "Processing a.csv: 34 rows",
            "Testing x",
            "Epoch [1/10] loss=0.53",
            "[1/10] loss 0.53 accuracy 0.91",
            "Installing collected packages failed",
            "....F.........  [ 42%]",
            "building: error in a",
            "string value here",
            "running 12 tests",
            "------------------------",
            "src/a.c:3:4: warning: comparison of integers -Wsign-compare -Wall -Wextra -x",
            "usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]",
        ] {
            assert!(!is_progress(line), "{line}");
            assert!(!is_command(line), "{line}");
        }
    }
}
