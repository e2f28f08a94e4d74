//! The rewrite of a request's body: what goes on in place of what came.
//!
//! All decisions about a body are made here, from the body and the settings: whose it is decides no byte, or a credential
//! that is renewed would cost the provider's cache. What is found in the [`Memo`](crate::memo::Memo) saves work and decides
//! nothing.
//!
//! | | asks the store | compresses |
//! |---|---|---|
//! | [`lookup`] | no | no: all of it must be known, or it says what is |
//! | [`compute`] | yes | what is missing |
//! | [`pass_on`] | for what no provider goes on without | no: results go on as they came |

mod assembly;
mod compute;
mod conversation_view;
mod input;
mod known_results;
mod lookup;
mod old_results;
mod pass_on;
mod plan;
mod plan_draft;
mod prompt_json;
mod results;
mod rewritten_results;

pub use assembly::RewrittenBody;
pub use compute::{RewriteWork, compute};
pub use input::{OriginalsReader, RequestKind, RequestSender, RewriteInput};
pub use lookup::{CachedRewrite, FoundParts, lookup};
pub use pass_on::pass_on;
pub(crate) use plan::RewritePlan;
