//! The canonical request of SigV4: one spelling for every way in which a request can be written.
//!
//! As botocore has it, which is what AWS's services other than S3 expect: the path of the wire is normalised and
//! percent-encoded once more (`%3A` becomes `%253A`), the pairs of the query are sorted as they are written, and white
//! space in the values of headers is collapsed.

use super::signing_key::sha256_hex;
use http::header::HeaderMap;
use http::{Method, Uri};

/// How a signature of this kind begins, and what its key is made for.
pub(super) const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// What the JavaScript SDK signs in the place of `host`: it speaks HTTP/2.
pub(super) const AUTHORITY: &str = ":authority";

/// What is signed: the text to sign, of a canonical request with this body.
pub(super) fn string_to_sign(stamp: &str, scope: [&str; 3], head: &str, payload: &str) -> String {
    let request = sha256_hex(format!("{head}\n{payload}").as_bytes());
    format!("{ALGORITHM}\n{stamp}\n{}/aws4_request\n{request}", scope.join("/"))
}

/// A canonical request up to the hash of its body. `None`: a header is not there, or is no text.
pub(super) fn canonical_head(
    method: &Method,
    uri: &Uri,
    host: &str,
    headers: &HeaderMap,
    signed: &[String],
) -> Option<String> {
    let mut names: Vec<&str> = signed.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let mut lines = String::new();
    for name in &names {
        let value = match *name {
            "host" | AUTHORITY => host.to_owned(),
            name => canonical_value(headers, name)?,
        };
        lines.push_str(&format!("{name}:{value}\n"));
    }
    let path = canonical_path(uri.path());
    let query = canonical_query(uri.query().unwrap_or_default());
    Some(format!("{method}\n{path}\n{query}\n{lines}\n{}", names.join(";")))
}

fn canonical_value(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut values = headers.get_all(name).iter().map(|value| {
        let words: Vec<&str> = value.to_str().ok()?.split_whitespace().collect();
        Some(words.join(" "))
    });
    let first = values.next()??;
    values.try_fold(first, |line, value| Some(format!("{line},{}", value?)))
}

/// Without `.`, `..` and empty segments (RFC 3986, 5.2.4), and percent-encoded once more.
fn canonical_path(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    let end = if path.ends_with('/') && !segments.is_empty() { "/" } else { "" };
    percent_encode(&format!("/{}{end}", segments.join("/")))
}

/// Sorted by name, then by value, each as it is written.
fn canonical_query(query: &str) -> String {
    if query.is_empty() {
        return String::new();
    }
    let mut pairs: Vec<(&str, &str)> =
        query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    pairs.sort_unstable();
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

fn percent_encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => encoded.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => encoded.push(byte.into()),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised_and_encoded_once_more() {
        for (path, canonical) in [
            ("/", "/"),
            (
                "/model/anthropic.claude-v1%3A0/converse",
                "/model/anthropic.claude-v1%253A0/converse",
            ),
            ("/model/anthropic.claude-v1:0/invoke", "/model/anthropic.claude-v1%3A0/invoke"),
            (
                "/model/arn%3Aaws%3Abedrock%3Aeu%3A1%3Ax%2Fy/invoke",
                "/model/arn%253Aaws%253Abedrock%253Aeu%253A1%253Ax%252Fy/invoke",
            ),
            ("//a/./b/../c//", "/a/c/"),
            ("/../..", "/"),
            ("/~a_b-c.d/(e)", "/~a_b-c.d/%28e%29"),
        ] {
            assert_eq!(canonical_path(path), canonical, "{path}");
        }
    }

    #[test]
    fn the_pairs_of_a_query_are_sorted_as_they_are_written() {
        assert_eq!(canonical_query(""), "");
        assert_eq!(canonical_query("b=2&a=%20x&a=1&c"), "a=%20x&a=1&b=2&c=");
    }
}
