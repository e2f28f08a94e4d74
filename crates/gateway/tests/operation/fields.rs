//! Every field of `pipes.tool_output` is live: each changes what goes on.

use crate::kit::{Ask, conversation, forwarded, messages, rows, test_run, world_with};
use tokenforge_config::{ExpandInjection, Settings};
use tokenforge_engine::Mode;

/// What goes on of a tool's output, and whether the model was told how to ask for more.
fn sent(text: &str, set: impl FnOnce(&mut Settings)) -> (String, bool) {
    let world = world_with(set);
    assert_eq!(world.send(messages(&conversation(text))).status, 200);
    assert_eq!(world.mock.refusals(), Vec::<String>::new());
    let is_told = world.mock.last().json()["tools"].to_string().contains("expand_context");
    (forwarded(&world.mock), is_told)
}

#[test]
fn c9_without_expand_context_nothing_is_left_out_and_no_tool_is_added() {
    let (text, is_told) =
        sent(&test_run(), |settings| settings.tool_output.enable_expand_context = false);
    assert!(text.contains("case_number_317") && !text.contains("SHADOW"));
    assert!(!is_told);
}

#[test]
fn c9_expand_context_is_offered_from_the_start_or_when_there_is_something_to_ask_for() {
    let when = |settings: &mut Settings| {
        settings.tool_output.expand_injection = ExpandInjection::WhenReferenced;
    };
    assert!(sent("short", |_| {}).1);
    assert!(!sent("short", when).1);
    assert!(sent(&test_run(), when).1);
}

#[test]
fn c9_mode_formats_redaction_and_cap_change_what_goes_on() {
    let (standard, _) = sent(&rows(), |_| {});
    let (minified, _) = sent(&rows(), |settings| settings.tool_output.json_formats = Vec::new());
    assert_ne!(standard, minified);
    let (disabled, _) = sent(&rows(), |settings| settings.tool_output.mode = Mode::Disabled);
    assert_eq!(disabled, rows());
    let secret =
        format!("{}\ntoken ghp_abcdefghijklmnopqrstuvwxyz0123456789\n", "word ".repeat(60));
    assert!(!sent(&secret, |_| {}).0.contains("ghp_abc"));
    let kept = sent(&secret, |settings| settings.tool_output.redact_secrets = false).0;
    assert!(kept.contains("ghp_abc"));
    let long: String = (0..2000).map(|n| format!("{n:x} {}\n", n * 7919 % 10_007)).collect();
    let capped = sent(&long, |settings| settings.tool_output.max_output_bytes = Some(2048)).0;
    assert!(capped.len() < 3000 && sent(&long, |_| {}).0.len() > 10_000);
}

#[test]
fn c9_a_request_asks_for_another_mode_in_a_header() {
    let world = world_with(|_| {});
    let ask = || messages(&conversation(&rows()));
    world.send(ask().header("x-forge-mode", "off"));
    assert_eq!(world.mock.last().body, conversation(&rows()).to_string());
    assert_eq!(world.send(ask().header("x-forge-mode", "max")).status, 400);
    assert_eq!(world.send(ask().header("x-compression-threshold", "many")).status, 400);
    let told = world.send(Ask::new("GET", "/_forge/api/stats")).json();
    assert_eq!(told["counters"]["problems"], 2);
}
