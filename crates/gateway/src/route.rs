//! JSON APIs below a path of ours.

use crate::upstream::{Refused, Target};
use http::header::{HeaderMap, HeaderValue};
use http::uri::{PathAndQuery, Uri};
use std::sync::Arc;
use tokenforge_config::Settings;
use tokenforge_negotiate::Format;

/// Every route, those with the longest paths first.
#[derive(Default)]
pub(crate) struct Routes(Vec<Arc<Route>>);

/// Where requests below a path go.
#[derive(Debug)]
pub(crate) struct Route {
    /// The path here, without a slash at its end.
    path: String,
    url: Uri,
    headers: HeaderMap,
    /// The form of answers to who does not say.
    pub(crate) format: Format,
}

impl Routes {
    pub(crate) fn new(settings: &Settings) -> Self {
        let route = |(path, route): (&String, &tokenforge_config::Route)| {
            let header = |(name, value): (_, &tokenforge_config::Secret)| {
                let mut value = HeaderValue::from_str(value.expose()).ok()?;
                value.set_sensitive(true);
                Some((name, value))
            };
            Arc::new(Route {
                path: path.trim_end_matches('/').to_owned(),
                url: route.url.clone(),
                headers: route.headers().filter_map(header).collect(),
                format: route.format,
            })
        };
        let mut routes: Vec<_> = settings.routes.iter().map(route).collect();
        routes.sort_by_key(|route| std::cmp::Reverse(route.path.len()));
        Self(routes)
    }

    /// The route of a request with this path, if there is one: the longest that it begins with.
    pub(crate) fn of(&self, path: &str) -> Option<Arc<Route>> {
        self.0.iter().find(|route| route.rest(path).is_some()).cloned()
    }
}

impl Route {
    /// What follows the path here, whole segments only.
    fn rest<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&self.path).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Where a request with this path and query goes.
    pub(crate) fn target(&self, path: &PathAndQuery) -> Result<Target, Refused> {
        let rest = self.rest(path.path()).ok_or(Refused::Path)?;
        if has_dots(rest) {
            return Err(Refused::Path);
        }
        let base = self.url.path().trim_end_matches('/');
        let whole = match (base.is_empty() && rest.is_empty(), path.query()) {
            (true, None) => "/".to_owned(),
            (true, Some(query)) => format!("/?{query}"),
            (false, None) => format!("{base}{rest}"),
            (false, Some(query)) => format!("{base}{rest}?{query}"),
        };
        let mut parts = self.url.clone().into_parts();
        parts.path_and_query = Some(whole.parse().map_err(|_| Refused::Path)?);
        let uri = Uri::from_parts(parts).map_err(|_| Refused::Path)?;
        Ok(Target { uri, is_guarded: false, headers: self.headers.clone() })
    }
}

/// Would a server that resolves `..` leave the path that the route is for?
fn has_dots(path: &str) -> bool {
    let plain = path.to_ascii_lowercase();
    let plain = plain.replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\");
    plain.split(['/', '\\']).any(|segment| segment.split(';').next() == Some(".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(paths: &[(&str, &str)]) -> Routes {
        let mut settings = Settings::default();
        for (path, url) in paths {
            let route = tokenforge_config::Route {
                url: url.parse().unwrap(),
                headers: Default::default(),
                format: Format::Json,
            };
            settings.routes.insert((*path).to_owned(), route);
        }
        Routes::new(&settings)
    }

    fn target(routes: &Routes, path: &str) -> Option<String> {
        let path: PathAndQuery = path.parse().unwrap();
        let route = routes.of(path.path())?;
        Some(
            route.target(&path).map_or_else(|refused| refused.to_string(), |to| to.uri.to_string()),
        )
    }

    #[test]
    fn the_longest_path_wins_by_whole_segments() {
        let routes = routes(&[
            ("/api", "http://a:1"),
            ("/api/github", "https://api.github.com/v3"),
            ("/api/git", "http://c:3/"),
        ]);
        for (path, expected) in [
            ("/api/github/repos/x?page=2", Some("https://api.github.com/v3/repos/x?page=2")),
            ("/api/github", Some("https://api.github.com/v3")),
            ("/api/github/", Some("https://api.github.com/v3/")),
            ("/api/git?a=%2F", Some("http://c:3/?a=%2F")),
            ("/api/gitlab", Some("http://a:1/gitlab")),
            ("/api", Some("http://a:1/")),
            ("/apis", None),
            ("/v1/messages", None),
        ] {
            assert_eq!(target(&routes, path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn one_route_may_take_everything() {
        let routes = routes(&[("/", "http://a:1/base"), ("/b", "http://b:2")]);
        assert_eq!(target(&routes, "/x/y").as_deref(), Some("http://a:1/base/x/y"));
        assert_eq!(target(&routes, "/").as_deref(), Some("http://a:1/base/"));
        assert_eq!(target(&routes, "/b/c").as_deref(), Some("http://b:2/c"));
    }

    #[test]
    fn nobody_climbs_out_of_a_route() {
        let routes = routes(&[("/api", "http://a:1/public")]);
        for path in [
            "/api/../secret",
            "/api/x/..",
            "/api/%2e%2e/secret",
            "/api/.%2E/secret",
            "/api/..%2fsecret",
            "/api/x%2F../secret",
            "/api/..;/secret",
            "/api/x\\..\\secret",
        ] {
            let Ok(path) = path.parse::<PathAndQuery>() else { continue };
            let route = routes.of(path.path()).unwrap();
            assert_eq!(route.target(&path), Err(Refused::Path), "{path}");
        }
        for path in ["/api/a..b", "/api/...", "/api/x?up=../y", "/api/.hidden"] {
            let path: PathAndQuery = path.parse().unwrap();
            assert!(routes.of(path.path()).unwrap().target(&path).is_ok(), "{path}");
        }
    }
}
