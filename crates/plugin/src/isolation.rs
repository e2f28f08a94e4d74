//! A call whose failure harms no other call.

use crate::context::Context;
use crate::failure::FailureCause;
use crate::plugin::{BoxFuture, Error, Flow, Plugin};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{self, Poll};
use std::time::Duration;

/// Calls the plugin, and makes of a panic, an error or a call without end the same thing: a cause.
pub(crate) async fn call(
    plugin: &dyn Plugin,
    context: Context<'_>,
    limit: Duration,
) -> Result<Flow, FailureCause> {
    let call =
        catch_unwind(AssertUnwindSafe(|| plugin.call(context))).map_err(|_| FailureCause::Panic)?;
    match tokio::time::timeout(limit, Isolated(Some(call))).await {
        Ok(result) => result,
        Err(_) => Err(FailureCause::Timeout(limit)),
    }
}

/// A call whose panics stay inside. It is there until it is dropped.
struct Isolated<'a>(Option<BoxFuture<'a, Result<Flow, Error>>>);

impl Future for Isolated<'_> {
    type Output = Result<Flow, FailureCause>;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Self::Output> {
        let Some(call) = &mut self.0 else { return Poll::Pending };
        // What a panic may have left half done is thrown away: the caller puts back the state from before.
        match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(result)) => Poll::Ready(result.map_err(FailureCause::Error)),
            Err(_) => Poll::Ready(Err(FailureCause::Panic)),
        }
    }
}

impl Drop for Isolated<'_> {
    fn drop(&mut self) {
        let call = self.0.take();
        // A call that ran out of time is dropped in its middle, and what it holds may panic then.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(call)));
    }
}
