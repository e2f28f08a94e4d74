//! Web pages: shown as their reader sees them where the HTML can be fetched back, and left alone where it is what the agent
//! works on.

use serde_json::json;
use tokenforge_engine::reference::{Reference, ReferenceSecret};
use tokenforge_engine::{CompressedOutput, Engine, History, Mode, Output, Settings, Vault};

fn page() -> String {
    let item = |n: usize| {
        format!(
            "<li class=\"item item-{n}\"><a class=\"link\" href=\"/news/{n}\">Story number {n}</a></li>\n"
        )
    };
    let items: String = (0..40).map(item).collect();
    format!(
        "<!DOCTYPE html>\n<html><head><title>News</title><script>track({{page: 1}})</script></head>\n\
         <body><h1>Today</h1><ul>\n{items}</ul></body></html>\n"
    )
}

fn compress(tool: &str, arguments: &str, mode: Mode, is_error: bool) -> CompressedOutput {
    let settings = Settings { mode, ..Settings::default() };
    let key = ReferenceSecret::from_bytes([7; 32]);
    let text = page();
    let output = Output { text: &text, tool, arguments, call: None, is_error };
    Engine::new(&settings)
        .with_vault(Vault::for_reader(&key))
        .compress(&output, &History::default())
}

fn is_shown(compressed: &CompressedOutput) -> bool {
    compressed.steps.iter().any(|step| step.stage == "html_text" && step.is_applied())
}

#[test]
fn l4_a_page_is_shown_as_text_and_can_be_fetched_back() {
    for (tool, arguments) in [
        ("WebFetch", json!({"url": "https://news.example.org/", "prompt": "what is new?"})),
        ("mcp__fetch__fetch", json!({"url": "https://news.example.org/"})),
        ("Bash", json!({"command": "curl -sL https://news.example.org/"})),
    ] {
        let compressed = compress(tool, &arguments.to_string(), Mode::Standard, false);
        assert!(is_shown(&compressed), "{tool}");
        let text = compressed.text("");
        assert!(text.contains("# Today") && !text.contains("track"), "{text}");
        assert!((0..40).all(|n| text.contains(&n.to_string())), "{text}");
        let original = compressed.original.as_ref().unwrap();
        assert_eq!(original.text(&page()), page());
        assert_eq!(Reference::leading(text).unwrap().0, original.reference);
    }
}

#[test]
fn d6_the_markup_that_an_agent_works_on_stays() {
    for (tool, arguments) in [
        ("Read", json!({"file_path": "site/index.html"})),
        ("Bash", json!({"command": "cat site/index.html"})),
        ("Bash", json!({"command": "curl -s http://localhost:8000/"})),
        ("Bash", json!({"command": "curl -s https://news.example.org/ | grep '<li'"})),
        ("WebFetch", json!({"url": "http://127.0.0.1:8000/"})),
        ("webfetch", json!({"url": "https://news.example.org/", "format": "html"})),
        ("mcp__browser__page_source", json!({})),
    ] {
        let compressed = compress(tool, &arguments.to_string(), Mode::Aggressive, false);
        assert!(!is_shown(&compressed), "{tool} {arguments}");
    }
}

#[test]
fn decision_11_without_a_way_back_and_in_a_failure_a_page_stays() {
    let arguments = json!({"url": "https://news.example.org/"}).to_string();
    assert!(!is_shown(&compress("WebFetch", &arguments, Mode::Lossless, false)));
    assert!(!is_shown(&compress("WebFetch", &arguments, Mode::Standard, true)));
    let settings = Settings::default();
    let text = page();
    let output = Output::new("WebFetch", &text).with_arguments(&arguments);
    assert!(!is_shown(&Engine::new(&settings).compress(&output, &History::default())));
}
