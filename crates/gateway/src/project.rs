//! `/p/NAME` before a path: a name under which a client's requests are counted.

use http::Uri;
use std::sync::Arc;

/// Longer names are no names.
const LONGEST: usize = 64;

/// Takes the name off the path.
pub(crate) fn take(uri: &mut Uri) -> Option<Arc<str>> {
    let path = uri.path_and_query()?;
    let (name, _) = path.path().strip_prefix("/p/")?.split_once('/')?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || name.len() > LONGEST || !name.bytes().all(is_plain) {
        return None;
    }
    let rest = path.as_str().get("/p/".len() + name.len()..)?.parse().ok()?;
    let name = Arc::from(name);
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(rest);
    *uri = Uri::from_parts(parts).ok()?;
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_taken_off_and_the_rest_stays() {
        let mut uri = "/p/web/v1/messages?beta=true".parse().unwrap();
        assert_eq!(take(&mut uri).as_deref(), Some("web"));
        assert_eq!(uri, "/v1/messages?beta=true");
        for path in ["/v1/messages", "/p/web", "/p//v1", "/p/a%20b/v1"] {
            let mut uri: Uri = path.parse().unwrap();
            assert_eq!(take(&mut uri), None, "{path}");
            assert_eq!(uri, path);
        }
    }
}
