//! Which provider API a request speaks, by its method, path and headers.

use http::request::Parts;
use tokenforge_providers::{Detection, Dialect};

/// The dialect of a request, and what else its head says. Nothing if it is none that we know.
pub(crate) fn detect_api(head: &Parts) -> Option<Detection<'_>> {
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    Dialect::detect(head.method.as_str(), path, header)
}
