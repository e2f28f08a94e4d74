//! What the demo measured: at both ends of the gateway, and what the gateway says itself.

use super::agent::Turn;
use super::bill::{Bill, stability};
use super::tool_calls::Called;
use serde::Serialize;
use serde_json::{Value, json};
use tokenforge_tokens::Counter;

/// Everything that is shown.
#[derive(Serialize)]
pub(super) struct Figures {
    pub(super) gateway: String,
    pub(super) dashboard: String,
    /// How often the agent asked the model.
    pub(super) turns: usize,
    /// The outputs of tools, in their order.
    pub(super) outputs: Vec<Output>,
    /// The same by tool.
    pub(super) tools: Vec<Row>,
    /// The same by the stages that were applied to them, as the gateway wrote it down.
    pub(super) stages: Vec<Row>,
    /// What was saved, of what.
    pub(super) shares: Vec<Share>,
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

/// What was saved, of what.
#[derive(Serialize)]
pub(super) struct Share {
    pub(super) of: &'static str,
    pub(super) before: f64,
    pub(super) saved: f64,
    pub(super) share: Option<f64>,
}

/// The input of all requests, as a provider with a prompt cache bills it.
#[derive(Serialize)]
pub(super) struct Billed {
    pub(super) currency: &'static str,
    pub(super) before: f64,
    pub(super) after: f64,
    /// Tokens read from the cache and written to it, without and with us.
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
    pub(super) fn new(gateway: String, turns: &[Turn], gain: &Value, mcp: Vec<Called>) -> Self {
        let outputs = outputs(turns);
        let before = Bill::of(turns.iter().map(|turn| &turn.sent));
        let after = Bill::of(turns.iter().flat_map(|turn| &turn.asked));
        let firsts = turns.iter().filter_map(|turn| turn.asked.first());
        Figures {
            dashboard: format!("{gateway}/_forge/ui/"),
            gateway,
            turns: turns.len(),
            tools: by_tool(&outputs),
            stages: stages(gain),
            shares: shares(&outputs, &before, &after),
            bill: Billed {
                currency: "USD",
                before: before.dollars(),
                after: after.dollars(),
                read: [before.read, after.read],
                written: [before.written, after.written],
            },
            prefix_stability: stability(firsts),
            expansion: expansion(turns),
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

fn by_tool(outputs: &[Output]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for Output { tool, before, after, .. } in outputs {
        let at = rows.iter().position(|row| row.name == *tool).unwrap_or_else(|| {
            rows.push(Row { name: tool.clone(), results: 0, before: 0, after: 0 });
            rows.len() - 1
        });
        let row = &mut rows[at];
        row.results += 1;
        row.before += before;
        row.after += after;
    }
    rows
}

fn stages(gain: &Value) -> Vec<Row> {
    let rows = gain["rows"].as_array().into_iter().flatten();
    let row = |row: &Value| {
        let number = |name: &str| row[name].as_u64().and_then(|it| usize::try_from(it).ok());
        Some(Row {
            name: row["name"].as_str()?.to_owned(),
            results: number("results")?,
            before: number("before")?,
            after: number("after")?,
        })
    };
    rows.filter_map(row).collect()
}

fn shares(outputs: &[Output], before: &Bill, after: &Bill) -> Vec<Share> {
    let share = |of, before: f64, after: f64| {
        let share = (before > 0.0).then(|| (before - after) / before);
        Share { of, before, saved: before - after, share }
    };
    let sum = |tokens: &dyn Fn(&Output) -> Option<usize>| {
        outputs.iter().filter_map(tokens).sum::<usize>() as f64
    };
    let touched = |output: &Output| output.after != output.before;
    vec![
        share(
            "outputs touched",
            sum(&|output| touched(output).then_some(output.before)),
            sum(&|output| touched(output).then_some(output.after)),
        ),
        share(
            "all tool output",
            sum(&|output| Some(output.before)),
            sum(&|output| Some(output.after)),
        ),
        share("whole context", before.sent() as f64, after.sent() as f64),
        share("bill", before.dollars(), after.dollars()),
    ]
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
