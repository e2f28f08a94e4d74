//! The diff of a client's file, with secrets masked, because Tokenforge never changes them and screens are shared.

use super::servers::{ServerTransport, servers};
use crate::client_file::{self, FileNotation, SettingsDocument, TextEdits, quote_string};
use tokenforge_config::MASK;

/// A unified diff of a file, without the values of its variables and headers.
pub(crate) fn diff(name: &str, old: &str, new: &str, notation: FileNotation) -> String {
    client_file::diff(name, &mask_values(old, notation), &mask_values(new, notation))
}

/// The text with each secret as `***`.
fn mask_values(text: &str, notation: FileNotation) -> String {
    // What cannot be read is not shown either.
    let Ok(document) = SettingsDocument::read(text, notation) else { return String::new() };
    let mut edits = TextEdits::default();
    for server in servers(&document) {
        for span in server.hidden {
            edits.replace(span, quote_string(MASK));
        }
        if let ServerTransport::Address { url, .. } = server.way
            && let Some((address, _)) = url.text.split_once('?')
        {
            edits.replace(url.span, quote_string(&format!("{address}?{MASK}")));
        }
    }
    edits.apply_to(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_what_changes_and_no_key() {
        let old = "{\"servers\": {\n\"a\": {\n\"command\": \"x\",\n\"env\": {\"K\": \"private-1\"}\n},\n\
                   \"b\": {\"url\": \"https://b/?k=private-2\", \"headers\": {\"Authorization\": \"private-3\"}}}}\n";
        let new = old.replace("\"x\"", "\"y\"");
        let diff = diff("mcp.json", old, &new, FileNotation::Json);
        assert!(diff.starts_with("--- mcp.json\n+++ mcp.json\n@@ "), "{diff}");
        assert!(diff.contains("\n-\"command\": \"x\",\n+\"command\": \"y\",\n"), "{diff}");
        assert!(diff.contains("{\"K\": \"***\"}") && diff.contains("https://b/?***"), "{diff}");
        assert!(!diff.contains("private"), "{diff}");
    }
}
