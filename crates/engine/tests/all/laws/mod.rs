//! What every module promises on any text: no panic, applied twice is applied once, a change only where there is one,
//! and never more bytes.

use proptest::prelude::*;
use tokenforge_engine::internals::{binary, cap, padding, progress, whitespace};
use tokenforge_engine::terminal;

/// Texts made of what these modules look for.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        "[ -~]{0,12}",
        "(  |   |\t|\r|\n|\r\n|\u{8}| \\| |[│├┼─+|-]{1,4})",
        "\u{1b}(\\[[0-9;?]{0,3}[A-HJKm]|\\][0-9];a?(\u{7}|\u{1b}\\\\)?|[PX^_(]|)",
        "(NAME|SIZE|Used by|12|4096|-rw-r--r--|error:|FAILED|100644 blob|10:30|%|Key: )",
        "[\u{0}\u{1}\u{80}-\u{9f}é日\u{301}\u{fffd}⠋]{0,4}",
        "(-{2,9}|={2,9})",
    ];
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

/// Texts of aligned rows.
fn tables() -> impl Strategy<Value = String> {
    let cell = "([A-Z]{0,6}|[a-z]{1,9}( [a-z]{1,3})?|[0-9]{1,5}|)";
    let rows = prop::collection::vec(prop::collection::vec(cell, 4), 1..9);
    (rows, "[-= |]", any::<bool>()).prop_map(|(rows, rule, right)| {
        let line = |cells: &Vec<String>| {
            let pad =
                |cell: &String| if right { format!("{cell:>10}") } else { format!("{cell:<10}") };
            cells.iter().map(pad).collect::<String>() + "\n"
        };
        let mut lines: Vec<String> = rows.iter().map(line).collect();
        lines.insert(1, [rule.repeat(9).as_str(); 4].join(" ") + "\n");
        lines.concat()
    })
}

fn keeps_the_laws(name: &str, apply: impl Fn(&str) -> Option<String>, text: &str) {
    let Some(once) = apply(text) else { return };
    assert_ne!(once, text, "{name}: a change that is none");
    assert!(once.len() <= text.len(), "{name}: {text:?} grew to {once:?}");
    assert_eq!(apply(&once), None, "{name}: {text:?} became {once:?}");
}

/// What a terminal shows of each line, wherever it stands in it.
fn without_blanks(text: &str) -> Vec<String> {
    text.lines().map(|line| line.chars().filter(|c| !c.is_whitespace()).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn each_module_keeps_the_laws(text in prop_oneof![texts(), tables(), any::<String>()]) {
        keeps_the_laws("progress", progress::settle, &text);
        keeps_the_laws("terminal", terminal::strip, &text);
        keeps_the_laws("padding", padding::squeeze, &text);
        keeps_the_laws("whitespace", whitespace::trim_line_ends, &text);
        let shown = |text: &str| {
            let settled = progress::settle(text);
            terminal::strip(settled.as_deref().unwrap_or(text)).or(settled)
        };
        keeps_the_laws("progress and terminal", shown, &text);
    }

    #[test]
    fn no_escape_survives(text in texts()) {
        let stripped = terminal::strip(&text).unwrap_or(text);
        prop_assert!(!stripped.contains('\u{1b}'), "{stripped:?}");
    }

    #[test]
    fn d70_squeezing_changes_blanks_alone(text in prop_oneof![texts(), tables()]) {
        if let Some(squeezed) = padding::squeeze(&text) {
            prop_assert_eq!(without_blanks(&squeezed), without_blanks(&text));
        }
    }

    #[test]
    fn suppressing_binary_twice_is_once(text in prop_oneof![texts(), any::<String>()]) {
        for suppress in [binary::suppress, binary::suppress_base64] {
            if let Some(once) = suppress(&text) {
                prop_assert_eq!(suppress(&once), None);
            }
        }
    }

    #[test]
    fn f8_capping_twice_is_once(text in prop_oneof![texts(), any::<String>()], max_bytes in 0_usize..200) {
        if let Some(capped) = cap::cap(&text, max_bytes) {
            prop_assert_eq!(cap::cap(&capped.text, max_bytes), None, "{}", capped.text);
            let markers: Vec<&str> = capped.text.lines().filter(|line| line.starts_with("[Forge left out ")).collect();
            prop_assert!((1..=2).contains(&markers.len()));
            let overhead: usize = markers.iter().map(|line| line.len() + 2).sum();
            prop_assert!(capped.text.len() <= max_bytes + overhead);
            prop_assert!(text.len() - capped.bytes <= max_bytes);
        }
    }
}
