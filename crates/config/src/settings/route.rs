//! JSON APIs that agents reach through the gateway.

use crate::Secret;
use http::{HeaderName, Uri};
use std::collections::BTreeMap;
use tokenforge_formats::negotiate::Format;

/// Where requests below a path go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The API. What follows the path here follows its path there.
    pub url: Uri,
    /// Headers that every request gets, in place of the client's own.
    pub headers: BTreeMap<String, Secret>,
    /// The form of answers to who does not say.
    pub format: Format,
}

impl Route {
    /// The headers, as they are sent.
    pub fn headers(&self) -> impl Iterator<Item = (HeaderName, &Secret)> {
        self.headers.iter().filter_map(|(name, value)| Some((name.parse().ok()?, value)))
    }
}
