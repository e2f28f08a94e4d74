//! Digests that say what they are: `sha256:9f86…`, `hmac-sha256:…`, `sha512-…` of a lock file. They are published to be compared,
//! nothing can be opened with them, and an agent has to copy them.

/// The algorithms by the names in front of digests, in lower case without `-` and `_`, with the bytes of a digest.
const ALGORITHMS: [(&str, usize); 10] = [
    ("md5", 16),
    ("sha1", 20),
    ("sha224", 28),
    ("sha256", 32),
    ("sha384", 48),
    ("sha512", 64),
    ("blake2s", 32),
    ("blake2b", 64),
    ("blake3", 32),
    ("sha3256", 32),
];

/// A digest may be cut to this many hexadecimal digits, as Docker and git print it.
const SHORTEST_HEX: usize = 7;

/// Is a value a digest behind the name of its algorithm?
///
/// The length is that of the algorithm, so that a password which begins like a label is still one.
pub(crate) fn is_labelled(value: &str) -> bool {
    // The last mark is the one before the digest: base64 has none of these but `-` of URLs, which a label's `-` precedes.
    let marks = value.char_indices().filter(|(_, mark)| matches!(mark, ':' | '=' | '-' | '_'));
    marks.take(MOST_MARKS).any(|(at, mark)| {
        let digest = &value[at + 1..];
        mark != '_' && bytes_of(&value[..at]).is_some_and(|bytes| is_digest(digest, bytes))
    })
}

/// A label has no more of them: `hmac-sha3-256:`.
const MOST_MARKS: usize = 3;

/// How many bytes a digest has that is labelled so.
fn bytes_of(label: &str) -> Option<usize> {
    let mut name = String::with_capacity(label.len());
    name.extend(label.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()));
    let name = name.strip_prefix("hmac").unwrap_or(&name);
    ALGORITHMS.iter().find(|(algorithm, _)| *algorithm == name).map(|(_, bytes)| *bytes)
}

fn is_digest(text: &str, bytes: usize) -> bool {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let unpadded = text.trim_end_matches('=');
    let is_base64 =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let padding = text.len() - unpadded.len();
    is_hex && (SHORTEST_HEX..=2 * bytes).contains(&text.len())
        || unpadded.len() == (bytes * 4).div_ceil(3)
            && padding < 3
            && unpadded.bytes().all(is_base64)
}

#[cfg(test)]
mod tests {
    use super::is_labelled;

    const SHA256: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    const SHA256_BASE64: &str = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=";

    #[test]
    fn f22_a_digest_behind_its_label_is_known() {
        for value in [
            format!("sha256:{SHA256}"),
            format!("hmac-sha256:{SHA256}"),
            format!("HMAC_SHA256={SHA256}"),
            format!("SHA-256:{SHA256}"),
            format!("sha256-{SHA256_BASE64}"),
            format!("SHA256:{}", SHA256_BASE64.trim_end_matches('=')),
            format!("sha256:{}", &SHA256[..12]),
            format!("md5:{}", &SHA256[..32]),
            format!("sha1={}", &SHA256[..40]),
            format!("sha3-256:{SHA256}"),
            format!("sha512-{}==", "Ab1+/Zy9".repeat(10) + "Ab1+/Z"),
        ] {
            assert!(is_labelled(&value), "{value}");
        }
    }

    #[test]
    fn f22_what_only_looks_labelled_is_no_digest() {
        for value in [
            SHA256.to_owned(),
            format!("sha256:{SHA256}00"),
            format!("token:{SHA256}"),
            format!("sk-sha256-{SHA256}"),
            "sha256:k2Yh3vN7pTz2LrXb5mDc".to_owned(),
            "sha256-Gr33nTea!9x".to_owned(),
            "sha256:12345".to_owned(),
            format!("sha1:{SHA256}"),
            "sha256:".to_owned(),
            "é:é".to_owned(),
        ] {
            assert!(!is_labelled(&value), "{value}");
        }
    }
}
