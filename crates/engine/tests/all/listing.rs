//! The lossless text stages on outputs of real tools, recorded on this project's own tree, and on texts made to break
//! them.

use std::path::Path;

use proptest::prelude::*;
use tokenforge_engine::internals::{columns, fold, numbers, paths};
use tokenforge_tokens::Counter;

type StageCodec = (&'static str, fn(&str) -> Option<String>, fn(&str) -> Option<String>);

const NUMBERS: StageCodec = ("numbers", numbers::encode, numbers::decode);
const PATHS: StageCodec = ("paths", paths::encode, paths::decode);
const COLUMNS: StageCodec = ("columns", columns::encode, columns::decode);
const FOLD: StageCodec = ("fold", fold::encode, fold::decode);
const STAGES: [StageCodec; 4] = [NUMBERS, PATHS, COLUMNS, FOLD];

fn recorded_listing(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/listing");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn all_recorded() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/listing");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// The stage's text for `text`, once it is known to come back.
fn encode_with((name, encode, decode): StageCodec, text: &str) -> Option<String> {
    let encoded = encode(text)?;
    assert_eq!(decode(&encoded).as_deref(), Some(text), "{name} lost something: {encoded}");
    Some(encoded)
}

fn saved_percent(stage: StageCodec, text: &str) -> usize {
    let counter = Counter::default();
    let encoded =
        encode_with(stage, text).unwrap_or_else(|| panic!("{} does nothing: {text}", stage.0));
    assert!(encoded.len() < text.len(), "{encoded}");
    let (before, after) = (counter.count(text), counter.count(&encoded));
    before.saturating_sub(after) * 100 / before
}

#[test]
fn l3_every_stage_gives_recorded_outputs_back() {
    for text in all_recorded() {
        let crlf = text.replace('\n', "\r\n");
        let open = text.trim_end_matches('\n');
        for stage in STAGES {
            for text in [&text, &crlf, open] {
                encode_with(stage, text);
            }
        }
    }
}

#[test]
fn each_stage_saves_where_it_is_meant_to() {
    let mut less = Vec::new();
    for (stage, name, percent) in [
        (NUMBERS, "cat_n.txt", 20),
        (NUMBERS, "nl_ba.txt", 25),
        (PATHS, "find.txt", 30),
        (PATHS, "find_absolute.txt", 60),
        (PATHS, "git_ls_files.txt", 30),
        (PATHS, "grep_colons.txt", 15),
        (PATHS, "grep_context.txt", 20),
        (PATHS, "grep_text.txt", 15),
        (PATHS, "grep_count.txt", 20),
        (PATHS, "du.txt", 25),
        (PATHS, "wc.txt", 20),
        (PATHS, "sysctl.txt", 15),
        (COLUMNS, "ls_laR.txt", 40),
        (COLUMNS, "ps.txt", 50),
        (COLUMNS, "stat.txt", 20),
    ] {
        let saved = saved_percent(stage, &recorded_listing(name));
        let is_less = saved < percent;
        less.extend(
            is_less.then(|| format!("{} saves {saved} % of {name}, not {percent}", stage.0)),
        );
    }
    assert!(less.is_empty(), "{less:#?}");
}

#[test]
fn find_of_237_paths_keeps_every_path() {
    let found = recorded_listing("find.txt");
    assert_eq!(found.lines().count(), 237);
    let grouped = encode_with(PATHS, &found).unwrap();
    for path in found.lines() {
        let name = path.rsplit('/').next().unwrap();
        assert!(grouped.lines().any(|line| line.ends_with(name)), "{path} is not in {grouped}");
    }
}

#[test]
fn grep_matches_with_colons_in_text_survive() {
    let matches: String = (1..=40)
        .map(|n| {
            format!(
                "src/a b/net:{}.rs:{n}:let x: T = a::b(\"12:30:{n}\"); // src/x.rs:9:\n",
                n / 10
            )
        })
        .collect();
    let grouped = encode_with(PATHS, &matches).unwrap();
    assert!(grouped.contains("\n7:let x: T = a::b(\"12:30:7\"); // src/x.rs:9:\n"), "{grouped}");
}

#[test]
fn p6_every_file_line_and_match_is_still_readable() {
    let file = |n: usize| format!("services/billing/src/invoice_{}.ts", n / 12);
    let text = |n: usize| format!("  await charge(customer{n}, total);");
    let found: String =
        (0..60).map(|n| format!("{}:{}:{}\n", file(n), 7 * n + 3, text(n))).collect();
    let grouped = encode_with(PATHS, &found).unwrap();
    for n in 0..60 {
        let group = grouped.split("\n\n").find(|group| group.contains(&text(n))).unwrap();
        let name = file(n);
        assert!(group.lines().any(|line| line == name), "{name} is not above {group}");
        assert!(group.lines().any(|line| line == format!("{}:{}", 7 * n + 3, text(n))), "{group}");
    }
}

#[test]
fn code_lines_with_two_pipes_are_untouched() {
    let code: String = (0..40)
        .map(|n| format!("    let f{n} = items.iter().map(|x{n}| x{n} + {n}) || other_{n}();\n"))
        .collect();
    for (name, encode, _) in [NUMBERS, PATHS, FOLD] {
        assert_eq!(encode(&code), None, "{name}");
    }
}

#[test]
fn windows_paths_are_grouped_by_file() {
    let errors: String =
        (1..=20).map(|n| format!("C:\\work\\app\\src\\y{}.rs:{n}:5: error\n", n / 10)).collect();
    let grouped = encode_with(PATHS, &errors).unwrap();
    assert!(grouped.contains("\nC:\\work\\app\\src\\y1.rs\n10:5: error\n"), "{grouped}");
}

#[test]
fn names_with_spaces_and_colons_are_kept() {
    let listing: String = (0..30)
        .map(|n| format!("{n}K\t./My Documents/holiday: part {}/photo {n}.jpg\n", n / 10))
        .collect();
    encode_with(PATHS, &listing).unwrap();
    let sums: String =
        (0..30).map(|n| format!("{:032x}  ./My Documents/a b {n}.txt\n", n * 77777)).collect();
    encode_with(PATHS, &sums).unwrap();
}

#[test]
fn names_that_look_like_the_notation_are_refused() {
    for name in ["[Forge end of groups]", "[Forge paths", "./:1:x"] {
        let list: String = (0..20).map(|n| format!("src/app/{name}\nsrc/app/{n}.rs\n")).collect();
        encode_with(PATHS, &list);
        let sizes: String = (0..20).map(|n| format!("{n}K\tsrc/app/{name}\n")).collect();
        encode_with(PATHS, &sizes);
    }
    let stars: String = (0..20).map(|n| format!("root {n} * ok a * b\n")).collect();
    encode_with(COLUMNS, &stars);
    let letters: String = (0..20).map(|n| format!("root {n} x ok a b\na {n}\na\n")).collect();
    encode_with(COLUMNS, &letters);
    let digits: String = (0..20).map(|n| format!("  some/folder/{n}\n")).collect();
    encode_with(PATHS, &digits);
    let wide = format!("{}1:a\n", " ".repeat(70_000)).repeat(9);
    encode_with(NUMBERS, &wide);
}

#[test]
fn what_stands_around_a_list_is_left_alone() {
    let list = recorded_listing("find_absolute.txt");
    let text = format!("Found these:\n\n{list}\n(Results are truncated.)\n\n{list}");
    let grouped = encode_with(PATHS, &text).unwrap();
    assert!(grouped.starts_with("Found these:\n\n[Forge paths: "));
    assert!(
        grouped.contains("\n[Forge end of groups]\n\n(Results are truncated.)\n\n[Forge paths")
    );
}

#[test]
fn file_text_prose_and_diffs_are_left_alone() {
    let source = include_str!("../../src/stages/paths/plan.rs");
    let prose = "Where a tool prints the same words/phrases in every line, e.g. `a: b`, a reader learns little.\n\
                 Such text is short. It is 1.5 times as long as it needs to be, and/or has no columns.\n\n\
                 - see docs/guide.md: the second part\n- see docs/guide.md: the third part\n";
    let diff = format!(
        "--- a/x\n+++ b/x\n@@ -1,80 +1,80 @@\n{}",
        "-    same line of code here\n".repeat(80)
    );
    for (name, encode, _) in [PATHS, COLUMNS, FOLD] {
        for text in [source, prose, &diff] {
            assert_eq!(encode(text), None, "{name} on {}", &text[..60]);
        }
    }
}

#[test]
fn adversarial_texts_are_answered_at_once_and_come_back() {
    let line = "the same line over and over again\n".repeat(300_000);
    let period = "a/b\nc/d\na/b\ne/f\n".repeat(100_000);
    let slashes = "/".repeat(1 << 20);
    let colons = ":1".repeat(1 << 20);
    let growing: String = (0..1500).map(|n| format!("{}x\n", "a/".repeat(n % 700))).collect();
    let nearly: String = (0..200_000u64).map(|n| format!("{}\n", n * n % 7)).collect();
    let newlines = "\n".repeat(1 << 20);
    let blanks = " \t".repeat(1 << 20);
    for text in [&line, &period, &slashes, &colons, &growing, &nearly, &newlines, &blanks] {
        for stage in STAGES {
            encode_with(stage, text);
        }
    }
}

#[test]
fn decoders_refuse_more_than_they_should_write() {
    let bomb = format!("{}\n[Forge the line above 99999999 more times]\n", "x".repeat(1000));
    assert_eq!(fold::decode(&bomb), None);
    let nested = format!("x\n{}", "[Forge the line above 9999999 more times]\n".repeat(50));
    assert_eq!(fold::decode(&nested), None);
    assert_eq!(fold::decode("\n[Forge the line above 60000000 more times]\n"), None);
    assert_eq!(fold::decode("[Forge the 3 lines above once more]\n"), None);
    assert_eq!(fold::decode("a\n[Forge 3 lines again from: a]\n"), None);
    assert_eq!(paths::decode("[Forge end of groups]\n"), None);
    let rule = "a group's first line goes before each line under it";
    let grown =
        format!("[Forge paths: {rule}]\n{}\n{}", "x".repeat(1 << 20), "y\n".repeat(1 << 10));
    assert_eq!(paths::decode(&grown), None);
    assert_eq!(columns::decode("plain\n"), None);
}

/// Recorded outputs with lines taken out, doubled, moved, cut and joined.
fn mutated_listing() -> impl Strategy<Value = String> {
    let edits =
        prop::collection::vec((0usize..6, any::<prop::sample::Index>(), "(?s).{0,6}"), 0..8);
    (prop::sample::select(all_recorded()), 0usize..60, edits).prop_map(|(text, most, edits)| {
        let mut lines: Vec<String> = text.split('\n').take(most).map(str::to_owned).collect();
        lines.push(String::new());
        for (edit, place, word) in edits {
            let at = place.index(lines.len());
            match edit {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => lines[at].push_str(&word),
                3 => lines[at] = format!("{word}{}", lines[at]),
                4 => lines.insert(at, word),
                _ => {
                    let block = lines[at..].iter().take(5).cloned().collect::<Vec<_>>();
                    lines.extend(block);
                }
            }
            lines.push(String::new());
        }
        lines.join("\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn l3_mutated_outputs_come_back(text in mutated_listing()) {
        for (name, encode, decode) in STAGES {
            if let Some(encoded) = encode(&text) {
                prop_assert_eq!(decode(&encoded), Some(text.clone()), "{}: {}", name, encoded);
            }
        }
    }

    #[test]
    fn l3_small_repetitive_texts_come_back(
        text in "((a|b|ab)?[./: *\t\r-]{0,2}(a/|b/|1:|2-|aaaaaaaaaaaaaaaaaaaaaaaaa|\\* |--)?[ab1*]{0,2}\n){0,40}[a/ *]{0,3}",
        block in "([ab/]{8,12} [a1*]{1,3} [b2]{1,2} c d\n){1,6}", times in 1usize..9,
    ) {
        for text in [format!("{text}{}", block.repeat(times)), format!("{}{text}{block}{text}", block.repeat(times))] {
            for (name, encode, decode) in STAGES {
                if let Some(encoded) = encode(&text) {
                    prop_assert_eq!(decode(&encoded), Some(text.clone()), "{}: {}", name, encoded);
                }
            }
        }
    }

    #[test]
    fn decoders_survive_mutations_of_what_encoders_wrote(
        text in prop::sample::select(all_recorded()), stage in 0usize..4, cut in any::<prop::sample::Index>(),
        word in "(?s).{0,4}",
    ) {
        let (_, encode, decode) = STAGES[stage];
        if let Some(mut encoded) = encode(&text) {
            let at = encoded.floor_char_boundary(cut.index(encoded.len()).min(400));
            encoded.insert_str(at, &word);
            let _ = decode(&encoded);
            let _ = decode(&encoded[..at]);
        }
    }
}
