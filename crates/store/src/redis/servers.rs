//! Which servers a store is on, and what is said to them.

use crate::Error;
use redis::cluster::{ClusterClient, ClusterConnection};
use redis::cluster_routing::{MultipleNodeRoutingInfo, RoutingInfo};
use redis::{
    Client, Cmd, Connection, ConnectionAddr, ConnectionInfo, ConnectionLike, ErrorKind,
    FromRedisValue, IntoConnectionInfo, RedisError, RedisResult, Value,
};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How long a call waits for the server.
pub(super) const PATIENCE: Duration = Duration::from_millis(250);
/// How long a connection may take to be made, while no call waits for it any more.
const MAKING_A_CONNECTION: Duration = Duration::from_secs(2);

/// What a server says to one command: an error of its own leaves the connection in order.
pub(super) type Reply = RedisResult<Value>;

/// One server, or some of those of a cluster, with the credentials.
///
/// ```
/// use tokenforge_store::Servers;
///
/// let servers: Servers = "redis+cluster://user:password@one:7000,two:7000".parse()?;
/// assert_eq!(servers.to_string(), "redis+cluster://one:7000,two:7000/0");
/// # Ok::<(), tokenforge_store::Error>(())
/// ```
#[derive(Clone)]
pub struct Servers {
    /// At least one.
    nodes: Vec<ConnectionInfo>,
    cluster: Option<Box<ClusterClient>>,
}

impl FromStr for Servers {
    type Err = Error;

    /// Reads `redis://USER:PASSWORD@HOST:PORT/DB`, `rediss://` for TLS, and `redis+cluster://` or `rediss+cluster://`
    /// with one host or several, after commas; `valkey` says the same as `redis`.
    fn from_str(url: &str) -> Result<Self, Error> {
        let bad = |error: RedisError| Error::BadLocation { reason: error.to_string() };
        let (scheme, rest) = url.split_once("://").unwrap_or((url, ""));
        let Some(scheme) = scheme.strip_suffix("+cluster") else {
            let nodes = vec![url.into_connection_info().map_err(bad)?];
            return Ok(Self { nodes, cluster: None });
        };
        let urls = urls_of_nodes(scheme, rest);
        let nodes = urls.iter().map(|url| url.as_str().into_connection_info());
        let nodes: Vec<ConnectionInfo> = nodes.collect::<RedisResult<_>>().map_err(bad)?;
        let client = ClusterClient::builder(nodes.iter().cloned())
            .connection_timeout(PATIENCE)
            .response_timeout(PATIENCE)
            // Enough to follow a slot that moved. To try for longer is the caller's to decide.
            .retries(1)
            .min_retry_wait(10)
            .max_retry_wait(50)
            .build()
            .map_err(bad)?;
        Ok(Self { nodes, cluster: Some(Box::new(client)) })
    }
}

impl Servers {
    /// Connects: to the one server, or to those of the cluster. Takes its time.
    pub(super) fn connect(&self) -> RedisResult<Link> {
        #[cfg(feature = "tls")]
        choose_cryptography();
        if let Some(client) = &self.cluster {
            let connection = client.get_connection()?;
            connection.set_write_timeout(Some(PATIENCE))?;
            return Ok(Link::Cluster(Box::new(connection)));
        }
        let node = self.nodes.first().ok_or((ErrorKind::InvalidClientConfig, "no server"))?;
        Ok(Link::Server(Node::connect(node, PATIENCE)?))
    }

    /// The server at an address that the cluster gave, with the credentials of the first.
    fn node_at(&self, address: &str) -> Option<ConnectionInfo> {
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

    /// What a person is told of an error. The client shows no credentials, and no arguments but names of entries.
    pub(super) fn error(&self, error: impl ToString) -> Error {
        Error::Server { server: self.to_string(), reason: error.to_string() }
    }
}

impl fmt::Display for Servers {
    /// The URL without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.nodes.first() else { return Ok(()) };
        let tls = matches!(first.addr(), ConnectionAddr::TcpTls { .. });
        let hosts: Vec<String> = self.nodes.iter().map(|node| node.addr().to_string()).collect();
        let (s, cluster) = (if tls { "s" } else { "" }, self.cluster.as_ref().map(|_| "+cluster"));
        let (cluster, db) = (cluster.unwrap_or_default(), first.redis_settings().db());
        write!(f, "redis{s}{cluster}://{}/{db}", hosts.join(","))
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A connection, over which one caller at a time asks.
pub(super) enum Link {
    Server(Node),
    Cluster(Box<ClusterConnection>),
}

impl Link {
    /// Sends commands and reads the replies. After an error the link is of no use.
    pub(super) fn ask(&mut self, commands: &[Cmd]) -> RedisResult<Vec<Reply>> {
        match self {
            Self::Server(node) => node.ask(commands),
            // One after another: the pipeline of the client would wait anew for every reply of a server that is stuck.
            Self::Cluster(connection) => {
                commands.iter().map(|command| reply(connection.req_command(command))).collect()
            }
        }
    }

    /// The servers that hold entries of their own.
    pub(super) fn primaries(&mut self, servers: &Servers) -> RedisResult<Vec<ConnectionInfo>> {
        let ping = redis::cmd("PING");
        match self {
            Self::Server(node) => node.ask(&[ping]).map(|_| servers.nodes.clone()),
            Self::Cluster(connection) => {
                let everywhere =
                    RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, None));
                let replies = connection.route_command(&ping, everywhere)?;
                let replies: Vec<(String, Value)> = redis::from_redis_value(replies)?;
                Ok(replies.iter().filter_map(|(address, _)| servers.node_at(address)).collect())
            }
        }
    }
}

/// A connection to one server.
pub(super) struct Node(Connection);

impl Node {
    pub(super) fn connect(info: &ConnectionInfo, patience: Duration) -> RedisResult<Self> {
        let client = Client::open(info.clone())?;
        let connection = client.get_connection_with_timeout(MAKING_A_CONNECTION)?;
        connection.set_read_timeout(Some(patience))?;
        connection.set_write_timeout(Some(patience))?;
        Ok(Self(connection))
    }

    /// Sends all commands, then reads all replies: one round trip.
    pub(super) fn ask(&mut self, commands: &[Cmd]) -> RedisResult<Vec<Reply>> {
        let mut packed = Vec::new();
        commands.iter().for_each(|command| command.write_packed_command(&mut packed));
        self.0.send_packed_command(&packed)?;
        commands.iter().map(|_| reply(self.0.recv_response()?.extract_error())).collect()
    }

    /// Sends one command and reads what it answers.
    pub(super) fn ask_one<T: FromRedisValue>(&mut self, command: &Cmd) -> RedisResult<T> {
        command.query(&mut self.0)
    }
}

/// Tells a server that said no from one that said nothing.
fn reply(reply: RedisResult<Value>) -> RedisResult<Reply> {
    match reply {
        Err(error) if !matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension) => {
            Err(error)
        }
        reply => Ok(reply),
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

/// The client uses what the process agreed on, and panics where nothing was. If something was, that stays.
#[cfg(feature = "tls")]
fn choose_cryptography() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        url.parse::<Servers>().unwrap().to_string()
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
            assert_eq!(shown(url), expected);
            assert_eq!(format!("{:?}", url.parse::<Servers>().unwrap()), expected);
        }
    }

    #[cfg(feature = "tls")]
    #[test]
    fn tls_is_asked_for_by_the_scheme() {
        assert_eq!(shown("rediss://:secret@host"), "rediss://host:6379/0");
        assert_eq!(shown("rediss+cluster://a,b"), "rediss+cluster://a:6379,b:6379/0");
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
            let error = url.parse::<Servers>().unwrap_err().to_string();
            assert!(error.starts_with("not a store: ") && !error.contains("secret"), "{error}");
        }
    }
}
