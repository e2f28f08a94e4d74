//! What a scripted model says, whatever the API it is asked over.

use serde_json::Value;
use std::collections::BTreeMap;

/// A reply: texts and calls of tools, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ModelReply {
    pub(super) parts: Vec<ReplyPart>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReplyPart {
    Text(String),
    Call { tool: String, arguments: Value },
}

impl ModelReply {
    /// Adds a call of a tool.
    pub(crate) fn call(mut self, tool: &str, arguments: Value) -> Self {
        self.parts.push(ReplyPart::Call { tool: tool.to_owned(), arguments });
        self
    }

    pub(super) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, ReplyPart::Call { .. }))
    }

    /// Tokens of the output, made up from its size.
    pub(super) fn tokens(&self) -> u64 {
        let tokens = |part: &ReplyPart| match part {
            ReplyPart::Text(text) => estimated_tokens(text.len()),
            ReplyPart::Call { tool, arguments } => {
                estimated_tokens(tool.len() + arguments.to_string().len()) + 8
            }
        };
        self.parts.iter().map(tokens).sum()
    }
}

impl From<&str> for ModelReply {
    fn from(text: &str) -> Self {
        Self { parts: vec![ReplyPart::Text(text.to_owned())] }
    }
}

/// How many tokens so many bytes are, roughly.
pub(super) fn estimated_tokens(bytes: usize) -> u64 {
    bytes as u64 / 4 + 1
}

/// The id of a call: a checksum, so that the same request gets the same id, and the figures of a session stay what they
/// are. The arguments are summed in the order of their names, since whether JSON keeps another one is up to the build.
pub(super) fn call_id(
    prefix: &str,
    reply: u64,
    index: usize,
    tool: &str,
    arguments: &Value,
) -> String {
    let nonce = format!("{reply:06x}{:02x}", index & 0xff);
    let arguments: BTreeMap<_, _> = arguments.as_object().into_iter().flatten().collect();
    let arguments = serde_json::to_string(&arguments).unwrap_or_default();
    let sum = fnv1a(&[&nonce, "n", tool, &arguments]);
    format!("{prefix}mkn{nonce}{sum:016x}")
}

/// FNV-1a over several texts, kept apart from each other.
fn fnv1a(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash ^ (hash >> 29)
}
