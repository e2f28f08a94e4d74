//! JSON APIs below a path of ours.

use crate::target::{TargetRefusal, UpstreamTarget};
use http::Extensions;
use http::header::{CONTENT_LOCATION, HeaderMap, HeaderName, HeaderValue, LOCATION};
use http::uri::{PathAndQuery, Uri};
use std::sync::Arc;
use tokenforge_config::Settings;
use tokenforge_formats::negotiate::Format;
use tokenforge_plugin::builtin::DefaultFormat;

/// Every route, those with the longest paths first.
#[derive(Default)]
pub(crate) struct ApiRoutes(Vec<Arc<ApiRoute>>);

/// Where requests below a path go.
#[derive(Debug)]
pub(crate) struct ApiRoute {
    /// The path here, without a slash at its end.
    path: String,
    url: Uri,
    headers: HeaderMap,
    /// What plugins know of every request: that it is for a route, and the form of answers to who does not say.
    extensions: Arc<Extensions>,
}

impl ApiRoutes {
    pub(crate) fn new(settings: &Settings) -> Self {
        let route = |(path, route): (&String, &tokenforge_config::Route)| {
            let header = |(name, value): (_, &tokenforge_config::Secret)| {
                let mut value = HeaderValue::from_str(value.expose()).ok()?;
                value.set_sensitive(true);
                Some((name, value))
            };
            Arc::new(ApiRoute {
                path: path.trim_end_matches('/').to_owned(),
                url: route.url.clone(),
                headers: route.headers().filter_map(header).collect(),
                extensions: Arc::new(usual(route.format)),
            })
        };
        let mut routes: Vec<_> = settings.routes.iter().map(route).collect();
        routes.sort_by_key(|route| std::cmp::Reverse(route.path.len()));
        Self(routes)
    }

    /// The route of a request with this path, if there is one: the longest that it begins with.
    pub(crate) fn of(&self, path: &str) -> Option<Arc<ApiRoute>> {
        self.0.iter().find(|route| route.rest(path).is_some()).cloned()
    }
}

impl ApiRoute {
    /// What follows the path here, whole segments only.
    fn rest<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&self.path).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The path here.
    pub(crate) fn path(&self) -> &str {
        if self.path.is_empty() { "/" } else { &self.path }
    }

    /// What plugins know of a request before it meets them.
    pub(crate) fn extensions(&self) -> Arc<Extensions> {
        self.extensions.clone()
    }

    /// Where a request with this path and query goes.
    pub(crate) fn target(&self, path: &PathAndQuery) -> Result<UpstreamTarget, TargetRefusal> {
        let rest = self.rest(path.path()).ok_or(TargetRefusal::Path)?;
        if has_dots(rest) {
            return Err(TargetRefusal::Path);
        }
        let base = self.url.path().trim_end_matches('/');
        let whole = match (base.is_empty() && rest.is_empty(), path.query()) {
            (true, None) => "/".to_owned(),
            (true, Some(query)) => format!("/?{query}"),
            (false, None) => format!("{base}{rest}"),
            (false, Some(query)) => format!("{base}{rest}?{query}"),
        };
        let mut parts = self.url.clone().into_parts();
        parts.path_and_query = Some(whole.try_into().map_err(|_| TargetRefusal::Path)?);
        let uri = Uri::from_parts(parts).map_err(|_| TargetRefusal::Path)?;
        let headers = self.headers.clone();
        Ok(UpstreamTarget { uri, is_guarded: false, is_for_aws: false, headers, provider: None })
    }
}

fn usual(format: Format) -> Extensions {
    let mut extensions = Extensions::new();
    extensions.insert(DefaultFormat(format));
    extensions
}

/// Which headers of an answer name a place.
const PLACES: [HeaderName; 2] = [LOCATION, CONTENT_LOCATION];

impl ApiRoute {
    /// Lets an answer name places of the API by the paths that they have here, below the client's `project`.
    pub(crate) fn relocate(&self, headers: &mut HeaderMap, project: Option<&str>) {
        for name in PLACES {
            let place = headers.get(&name).and_then(|place| self.place(place.to_str().ok()?));
            let Some(place) = place else { continue };
            let prefix = match project {
                Some(project) if place.starts_with('/') => format!("/p/{project}"),
                _ => String::new(),
            };
            if let Ok(place) = HeaderValue::try_from(prefix + &place) {
                headers.insert(name, place);
            }
        }
    }

    /// A location in the API as the client reaches it: below the path of the route, or else where it really is. `None`
    /// if it can stay as it is, because it is relative to the request or leads to another host.
    fn place(&self, place: &str) -> Option<String> {
        let (whole, fragment) = place.split_at(place.find('#').unwrap_or(place.len()));
        let scheme = self.url.scheme_str()?;
        let is_path = whole.starts_with('/') && !whole.starts_with("//");
        let path = match whole {
            path if is_path => path.to_owned(),
            host if host.starts_with("//") => self.own_path(&format!("{scheme}:{host}"))?,
            address => self.own_path(address)?,
        };
        match self.here(&path) {
            Some(here) => Some(here + fragment),
            None if is_path => {
                let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
                Some(format!("{scheme}://{}{port}{place}", self.url.host()?))
            }
            None => None,
        }
    }

    /// Where a path of the API is here, if the route leads there.
    fn here(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(self.url.path().trim_end_matches('/'))?;
        let is_below = rest.is_empty() || rest.starts_with(['/', '?']);
        let here = format!("{}{rest}", self.path);
        if here.starts_with('/') {
            // Two slashes in front would name a host.
            Some(here).filter(|here| is_below && !here.starts_with("//"))
        } else {
            is_below.then(|| format!("/{here}"))
        }
    }

    /// The path and query of an address, if it is the API's.
    fn own_path(&self, address: &str) -> Option<String> {
        let address: Uri = address.parse().ok()?;
        let is_own = address.scheme() == self.url.scheme()
            && address.host()?.eq_ignore_ascii_case(self.url.host()?)
            && port(&address) == port(&self.url);
        is_own.then(|| address.path_and_query().map_or("/", |path| path.as_str()).to_owned())
    }
}

fn port(address: &Uri) -> u16 {
    let usual = if address.scheme_str() == Some("https") { 443 } else { 80 };
    address.port_u16().unwrap_or(usual)
}

/// Would a server that resolves `..` leave the path that the route is for?
fn has_dots(path: &str) -> bool {
    if !path.contains(['.', '%']) {
        return false;
    }
    let plain = path.to_ascii_lowercase();
    let plain = plain.replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\");
    plain.split(['/', '\\']).any(|segment| segment.split(';').next() == Some(".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(paths: &[(&str, &str)]) -> ApiRoutes {
        let mut settings = Settings::default();
        for (path, url) in paths {
            let route = tokenforge_config::Route {
                url: url.parse().unwrap(),
                headers: Default::default(),
                format: Format::Json,
            };
            settings.routes.insert((*path).to_owned(), route);
        }
        ApiRoutes::new(&settings)
    }

    fn target(routes: &ApiRoutes, path: &str) -> Option<String> {
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
    fn places_of_the_api_are_named_by_their_paths_here() {
        let routes = routes(&[
            ("/api", "https://Api.example/v3"),
            ("/", "http://user:word@inner:8080"),
            ("/deep", "http://inner:8080/"),
        ]);
        let api = [
            ("https://api.example/v3/things/7?a=1#x", Some("/api/things/7?a=1#x")),
            ("https://API.example:443/v3", Some("/api")),
            ("//api.example/v3/x", Some("/api/x")),
            ("/v3/x", Some("/api/x")),
            ("/v3?page=2", Some("/api?page=2")),
            // Not below the route: where it is.
            ("/login?to=/v3", Some("https://Api.example/login?to=/v3")),
            ("/v33/x", Some("https://Api.example/v33/x")),
            ("https://api.example/login", None),
            ("http://api.example/v3/x", None),
            ("https://api.example:8443/v3/x", None),
            ("https://other.example/v3/x", None),
            ("7", None),
            ("../x", None),
            ("?page=2", None),
            ("", None),
        ];
        for (place, expected) in api {
            assert_eq!(routes.of("/api").unwrap().place(place).as_deref(), expected, "{place}");
        }
        for (path, place, expected) in [
            ("/deep", "http://inner:8080", Some("/deep/")),
            ("/deep", "/x", Some("/deep/x")),
            ("/x", "http://inner:8080/x", Some("/x")),
            ("/x", "http://inner:8080//evil.example/x", None),
        ] {
            assert_eq!(routes.of(path).unwrap().place(place).as_deref(), expected, "{place}");
        }
    }

    #[test]
    fn no_path_leaves_its_route() {
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
            assert_eq!(route.target(&path), Err(TargetRefusal::Path), "{path}");
        }
        for path in ["/api/a..b", "/api/...", "/api/x?up=../y", "/api/.hidden"] {
            let path: PathAndQuery = path.parse().unwrap();
            assert!(routes.of(path.path()).unwrap().target(&path).is_ok(), "{path}");
        }
    }
}
