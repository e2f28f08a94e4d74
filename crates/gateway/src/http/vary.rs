//! What an answer depends on besides its address, as `Vary` tells whoever keeps it.

use http::header::{HeaderMap, HeaderValue, VARY};

/// Lists these names too, where they are not listed yet.
pub(crate) fn add(headers: &mut HeaderMap, names: HeaderValue) {
    if !headers.contains_key(VARY) {
        headers.insert(VARY, names);
        return;
    }
    let mut missing: Vec<&str> =
        names.to_str().unwrap_or_default().split(',').map(str::trim).collect();
    for line in headers.get_all(VARY).iter().filter_map(|line| line.to_str().ok()) {
        let is_listed = |name: &str| {
            let mut listed = line.split(',').map(str::trim);
            listed.any(|listed| listed == "*" || listed.eq_ignore_ascii_case(name))
        };
        missing.retain(|name| !is_listed(name));
    }
    if let Ok(missing) = HeaderValue::try_from(missing.join(", "))
        && !missing.is_empty()
    {
        headers.append(VARY, missing);
    }
}
