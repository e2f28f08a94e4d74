//! The INI form of the shared AWS files, read as botocore reads it (`configparser` of Python).

use std::collections::BTreeMap;

/// The sections of a file by name, and in each the values by their keys, which are in small letters.
///
/// A key ends at the first `=` or `:`. A line that is indented deeper than the key before it goes on with the value of that
/// key, and none of the values that are asked for has a second line. Of a key that occurs twice the last one counts, as in
/// the SDKs that take such a file at all.
pub(super) fn sections(text: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut sections: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut section: Option<&str> = None;
    // How deep the key before is indented.
    let mut depth_of_key = None;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let said = line.trim();
        if said.is_empty() || said.starts_with(['#', ';']) {
            continue;
        }
        let depth = line.len() - line.trim_start().len();
        if depth_of_key.is_some_and(|of_key| depth > of_key) {
            continue;
        }
        if let Some(header) = said.strip_prefix('[') {
            // Keys behind one that is not closed belong to no section, least of all to the one before.
            section = header.split_once(']').map(|(name, _)| name.trim());
            depth_of_key = None;
            continue;
        }
        let (Some(section), Some((key, value))) = (section, said.split_once(['=', ':'])) else {
            continue;
        };
        depth_of_key = Some(depth);
        let key = key.trim().to_ascii_lowercase();
        sections.entry(section.to_owned()).or_default().insert(key, value.trim().to_owned());
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of a file, one pair behind the other.
    fn read(text: &str) -> Vec<(String, String, String)> {
        let sections = sections(text).into_iter();
        let pairs = sections.flat_map(|(section, pairs)| {
            pairs.into_iter().map(move |(key, value)| (section.clone(), key, value))
        });
        pairs.collect()
    }

    fn pair(section: &str, key: &str, value: &str) -> (String, String, String) {
        (section.to_owned(), key.to_owned(), value.to_owned())
    }

    #[test]
    fn keys_and_values_are_read_however_they_are_laid_out() {
        let expected = [pair("a", "key", "x=y:z"), pair("a", "other", "1")];
        for text in [
            "[a]\nkey=x=y:z\nother=1\n",
            "[ a ] behind it\r\n KEY = x=y:z \r\n other : 1\r\n",
            "\u{feff}[a]\n# a comment\n; another\n\nkey: x=y:z\nother: 1",
            "  [a]\n\t  key = x=y:z\n\t  other = 1",
            "[a]\nother = 0\nkey = x=y:z\n[b]\n[a]\nother = 1",
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_that_goes_on_with_a_value_is_no_key() {
        let nested = "[a]\ns3 =\n  key = inner\n\n  # a comment\n  other = inner\nkey = own\n";
        assert_eq!(read(nested), [pair("a", "key", "own"), pair("a", "s3", "")]);
        let indented = "[a]\n key = own\n  more = of it\n[b]\n  key = b\n";
        assert_eq!(read(indented), [pair("a", "key", "own"), pair("b", "key", "b")]);
    }

    #[test]
    fn keys_outside_of_a_closed_section_are_dropped() {
        assert_eq!(read("key = 1\n[a]\nkey\n[b\nkey = 2\n"), []);
        assert_eq!(read(""), []);
    }
}
