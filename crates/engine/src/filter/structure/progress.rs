//! Progress lines: what a tool says it is doing, with a counter or a verb, and the commands it runs.

use std::sync::LazyLock;

use regex::Regex;

use super::super::signal;
use super::result::is_match;
use super::value::holds_value;

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
    // A chart of results is drawn with the same bars; how much of how much is there says that it is a transfer.
    let bar = r".{0,40}?[━█▉▊▋▌▍▎▏░▓#]{8,}.{0,40}?(?:\d/\d[\d.]* ?[kMG]?i?B|eta ).{0,40}";
    Regex::new(&format!(r"^\s*(?:{dots}|{bar})\s*$")).ok()
});

/// A program and its options, as `make` and `ninja -v` echo them.
static COMMAND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let before = r"(?:\[\d+/\d+\] |: && |libtool: (?-u:\w)+: +|(?-u:\w)+=\S* )*";
    // Of other programs a list of commands may be the answer: a dry run, a crontab, a history.
    let program = r"(?:(?-u:[\w./+-])*[/-])?(?:tool/\w+/\w+|gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|ld|ar|ranlib|strip|rustc|javac|ghc|gfortran|nvcc|emcc|swiftc|libtool|install|as|moc|uic|cmake)(?:-\d+)?";
    Regex::new(&format!(
        r"^\s*{before}{program}(?: +[^\s-]\S*){{0,3}}(?: +-{{1,2}}[A-Za-z][^\s:]*(?: +[^\s-]\S*)*){{4,}} *\\?$|^depbase=`|^mv -f \S+ \S+$"
    ))
    .ok()
});

/// Whether a line says what is being done, and no more: with a counter of a file of source, else without any value.
pub(super) fn is_progress(line: &str) -> bool {
    let line = line.trim_end();
    if signal::is_in(line) || line.len() > MAX_PROGRESS {
        return false;
    }
    is_match(&BAR, line)
        || (is_match(&VERB, line) || is_match(&COUNTER, line)) && !holds_value(&beside_counts(line))
}

/// A longer line says more.
const MAX_PROGRESS: usize = 240;

/// A line without what a reader of progress does not need: how far it is and, behind that, which file of source is done.
fn beside_counts(line: &str) -> String {
    let Some(counter) = COUNT.as_ref().and_then(|count| count.find(line)) else {
        return line.trim_end_matches(['.', '…', ' ']).to_owned();
    };
    let words = line[counter.end()..].split_whitespace();
    let rest: Vec<&str> = words.filter(|word| !is_match(&SOURCE, word)).collect();
    let before = line[..counter.start()].trim_end_matches(['.', '…', ' ']);
    format!("{before} {}", rest.join(" ").trim_end_matches(['.', '…', ' ']))
}

/// `[3/9]`, `[ 12%]`, `(3/9)`.
static COUNT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[ *\d+(?:%|/\d+| of \d+)\]|\(\d+/\d+\)").ok());

/// A file of source or what is compiled from it, by a path inside the project.
static SOURCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let ending = "c|cc|cpp|cxx|h|hh|hpp|o|obj|so|a|S|rs|go|py|pyx|pyc|rb|java|class|kt|scala|swift|m|mm|hs|ml|ex|erl|js|jsx|mjs|cjs|ts|tsx|vue|css|scss|cu|f90|zig|vala";
    Regex::new(&format!(r"^(?-u:[A-Za-z0-9_.+-])+(?:/(?-u:[A-Za-z0-9_.+-])+)*\.(?:{ending})$")).ok()
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
            "[48/53] Linking target",
            "[ 12%] Building C object src/a.c.o",
            "[3/9] src/money2.c",
            "Resolving dependencies...",
            "Setting up the environment ...",
            "..................s..............  [ 42%]",
            "...................................  63 / 100 ( 63%)",
            "     ━━━━━━━━━━━━━━━━━━━━ 134.9/134.9 kB 5 MB/s eta 0:00:00",
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
            "Writing /tmp/report-2291.json",
            "Uploading build to s3://acme-prod/releases",
            "Creating subnet in 10.0.1.0/24",
            "Updating record www to api.example.net",
            "Loading model 'cls-large'",
            "[3/9] 10.0.0.4",
            "(1/3) shard-0042",
            "[1/3] Copying db.example.net",
            "DEBUG: computed offset=4821",
            "read   ████████████ 512 MB/s",
            "aws ec2 run-instances --image-id ami-1 --count 1 --instance-type t3 --key-name k",
            "docker run --name web --publish 8080:80 --env A=1 --detach nginx",
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
