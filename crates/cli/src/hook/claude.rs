//! What Claude Code tells its hooks about a tool result, and how it wants another one in its place.

use super::asked::{Answered, Asked};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Read;
use tokenforge_compress::CEILING_BYTES;

/// As much of an output as Claude Code shows where it saved the whole to a file.
const PREVIEW_BYTES: usize = 2000;

/// Where it saved it, and how long it is.
const SAVED: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];

/// As much of a saved output is compared with what Claude Code says about it.
const COMPARED_BYTES: usize = 4096;

/// A result as a hook sees it.
pub(super) struct Seen {
    tool: String,
    arguments: Value,
    project: Option<String>,
    result: Value,
}

/// The texts in a result.
enum Texts {
    /// A shell's, with the whole of it if Claude Code cut it.
    Shell { text: String, is_cut: bool },
    /// A file's.
    File(String),
    /// A tool server's, which is one text.
    Plain(String),
    /// A tool server's, in blocks of which these have a text.
    Blocks(Vec<(usize, String)>),
}

impl Seen {
    /// Reads what a hook is told. `None`: this is nothing that a hook of ours is for.
    pub(super) fn read(input: &str) -> Option<Self> {
        let Ok(Value::Object(mut input)) = serde_json::from_str(input) else { return None };
        let text = |input: &Map<String, Value>, name: &str| Some(input.get(name)?.as_str()?.to_owned());
        if text(&input, "hook_event_name")? != "PostToolUse" {
            return None;
        }
        Some(Seen {
            tool: text(&input, "tool_name")?,
            project: text(&input, "cwd"),
            arguments: input.remove("tool_input").unwrap_or_default(),
            result: input.remove("tool_response")?,
        })
    }

    /// What is asked about it. `None`: there is no text in it, or not all of it is there.
    pub(super) fn asked(&self) -> Option<Asked> {
        let texts = self.texts()?;
        let is_cut = matches!(texts, Texts::Shell { is_cut: true, .. });
        let texts = match texts {
            Texts::Shell { text, .. } | Texts::File(text) | Texts::Plain(text) => vec![text],
            Texts::Blocks(blocks) => blocks.into_iter().map(|(_, text)| text).collect(),
        };
        Some(Asked {
            client: super::Client::Claude.name().to_owned(),
            tool: self.tool.clone(),
            arguments: self.arguments.clone(),
            project: self.project.clone(),
            shown_bytes: is_cut.then_some(PREVIEW_BYTES),
            texts,
            ..Asked::default()
        })
    }

    /// What is written for Claude Code, if anything changes: the result in its own shape, with other texts.
    pub(super) fn written(&self, answered: &Answered) -> Option<String> {
        let mut result = self.result.clone();
        let mut answers = answered.texts.iter().cloned();
        let is_changed = match self.texts()? {
            Texts::Shell { .. } => {
                let text = answers.next()??;
                let members = result.as_object_mut()?;
                SAVED.iter().for_each(|name| drop(members.remove(*name)));
                members.insert("stdout".to_owned(), text.into());
                members.insert("stderr".to_owned(), "".into());
                true
            }
            Texts::File(_) => {
                *result.pointer_mut("/file/content")? = answers.next()??.into();
                true
            }
            Texts::Plain(_) => {
                result = answers.next()??.into();
                true
            }
            Texts::Blocks(blocks) => {
                let changed = blocks.iter().zip(answers).filter_map(|((at, _), text)| {
                    *result.get_mut(*at)?.get_mut("text")? = text?.into();
                    Some(())
                });
                changed.count() > 0
            }
        };
        is_changed.then(|| {
            json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": result}})
                .to_string()
        })
    }

    fn texts(&self) -> Option<Texts> {
        match &self.result {
            Value::Object(result) if result.contains_key("stdout") => shell(result),
            Value::Object(result) => {
                let is_text = result.get("type").and_then(Value::as_str) == Some("text");
                let file = result.get("file").filter(|_| is_text)?;
                Some(Texts::File(file.get("content")?.as_str()?.to_owned()))
            }
            Value::String(text) if self.is_server() => Some(Texts::Plain(text.clone())),
            Value::Array(blocks) if self.is_server() => {
                let text = |(at, block): (usize, &Value)| {
                    let is_text = block.get("type")?.as_str()? == "text";
                    is_text.then_some((at, block.get("text")?.as_str()?.to_owned()))
                };
                Some(Texts::Blocks(blocks.iter().enumerate().filter_map(text).collect()))
            }
            _ => None,
        }
    }

    /// Does the result come from a tool server?
    fn is_server(&self) -> bool {
        self.tool.starts_with("mcp__")
    }
}

/// What a shell printed, as Claude Code would show it.
fn shell(result: &Map<String, Value>) -> Option<Texts> {
    let text = |name| result.get(name).and_then(Value::as_str).unwrap_or_default();
    if result.get("isImage").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let (stdout, stderr) = (text("stdout"), text("stderr"));
    let path = text(SAVED[0]);
    if !path.is_empty() {
        return Some(Texts::Shell { text: saved(path, stdout)?, is_cut: true });
    }
    let text = match (stdout, stderr) {
        (stdout, "") => stdout.to_owned(),
        (stdout, stderr) => format!("{}\n{stderr}", stdout.trim_end()),
    };
    Some(Texts::Shell { text, is_cut: false })
}

/// The whole of an output, from the file that Claude Code saved it to.
fn saved(path: &str, start: &str) -> Option<String> {
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
