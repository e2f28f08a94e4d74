//! What holds for every text.

use proptest::prelude::*;
use tokenforge_laws::secrets;
use tokenforge_redact::{MARKER_END, MARKER_START, Scanner, marker};

/// Texts put together from pieces, some of them cut short.
fn texts() -> impl Strategy<Value = String> {
    let piece = (
        prop::sample::select(secrets::pieces()),
        prop::option::weighted(0.3, any::<prop::sample::Index>()),
    );
    let cut = piece.prop_map(|(piece, end)| match end {
        Some(end) => piece[..piece.floor_char_boundary(end.index(piece.len()))].to_owned(),
        None => piece,
    });
    prop::collection::vec(cut, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(50_000) })]

    #[test]
    fn l6_findings_are_in_order_and_redacting_twice_changes_nothing(text in texts()) {
        secrets::redaction(&text);
    }

    #[test]
    fn any_text_can_be_scanned(text in "\\PC{0,200}") {
        secrets::redaction(&text);
    }
}

#[test]
fn a_clean_text_is_left_alone() {
    for text in [
        "",
        "a",
        "let token = self.next_token()?;",
        "password: String,",
        "commit abcdé\n",
        "é".repeat(99).as_str(),
    ] {
        assert_eq!(Scanner::builtin().redact(text), None);
    }
}

#[test]
fn a_marker_says_what_was_removed() {
    let text = format!("token: {}{}\n", "ghp_", "k2Yh3vN7pTz2LrXb5mDc9sFg4wJe6uQa1oWq");
    let redacted = Scanner::builtin().redact(&text).unwrap();
    assert_eq!(redacted.text, format!("token: {}\n", marker("github-token")));
    assert_eq!(marker("x"), format!("{MARKER_START}x{MARKER_END}"));
}

#[test]
fn a_token_is_found_behind_what_is_left_of_an_escape() {
    let token = format!("{}{}", "ghp_", "k2Yh3vN7pTz2LrXb5mDc9sFg4wJe6uQa1oWq");
    for before in
        ["\\n", "\\\\n", "x\\t", "token%3D", "\\u003d", "\x1b[0;32m", "é", "-", "//", "12→"]
    {
        let redacted = Scanner::builtin().redact(&format!("{before}{token}\x1b[0m")).unwrap();
        assert_eq!(redacted.text, format!("{before}{}\x1b[0m", marker("github-token")));
    }
}

#[test]
fn a_key_block_becomes_one_marker_and_the_lines_around_it_stay() {
    let key = "MIIEowIBAAKCAQEAx0k2Yh3vN7pTz2LrXb5mDc9sFg4wJe6uQa1oWq8RtVbMx4Cz\r\n".repeat(20);
    let block =
        format!("{}BEGIN RSA PRIVATE KEY-----\r\n{key}-----END RSA PRIVATE KEY-----", "-----");
    let redacted = Scanner::builtin().redact(&format!("one\r\n{block}\r\ntwo\r\n")).unwrap();
    assert_eq!(redacted.text, "one\r\n[REDACTED:rsa-private-key]\r\ntwo\r\n");
    let unfinished = block.rsplit_once("-----END").unwrap().0.trim_end();
    let redacted = Scanner::builtin().redact(&format!("one\r\n{unfinished}\r\ntwo\r\n")).unwrap();
    assert_eq!(redacted.text, "one\r\n[REDACTED:rsa-private-key]\r\ntwo\r\n");
}
