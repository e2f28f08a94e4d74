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
        mark != '_' && DigestKind::of(&value[..at]).is_some_and(|kind| kind.may_be(digest))
    })
}

/// Is a value a digest in full, under a name that ends with its algorithm, such as `token_sha256`?
pub(crate) fn is_named(name: &str, value: &str) -> bool {
    let name = simple(name);
    ALGORITHMS.iter().any(|(algorithm, bytes)| {
        let kind = name
            .strip_suffix(*algorithm)
            .map(|before| DigestKind { bytes: *bytes, is_keyed: before.ends_with("hmac") });
        kind.is_some_and(|kind| kind.is_whole(value))
    })
}

/// A label has no more of them: `hmac-sha3-256:`.
const MOST_MARKS: usize = 3;

/// What is written behind a label.
struct DigestKind {
    /// How many bytes it has.
    bytes: usize,
    /// It is made with a key. The key itself may stand behind the same label, and is written as base64 as a rule.
    is_keyed: bool,
}

impl DigestKind {
    fn of(label: &str) -> Option<Self> {
        let label = simple(label);
        let name = label.strip_prefix("hmac");
        let is_keyed = name.is_some();
        let name = name.unwrap_or(&label);
        let (_, bytes) = ALGORITHMS.iter().find(|(algorithm, _)| *algorithm == name)?;
        Some(DigestKind { bytes: *bytes, is_keyed })
    }

    /// Is it written so, in full or cut short?
    fn may_be(&self, text: &str) -> bool {
        let is_cut = (SHORTEST_HEX..=2 * self.bytes).contains(&text.len());
        is_cut && is_hex(text) || self.is_base64(text)
    }

    fn is_whole(&self, text: &str) -> bool {
        text.len() == 2 * self.bytes && is_hex(text) || self.is_base64(text)
    }

    fn is_base64(&self, text: &str) -> bool {
        let is_digit =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        let unpadded = text.trim_end_matches('=');
        !self.is_keyed
            && unpadded.len() == (self.bytes * 4).div_ceil(3)
            && text.len() - unpadded.len() < 3
            && unpadded.bytes().all(is_digit)
    }
}

/// A label or a name in lower case without separators.
fn simple(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::{is_labelled, is_named};

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

    #[test]
    fn f22_a_name_of_a_hash_covers_digests_of_its_length_alone() {
        for (name, value) in [
            ("token_sha256", SHA256),
            ("API-KEY-SHA-256", SHA256_BASE64),
            ("apiKeySha1", &SHA256[..40]),
            ("KEY_HMAC_SHA256", SHA256),
            ("token.md5", &SHA256[..32]),
        ] {
            assert!(is_named(name, value), "{name}");
        }
        for (name, value) in [
            ("API_KEY_SHA256", "k2Yh3vN7pTz2LrXb5mDc"),
            ("API_KEY_SHA256", &SHA256[..32]),
            ("API_KEY_MD5", SHA256),
            ("KEY_HMAC_SHA256", SHA256_BASE64),
            ("SHA256_KEY", SHA256),
        ] {
            assert!(!is_named(name, value), "{name}");
        }
    }

    #[test]
    fn f22_base64_behind_an_hmac_label_may_be_its_key() {
        for label in ["hmac-sha256:", "HMAC_SHA256=", "hmac-sha256-", "hmacsha256:"] {
            assert!(is_labelled(&format!("{label}{SHA256}")), "{label}");
            assert!(!is_labelled(&format!("{label}{SHA256_BASE64}")), "{label}");
            assert!(!is_labelled(&format!("{label}{}", SHA256_BASE64.trim_end_matches('='))));
        }
    }
}
