//! The `Vary` header: what an answer depends on besides its address, for caches.

use http::header::{HeaderMap, HeaderValue, VARY};

/// Lists these names too, where they are not listed yet.
pub fn add_names(headers: &mut HeaderMap, names: HeaderValue) {
    if !headers.contains_key(VARY) {
        headers.insert(VARY, names);
        return;
    }
    let lines = headers.get_all(VARY);
    let is_listed = |name: &&[u8]| {
        let mut listed = lines.iter().flat_map(split);
        listed.any(|listed| listed == b"*" || listed.eq_ignore_ascii_case(name))
    };
    let missing: Vec<&[u8]> = split(&names).filter(|name| !is_listed(name)).collect();
    if let Ok(missing) = HeaderValue::try_from(missing.join(&b", "[..]))
        && !missing.is_empty()
    {
        headers.append(VARY, missing);
    }
}

fn split(names: &HeaderValue) -> impl Iterator<Item = &[u8]> {
    names.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}
