//! A spliced body on its way to a provider: a short one at once, a long one in pieces.

use tokenforge_conversation::SplicedBody;
use tokenforge_proxy::body::Body;

/// The body as it is sent.
pub(crate) fn outgoing_body(spliced: SplicedBody) -> Body {
    if spliced.is_sent_whole() {
        return spliced.to_bytes().into();
    }
    let length = spliced.length();
    Body::spliced(spliced.into_pieces(), length)
}
