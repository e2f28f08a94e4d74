//! What Claude Code tells its hooks about a tool result, and how it wants another one in its place.

use super::question::{HookAnswer, HookQuestion};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Read;
use tokenforge_engine::CEILING_BYTES;

/// As much of an output as Claude Code shows where it saved the whole to a file.
const PREVIEW_BYTES: usize = 2000;

/// Where it saved it, and how long it is.
const SAVED: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];

/// As much of a saved output is compared with what Claude Code says about it.
const COMPARED_BYTES: usize = 4096;

/// A result as a hook sees it.
pub(super) struct HookInput {
    tool: String,
    arguments: Value,
    project: Option<String>,
    session: Option<String>,
    result: Value,
    shape: ResultShape,
    texts: Vec<String>,
}

/// Where in a result its texts are.
enum ResultShape {
    /// A shell's output. If Claude Code cut it, the text is the whole of it.
    Shell { is_cut: bool },
    /// A text at this place in it: a file's, what a search found, a page of the web.
    At(&'static str),
    /// The paths that a search found, a line for each.
    Paths,
    /// A subagent's report, in blocks of which these have a text.
    Report(Vec<usize>),
    /// A tool server's, which is one text.
    Plain,
    /// A tool server's, in blocks of which these have a text.
    Blocks(Vec<usize>),
}

impl HookInput {
    /// Reads what a hook is told. `None`: it has no text that a hook could replace.
    pub(super) fn read(input: &str) -> Option<Self> {
        let Ok(Value::Object(mut input)) = serde_json::from_str(input) else { return None };
        let mut take = |name: &str| input.remove(name).unwrap_or_default();
        if take("hook_event_name") != "PostToolUse" {
            return None;
        }
        let Value::String(tool) = take("tool_name") else { return None };
        let result = take("tool_response");
        let (shape, texts) = texts(&tool, &result)?;
        let project = take("cwd").as_str().map(str::to_owned);
        let session = take("session_id").as_str().map(str::to_owned);
        Some(HookInput {
            tool,
            arguments: take("tool_input"),
            project,
            session,
            result,
            shape,
            texts,
        })
    }

    /// What is asked about it.
    pub(super) fn question(&mut self) -> HookQuestion {
        let is_cut = matches!(self.shape, ResultShape::Shell { is_cut: true });
        HookQuestion {
            tool: self.tool.clone(),
            arguments: self.arguments.take(),
            project: self.project.take(),
            session: self.session.take(),
            shown_bytes: is_cut.then_some(PREVIEW_BYTES),
            texts: std::mem::take(&mut self.texts),
            ..HookQuestion::default()
        }
    }

    /// What is written for Claude Code, if anything changes: the result in its own shape, with other texts.
    pub(super) fn output(self, answer: HookAnswer) -> Option<String> {
        let mut result = self.result;
        let mut answers = answer.texts.into_iter();
        match self.shape {
            ResultShape::Shell { .. } => {
                let text = answers.next()??;
                let members = result.as_object_mut()?;
                SAVED.iter().for_each(|name| drop(members.remove(*name)));
                members.insert("stdout".to_owned(), text.into());
                members.insert("stderr".to_owned(), "".into());
            }
            ResultShape::At(place) => *result.pointer_mut(place)? = answers.next()??.into(),
            // Claude Code shows a line for each, whatever it says.
            ResultShape::Paths => *result.get_mut("filenames")? = json!([answers.next()??]),
            ResultShape::Report(places) => {
                replace_blocks(result.get_mut("content")?, places, answers)?;
            }
            ResultShape::Plain => result = answers.next()??.into(),
            ResultShape::Blocks(places) => replace_blocks(&mut result, places, answers)?,
        }
        let updated = json!({"hookEventName": "PostToolUse", "updatedToolOutput": result});
        Some(json!({ "hookSpecificOutput": updated }).to_string())
    }
}

/// Puts other texts into blocks. `None` if none changes.
fn replace_blocks(
    blocks: &mut Value,
    places: Vec<usize>,
    answers: impl Iterator<Item = Option<String>>,
) -> Option<()> {
    let changed = places.into_iter().zip(answers).filter_map(|(place, text)| {
        *blocks.get_mut(place)?.get_mut("text")? = text?.into();
        Some(())
    });
    (changed.count() > 0).then_some(())
}

/// The texts in a result, and where they are.
fn texts(tool: &str, result: &Value) -> Option<(ResultShape, Vec<String>)> {
    let is_server = tool.starts_with("mcp__");
    match result {
        Value::Object(result) if result.contains_key("stdout") => shell(result),
        Value::Object(result) => texts_by_tool(tool, result),
        Value::String(text) if is_server => Some((ResultShape::Plain, vec![text.clone()])),
        Value::Array(blocks) if is_server => {
            let (places, texts) = block_texts(blocks);
            Some((ResultShape::Blocks(places), texts))
        }
        _ => None,
    }
}

/// The blocks that have a text.
fn block_texts(blocks: &[Value]) -> (Vec<usize>, Vec<String>) {
    let text = |(place, block): (usize, &Value)| {
        let is_text = block.get("type")?.as_str()? == "text";
        is_text.then_some((place, block.get("text")?.as_str()?.to_owned()))
    };
    blocks.iter().enumerate().filter_map(text).unzip()
}

/// The texts in what the other tools of Claude Code answer, each in its own shape.
fn texts_by_tool(tool: &str, result: &Map<String, Value>) -> Option<(ResultShape, Vec<String>)> {
    let text = |name: &str| result.get(name).and_then(Value::as_str).map(str::to_owned);
    match tool {
        "Grep" if result.get("content").is_some_and(Value::is_string) => {
            Some((ResultShape::At("/content"), vec![text("content")?]))
        }
        "Grep" | "Glob" => {
            let paths = result.get("filenames")?.as_array()?;
            let paths: Option<Vec<&str>> = paths.iter().map(Value::as_str).collect();
            Some((ResultShape::Paths, vec![paths?.join("\n")]))
        }
        "WebFetch" => Some((ResultShape::At("/result"), vec![text("result")?])),
        "Task" | "Agent" => {
            let (places, texts) = block_texts(result.get("content")?.as_array()?);
            Some((ResultShape::Report(places), texts))
        }
        _ => {
            let is_text = text("type").as_deref() == Some("text");
            let file = result.get("file").filter(|_| is_text)?;
            let content = file.get("content")?.as_str()?.to_owned();
            Some((ResultShape::At("/file/content"), vec![content]))
        }
    }
}

/// What a shell printed, as Claude Code would show it.
fn shell(result: &Map<String, Value>) -> Option<(ResultShape, Vec<String>)> {
    let text = |name| result.get(name).and_then(Value::as_str).unwrap_or_default();
    if result.get("isImage").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let (stdout, stderr) = (text("stdout"), text("stderr"));
    let path = text(SAVED[0]);
    if !path.is_empty() {
        return Some((ResultShape::Shell { is_cut: true }, vec![read_saved(path, stdout)?]));
    }
    let text = match (stdout, stderr) {
        (stdout, "") => stdout.to_owned(),
        (stdout, stderr) => format!("{}\n{stderr}", stdout.trim_end()),
    };
    Some((ResultShape::Shell { is_cut: false }, vec![text]))
}

/// The whole of an output, from the file that Claude Code saved it to.
fn read_saved(path: &str, start: &str) -> Option<String> {
    let file = File::open(path).ok()?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(CEILING_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|text| text.len() <= CEILING_BYTES)?;
    let start = &start[..start.floor_char_boundary(COMPARED_BYTES)];
    // Another file under this name is none of our business.
    text.starts_with(start.trim_end()).then_some(text)
}

#[cfg(test)]
mod tests;
