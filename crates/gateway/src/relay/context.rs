//! The context of a relayed answer: the request it belongs to, and what may be asked about it.

use crate::pending_account::PendingAccount;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{StatusCode, response};
use std::sync::Arc;
use tokenforge_conversation::RequestOriginals;
use tokenforge_conversation::{Replacement, with_replaced};
use tokenforge_providers::WireFormat;
use tokenforge_proxy::coding::ContentCoding;

/// A body of this size may be a small part of the buffer that it was read into.
const SMALL: usize = 4 << 10;

/// A request that went on, and whose answer may hold a call of ours.
pub(crate) struct RelayContext {
    pub(super) originals: RequestOriginals,
    /// What is told of it when it is over.
    pub(crate) account: PendingAccount,
    streams: bool,
    /// The provider keeps its replies, unless they say otherwise.
    pub(super) is_stored: bool,
    /// How the body that went on is made from the one that came: a second copy would be most of what a stream takes.
    replaced: Arc<[Replacement]>,
    /// The body that went on instead, once the provider was asked again.
    followed: Option<Bytes>,
}

impl RelayContext {
    pub(crate) fn new(
        originals: RequestOriginals,
        replaced: Arc<[Replacement]>,
        streams: bool,
        is_stored: bool,
        account: PendingAccount,
    ) -> Self {
        RelayContext { originals, account, streams, is_stored, replaced, followed: None }
    }

    /// Is this an answer in which a call can be?
    pub(crate) fn is_for(&self, answer: Option<&response::Parts>) -> bool {
        answer.is_some_and(|head| {
            head.status == StatusCode::OK
                && self.wire(head).is_some()
                && ContentCoding::of(&head.headers).is_ok()
        })
    }

    pub(super) fn wire(&self, head: &response::Parts) -> Option<WireFormat> {
        let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        WireFormat::of(self.originals.dialect, content_type.unwrap_or_default(), self.streams)
    }

    /// The body as it went on last.
    pub(super) fn body(&self) -> Option<Bytes> {
        self.followed.clone().or_else(|| with_replaced(&self.originals.body, &self.replaced))
    }

    /// This one goes on next.
    pub(super) fn follow(&mut self, body: Bytes) {
        self.followed = Some(body);
    }

    /// Keeps nothing of the buffer that the body was read into.
    pub(super) fn release_buffers(&mut self) {
        let body = &mut self.originals.body;
        if body.len() <= SMALL {
            *body = Bytes::copy_from_slice(body);
        }
    }
}
