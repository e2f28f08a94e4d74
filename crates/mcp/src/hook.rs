//! Hooks on the calls of tools and on their results: the interface of plugins.

use bytes::Bytes;
use std::pin::Pin;

/// Looks at the calls of one request.
pub trait Hooks: Send + Sync {
    /// Looks at a call of this server's tool.
    fn begin(&self, server: &str, tool: &str) -> Box<dyn Hook>;
}

/// Looks at one call.
pub trait Hook: Send {
    /// The arguments as they are to go on, as JSON; `Err`: the call does not, and the client hears this.
    fn arguments(&mut self, arguments: Bytes) -> HookFuture<'_>;
    /// The result as it is to go on, as JSON; `Err`: it does not, and the client hears this.
    fn result(&mut self, result: Bytes) -> HookFuture<'_>;
}

/// What comes of a look.
pub type HookFuture<'a> = Pin<Box<dyn Future<Output = Result<Bytes, String>> + Send + 'a>>;
