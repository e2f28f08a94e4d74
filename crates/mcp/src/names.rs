//! Names of tools and prompts of many servers in one list: `prefix__name`.

/// What stands between a prefix and a name.
const MARK: &str = "__";

/// The name under which all servers' tools are listed together.
///
/// ```
/// assert_eq!(tokenforge_mcp::prefixed("git", "log"), "git__log");
/// assert_eq!(tokenforge_mcp::split("git__log"), Some(("git", "log")));
/// ```
#[must_use]
pub fn prefixed(prefix: &str, name: &str) -> String {
    format!("{prefix}{MARK}{name}")
}

/// The prefix and the name; `None`: there is no prefix.
#[must_use]
pub fn split(name: &str) -> Option<(&str, &str)> {
    name.split_once(MARK).filter(|(prefix, _)| !prefix.is_empty())
}

/// Does a name fit a pattern, in which `*` stands for anything?
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        // The earliest place leaves the most for what follows.
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn i14_a_pattern_fits_names_with_anything_for_its_stars() {
        for (pattern, name) in [
            ("a", "a"),
            ("a*", "abc"),
            ("*c", "abc"),
            ("a*c", "abc"),
            ("*", ""),
            ("a*b*c", "axbyc"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("a", "ab"), ("a*", "ba"), ("a*a", "a"), ("a*b*c", "acb"), ("", "a")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    proptest! {
        #[test]
        fn m1_a_name_is_found_again(prefix in "[a-z][a-z0-9-]{0,8}", name in "\\PC{0,12}") {
            let both = prefixed(&prefix, &name);
            prop_assert_eq!(split(&both), Some((prefix.as_str(), name.as_str())));
        }
    }
}
