//! A conversation from its first call to a result, as a hash: without ids, many calls look alike, in other
//! conversations and later in the same.

use tokenforge_providers::{Dialect, Request, ToolResult};

/// The hash of a conversation, up to an end that moves on.
pub(super) struct ConversationHash<'r> {
    body: &'r [u8],
    /// Those behind the end.
    results: &'r [ToolResult],
    pub(super) end: usize,
    hasher: blake3::Hasher,
}

impl<'r> ConversationHash<'r> {
    pub(super) fn of(request: &'r Request<'r>, body: &'r [u8]) -> Option<Self> {
        let end = request.calls.first()?.element.as_ref()?.start;
        let hasher = blake3::Hasher::new();
        Some(ConversationHash { body, results: &request.results, end, hasher })
    }

    /// That of a whole body.
    pub(super) fn of_body(body: &[u8], dialect: Dialect) -> Option<String> {
        let request = Request::read(body, dialect).ok()?;
        ConversationHash::of(&request, body)?.until(usize::MAX)
    }

    /// Goes on to the last result before a place. Nothing if there is none: then nothing was left out either, and no call
    /// of ours is worth keeping.
    pub(super) fn until(&mut self, place: usize) -> Option<String> {
        while let Some((first, rest)) = self.results.split_first()
            && first.span.end <= place
        {
            let more = self.body.get(self.end..first.span.end).unwrap_or_default();
            self.hasher.update(more);
            (self.end, self.results) = (first.span.end, rest);
        }
        (self.hasher.count() > 0).then(|| self.hasher.finalize().to_hex().to_string())
    }
}
