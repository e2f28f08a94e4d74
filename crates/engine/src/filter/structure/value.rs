//! Values: what a line holds beside names, and what its reader may need for the next step.
//!
//! Decision 39 of `docs/contracts.md`: where only the structure of a line says that something passed or goes on, the line may
//! be left out only if it is a name. `✓ adds an item` is one; `✓ Created bucket s3://acme-7f31` is a result.

use std::sync::LazyLock;

use regex::Regex;

use super::result::is_match;

/// The longest name of a test.
const MAX_NAME: usize = 120;

/// A digit, an address, a path, a name with dots (a host, a file, a version), `key: value`, `key=value`, `this -> that`, a
/// quotation, an option, JSON, an amount.
static VALUE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\d|[/\\=@$%<>{}"`#→⇒↦]|[\w)\]]\.\w|[^\s:]: |[^\s:]:$|->|[^\pL]'|'[^\pL]|^'|'$|(?:^|\s)--?\w"#).ok()
});

/// Whether a text is a name and nothing else: words, without a value among them.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME && !holds_value(text)
}

/// Whether a text holds a value, whatever else it says.
pub(super) fn holds_value(text: &str) -> bool {
    is_match(&VALUE, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f18_names_hold_no_value() {
        for name in [
            "adds an item",
            "it doesn't round twice",
            "Label Accepts Two Rows :: Checks the label",
            "handles errors (async)",
            "test_address_keeps",
            "",
        ] {
            assert!(is_name(name), "{name}");
        }
        for value in [
            "Created bucket s3://acme-prod in eu",
            "listens on :8443",
            "user ada@example.org",
            "config from /etc/app.yml",
            "deleted 'walk'",
            "mode: strict",
            "mode=strict",
            "Coffee Corner → food",
            "moved to node-b -> node-c",
            "host api.example.net",
            "label 4",
            "score ٤",
            r#"name is "Pay now""#,
            "shape <circle>",
            "coverage %",
            "with --force",
        ] {
            assert!(!is_name(value), "{value}");
        }
    }
}
