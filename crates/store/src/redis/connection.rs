//! Connections to Redis and Valkey servers, and the commands that are sent over them.

use super::servers::RedisServers;
use redis::cluster::ClusterConnection;
use redis::cluster_routing::{MultipleNodeRoutingInfo, RoutingInfo};
use redis::{
    Client, Cmd, Connection, ConnectionInfo, ConnectionLike, ErrorKind, FromRedisValue,
    RedisResult, Value,
};
use std::time::Duration;

/// How long a connection may take to be made, while no call waits for it any more.
const MAKING_A_CONNECTION: Duration = Duration::from_secs(2);

/// What a server says to one command: an error of its own leaves the connection in order.
pub(super) type ServerReply = RedisResult<Value>;

/// A connection, over which one caller at a time asks.
pub(super) enum RedisConnection {
    Server(NodeConnection),
    Cluster(Box<ClusterConnection>),
}

impl RedisConnection {
    /// Sends commands and reads the replies. After an error the link is of no use.
    pub(super) fn ask(&mut self, commands: &[Cmd]) -> RedisResult<Vec<ServerReply>> {
        match self {
            Self::Server(node) => node.ask(commands),
            // One after another: the pipeline of the client would wait anew for every reply of a server that is stuck.
            Self::Cluster(connection) => {
                commands.iter().map(|command| reply(connection.req_command(command))).collect()
            }
        }
    }

    /// The servers that hold entries of their own.
    pub(super) fn primaries(&mut self, servers: &RedisServers) -> RedisResult<Vec<ConnectionInfo>> {
        let ping = redis::cmd("PING");
        match self {
            Self::Server(node) => node.ask(&[ping]).map(|_| servers.nodes().to_vec()),
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
pub(super) struct NodeConnection(Connection);

impl NodeConnection {
    pub(super) fn connect(info: &ConnectionInfo, patience: Duration) -> RedisResult<Self> {
        let client = Client::open(info.clone())?;
        let connection = client.get_connection_with_timeout(MAKING_A_CONNECTION)?;
        connection.set_read_timeout(Some(patience))?;
        connection.set_write_timeout(Some(patience))?;
        Ok(Self(connection))
    }

    /// Sends all commands, then reads all replies: one round trip.
    pub(super) fn ask(&mut self, commands: &[Cmd]) -> RedisResult<Vec<ServerReply>> {
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
fn reply(reply: RedisResult<Value>) -> RedisResult<ServerReply> {
    match reply {
        Err(error) if !matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension) => {
            Err(error)
        }
        reply => Ok(reply),
    }
}
