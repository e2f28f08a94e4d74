//! An answer in every form.

use clap::ValueEnum;
use tokenforge_formats::{Form, Json};
use tokenforge_mcp::Message;
use tokenforge_tokens::Counter;

/// A form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormName {
    /// As it came
    Original,
    /// JSON without white space
    Json,
    /// TOON
    Toon,
    /// STC
    Stc,
    /// What a client gets that asks for nothing
    Sent,
}

impl FormName {
    pub(super) fn name(self) -> &'static str {
        match self {
            FormName::Original => "original",
            FormName::Json => "json",
            FormName::Toon => "toon",
            FormName::Stc => "stc",
            FormName::Sent => "sent",
        }
    }
}

/// An answer in every form.
#[derive(Debug)]
pub(super) struct AnswerForms {
    pub(super) forms: Vec<AnswerForm>,
    /// The form that is sent.
    pub(super) chosen: FormName,
    /// Does the tool say that it failed?
    pub(super) is_error: bool,
    /// What the answer has beside its texts.
    pub(super) others: Vec<String>,
}

/// An answer in one form.
#[derive(Debug)]
pub(super) struct AnswerForm {
    pub(super) form: FormName,
    /// `None`: the form cannot hold it.
    pub(super) text: Option<String>,
    pub(super) tokens: usize,
}

impl AnswerForms {
    pub(super) fn text(&self, form: FormName) -> anyhow::Result<&str> {
        let formed = self.forms.iter().find(|formed| formed.form == form);
        let text = formed.and_then(|formed| formed.text.as_deref());
        text.ok_or_else(|| anyhow::anyhow!("{} cannot hold this answer", form.name()))
    }
}

/// Does the answer have a text?
pub(super) fn has_texts(answer: &str) -> bool {
    parts(answer).is_some_and(|parts| !parts.texts.is_empty())
}

/// The answer in every form, of which `sent` is what a client gets; `None`: it is no result of a tool.
pub(super) fn all_forms(answer: &str, sent: &str, counter: Counter) -> Option<AnswerForms> {
    let AnswerParts { mut texts, copy, is_error, mut others } = parts(answer)?;
    let sent = parts(sent)?.texts;
    match copy {
        // A model that sees no text sees this.
        Some(copy) if texts.is_empty() => texts.push(copy),
        Some(copy) => others.push(format!("structured content of {} tokens", counter.count(&copy))),
        None => {}
    }
    let formed = |form, texts: Option<Vec<String>>| {
        let tokens = texts.iter().flatten().map(|text| counter.count(text)).sum();
        AnswerForm { form, text: texts.map(|texts| texts.join("\n")), tokens }
    };
    let forms = vec![
        formed(FormName::Original, Some(texts.clone())),
        formed(FormName::Json, encode_texts(&texts, Form::Json)),
        formed(FormName::Toon, encode_texts(&texts, Form::Toon)),
        formed(FormName::Stc, encode_texts(&texts, Form::Stc)),
        formed(FormName::Sent, Some(sent)),
    ];
    let sent = forms.last().and_then(|sent| sent.text.clone());
    let chosen = forms.iter().find(|formed| formed.text == sent);
    let chosen = chosen.map_or(FormName::Sent, |formed| formed.form);
    Some(AnswerForms { forms, chosen, is_error, others })
}

struct AnswerParts {
    texts: Vec<String>,
    /// The structured content, as it is written.
    copy: Option<String>,
    is_error: bool,
    others: Vec<String>,
}

fn parts(answer: &str) -> Option<AnswerParts> {
    let message = Message::read(answer).ok()?;
    let [content, copy, error] =
        message.result()?.pick(["content", "structuredContent", "isError"]);
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for block in content?.elements() {
        let [kind, text, media] = block.pick(["type", "text", "mimeType"]);
        match text.and_then(|text| text.text()) {
            Some(text) if kind.as_ref().is_some_and(|kind| kind.is("text")) => {
                texts.push(text.into_owned());
            }
            _ => {
                let kind = kind.and_then(|kind| kind.text()).unwrap_or_default();
                let media = media.and_then(|media| media.text()).unwrap_or_default();
                let what = format!("{kind} {media}");
                others.push(format!("{} of {} bytes", what.trim(), block.raw().len()));
            }
        }
    }
    Some(AnswerParts {
        texts,
        copy: copy.map(|copy| copy.raw().to_owned()),
        is_error: error.is_some_and(|error| error.raw() == "true"),
        others,
    })
}

/// Texts that are wholly JSON in a form, the others as they are; `None`: the form cannot hold one of them.
fn encode_texts(texts: &[String], form: Form) -> Option<Vec<String>> {
    let encode = |text: &String| {
        let is_json = text.trim_start().starts_with(['{', '[']);
        match is_json.then(|| Json::parse(text).ok()).flatten() {
            Some(json) => form.encode(&json).ok().map(Into::into),
            None => Some(text.clone()),
        }
    };
    texts.iter().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(result: &serde_json::Value) -> String {
        json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string()
    }

    fn text(text: &str) -> serde_json::Value {
        json!({"type": "text", "text": text})
    }

    fn formed(answered: &AnswerForms) -> Vec<Option<&str>> {
        answered.forms.iter().map(|formed| formed.text.as_deref()).collect()
    }

    #[test]
    fn a1_an_answer_is_shown_in_every_form_and_the_one_that_is_sent_is_named() {
        let original = answer(&json!({"content": [text("{\"a\": [1, 2]}"), text("words"),
            {"type": "image", "mimeType": "image/png", "data": "AAAA"}]}));
        let sent = answer(&json!({"content": [text("a[2]: 1,2"), text("words")]}));
        let answered = all_forms(&original, &sent, Counter::default()).unwrap();
        assert_eq!(
            formed(&answered),
            [
                Some("{\"a\": [1, 2]}\nwords"),
                Some("{\"a\":[1,2]}\nwords"),
                Some("a[2]: 1,2\nwords"),
                Some("{a:[1,2]}\nwords"),
                Some("a[2]: 1,2\nwords"),
            ]
        );
        assert_eq!(answered.chosen, FormName::Toon);
        assert!(!answered.is_error);
        assert!(answered.others[0].starts_with("image image/png of "), "{:?}", answered.others);
    }

    #[test]
    fn what_a_form_cannot_hold_is_said_and_a_copy_without_text_is_the_answer() {
        let result = json!({"content": [text("{\"a\": 1, \"a\": 2}")], "isError": true});
        let answered = all_forms(&answer(&result), &answer(&result), Counter::default()).unwrap();
        assert_eq!(formed(&answered)[2], None);
        assert!(answered.text(FormName::Toon).is_err() && answered.is_error);
        assert_eq!(answered.chosen, FormName::Original);
        let copy = answer(&json!({"content": [], "structuredContent": {"a": 1}}));
        assert!(!has_texts(&copy));
        let sent = answer(&json!({"content": [text("a: 1")]}));
        let answered = super::all_forms(&copy, &sent, Counter::default()).unwrap();
        assert_eq!(answered.text(FormName::Original).unwrap(), "{\"a\":1}");
        assert!(super::all_forms(&answer(&json!({})), &sent, Counter::default()).is_none());
    }
}
