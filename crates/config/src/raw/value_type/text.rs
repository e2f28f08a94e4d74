//! Words that are texts: names, addresses, keys.

use super::{Scalar, ValueType};
use crate::secret::{MASK, Secret};
use crate::settings::{LedgerSettings, StoreUrl};
use http::Uri;
use schemars::{Schema, json_schema};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// `true` or `false`.
pub(crate) struct Boolean;

impl ValueType for Boolean {
    type Value = bool;

    fn expected() -> String {
        "true or false".to_owned()
    }

    fn parse(text: &str) -> Option<bool> {
        match text {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }

    fn write(value: &bool) -> Scalar {
        Scalar::Boolean(*value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "boolean" })
    }
}

/// Any text but none.
pub(crate) struct NonEmptyText;

impl ValueType for NonEmptyText {
    type Value = String;

    fn expected() -> String {
        "a text that is not empty".to_owned()
    }

    fn parse(text: &str) -> Option<String> {
        (!text.trim().is_empty()).then(|| text.to_owned())
    }

    fn write(value: &String) -> Scalar {
        Scalar::text(value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

/// A key or a password.
pub(crate) struct SecretKey;

impl ValueType for SecretKey {
    type Value = Secret;
    const SECRET: bool = true;

    fn expected() -> String {
        format!("a key: printable ASCII, no spaces, and not the mask {MASK}")
    }

    fn parse(text: &str) -> Option<Secret> {
        let fits = !text.is_empty() && text != MASK && text.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Secret::new(text))
    }

    fn write(_: &Secret) -> Scalar {
        Scalar::text(MASK)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^[!-~]+$" })
    }
}

/// What a header says, which may be a secret.
pub(crate) struct HeaderText;

impl ValueType for HeaderText {
    type Value = Secret;
    const SECRET: bool = true;

    fn expected() -> String {
        format!("what a header can say: printable ASCII, and not the mask {MASK}")
    }

    fn parse(text: &str) -> Option<Secret> {
        let is_printable = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
        let fits = !text.is_empty() && text != MASK && text.bytes().all(is_printable);
        fits.then(|| Secret::new(text))
    }

    fn write(_: &Secret) -> Scalar {
        Scalar::text(MASK)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^[ -~]+$" })
    }
}

/// Where to listen.
pub(crate) struct SocketAddress;

impl ValueType for SocketAddress {
    type Value = SocketAddr;

    fn expected() -> String {
        "an address and a port, such as 127.0.0.1:8787 or [::1]:8787".to_owned()
    }

    fn parse(text: &str) -> Option<SocketAddr> {
        match text.strip_prefix("localhost:") {
            Some(port) => Some((Ipv4Addr::LOCALHOST, port.parse().ok()?).into()),
            None => text.parse().ok(),
        }
    }

    fn write(value: &SocketAddr) -> Scalar {
        Scalar::text(value.to_string())
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^(localhost|[0-9.]+|\\[.+\\]):[0-9]+$" })
    }
}

/// Where a service is.
pub(crate) struct HttpUrl;

impl ValueType for HttpUrl {
    type Value = Uri;
    /// A URL may hold a password before an `@`.
    const SECRET: bool = true;

    fn expected() -> String {
        "http:// or https://, a host and perhaps a path; no user, no query".to_owned()
    }

    fn parse(text: &str) -> Option<Uri> {
        let uri: Uri = text.trim_end_matches('/').parse().ok()?;
        let authority = uri.authority()?;
        let fits = matches!(uri.scheme_str(), Some("http" | "https"))
            && !authority.host().is_empty()
            && !authority.as_str().contains('@')
            && !text.contains(['?', '#']);
        fits.then_some(uri)
    }

    fn write(value: &Uri) -> Scalar {
        Scalar::text(value.to_string().trim_end_matches('/'))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^https?://[^@?#]+$" })
    }
}

/// A host, or a host and a port.
pub(crate) struct HostPort;

impl ValueType for HostPort {
    type Value = String;

    fn expected() -> String {
        "a host or host:port, such as api.example.com or 10.0.0.7:8443".to_owned()
    }

    fn parse(text: &str) -> Option<String> {
        let authority: http::uri::Authority = text.parse().ok()?;
        let port_fits = authority.port_u16().is_some() || authority.as_str() == authority.host();
        (port_fits && !text.contains('@')).then(|| text.to_ascii_lowercase())
    }

    fn write(value: &String) -> Scalar {
        Scalar::text(value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^[^/@]+$" })
    }
}

/// A file's path.
pub(crate) struct FilePath;

impl ValueType for FilePath {
    type Value = PathBuf;

    fn expected() -> String {
        "the path of a file".to_owned()
    }

    fn parse(text: &str) -> Option<PathBuf> {
        (!text.trim().is_empty()).then(|| text.into())
    }

    fn write(value: &PathBuf) -> Scalar {
        Scalar::text(value.to_string_lossy())
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

/// Whether and where savings are written down.
pub(crate) struct LedgerTarget;

impl ValueType for LedgerTarget {
    type Value = LedgerSettings;

    fn expected() -> String {
        "on, off or the path of a folder".to_owned()
    }

    fn parse(text: &str) -> Option<LedgerSettings> {
        let usual = LedgerSettings::default();
        match text.trim() {
            "" => None,
            "on" | "true" => Some(usual),
            "off" | "false" => Some(LedgerSettings { enabled: false, ..usual }),
            _ => Some(LedgerSettings { path: Some(text.into()), ..usual }),
        }
    }

    fn write(value: &LedgerSettings) -> Scalar {
        match &value.path {
            _ if !value.enabled => Scalar::text("off"),
            Some(path) => Scalar::text(path.to_string_lossy()),
            None => Scalar::text("on"),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": ["string", "boolean"], "minLength": 1 })
    }
}

/// Which store.
pub(crate) struct StoreLocation;

impl ValueType for StoreLocation {
    type Value = StoreUrl;
    const SECRET: bool = true;

    fn expected() -> String {
        "memory:, disk:PATH, or a redis://, rediss:// or redis+cluster:// address".to_owned()
    }

    fn parse(text: &str) -> Option<StoreUrl> {
        let (scheme, rest) = text.split_once(':')?;
        match scheme {
            "memory" if rest.is_empty() => Some(StoreUrl::Memory),
            "disk" if !rest.is_empty() => Some(StoreUrl::Disk(rest.into())),
            "redis" | "rediss" | "redis+cluster" if has_host(rest) => {
                Some(StoreUrl::Redis(Secret::new(text)))
            }
            _ => None,
        }
    }

    fn write(value: &StoreUrl) -> Scalar {
        Scalar::text(value.to_string())
    }

    fn schema() -> Schema {
        let pattern = "^(memory:|disk:.+|redis(s|\\+cluster)?://.+)$";
        json_schema!({ "type": "string", "pattern": pattern })
    }
}

fn has_host(rest: &str) -> bool {
    let place = rest.strip_prefix("//").unwrap_or_default();
    let place = place.rsplit('@').next().unwrap_or_default();
    !place.is_empty() && !place.starts_with(['/', ':', '?'])
}
