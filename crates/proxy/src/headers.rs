//! Hop-by-hop headers and request smuggling: which headers are between two neighbours only, and which go all the way.

use http::header::{
    CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
    UPGRADE,
};
use http::request::Parts;

/// What is between two neighbours only, whether or not a `Connection` names it.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The most that a request's path and headers may take.
pub const HEAD_BYTES: usize = 64 << 10;

/// Is there more of it than anybody needs?
pub fn is_head_too_long(head: &Parts) -> bool {
    let header = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len();
    let path = head.uri.path_and_query().map_or(0, |path| path.as_str().len());
    path + head.headers.iter().map(header).sum::<usize>() > HEAD_BYTES
}

/// Removes what a hop says to its neighbour, and what its own `Connection` names.
pub fn remove_hop_by_hop(headers: &mut HeaderMap) {
    // Most have none, and to look once is quicker than to look for each.
    if !headers.keys().any(|name| HOP_BY_HOP.contains(&name.as_str())) {
        return;
    }
    let named: Vec<HeaderName> = named_by_connection(headers).collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

/// The headers that a `Connection` says to be between two neighbours only.
pub fn named_by_connection(headers: &HeaderMap) -> impl Iterator<Item = HeaderName> {
    let values = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).filter_map(|name| name.trim().parse().ok())
}

/// Makes the headers of a request those of a request to another host. The length is the body's to say.
pub fn readdress(headers: &mut HeaderMap) {
    remove_hop_by_hop(headers);
    headers.remove(HOST);
    headers.remove(CONTENT_LENGTH);
}

/// Whether headers give the length of a body in two ways. The upstream may believe the other one (request smuggling).
pub fn has_two_lengths(headers: &HeaderMap) -> bool {
    let lengths = headers.get_all(CONTENT_LENGTH).iter().count();
    lengths > 1 || (lengths == 1 && headers.contains_key(TRANSFER_ENCODING))
}

/// Is a change of protocol asked for?
pub fn asks_for_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(UPGRADE) && says_of_connection(headers, "upgrade")
}

/// Is this the last request of its connection?
pub fn asks_to_close(headers: &HeaderMap) -> bool {
    says_of_connection(headers, "close")
}

fn says_of_connection(headers: &HeaderMap, wanted: &str) -> bool {
    headers.get_all(CONNECTION).iter().any(|value| {
        let value = value.to_str().unwrap_or_default();
        value.split(',').any(|token| token.trim().eq_ignore_ascii_case(wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn g22_all_but_what_is_between_neighbours_goes_on() {
        let mut given = headers(&[
            ("connection", "keep-alive, X-Mine"),
            ("x-mine", "1"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("te", "trailers"),
            ("anthropic-beta", "a,b"),
            ("x-unknown", "2"),
        ]);
        remove_hop_by_hop(&mut given);
        assert_eq!(given, headers(&[("anthropic-beta", "a,b"), ("x-unknown", "2")]));
    }

    #[test]
    fn a_body_with_two_lengths_is_told() {
        assert!(has_two_lengths(&headers(&[
            ("content-length", "1"),
            ("transfer-encoding", "chunked")
        ])));
        assert!(!has_two_lengths(&headers(&[("content-length", "1")])));
        assert!(!has_two_lengths(&headers(&[("transfer-encoding", "chunked")])));
    }

    #[test]
    fn an_upgrade_needs_both_headers() {
        assert!(asks_for_upgrade(&headers(&[("connection", "Upgrade"), ("upgrade", "websocket")])));
        assert!(!asks_for_upgrade(&headers(&[("upgrade", "websocket")])));
    }
}
