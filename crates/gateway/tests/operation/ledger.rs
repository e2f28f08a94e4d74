//! Savings are written down once, and everybody who shows them says the same.

use crate::kit::{
    Ask, PATIENCE, World, conversation, messages, rows, streaming, test_run, world, world_with,
};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;
use tokenforge_config::SchemaCompression;
use tokenforge_engine::Mode;
use tokenforge_ledger::{
    EntrySource, GainReport, GroupBy, Ledger, LedgerEntry, LedgerSummary, ModelPrices,
};
use tokenforge_mock::Reply;

fn keeping(folder: &Path) -> World {
    world_with(|settings| settings.ledger.path = Some(folder.to_owned()))
}

/// The entries, when there are as many.
fn entries(folder: &Path, count: usize) -> Vec<LedgerEntry> {
    let started = Instant::now();
    loop {
        let entries: Vec<LedgerEntry> = Ledger::read(folder, None).unwrap().collect();
        if entries.len() >= count {
            assert_eq!(entries.len(), count, "{entries:?}");
            return entries;
        }
        assert!(started.elapsed() < PATIENCE, "{entries:?}");
        std::thread::yield_now();
    }
}

fn gained(folder: &Path, by: GroupBy) -> GainReport {
    LedgerSummary::of(Ledger::read(folder, None).unwrap(), by, &ModelPrices::default())
}

fn agent(ask: Ask) -> Ask {
    ask.header("user-agent", "claude-cli/2.1.0 (external, cli)")
}

/// A conversation that goes on: the first result again, and a new one.
fn longer(first: &str, second: &str) -> Value {
    let mut body = conversation(first);
    let more = conversation(second);
    let messages = body["messages"].as_array_mut().unwrap();
    for message in &more["messages"].as_array().unwrap()[1..] {
        messages.push(
            serde_json::from_str(&message.to_string().replace("toolu_1", "toolu_2")).unwrap(),
        );
    }
    body
}

fn metric(world: &World, name: &str) -> i64 {
    let text = world.get("/_forge/metrics").text();
    let start = format!("tokenforge_{name}_total ");
    let line = text.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("no {name}: {text}")).parse().unwrap()
}

#[test]
fn c13_stats_metrics_gain_and_the_ledger_agree() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    world.send(agent(messages(&conversation(&rows()))));
    world.send(agent(messages(&longer(&rows(), &test_run()))));
    world.send(messages(&streaming(&rows())));
    world.mock.reply(Reply::expand_first_reference());
    world.mock.reply("seen");
    world.send(Ask::post("/p/shop/v1/messages", conversation(&test_run()).to_string()));
    // A request that the provider refused saves nothing, and a count of tokens costs nothing.
    world.mock.reply(Reply::status(529, &[], r#"{"type":"error"}"#));
    assert_eq!(world.send(messages(&longer(&rows(), &test_run()))).status, 529);
    world.post("/v1/messages/count_tokens", longer(&rows(), &test_run()).to_string());
    let entries = entries(folder.path(), 4);
    assert!(
        entries.iter().all(|entry| entry.source == EntrySource::Gateway && entry.usage.is_some())
    );

    for by in GroupBy::ALL {
        let shown = world.get(&format!("/_forge/api/gain?by={}&days=2", by.name())).json();
        let gained = serde_json::to_value(gained(folder.path(), *by)).unwrap();
        assert_eq!(shown, gained, "{by:?}");
        assert_eq!(shown["requests"], 4);
    }
    let gain = gained(folder.path(), GroupBy::Tool);
    let stats = world.get("/_forge/api/stats").json();
    for (name, tokens) in [
        ("saved_fresh", gain.tokens.saved),
        ("saved_repeated", gain.repeated.before as i64 - gain.repeated.after as i64),
        ("expanded", gain.tokens.expanded as i64),
    ] {
        assert!(tokens > 0, "{name}");
        assert_eq!(stats["tokens"][name], tokens, "{name}");
    }
    for (name, tokens) in [
        ("fresh_tokens_before", gain.tokens.before),
        ("fresh_tokens_after", gain.tokens.after),
        ("repeated_tokens_before", gain.repeated.before),
        ("repeated_tokens_after", gain.repeated.after),
        ("expansion_tokens", gain.tokens.expanded),
        ("results", gain.results + gain.repeated.results),
        ("requests_not_taken", 1),
        ("ledger_dropped", 0),
    ] {
        assert_eq!(metric(&world, name), tokens as i64, "{name}");
    }
    let cost = gain.cost.unwrap();
    assert_eq!((cost.requests, cost.saved_elsewhere), (4, 0.0));
    let dollars = stats["dollars"]["saved_net"].as_f64().unwrap();
    assert!((dollars - cost.saved).abs() < 1e-5, "{dollars} {cost:?}");
    let tool = &stats["tools"]["Bash"];
    let row = &gain.rows[0];
    assert_eq!(row.name, "Bash");
    assert_eq!(tool["tokens_before"], row.before + row.repeated.before);
    assert_eq!(tool["tokens_after"], row.after + row.repeated.after);
}

#[test]
fn an_entry_has_names_and_numbers_and_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    let session = |ask: Ask| ask.header("x-claude-code-session-id", "a-session-of-mine");
    world.send(session(agent(messages(&longer(&rows(), &test_run())))));
    let [entry] = entries(folder.path(), 1).try_into().unwrap();
    assert_eq!(entry.client, Some("claude-cli".into()));
    assert_eq!(entry.model, Some("claude-sonnet-4-5".into()));
    assert_eq!(entry.dialect, Some("Anthropic".into()));
    assert_eq!(entry.session.as_ref().map(|session| session.as_str().len()), Some(16));
    assert_eq!(entry.results.iter().map(|outcome| outcome.results).sum::<u64>(), 2);
    assert!(
        entry.results.iter().all(|outcome| outcome.is_touched() && outcome.after < outcome.before)
    );
    let line = serde_json::to_string(&entry).unwrap();
    for text in ["a-session", "row 5", "case_number", "cargo test", "sk-client", "Go on."] {
        assert!(!line.contains(text), "{text}: {line}");
    }
}

/// A conversation with two tools that it does not call, and one that the model has to look for.
fn with_unused_tools(text: &str) -> Value {
    let mut body = conversation(text);
    let tool = |name: &str| {
        let schema =
            json!({"$schema": "urn:of-a-schema", "type": "object", "additionalProperties": false});
        json!({"name": name, "description": "Words of a description.", "input_schema": schema})
    };
    let tools = body["tools"].as_array_mut().unwrap();
    tools.extend(["mcp__files__read", "mcp__files__write"].map(tool));
    tools.push(
        json!({"name": "Deferred", "input_schema": {"type": "object"}, "defer_loading": true}),
    );
    body
}

#[test]
fn u1_the_ledger_has_the_names_and_tokens_of_tools_and_which_were_called() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    world.send(agent(messages(&with_unused_tools(&rows()))));
    world.send(agent(messages(&with_unused_tools(&test_run()))));
    world.send(agent(messages(&conversation(&rows()))));
    let entries = entries(folder.path(), 3);
    let tools: Vec<_> = entries.iter().map(|entry| entry.tools.clone().unwrap()).collect();
    let names: Vec<&str> = tools[0].declared.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["Bash", "mcp__files__read", "mcp__files__write"]);
    assert!(tools[0].declared.iter().all(|tool| tool.tokens > 5), "{tools:?}");
    assert!(tools.iter().all(|tools| tools.called == [0] && tools.shortened == 0), "{tools:?}");
    // The names of a list are written once.
    assert_eq!((&tools[1].list, tools[1].declared.len()), (&tools[0].list, 0));
    assert_ne!(tools[2].list, tools[0].list);

    let report = gained(folder.path(), GroupBy::Tool).declarations.unwrap();
    let unused: Vec<_> = report
        .unused
        .iter()
        .map(|tool| (&*tool.tool, tool.requests, tool.server.as_deref()))
        .collect();
    let files = Some("files");
    assert_eq!(unused, [("mcp__files__read", 2, files), ("mcp__files__write", 2, files)]);
    assert!(report.unused_cost.is_some_and(|cost| cost > 0.0), "{report:?}");
    let shown = world.get("/_forge/api/history?since=1").json()["gain"]["declarations"].clone();
    assert_eq!(shown, serde_json::to_value(&report).unwrap());
}

#[test]
fn u1_l10_no_word_of_a_declaration_is_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    world.send(agent(messages(&with_unused_tools(&rows()))));
    let [entry] = entries(folder.path(), 1).try_into().unwrap();
    let line = serde_json::to_string(&entry).unwrap();
    for text in ["Words", "description", "urn:", "schema", "object"] {
        assert!(!line.contains(text), "{text}: {line}");
    }
}

#[test]
fn u1_what_schema_compression_takes_away_is_counted_in_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let world = world_with(|settings| {
        settings.ledger.path = Some(folder.path().to_owned());
        settings.schema_compression = SchemaCompression::Compact;
    });
    world.send(agent(messages(&with_unused_tools(&rows()))));
    let sent = world.mock.last().json()["tools"].to_string();
    assert!(!sent.contains("urn:of-a-schema") && !sent.contains("additionalProperties"), "{sent}");
    let [entry] = entries(folder.path(), 1).try_into().unwrap();
    assert!(entry.tools.unwrap().shortened > 20);
    let report = gained(folder.path(), GroupBy::Tool).declarations.unwrap();
    assert!(report.shortened > 20 && report.shortened_cost.is_some_and(|cost| cost > 0.0));
    assert_eq!(world.get("/_forge/api/stats").json()["changes"]["schemas_compacted"], 1);
}

#[test]
fn what_was_fetched_back_is_charged_to_the_tool_it_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    world.mock.reply(Reply::expand_first_reference());
    world.mock.reply("seen");
    world.send(messages(&streaming(&test_run())));
    let [entry] = entries(folder.path(), 1).try_into().unwrap();
    let expanded: Vec<_> = entry.results.iter().filter(|outcome| outcome.expanded > 0).collect();
    assert_eq!(expanded.len(), 1, "{entry:?}");
    assert!(expanded[0].tool == *"Bash" && expanded[0].is_touched());
    // The provider was asked twice, and the first time is what fetching back cost.
    let (usage, extra) = (entry.usage.unwrap(), entry.extra.unwrap());
    assert!(extra.all_input() > 0 && extra.all_input() < usage.all_input());
    let gain = gained(folder.path(), GroupBy::Tool);
    assert!(gain.tokens.net < gain.tokens.saved && gain.rows[0].expanded == gain.tokens.expanded);
}

#[test]
fn what_was_asked_for_in_vain_is_taken_off_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    world.mock.reply(Reply::calling("expand_context", json!({"id": "shadow_nothing"})));
    world.mock.reply("seen");
    world.send(messages(&conversation(&test_run())));
    let [mut entry] = entries(folder.path(), 1).try_into().unwrap();
    assert!(entry.results.iter().all(|outcome| outcome.expanded == 0), "{entry:?}");
    assert!(entry.extra.take().unwrap().all_input() > 0);
    let cost = gained(folder.path(), GroupBy::Tool).cost.unwrap();
    let prices = ModelPrices::default();
    let mut summary = LedgerSummary::new(GroupBy::Tool, &prices);
    summary.add(&entry);
    assert!(cost.saved < summary.gain().cost.unwrap().saved);
    let dollars = &world.get("/_forge/api/stats").json()["dollars"];
    assert!(dollars["expanded"].as_f64().unwrap() > 0.0, "{dollars}");
    assert!((dollars["saved_net"].as_f64().unwrap() - cost.saved).abs() < 1e-5, "{dollars}");
}

#[test]
fn what_is_only_observed_saves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let world = world_with(|settings| {
        settings.ledger.path = Some(folder.path().to_owned());
        settings.tool_output.mode = Mode::Observe;
    });
    world.send(messages(&conversation(&rows())));
    entries(folder.path(), 1);
    let gain = gained(folder.path(), GroupBy::Tool);
    assert_eq!((gain.tokens.saved, gain.results), (0, 1));
    assert!(gain.observed.after < gain.observed.before);
    let stats = world.get("/_forge/api/stats").json();
    assert_eq!(stats["tokens"]["saved_fresh"], 0);
}

#[test]
fn a_request_without_usage_has_an_estimate_of_its_context() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    let silent = r#"{"id":"m","type":"message","role":"assistant","content":[]}"#;
    world.mock.reply(Reply::status(200, &[("content-type", "application/json")], silent));
    world.send(messages(&conversation(&rows())));
    let [entry] = entries(folder.path(), 1).try_into().unwrap();
    assert_eq!(entry.usage, None);
    let after: u64 = entry.results.iter().map(|outcome| outcome.after).sum();
    assert!(entry.context_estimate.unwrap() > after);
}

/// A reply of Anthropic's with this usage.
fn reply(usage: &Value) -> Reply {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn", "usage": usage,
    });
    Reply::status(200, &[("content-type", "application/json")], body.to_string())
}

#[test]
fn d30_what_is_written_for_an_hour_and_every_iteration_is_in_the_bill() {
    let hour = json!({
        "input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 50_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 50_000},
    });
    let compacted = json!({
        "input_tokens": 23_000, "output_tokens": 1_000,
        "iterations": [
            {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3_500},
            {"type": "message", "input_tokens": 23_000, "output_tokens": 1_000},
            {"type": "advisor_message", "model": "claude-opus-4-6", "input_tokens": 10_000, "output_tokens": 100},
        ],
    });
    let all = (203_000.0 * 3.0 + 4_500.0 * 15.0 + 10_000.0 * 5.0 + 100.0 * 25.0) / 1e6;
    // With tools the answer is read for calls of ours, in mode observe it passes: the bill is the same.
    for mode in [Mode::Standard, Mode::Observe] {
        for (usage, charged) in [(&hour, 0.3), (&compacted, all)] {
            let folder = tempfile::tempdir().unwrap();
            let world = world_with(|settings| {
                settings.ledger.path = Some(folder.path().to_owned());
                settings.tool_output.mode = mode;
            });
            world.mock.reply(reply(usage));
            world.send(messages(&conversation("done")));
            entries(folder.path(), 1);
            let cost = gained(folder.path(), GroupBy::Tool).cost.unwrap();
            assert!((cost.after - charged).abs() < 1e-6, "{mode}: {cost:?}, not {charged}");
            let bill = &world.get("/_forge/api/stats").json()["dollars"]["bill"];
            assert!((bill["after"].as_f64().unwrap() - charged).abs() < 1e-6, "{mode}: {bill}");
        }
    }
}

#[test]
fn a_subscription_has_no_price_and_a_project_its_own_figures() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    let plan = Ask::post("/p/mine/v1/messages", conversation(&rows()).to_string());
    world.send(plan.header("authorization", "Bearer sk-ant-oat01-token"));
    world.send(messages(&conversation(&test_run())));
    let [first, second] = entries(folder.path(), 2).try_into().unwrap();
    assert_eq!((first.subscription, second.subscription), (true, false));
    let mine = world.get("/_forge/api/gain?project=mine&since=1").json();
    assert_eq!((&mine["requests"], &mine["subscription_requests"]), (&json!(1), &json!(1)));
    assert_eq!(mine["cost"], Value::Null);
    assert!(mine["shares"][2]["share"].as_f64().unwrap() > 0.0);
    let later = first.time + 1_000;
    let none = world.get(&format!("/_forge/api/gain?project=mine&since={later}")).json();
    assert_eq!(none["requests"], 0);
}

#[test]
fn other_gateways_requests_are_written_down_too() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    let messages = conversation(&rows())["messages"].clone();
    let body = json!({"messages": messages});
    assert_eq!(world.post("/v1/compress", body.to_string()).status, 200);
    let [entry] = entries(folder.path(), 1).try_into().unwrap();
    assert_eq!((entry.usage, entry.context_estimate), (None, None));
}

#[test]
fn a_gateway_without_a_folder_keeps_no_ledger() {
    let world = world();
    world.send(messages(&conversation(&rows())));
    let answer = world.get("/_forge/api/gain");
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("`ledger` in the settings"), "{}", answer.text());
    let off = tempfile::tempdir().unwrap();
    let world = world_with(|settings| {
        settings.ledger.path = Some(off.path().join("ledger"));
        settings.ledger.enabled = false;
    });
    world.send(messages(&conversation(&rows())));
    assert_eq!(world.get("/_forge/api/gain").status, 404);
    assert!(!off.path().join("ledger").exists());
}

#[test]
fn a_ledger_that_cannot_be_opened_is_no_reason_not_to_serve() {
    let world = keeping(Path::new("/dev/null/ledger"));
    assert_eq!(world.send(messages(&conversation(&rows()))).status, 200);
    assert_eq!(world.get("/_forge/api/gain").status, 404);
}

#[test]
fn what_cannot_be_asked_for_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    for (query, said) in [
        ("by=week", "expected tool, client, project, day, stage, model or reason"),
        ("days=0", "whole number"),
        ("days=x", "whole number"),
        ("since=soon", "whole number"),
        ("of=tool", "expected any of by, days, since, until, client"),
    ] {
        let answer = world.get(&format!("/_forge/api/gain?{query}"));
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.text().contains(said), "{query}: {}", answer.text());
    }
    let empty = world.get("/_forge/api/gain").json();
    assert_eq!((&empty["since"], &empty["requests"]), (&Value::Null, &json!(0)));
}
