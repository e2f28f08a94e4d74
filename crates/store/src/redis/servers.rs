//! Which servers a store is on.

use super::PATIENCE;
use super::connection::{NodeConnection, RedisConnection};
use crate::StoreError;
use redis::cluster::ClusterClient;
use redis::{
    ConnectionAddr, ConnectionInfo, ErrorKind, IntoConnectionInfo, RedisError, RedisResult,
};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// One server, or some of those of a cluster, with the credentials.
///
/// ```
/// use tokenforge_store::RedisServers;
///
/// let servers: RedisServers = "redis+cluster://user:password@one:7000,two:7000".parse()?;
/// assert_eq!(servers.to_string(), "redis+cluster://one:7000,two:7000/0");
/// # Ok::<(), tokenforge_store::StoreError>(())
/// ```
#[derive(Clone)]
pub struct RedisServers {
    /// At least one.
    nodes: Vec<ConnectionInfo>,
    is_cluster: bool,
}

impl FromStr for RedisServers {
    type Err = StoreError;

    /// Reads `redis://USER:PASSWORD@HOST:PORT/DB`, `rediss://` for TLS, and `redis+cluster://` or `rediss+cluster://`
    /// with one host or several, after commas; `valkey` says the same as `redis`.
    fn from_str(url: &str) -> Result<Self, StoreError> {
        let bad = |error: RedisError| StoreError::BadLocation { reason: error.to_string() };
        let (scheme, rest) = url.split_once("://").unwrap_or((url, ""));
        let Some(scheme) = scheme.strip_suffix("+cluster") else {
            let nodes = vec![url.into_connection_info().map_err(bad)?];
            return Ok(Self { nodes, is_cluster: false });
        };
        let urls = urls_of_nodes(scheme, rest);
        let nodes = urls.iter().map(|url| url.as_str().into_connection_info());
        let nodes: Vec<ConnectionInfo> = nodes.collect::<RedisResult<_>>().map_err(bad)?;
        cluster_client(&nodes, PATIENCE).map_err(bad)?;
        Ok(Self { nodes, is_cluster: true })
    }
}

impl RedisServers {
    /// Connects: to the one server, or to those of the cluster. Takes its time; what is asked then waits this long.
    pub(super) fn connect(&self, patience: Duration) -> RedisResult<RedisConnection> {
        if self.is_tls() {
            choose_cryptography();
        }
        if self.is_cluster {
            let connection = cluster_client(&self.nodes, patience)?.get_connection()?;
            connection.set_write_timeout(Some(patience))?;
            return Ok(RedisConnection::Cluster(Box::new(connection)));
        }
        let node = self.nodes.first().ok_or((ErrorKind::InvalidClientConfig, "no server"))?;
        Ok(RedisConnection::Server(NodeConnection::connect(node, patience)?))
    }

    /// Are they those of a cluster?
    pub(super) fn is_cluster(&self) -> bool {
        self.is_cluster
    }

    /// The servers that were named.
    pub(super) fn nodes(&self) -> &[ConnectionInfo] {
        &self.nodes
    }

    /// The server at an address that the cluster gave, with the credentials of the first.
    pub(super) fn node_at(&self, address: &str) -> Option<ConnectionInfo> {
        let first = self.nodes.first()?.clone();
        let (host, port) = address.rsplit_once(':')?;
        let (host, port) = (host.to_owned(), port.parse().ok()?);
        let address = match first.addr().clone() {
            ConnectionAddr::TcpTls { insecure, tls_params, .. } => {
                ConnectionAddr::TcpTls { host, port, insecure, tls_params }
            }
            _ => ConnectionAddr::Tcp(host, port),
        };
        Some(first.set_addr(address))
    }

    fn is_tls(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.addr(), ConnectionAddr::TcpTls { .. }))
    }

    /// What a person is told of an error. The client shows no credentials, and no arguments but names of entries.
    pub(super) fn error(&self, error: impl ToString) -> StoreError {
        StoreError::Server { server: self.to_string(), reason: error.to_string() }
    }
}

impl fmt::Display for RedisServers {
    /// The URL without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.is_tls() { "s" } else { "" };
        let cluster = if self.is_cluster { "+cluster" } else { "" };
        let hosts: Vec<String> = self.nodes.iter().map(|node| node.addr().to_string()).collect();
        let db = self.nodes.first().map_or(0, |node| node.redis_settings().db());
        write!(f, "redis{s}{cluster}://{}/{db}", hosts.join(","))
    }
}

impl fmt::Debug for RedisServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A URL for each of the hosts in `USER:PASSWORD@HOST:PORT,HOST:PORT/DB`.
fn urls_of_nodes(scheme: &str, rest: &str) -> Vec<String> {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let (credentials, hosts) = match authority.rsplit_once('@') {
        Some((credentials, hosts)) => (format!("{credentials}@"), hosts),
        None => (String::new(), authority),
    };
    hosts.split(',').map(|host| format!("{scheme}://{credentials}{host}{tail}")).collect()
}

fn cluster_client(nodes: &[ConnectionInfo], patience: Duration) -> RedisResult<ClusterClient> {
    ClusterClient::builder(nodes.iter().cloned())
        .connection_timeout(patience)
        .response_timeout(patience)
        // Enough to follow a slot that moved. To try for longer is the caller's to decide.
        .retries(1)
        .min_retry_wait(10)
        .max_retry_wait(50)
        .build()
}

/// The client uses what the process agreed on, and panics where nothing was. If something was, that stays.
fn choose_cryptography() {
    #[cfg(feature = "tls")]
    let _ = rustls::crypto::ring::default_provider().install_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn displayed_url(url: &str) -> String {
        url.parse::<RedisServers>().unwrap().to_string()
    }

    #[test]
    fn l10_servers_are_shown_without_credentials() {
        for (url, expected) in [
            ("redis://host", "redis://host:6379/0"),
            ("redis://:secret@host:1/2", "redis://host:1/2"),
            ("valkey://user:secret@host", "redis://host:6379/0"),
            ("redis+cluster://a,b:1", "redis+cluster://a:6379,b:1/0"),
            ("redis+cluster://user:secret@a,b:1/0", "redis+cluster://a:6379,b:1/0"),
        ] {
            assert_eq!(displayed_url(url), expected);
            assert_eq!(format!("{:?}", url.parse::<RedisServers>().unwrap()), expected);
        }
    }

    #[cfg(feature = "tls")]
    #[test]
    fn tls_is_asked_for_by_the_scheme() {
        assert_eq!(displayed_url("rediss://:secret@host"), "rediss://host:6379/0");
        assert_eq!(displayed_url("rediss+cluster://a,b"), "rediss+cluster://a:6379,b:6379/0");
    }

    #[test]
    fn what_is_no_url_is_refused_and_not_repeated() {
        for url in [
            "redis://",
            "redis://:secret@host/secret",
            "redis+cluster://:secret@",
            "redis+cluster://:secret@a,,b",
            "redis+cluster://:secret@a,b:99999",
            "http+cluster://:secret@a",
        ] {
            let error = url.parse::<RedisServers>().unwrap_err().to_string();
            assert!(error.starts_with("not a store: ") && !error.contains("secret"), "{error}");
        }
    }
}
