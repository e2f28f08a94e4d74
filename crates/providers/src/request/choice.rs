//! Tool choice: may the model call whichever tool it likes, one that is added to its list too?
//!
//! What is not known to allow that is taken to forbid it.

use super::slot::Slot;
use crate::json::{Kind, Reader};
use crate::refusal::Refusal;

/// Reads `tool_choice` as OpenAI and Anthropic have it: a word, or an object whose type is the word. Is the model
/// restricted? It is by `none`, by a tool that it must call, and by a list of those that it may. Google's `validated` only
/// says that a call must fit its schema.
pub(crate) fn is_restricted(reader: &mut Reader<'_>) -> Result<bool, Refusal> {
    let word = match reader.peek() {
        b'"' => reader.text()?,
        b'{' => {
            let mut kind = Slot::default();
            reader.object(|reader, key| match &*key.name {
                "type" => kind.set(&key, reader.text()?),
                _ => reader.skip(),
            })?;
            kind.take()
        }
        _ => return Ok(reader.value()?.kind != Kind::Null),
    };
    Ok(!matches!(word.as_deref(), Some("auto" | "any" | "required" | "validated")))
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Request};

    fn is_restricted(dialect: Dialect, member: &str) -> bool {
        let body = format!("{{\"messages\":[],\"contents\":[],\"input\":[],{member}}}");
        Request::read(body.as_bytes(), dialect).unwrap().restricts_tools
    }

    #[test]
    fn l4_a_choice_that_leaves_ours_out_is_a_restriction() {
        use Dialect::{Anthropic, BedrockConverse, BedrockInvoke, Gemini, GeminiInteractions};
        use Dialect::{Ollama, OpenAiChat, OpenAiResponses};
        let openai = [OpenAiChat, OpenAiResponses, Ollama];
        let anthropic = [Anthropic];
        let cases: &[(&[Dialect], &str, bool)] = &[
            (&openai, r#""tool_choice":"auto""#, false),
            (&openai, r#""tool_choice":"required""#, false),
            (&openai, r#""tool_choice":null"#, false),
            (&openai, r#""tool_choice":"none""#, true),
            (&openai, r#""tool_choice":"something new""#, true),
            (&openai, r#""tool_choice":7"#, true),
            (&openai, r#""tool_choice":{"type":"function","function":{"name":"f"}}"#, true),
            (&openai, r#""tool_choice":{"type":"custom","name":"f"}"#, true),
            (&openai, r#""tool_choice":{"type":"allowed_tools","mode":"auto","tools":[]}"#, true),
            (&openai, r#""tool_choice":{"type":"file_search"}"#, true),
            (&openai, r#""tool_choice":"auto","tool_choice":"none""#, true),
            (&[OpenAiChat], r#""function_call":"none""#, true),
            (&[OpenAiChat], r#""function_call":{"name":"f"}"#, true),
            (&[OpenAiChat], r#""function_call":"auto""#, false),
            (&anthropic, r#""tool_choice":{"type":"auto"}"#, false),
            (&anthropic, r#""tool_choice":{"type":"any","disable_parallel_tool_use":true}"#, false),
            (&anthropic, r#""tool_choice":{"type":"none"}"#, true),
            (&anthropic, r#""tool_choice":{"name":"f","type":"tool"}"#, true),
            (&[BedrockInvoke], r#""anthropic_version":"v","tool_choice":{"type":"none"}"#, true),
            (&[Gemini], r#""toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}"#, false),
            (&[Gemini], r#""toolConfig":{"functionCallingConfig":{"mode":"ANY"}}"#, false),
            (&[Gemini], r#""toolConfig":{"functionCallingConfig":{"mode":"NONE"}}"#, true),
            (&[Gemini], r#""tool_config":{"function_calling_config":{"mode":"none"}}"#, true),
            (
                &[Gemini],
                r#""toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}"#,
                true,
            ),
            (
                &[Gemini],
                r#""request":{"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}"#,
                true,
            ),
            (&[GeminiInteractions], r#""generation_config":{"tool_choice":"auto"}"#, false),
            (&[GeminiInteractions], r#""generation_config":{"tool_choice":"validated"}"#, false),
            (&[GeminiInteractions], r#""generation_config":{"tool_choice":"none"}"#, true),
            (
                &[GeminiInteractions],
                r#""generation_config":{"tool_choice":{"allowed_tools":{"tools":["f"]}}}"#,
                true,
            ),
            (&[BedrockConverse], r#""toolConfig":{"toolChoice":{"auto":{}}}"#, false),
            (&[BedrockConverse], r#""toolConfig":{"toolChoice":{"any":{}}}"#, false),
            (&[BedrockConverse], r#""toolConfig":{"toolChoice":{"tool":{"name":"f"}}}"#, true),
        ];
        for (dialects, member, expected) in cases {
            for dialect in *dialects {
                assert_eq!(is_restricted(*dialect, member), *expected, "{dialect:?} {member}");
                assert!(!is_restricted(*dialect, r#""tools":[]"#), "{dialect:?}");
            }
        }
    }

    #[test]
    fn l4_an_answer_in_the_background_is_known() {
        let is_background = |body: &str| {
            Request::read(body.as_bytes(), Dialect::OpenAiResponses).unwrap().is_background
        };
        assert!(is_background(r#"{"input":[],"background":true}"#));
        assert!(!is_background(r#"{"input":[],"background":false}"#));
        assert!(!is_background(r#"{"input":[]}"#));
    }
}
