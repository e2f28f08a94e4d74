//! A hash chain over the results of a conversation: the same in every process.

use crate::memo::ConversationKey;
use tokenforge_providers::{Request, ResultShape, ToolResult};

/// So many results are what a conversation is known by. One alone is too few: sessions in the same folder often begin with
/// the same command, and not every client draws its call ids at random.
const BEGINNING: usize = 10;

/// A hash for each result, of it and of all before it.
pub(super) struct ResultChain(Vec<blake3::Hash>);

impl ResultChain {
    pub(super) fn of(request: &Request<'_>, body: &[u8]) -> Self {
        let mut before = blake3::hash(b"tokenforge 2026 results of a conversation");
        let next = |result: &ToolResult| {
            before = link(before, result, body);
            before
        };
        ResultChain(request.results.iter().map(next).collect())
    }

    /// What the conversation is called: the hash of its beginning, if it is that long.
    pub(super) fn conversation(&self) -> Option<String> {
        self.up_to(BEGINNING - 1)
    }

    /// The results up to this one.
    pub(super) fn up_to(&self, index: usize) -> Option<String> {
        self.0.get(index).map(|hash| hash.to_hex().to_string())
    }
}

fn link(before: blake3::Hash, result: &ToolResult, body: &[u8]) -> blake3::Hash {
    let arguments = result.arguments.as_ref().and_then(|found| body.get(found.span.clone()));
    let (tool, id) = (result.tool(body), result.id(body).unwrap_or_default());
    let shape = match result.shape {
        ResultShape::Text => 0,
        ResultShape::Value => 1,
        ResultShape::JsonBlock { .. } => 2,
    };
    let parts = [
        body.get(result.span.clone()).unwrap_or_default(),
        tool.as_bytes(),
        id.as_bytes(),
        arguments.unwrap_or_default(),
        &[shape, u8::from(result.is_error)],
    ];
    let mut hasher = blake3::Hasher::new();
    hasher.update(before.as_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize()
}

/// The same as [`ResultChain::conversation`], in the terms of this process.
pub(super) fn beginning(keys: &[ConversationKey]) -> Option<ConversationKey> {
    keys.get(BEGINNING - 1).copied()
}
