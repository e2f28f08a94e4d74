//! A body as it is received, over a pooled connection or from a client.

use super::pool::ConnectionLease;
use crate::wake_filter;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::OwnedSemaphorePermit;

/// A body that comes over a connection, and drives it.
pub struct ReceivedBody {
    body: Incoming,
    /// `None` where another task drives the connection.
    lease: Option<ConnectionLease>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl ReceivedBody {
    /// A body that comes over this connection.
    pub(super) fn over(
        lease: ConnectionLease,
        permit: Option<OwnedSemaphorePermit>,
        body: Incoming,
    ) -> Self {
        ReceivedBody { body, lease: Some(lease), _permit: permit }
    }
}

impl From<Incoming> for ReceivedBody {
    /// One that comes from a client.
    fn from(body: Incoming) -> Self {
        ReceivedBody { body, lease: None, _permit: None }
    }
}

impl Body for ReceivedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    #[inline]
    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let ReceivedBody { body, lease, .. } = self.get_mut();
        match lease {
            Some(lease) => lease.poll(context, |context| Pin::new(&mut *body).poll_frame(context)),
            None => wake_filter::take_frame(body, context),
        }
    }

    #[inline]
    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    #[inline]
    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
