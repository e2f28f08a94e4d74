//! What the demo measured: at both ends of the gateway, and what the gateway says itself.

use super::agent::Turn;
use super::bill::{Bill, stability};
use super::tool_calls::Called;
use serde::Serialize;
use serde_json::{Value, json};
use tokenforge_ledger::{GainReport, SavingShare};
use tokenforge_tokens::Counter;

/// What the gateway wrote down.
pub(super) struct Gained {
    pub(super) by_tool: GainReport,
    pub(super) by_stage: GainReport,
}

/// Everything that is shown.
#[derive(Serialize)]
pub(super) struct Figures {
    pub(super) gateway: String,
    pub(super) dashboard: String,
    /// How often the agent asked the model.
    pub(super) turns: usize,
    /// The outputs of tools, in their order.
    pub(super) outputs: Vec<Output>,
    /// The same by tool, with those behind `/mcp`, as the gateway wrote it down.
    pub(super) tools: Vec<Row>,
    /// The same by the stages that were applied to them.
    pub(super) stages: Vec<Row>,
    /// What was saved, of what.
    pub(super) shares: Vec<SavingShare>,
    pub(super) bill: Billed,
    /// How much of a request comes again at the beginning of the next, at worst.
    pub(super) prefix_stability: f64,
    pub(super) expansion: Option<Expanded>,
    /// Tools behind `/mcp`.
    pub(super) mcp: Vec<Called>,
}

/// An output of a tool.
#[derive(Serialize)]
pub(super) struct Output {
    pub(super) tool: String,
    pub(super) arguments: Value,
    pub(super) before: usize,
    pub(super) after: usize,
}

#[derive(Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) results: usize,
    pub(super) before: usize,
    pub(super) after: usize,
}

/// The bill of a provider with a prompt cache, as `gain` has it, and what it is for.
#[derive(Serialize)]
pub(super) struct Billed {
    pub(super) currency: &'static str,
    pub(super) before: f64,
    pub(super) after: f64,
    /// Tokens read from the cache and written to it, without and with us, counted at both ends of the gateway.
    pub(super) read: [usize; 2],
    pub(super) written: [usize; 2],
}

/// What the model asked for again.
#[derive(Serialize)]
pub(super) struct Expanded {
    /// In which turn, from 1.
    pub(super) turn: usize,
    pub(super) arguments: Value,
    /// Tokens of what it got.
    pub(super) tokens: usize,
}

impl Figures {
    pub(super) fn new(gateway: String, turns: &[Turn], gained: Gained, mcp: Vec<Called>) -> Self {
        let outputs = outputs(turns);
        let before = Bill::of(turns.iter().map(|turn| &turn.sent));
        let after = Bill::of(turns.iter().flat_map(|turn| &turn.asked));
        let firsts = turns.iter().filter_map(|turn| turn.asked.first());
        Figures {
            dashboard: format!("{gateway}/_forge/ui/"),
            gateway,
            turns: turns.len(),
            tools: rows(&gained.by_tool),
            stages: rows(&gained.by_stage),
            bill: Billed {
                currency: "USD",
                before: gained.by_tool.cost.map_or(0.0, |cost| cost.before),
                after: gained.by_tool.cost.map_or(0.0, |cost| cost.after),
                read: [before.read, after.read],
                written: [before.written, after.written],
            },
            prefix_stability: stability(firsts),
            expansion: expansion(turns),
            shares: gained.by_tool.shares,
            outputs,
            mcp,
        }
    }

    pub(super) fn document(&self) -> Value {
        json!(self)
    }
}

/// The results that are new in each turn: as the agent sent them, and as the provider got them.
fn outputs(turns: &[Turn]) -> Vec<Output> {
    let mut outputs = Vec::new();
    for turn in turns {
        outputs.extend(newest(&turn.sent).filter_map(|sent| output(turn, sent)));
    }
    outputs
}

fn output(turn: &Turn, sent: &Value) -> Option<Output> {
    let counter = Counter::default();
    let id = &sent["tool_use_id"];
    let call = blocks(&turn.sent).find(|block| block["id"] == *id)?;
    let got = blocks(turn.asked.first()?).find(|block| block["tool_use_id"] == *id)?;
    Some(Output {
        tool: call["name"].as_str()?.to_owned(),
        arguments: call["input"].clone(),
        before: counter.count(&text(sent)),
        after: counter.count(&text(got)),
    })
}

fn rows(gain: &GainReport) -> Vec<Row> {
    let row = |row: &tokenforge_ledger::GainRow| Row {
        name: row.name.clone(),
        results: row.results as usize,
        before: row.before as usize,
        after: row.after as usize,
    };
    gain.rows.iter().map(row).collect()
}

/// What the model asked for again: the last thing that it was told in the second request of a turn.
fn expansion(turns: &[Turn]) -> Option<Expanded> {
    let (index, again) = turns.iter().enumerate().find_map(|(index, turn)| {
        let again = turn.asked.get(1)?;
        Some((index, again))
    })?;
    let told = newest(again).last()?;
    let call = blocks(again).find(|block| block["id"] == told["tool_use_id"])?;
    Some(Expanded {
        turn: index + 1,
        arguments: call["input"].clone(),
        tokens: Counter::default().count(&text(told)),
    })
}

/// The results in the last message of a request.
fn newest(request: &Value) -> impl Iterator<Item = &Value> {
    let last = request["messages"].as_array().and_then(|messages| messages.last());
    let blocks = last.and_then(|message| message["content"].as_array()).into_iter().flatten();
    blocks.filter(|block| block["type"] == "tool_result")
}

/// All blocks of all messages of a request.
fn blocks(request: &Value) -> impl Iterator<Item = &Value> {
    let messages = request["messages"].as_array().into_iter().flatten();
    messages.filter_map(|message| message["content"].as_array()).flatten()
}

/// The text of a result: said at once, or in blocks.
fn text(result: &Value) -> String {
    match &result["content"] {
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        content => content.as_str().unwrap_or_default().to_owned(),
    }
}
