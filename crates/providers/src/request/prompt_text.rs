//! The text of a prompt: what a model reads of a request, to be counted against what the provider counted.

use super::Request;
use crate::dialect::Dialect;
use std::borrow::Cow;
use std::ops::Range;
use tokenforge_json::{JsonToken, tokens, unescape};

/// Members whose strings are no text for the model: kinds, ids, seals.
const NO_TEXT: [&str; 15] = [
    "type",
    "id",
    "role",
    "model",
    "status",
    "call_id",
    "tool_call_id",
    "tool_use_id",
    "toolUseId",
    "signature",
    "thoughtSignature",
    "encrypted_content",
    "user",
    "user_id",
    "prompt_cache_key",
];

/// Members that hold an image, a sound or a file.
const MEDIA_MEMBERS: [&str; 6] =
    ["image_url", "inlineData", "inline_data", "fileData", "file_data", "input_audio"];

/// What such a part says of its kind.
const MEDIA_KINDS: [&str; 8] = [
    "image",
    "document",
    "audio",
    "video",
    "input_image",
    "image_url",
    "input_file",
    "input_audio",
];

/// The texts of a prompt: every list of tools as it is written, and every string beside them that is a text for the model.
/// Nothing where some of the prompt cannot be counted here: images and files, and what the provider keeps.
///
/// What a provider adds around messages and tools is not in it, and neither are the names of members outside of tools.
#[must_use]
pub fn prompt_texts(body: &[u8], dialect: Dialect) -> Option<Vec<Cow<'_, str>>> {
    let request = Request::read(body, dialect).ok()?;
    if request.head.has_previous_response {
        return None;
    }
    let text = str::from_utf8(body).ok()?;
    let lists = request.tools.iter().chain(&request.further_tools);
    let lists: Vec<Range<usize>> = lists.map(|tools| tools.list.clone()).collect();
    let mut texts: Vec<Cow<'_, str>> =
        lists.iter().filter_map(|list| text.get(list.clone())).map(Cow::Borrowed).collect();
    let mut name = 0..0;
    for token in tokens(text) {
        match token {
            JsonToken::Name(span) => {
                if MEDIA_MEMBERS.contains(&text.get(span.clone())?) {
                    return None;
                }
                name = span;
            }
            JsonToken::String(span) => {
                let (said, of) = (text.get(span.clone())?, text.get(name.clone())?);
                if of == "type" && MEDIA_KINDS.contains(&said) {
                    return None;
                }
                let is_in_tools = lists.iter().any(|list| list.contains(&span.start));
                if !is_in_tools && !NO_TEXT.contains(&of) {
                    texts.extend(unescape(said));
                }
            }
            JsonToken::OpenObject | JsonToken::Close => name = 0..0,
            JsonToken::OpenArray | JsonToken::Comma | JsonToken::Scalar(_) => {}
        }
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v14_texts_and_tools_are_counted_and_ids_and_kinds_are_not() {
        let body = r#"{"model":"m","system":[{"type":"text","text":"Be \u0062rief."}],"tools":[{"name":"ls","input_schema":{"type":"object"}}],
            "messages":[{"role":"user","content":"Go on."},
            {"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"tool_use","id":"toolu_1","name":"ls","input":{"paths":["a","b"]}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.rs"}]}]}"#;
        let texts = prompt_texts(body.as_bytes(), Dialect::Anthropic).unwrap();
        let tools = r#"[{"name":"ls","input_schema":{"type":"object"}}]"#;
        assert_eq!(texts, [tools, "Be brief.", "Go on.", "Hm.", "ls", "a", "b", "a.rs"]);
    }

    #[test]
    fn v14_a_prompt_of_which_a_part_cannot_be_counted_is_not() {
        for (dialect, body) in [
            (
                Dialect::Anthropic,
                r#"{"messages":[{"role":"user","content":[{"type":"image","source":{"data":"aGk="}}]}]}"#,
            ),
            (
                Dialect::OpenAiChat,
                r#"{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}]}"#,
            ),
            (Dialect::Gemini, r#"{"contents":[{"parts":[{"inlineData":{"data":"aGk="}}]}]}"#),
            (Dialect::OpenAiResponses, r#"{"previous_response_id":"r","input":"Go on."}"#),
            (Dialect::OpenAiChat, "not json"),
        ] {
            assert_eq!(prompt_texts(body.as_bytes(), dialect), None, "{body}");
        }
    }
}
