//! Client credentials: what a client shows its provider, for a strategy that asks the same vendor.

use http::{HeaderName, HeaderValue, Uri};

/// Where a request goes, and what the client shows there.
#[derive(Debug, Default)]
pub(crate) struct ClientCredentials {
    pub(crate) target: Uri,
    pub(crate) bearer: Option<HeaderValue>,
    /// Headers without which that credential is not accepted.
    pub(crate) companions: Vec<(HeaderName, HeaderValue)>,
}
