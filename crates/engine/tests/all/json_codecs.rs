//! JSON that is not JSON alone: cut off by a client, in strings, in a client's quotes, printed by Python.

use serde_json::json;
use tokenforge_engine::{
    CompressedOutput, Engine, History, Mode, ModelClass, Output, Settings, ToolCall, restore,
};

fn settings() -> Settings {
    Settings { mode: Mode::Lossless, ..Settings::default() }
}

fn compress(text: &str, settings: &Settings) -> CompressedOutput {
    Engine::new(settings).compress(&Output::new("query", text), &History::default())
}

fn applied(compressed: &CompressedOutput) -> Vec<&'static str> {
    let steps = compressed.steps.iter().filter(|step| step.is_applied());
    steps.map(|step| step.stage).collect()
}

/// What the model gets, having checked that it is smaller, comes back and is not compressed again.
fn shown(text: &str, stages: &[&str]) -> String {
    let compressed = compress(text, &settings());
    assert_eq!(applied(&compressed), stages);
    let shown = compressed.text(text);
    assert!(shown.len() < text.len());
    assert_eq!(restore(shown).unwrap(), text);
    assert_eq!(compress(shown, &settings()).text(shown), shown);
    shown.to_owned()
}

fn rows(ids: std::ops::Range<usize>) -> String {
    let row = |id| format!(r#"{{"id":{id},"state":"open","owner":"user {}"}}"#, id % 7);
    ids.map(row).collect::<Vec<_>>().join(",")
}

/// The text as Python prints it in the result of an MCP tool.
fn text_content(text: &str) -> String {
    let escaped = text.replace('\\', r"\\").replace('\'', r"\'").replace('\n', r"\n");
    format!(
        "meta=None content=[TextContent(type='text', text='{escaped}', annotations=None)] isError=False"
    )
}

/// What a tool printed: quotes, tabs and lines of no shape.
const PROSE: &str = "It's \"done\", they said.\n\
    \tNobody had asked for \"more than that\".\n\
    Then the parser's author wrote:\n\
    \t\t\"A quote isn't a quote until it's closed.\"\n\
    Which, of course, didn't help.\n\
    \"Try again\", said the build; \"it's only C:\\\\temp that's full\".\n\
    So we emptied \"the bin\"\n\
    \tand what wasn't in it,\n\
    and the disk's owner was \"pleased\".\n";

/// The text in the JSON of an MCP result, as Python prints it in another.
fn twice_quoted(text: &str) -> String {
    let inner = json!({ "content": [{ "type": "text", "text": text }], "isError": false });
    text_content(&inner.to_string())
}

#[test]
fn l3_l6_an_output_in_quotes_in_quotes_stands_unescaped_below_its_wrapper() {
    let shown = shown(&twice_quoted(PROSE), &["unescaped_strings"]);
    assert!(
        shown.starts_with("[Forge … in the next line is the text below, unescaped]\n"),
        "{shown}"
    );
    assert!(shown.ends_with(&format!("\n{PROSE}")), "{shown}");
}

#[test]
fn l3_l6_json_in_quotes_is_in_a_form_below_its_wrapper() {
    let text = twice_quoted(&format!(r#"{{"rows":[{}]}}"#, rows(0..40)));
    let shown = shown(&text, &["json", "unescaped_strings"]);
    assert!(shown.lines().nth(2).is_some_and(|line| line.starts_with("stc2")), "{shown}");
}

#[test]
fn l3_l6_strings_of_json_that_hold_json_are_values() {
    let policy = format!(r#"{{"Statement":[{}]}}"#, rows(0..9));
    let text = json!({ "Name": "a", "Policy": policy }).to_string();
    let shown = shown(&text, &["nested_json"]);
    assert!(
        shown.starts_with("[Forge strings that hold JSON, unescaped: \"Policy\"]\nstc2"),
        "{shown}"
    );
    assert!(!shown.contains('\\'), "{shown}");
}

#[test]
fn l3_l6_rows_as_python_prints_them_are_a_table() {
    let row =
        |n| format!("{{'name': 'city {n}', 'count': {}, 'at': (1, {n}), 'open': None}}", n * 37);
    let rows = (0..60).map(row).collect::<Vec<_>>().join(", ");
    let shown = shown(&format!("[{rows}]\n"), &["python_repr"]);
    assert!(shown.starts_with("[Forge a Python literal as JSON, tuples at level 3]\n"), "{shown}");
}

#[test]
fn l3_l6_rows_of_a_database_as_python_prints_them_are_a_table() {
    let rows: Vec<String> = (0..60).map(|n| format!("('city {n}', {}, None)", n * 37)).collect();
    let text = format!("[{}, ('it\\'s \"x\"', 2.5, True)]\n", rows.join(", "));
    let shown = shown(&text, &["python_repr"]);
    let head = "[Forge a Python literal as JSON, tuples at level 2 as objects]\n";
    assert!(shown.starts_with(head), "{shown}");
}

#[test]
fn d55_json_that_a_client_cut_off_saves_most_of_what_it_would_save_whole() {
    let whole = format!(r#"{{"total":80,"rows":[{}]}}"#, rows(0..80));
    let saved = |text: &str| {
        let after = compress(text, &settings()).text(text).len();
        (text.len() - after) * 100 / text.len()
    };
    let cut = &whole[..whole.len() * 2 / 3];
    let torn = format!("{}…900 tokens truncated…{}", &whole[..1500], &whole[2100..]);
    for text in [cut, &format!("{cut}\n... [truncated]"), &torn] {
        shown(text, &["truncated_json"]);
        assert!(saved(text) * 5 >= saved(&whole) * 4, "{} of {}", saved(text), saved(&whole));
    }
}

#[test]
fn decision_37_small_models_get_none_of_it() {
    let texts = [
        twice_quoted(PROSE),
        format!("[{},{{\"id\":7", rows(0..40)),
        json!({ "held": format!("[{}]", rows(0..40)) }).to_string(),
        format!("[{}]", ["{'name': 'a', 'count': 1, 'open': None}"; 40].join(", ")),
    ];
    for text in &texts {
        assert!(!applied(&compress(text, &settings())).is_empty(), "{text}");
        let small = Settings { model_class: ModelClass::Small, ..settings() };
        assert_eq!(compress(text, &small).text(text), text);
    }
}

#[test]
fn a_stage_that_is_skipped_does_not_run() {
    let text = twice_quoted(PROSE);
    let skip_stages = vec!["unescaped_strings".to_owned()];
    let skipping = Settings { skip_stages, ..settings() };
    assert_eq!(compress(&text, &skipping).text(&text), text);
    assert_eq!(applied(&compress(&text, &settings())), ["unescaped_strings"]);
}

#[test]
fn d9_pointers_in_an_unescaped_output_lead_back() {
    let call = |id| ToolCall { id: Some(id), tool: "query", arguments: r#"{"q":"a"}"# };
    let mut history = History::default();
    history.add(&call("1"), PROSE);
    let text = twice_quoted(&format!("{PROSE}and \"one\" more\n"));
    let output = Output {
        text: &text,
        tool: "fetch",
        arguments: r#"{"q":"b"}"#,
        call: Some("2"),
        is_error: false,
    };
    let settings = settings();
    let compressed = Engine::new(&settings).compress(&output, &history);
    assert!(applied(&compressed).contains(&"earlier_results"), "{}", compressed.text(&text));
    let resolved = history.resolve(compressed.text(&text), output.arguments).unwrap();
    assert_eq!(restore(&resolved).unwrap(), text);
}
