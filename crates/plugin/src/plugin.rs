//! What a plugin is, what it asks for and what it may answer.

use crate::context::Context;
use crate::phase::{Phase, Phases};
use bytes::Bytes;
use http::HeaderValue;
use std::pin::Pin;

/// Something that is called on the way of a request and its response.
///
/// A plugin is made once and called by many requests at the same time. Its methods other than [`call`](Self::call),
/// [`is_concerned`](Self::is_concerned), [`wants_body`](Self::wants_body) and [`varies_by`](Self::varies_by) are asked once,
/// when the chain is built.
///
/// What a call does is isolated: if it panics, fails or takes too long, everything it changed in the context is undone,
/// and the [`ErrorPolicy`](crate::ErrorPolicy) says what comes next. A call that blocks its thread cannot be
/// interrupted: work that takes long belongs on a thread of its own, awaited here.
pub trait Plugin: Send + Sync {
    /// The name in metrics and messages.
    fn name(&self) -> &str;

    /// When it is called.
    fn phases(&self) -> Phases;

    /// Which part of the body it has to see in a phase. Nothing is buffered for a plugin that does not ask.
    fn body(&self, phase: Phase) -> BodyNeed {
        let _ = phase;
        BodyNeed::None
    }

    /// Does it have to see this body, as [`body`](Self::body) declares? Asked for every request, before anything is
    /// buffered; the context shows all but the body. One that does not ask may be shown it all the same, where another
    /// plugin does.
    fn wants_body(&self, context: &Context<'_>) -> bool {
        let _ = context;
        true
    }

    /// Is there anything for it to do? Asked before every call; the context shows all but the body. A call that is not
    /// made takes no time, and is not counted.
    fn is_concerned(&self, context: &Context<'_>) -> bool {
        let _ = context;
        true
    }

    /// The headers of a request by which it makes this or that of a response like the one that came, as `Vary` lists them.
    /// Asked before [`Phase::PostUpstream`], and said whether or not the plugin is then called: another request may get
    /// another response.
    fn varies_by(&self, context: &Context<'_>) -> Option<HeaderValue> {
        let _ = context;
        None
    }

    /// Does it write the form in which an answer is read? Such plugins are called after all others, whatever their
    /// priority: what looks for secrets in an answer must see it before.
    fn encodes(&self) -> bool {
        false
    }

    /// Looks at the request or response, and changes it, or answers itself.
    ///
    /// # Errors
    /// Whatever went wrong. The message may be logged: it names no content and no keys.
    fn call<'a>(&'a self, context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>>;
}

/// A future on the heap, as [`Plugin::call`] gives it: `Box::pin(async move { .. })`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Why a call failed. Any error converts into it with `?`, and so does a text with `.into()`.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// How a request goes on after a call.
pub enum Flow {
    /// With the next plugin.
    Continue,
    /// With the next phase: the remaining plugins of this one are left out.
    SkipRest,
    /// Not at all: this is the response. In [`Phase::ToolCall`] and [`Phase::ToolResult`] its body is the text of a
    /// tool result that says it is an error.
    Terminate(http::Response<Bytes>),
}

/// What a plugin has to see of a body, or of a tool's arguments or result. More is a greater need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum BodyNeed {
    /// Nothing: the body may stream by.
    #[default]
    None,
    /// All of it, if it is no larger than this. A larger one passes by unseen.
    Buffered {
        /// The most bytes to wait for.
        up_to: usize,
    },
}
