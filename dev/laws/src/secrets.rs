//! Laws about finding and redacting secrets.

use std::sync::LazyLock;

use tokenforge_redact::Scanner;

/// Findings lie in the text, in order and apart, and redacting what was redacted changes nothing (L6).
pub fn redaction(text: &str) {
    let scanner = Scanner::builtin();
    let findings = scanner.find(text);
    for finding in &findings {
        let secret = text.get(finding.range.clone()).unwrap_or_default();
        assert!(!secret.is_empty(), "{finding:?} is no part of {text:?}");
    }
    let apart = findings.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start);
    assert!(apart, "{findings:?} in {text:?}");
    match scanner.redact(text) {
        None => assert!(findings.is_empty(), "{findings:?} in {text:?}"),
        Some(redacted) => {
            assert_eq!(redacted.findings, findings);
            assert_eq!(scanner.redact(&redacted.text), None, "{text:?} became {:?}", redacted.text);
        }
    }
}

/// What texts with secrets are made of: the examples of all rules, and what stands around secrets.
pub fn pieces() -> &'static [String] {
    static PIECES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let surroundings = SURROUNDINGS.iter().map(|piece| (*piece).to_owned());
        examples().into_iter().chain(surroundings).collect()
    });
    &PIECES
}

const SURROUNDINGS: [&str; 31] = [
    " ",
    "\n",
    "\"",
    "'",
    "=",
    ": ",
    "://",
    "@",
    "-",
    "_",
    ".",
    "/",
    "é",
    "→",
    "\\n",
    "%3D",
    "token",
    "PASSWORD",
    "Key",
    "Authorization: Bearer ",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "ghp_",
    "AKIA",
    "eyJ",
    "MIIEowIBAAKCAQEAx0k2Yh3vN7pTz2Lr",
    "a1B2c3D4e5F6g7H8i9J0",
    "[REDACTED:jwt]",
    "[REDACTED:",
    "]",
    "PuTTY-User-Key-File-2: ",
];

/// The texts of `yes` and `no`, as they are meant.
fn examples() -> Vec<String> {
    let rules: toml::Table =
        toml::from_str(include_str!("../../../crates/redact/src/secrets/rules.toml"))
            .expect("rules.toml is TOML");
    let rules = rules.values().filter_map(toml::Value::as_array).flatten();
    let texts =
        rules.flat_map(|rule| ["yes", "no"].map(|list| rule[list].as_array())).flatten().flatten();
    texts.filter_map(toml::Value::as_str).map(|text| text.replace(['·', '«', '»'], "")).collect()
}
