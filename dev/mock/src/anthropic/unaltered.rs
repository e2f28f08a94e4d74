//! What the model thought comes back as it was made: told by memory, since no body alone shows it.

use super::{blocks, messages};
use crate::answer::Turn;
use crate::refusal::{Asked, Broken, ProviderRefusal, items, text};
use serde_json::Value;

const RULE: &str = "thinking comes back as it was made";

/// What a block is known by: a thought by its seal, a call by its id. A text may change.
fn seal(block: &Value) -> Option<&str> {
    let seal = match text(&block["type"]) {
        "thinking" => &block["signature"],
        "redacted_thinking" => &block["data"],
        "tool_use" => &block["id"],
        _ => return None,
    };
    seal.as_str()
}

fn is_thought(block: &Value) -> bool {
    matches!(text(&block["type"]), "thinking" | "redacted_thinking")
}

/// Remembers a reply in which the model thought.
pub(crate) fn remember(turn: &Turn<'_>) {
    let reply = super::whole(turn);
    let content = items(&reply["content"]);
    if content.iter().any(is_thought) {
        turn.memory.seal(content.iter().filter_map(seal).map(str::to_owned).collect());
    }
}

/// Refuses a latest message of the assistant with thoughts and calls of several replies, or of one without some.
pub(super) fn check(asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
    let latest = messages(asked).rev().find(|(_, message)| message["role"] == "assistant");
    let Some((m, message)) = latest else { return Ok(()) };
    let said: Vec<&str> = blocks(message).filter_map(|(_, block)| seal(block)).collect();
    let known = blocks(message)
        .filter(|(_, block)| is_thought(block))
        .map(|(at, block)| (at, asked.memory.sealed(seal(block).unwrap_or_default())))
        .find(|(_, replies)| !replies.is_empty());
    let Some((at, replies)) = known else { return Ok(()) };
    if replies.iter().any(|reply| *reply == said) {
        return Ok(());
    }
    let message = format!(
        "messages.{m}.content.{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be \
         modified. These blocks must remain as they were in the original response."
    );
    Err(ProviderRefusal { rule: RULE, broken: Broken { message, ..Broken::default() } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use serde_json::json;

    #[test]
    fn d52_two_replies_in_one_message_are_refused() {
        let memory = Memory::default();
        for reply in [["s1", "toolu_1"], ["s2", "toolu_2"]] {
            memory.seal(reply.map(str::to_owned).to_vec());
        }
        let thought = |seal: &str| json!({"type": "thinking", "thinking": "", "signature": seal});
        let call = |id: &str| json!({"type": "tool_use", "id": id});
        let text = json!({"type": "text", "text": "so"});
        for (content, is_refused) in [
            (json!([thought("s1"), call("toolu_1")]), false),
            (json!([thought("s1"), text, call("toolu_1")]), false),
            (json!([thought("s3"), call("toolu_9")]), false),
            (json!([thought("s1"), thought("s2"), call("toolu_2")]), true),
            (json!([thought("s1"), call("toolu_2")]), true),
            (json!([thought("s1")]), true),
        ] {
            let body = json!({"messages": [{"role": "assistant", "content": content}]});
            let asked = Asked { body: &body, model: "claude", memory: &memory };
            assert_eq!(check(&asked).is_err(), is_refused, "{body}");
        }
    }
}
