//! Hop-by-hop headers, which are not a plugin's business.

use http::header::{self, HeaderName};

/// Is it a hop-by-hop header, which belongs to one connection, or does it say where a message goes and how long it is? The gateway writes those
/// itself: a plugin that lets others name headers refuses these.
pub fn is_hop_by_hop(name: &HeaderName) -> bool {
    [
        header::CONNECTION,
        HeaderName::from_static("keep-alive"),
        header::PROXY_AUTHENTICATE,
        header::PROXY_AUTHORIZATION,
        HeaderName::from_static("proxy-connection"),
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
        header::CONTENT_LENGTH,
        header::HOST,
    ]
    .contains(name)
}
