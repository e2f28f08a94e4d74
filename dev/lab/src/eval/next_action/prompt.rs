//! A conversation as one prompt, in ChatML with calls as Hermes and Qwen write them.

use serde_json::Value;
use std::fmt::Write as _;
use tokenforge_replay::decisions::{ContextPart, ContextTurn, Decision, ModelAction};
use tokenforge_replay::transcript::MessageAuthor;

/// What begins and ends a message. Text that has it cannot be told from the prompt's own.
const CONTROL: &str = "<|im_";
const END: &str = "<|im_end|>";
const CALL: &str = "<tool_call>\n{\"name\": \"";
const CALL_END: &str = "}\n</tool_call>";
const CLEARED: &str = "[the result was cleared]";

/// Which results a prompt shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContextView {
    Original,
    Compressed,
    /// None: what there is to lose.
    Cleared,
}

/// A decision as texts: what was before it in three ways, and what was done.
#[derive(Debug, PartialEq)]
pub(super) struct PromptTexts {
    prompts: [String; 3],
    /// What the model did, as it follows the prompt.
    pub(super) action: String,
    call: Option<(String, Value)>,
}

impl PromptTexts {
    /// Nothing where a text has the control words of the prompt in it.
    pub(super) fn of(decision: &Decision) -> Option<Self> {
        let opening = match &decision.action {
            ModelAction::Call { .. } => CALL,
            ModelAction::Answer(_) => "",
        };
        let views = [ContextView::Original, ContextView::Compressed, ContextView::Cleared];
        let prompts = views.map(|view| written(&decision.context, view, opening));
        let [Some(original), Some(compressed), Some(cleared)] = prompts else { return None };
        let (action, call) = match &decision.action {
            ModelAction::Call { tool, arguments } => {
                let arguments = plain(arguments)?;
                let action = format!("{tool}\", \"arguments\": {arguments}{CALL_END}{END}");
                (action, Some((tool.clone(), json(arguments))))
            }
            ModelAction::Answer(text) => (format!("{}{END}", plain(text)?), None),
        };
        Some(PromptTexts { prompts: [original, compressed, cleared], action, call })
    }

    pub(super) fn prompt(&self, view: ContextView) -> &str {
        let [original, compressed, cleared] = &self.prompts;
        match view {
            ContextView::Original => original,
            ContextView::Compressed => compressed,
            ContextView::Cleared => cleared,
        }
    }

    /// Does what a model wrote behind the prompt call the tool that was called, or none where none was?
    pub(super) fn has_tool(&self, next: &str) -> bool {
        match &self.call {
            Some((tool, _)) => next.split_once('"').is_some_and(|(name, _)| name == tool),
            None => !next.contains("<tool_call>"),
        }
    }

    /// And with the same arguments?
    pub(super) fn has_call(&self, next: &str) -> bool {
        let Some((_, arguments)) = &self.call else { return self.has_tool(next) };
        let rest = next.split_once("\"arguments\":").map_or("", |(_, rest)| rest);
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let written = values.next().and_then(Result::ok);
        self.has_tool(next) && written.as_ref() == Some(arguments)
    }
}

/// The arguments of a call, which logs have as JSON or as text.
fn json(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()))
}

fn plain(text: &str) -> Option<&str> {
    (!text.contains(CONTROL)).then_some(text)
}

fn written(context: &[ContextTurn], view: ContextView, opening: &str) -> Option<String> {
    let mut out = String::new();
    for turn in context {
        let author = match turn.author {
            MessageAuthor::System => "system",
            MessageAuthor::Client => "user",
            MessageAuthor::Model | MessageAuthor::ModelAgain => "assistant",
        };
        let parts: Vec<String> =
            turn.parts.iter().map(|part| part_text(part, view)).collect::<Option<_>>()?;
        // Writing into a string does not fail.
        let _ = writeln!(out, "<|im_start|>{author}\n{}{END}", parts.join("\n"));
    }
    let _ = write!(out, "<|im_start|>assistant\n{opening}");
    Some(out)
}

fn part_text(part: &ContextPart, view: ContextView) -> Option<String> {
    match part {
        ContextPart::Text(text) => plain(text).map(str::to_owned),
        ContextPart::Call { tool, arguments } => plain(arguments)
            .map(|arguments| format!("{CALL}{tool}\", \"arguments\": {arguments}{CALL_END}")),
        ContextPart::Result { original, forwarded } => {
            let shown = match view {
                ContextView::Original => original,
                ContextView::Compressed => forwarded.as_ref().unwrap_or(original),
                ContextView::Cleared => CLEARED,
            };
            // Of all three the same decisions are asked about.
            plain(original)?;
            plain(shown).map(|shown| format!("<tool_response>\n{shown}\n</tool_response>"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(text: &str, action: ModelAction) -> Decision {
        let result = ContextPart::Result {
            original: "[ 1, 2 ]".to_owned(),
            forwarded: Some("[1,2]".to_owned()),
        };
        let call = ContextPart::Call { tool: "list".to_owned(), arguments: "{}".to_owned() };
        let turn = |author, part| ContextTurn { author, parts: vec![part] };
        Decision {
            session: (0, 0),
            context: vec![
                turn(MessageAuthor::Client, ContextPart::Text(text.to_owned())),
                turn(MessageAuthor::Model, call),
                turn(MessageAuthor::Client, result),
            ],
            action,
        }
    }

    fn call() -> ModelAction {
        ModelAction::Call { tool: "get".to_owned(), arguments: r#"{"id":2,"all":true}"#.to_owned() }
    }

    #[test]
    fn f17_a_context_is_written_as_it_was_compressed_and_without_results() {
        let texts = PromptTexts::of(&decision("Which?", call())).unwrap();
        let prompt = |shown: &str| {
            format!(
                "<|im_start|>user\nWhich?<|im_end|>\n<|im_start|>assistant\n<tool_call>\n{{\"name\": \"list\", \"arguments\": {{}}}}\n\
                 </tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n{shown}\n</tool_response><|im_end|>\n\
                 <|im_start|>assistant\n<tool_call>\n{{\"name\": \""
            )
        };
        assert_eq!(texts.prompt(ContextView::Original), prompt("[ 1, 2 ]"));
        assert_eq!(texts.prompt(ContextView::Compressed), prompt("[1,2]"));
        assert_eq!(texts.prompt(ContextView::Cleared), prompt(CLEARED));
        assert_eq!(
            texts.action,
            "get\", \"arguments\": {\"id\":2,\"all\":true}}\n</tool_call><|im_end|>"
        );
    }

    #[test]
    fn f17_a_choice_is_compared_by_tool_and_by_what_the_arguments_mean() {
        let texts = PromptTexts::of(&decision("Which?", call())).unwrap();
        for (next, tool, same) in [
            ("get\", \"arguments\": { \"all\": true, \"id\": 2 }}\n", true, true),
            ("get\", \"arguments\": {\"id\": 3}}\n", true, false),
            ("get\", \"argu", true, false),
            ("gets\", \"arguments\": {\"id\":2,\"all\":true}}", false, false),
            ("", false, false),
        ] {
            assert_eq!((texts.has_tool(next), texts.has_call(next)), (tool, same), "{next}");
        }
        let texts =
            PromptTexts::of(&decision("Which?", ModelAction::Answer("Two.".to_owned()))).unwrap();
        assert_eq!(texts.action, "Two.<|im_end|>");
        assert!(texts.has_tool("It is two.") && !texts.has_call("<tool_call>\n{\"name\": \"get\""));
    }

    #[test]
    fn f17_text_with_the_prompts_own_control_words_is_not_asked_about() {
        assert_eq!(PromptTexts::of(&decision("say <|im_end|>", call())), None);
    }
}
