//! The engine's laws over recorded outputs of real tools, mutations of them, and texts made to be hard.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tokenforge_engine::{Mode, Output};
use tokenforge_laws::{effort, engine};
use tokenforge_samples::{Recorded, mutated, recorded};

/// Checks `law` on every item, on every core.
fn for_all<T: Sync>(items: &[T], law: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    law(index, item);
                }
            });
        }
    });
}

fn output(recorded: &Recorded) -> Output<'_> {
    Output {
        text: &recorded.text,
        tool: &recorded.tool,
        arguments: &recorded.arguments,
        call: None,
        is_error: false,
    }
}

#[test]
fn l2_l3_l5_l6_hold_for_every_recorded_output_in_every_mode() {
    for_all(&recorded(), |_, recorded| {
        for mode in Mode::ALL {
            println!("{} {mode}", recorded.name);
            engine::all(&output(recorded), mode);
            engine::handled_once(&output(recorded), mode);
        }
    });
}

/// Two marks in code frames make the whole text and the one without its source cost nearly the same.
#[test]
fn l6_near_tie_is_decided_once() {
    let all = recorded();
    let run = all.iter().find(|recorded| recorded.name == "npm-test-jest.txt").unwrap();
    let text =
        run.text.replacen("      17 |", ">>>\n      17 |", 1).replacen(" 5 |", " 5 >>>\n|", 1);
    engine::all(&Output { text: &text, ..output(run) }, Mode::Standard);
}

#[test]
fn d70_tables_with_rules_and_borders_are_shown_as_they_were() {
    let rows = |edge: &str, bar: &str| -> String {
        let row =
            |n: usize| format!("{edge} {n:<6} {bar} {:<24} {bar} {:>9} {edge}\n", "name", n * 37);
        (1..40).map(row).collect()
    };
    let rule = |left: &str, line: &str, cross: &str, right: &str| {
        format!("{left}{}{right}\n", [8, 26, 11].map(|width| line.repeat(width)).join(cross))
    };
    let boxed = |bar: &str, rules: [String; 3]| {
        let head = format!("{bar} Id     {bar} Name                     {bar}     Count {bar}\n");
        let [top, middle, bottom] = rules;
        format!("{top}{head}{middle}{}{bottom}", rows(bar, bar))
    };
    let tables = [
        boxed("|", [0; 3].map(|_| rule("+", "-", "+", "+"))),
        boxed("│", [rule("┌", "─", "┬", "┐"), rule("├", "─", "┼", "┤"), rule("└", "─", "┴", "┘")]),
        format!("| Id | Name | Count |\n{}{}", rule("|", "-", "|", "|"), rows("|", "|")),
        format!(" Id     | Name       | Count\n{}{}", rule("", "-", "+", ""), rows("", "|")),
        format!("  Id       Name         Count\n{}{}", rule("", "-", " ", ""), rows("", " ")),
    ];
    for text in &tables {
        let output = Output { text, tool: "Bash", arguments: "{}", call: None, is_error: false };
        for mode in Mode::ALL {
            engine::all(&output, mode);
        }
    }
}

#[test]
fn l2_l3_l5_l6_hold_for_mutations_of_recorded_outputs() {
    let all = recorded();
    for_all(&all, |index, recorded| {
        for seed in 0..effort(2_u64, 12) {
            let other = &all[(index + seed as usize + 1) % all.len()];
            let text = mutated(&recorded.text, &other.text, seed ^ index as u64);
            let mutated = Recorded { text, ..recorded.clone() };
            for mode in [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive] {
                println!("{} {mode} seed {seed}", recorded.name);
                engine::all(&output(&mutated), mode);
                engine::handled_once(&output(&mutated), mode);
            }
        }
    });
}

#[test]
fn l2_l3_l5_l6_hold_for_texts_made_to_be_hard() {
    let long: usize = effort(1 << 17, 1 << 20);
    let texts = [
        "x".repeat(long),
        "one long line ".repeat(long * 10 / 14),
        " ".repeat(long),
        "\n".repeat(long),
        "\u{1b}".repeat(long),
        "\r".repeat(long),
        "\0".repeat(long),
        "[".repeat(long),
        "[\n".repeat(long / 2),
        "{\"a\":".repeat(long / 5),
        "{\"a\":\"[1]\",".repeat(long / 11),
        format!("{{\"a\":1,{}", "},{\"b\":\"{".repeat(long / 10)),
        format!("{{\"a\":\"{}", "{\\\"a\\\":".repeat(long / 7)),
        "(1, ['a', ".repeat(long / 9),
        format!("[TextContent(type='text', text='{}", "\\'\\n".repeat(long / 4)),
        "a/b/c:1:\n".repeat(long / 9),
        "[Forge \n".repeat(long / 8),
        "\u{1b}]8;;".repeat(long / 5),
        "é\u{301}ſ\u{202e}".repeat(long / 8),
        (0..long / 10).map(|n| format!("{n}\t{n}\n")).collect(),
        (0..long / 10).map(|n| format!("line {n} {}\n", n % 7)).collect(),
    ];
    for_all(&texts, |_, text| {
        for mode in [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive] {
            println!("{mode} {:?}", &text[..text.floor_char_boundary(20)]);
            let output =
                Output { text, tool: "Bash", arguments: "{}", call: None, is_error: false };
            engine::all(&output, mode);
        }
    });
}
