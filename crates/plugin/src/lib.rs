//! What a plugin is: the phases of a request, what may be seen in each, and what may come of it.
//!
//! A [`Plugin`] names its phases and is called in each with a [`Context`]: the request, and later its response, as far
//! as that [`Phase`] shows them. It changes what it may and answers with a [`Flow`]: go on, skip the rest of the phase,
//! or end the request with a response of its own.
//!
//! ```
//! use tokenforge_plugin::{BoxFuture, Context, Error, Flow, Phase, Phases, Plugin};
//!
//! /// Refuses clients that do not say please.
//! struct Polite;
//!
//! impl Plugin for Polite {
//!     fn name(&self) -> &str {
//!         "polite"
//!     }
//!
//!     fn phases(&self) -> Phases {
//!         Phase::PreAuth.into()
//!     }
//!
//!     fn call<'a>(&'a self, context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
//!         Box::pin(async move {
//!             if context.request_headers().contains_key("x-please") {
//!                 return Ok(Flow::Continue);
//!             }
//!             Ok(Flow::Terminate(http::Response::builder().status(403).body("please?".into())?))
//!         })
//!     }
//! }
//! ```
//!
//! The gateway keeps the plugins in a [`Chain`], makes an [`Exchange`] of every request that meets one, and runs the
//! chain at each phase:
//!
//! ```
//! # use tokenforge_plugin::{BoxFuture, Context, Error, Flow, Phase, Phases, Plugin};
//! # struct Polite;
//! # impl Plugin for Polite {
//! #     fn name(&self) -> &str { "polite" }
//! #     fn phases(&self) -> Phases { Phase::PreAuth.into() }
//! #     fn call<'a>(&'a self, _: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
//! #         Box::pin(async { Ok(Flow::Terminate(http::Response::builder().status(403).body("".into())?)) })
//! #     }
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use std::sync::Arc;
//! use tokenforge_plugin::{BodyNeed, Chain, Exchange, Outcome, Placement};
//!
//! let chain = Chain::new(vec![(Arc::new(Polite), Placement::default())]);
//! assert!(chain.is_empty_for(Phase::PreUpstream));
//! assert_eq!(chain.body_need(Phase::PreUpstream), BodyNeed::None); // so the body need not be buffered
//!
//! let (head, _body) = http::Request::new(()).into_parts();
//! let mut exchange = Exchange::new(head, ([127, 0, 0, 1], 50_000).into());
//! match chain.run(Phase::PreAuth, &mut exchange).await {
//!     Outcome::Continue => unreachable!("the client did not say please"),
//!     Outcome::Terminate(response) => assert_eq!(response.status(), 403),
//! }
//! # }
//! ```
//!
//! A request for tools goes another way: the gateway makes an exchange [of each call](Exchange::of_tool), and runs
//! [`Phase::ToolCall`] before and [`Phase::ToolResult`] after it.
//!
//! A call that panics, fails or takes too long is undone. Then the [`ErrorPolicy`] of its [`Placement`] decides whether
//! the request goes on without it or ends with a 502.
//!
//! Plugins that settings ask for by name are made by a [`Factory`] out of a [`Registry`].
//!
//! That much is always there. The feature `builtin` adds the plugins that come with Tokenforge, `wasm` plugins as
//! WebAssembly modules: their dependencies are no burden for an author who only writes a plugin.
//!
//! There is no server in here, no log and no global state: what happened is in the [`Outcome`], in
//! [`Exchange::take_failures`] and in [`Chain::metrics`].

#[cfg(feature = "builtin")]
pub mod builtin;
mod chain;
mod connection;
mod context;
mod exchange;
mod factory;
mod failure;
mod isolation;
mod metrics;
mod phase;
mod placement;
mod plugin;
mod registry;
mod tool;
mod unavailable;
#[cfg(feature = "wasm")]
pub mod wasm;

pub use chain::{Chain, Outcome};
pub use connection::is_hop_by_hop;
pub use context::Context;
pub use exchange::Exchange;
pub use factory::{Factory, factory};
pub use failure::{Failure, FailureCause};
pub use metrics::PluginMetrics;
pub use phase::{Phase, Phases};
pub use placement::{ErrorPolicy, Placement};
pub use plugin::{BodyNeed, BoxFuture, Error, Flow, Plugin};
pub use registry::{ConfigError, Registry};
pub use tool::ToolId;
pub use unavailable::Unavailable;
