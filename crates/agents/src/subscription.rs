//! Subscriptions: how a request is told that is paid for with a plan and not by the token.

use serde::Deserialize;

/// Each of these alone is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SubscriptionSigns {
    /// What the bearer token begins with.
    pub token_prefix: Option<String>,
    /// A header that is only then sent, in lower case.
    pub header: Option<String>,
    /// What the path has in it.
    pub path_part: Option<String>,
    /// The domain that serves plans, and all below it.
    pub domain: Option<String>,
}
