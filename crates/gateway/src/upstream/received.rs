//! The body of an answer on its way.

use super::pool::Lease;
use crate::http::wakes;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::OwnedSemaphorePermit;

/// A body that comes over a connection, and drives it.
pub(crate) struct Received {
    body: Incoming,
    /// Nothing where somebody else drives the connection.
    lease: Option<Lease>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Received {
    /// A body that comes over this connection.
    pub(super) fn over(lease: Lease, permit: Option<OwnedSemaphorePermit>, body: Incoming) -> Self {
        Received { body, lease: Some(lease), _permit: permit }
    }
}

impl From<Incoming> for Received {
    /// One that comes from a client.
    fn from(body: Incoming) -> Self {
        Received { body, lease: None, _permit: None }
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Received { body, lease, .. } = self.get_mut();
        match lease {
            Some(lease) => lease.poll(context, |context| Pin::new(&mut *body).poll_frame(context)),
            None => wakes::take(body, context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
