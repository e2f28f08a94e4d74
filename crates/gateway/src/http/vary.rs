//! What an answer depends on besides its address, as `Vary` tells whoever keeps it.

use http::header::{HeaderMap, HeaderValue, VARY};

/// Lists these names too, where they are not listed yet.
pub(crate) fn add(headers: &mut HeaderMap, names: HeaderValue) {
    if !headers.contains_key(VARY) {
        headers.insert(VARY, names);
        return;
    }
    let lines = headers.get_all(VARY);
    let is_listed = |name: &&str| {
        let mut listed = lines.iter().filter_map(|line| line.to_str().ok()).flat_map(split);
        listed.any(|listed| listed == "*" || listed.eq_ignore_ascii_case(name))
    };
    let missing: Vec<&str> =
        split(names.to_str().unwrap_or_default()).filter(|name| !is_listed(name)).collect();
    if let Ok(missing) = HeaderValue::try_from(missing.join(", "))
        && !missing.is_empty()
    {
        headers.append(VARY, missing);
    }
}

fn split(names: &str) -> impl Iterator<Item = &str> {
    names.split(',').map(str::trim)
}
