//! The two ends of a client's connection, and the user to whom the client's end belongs.

use std::net::SocketAddr;
use std::sync::OnceLock;

/// The client of a connection.
#[derive(Debug)]
pub struct ClientPeer {
    remote: SocketAddr,
    local: Option<SocketAddr>,
    user: OnceLock<Option<u32>>,
}

impl ClientPeer {
    /// The client at `remote`, whose connection ends here at `local`.
    #[must_use]
    pub fn new(remote: SocketAddr, local: Option<SocketAddr>) -> Self {
        ClientPeer { remote, local, user: OnceLock::new() }
    }

    /// The client's address.
    #[must_use]
    pub fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// The id of the user who has the other end of the connection, as the kernel says; `None`: it is not on this machine, or
    /// the system does not say. Asked once for each connection.
    #[must_use]
    pub fn user(&self) -> Option<u32> {
        *self.user.get_or_init(|| socket_user(self.remote, self.local?))
    }
}

#[cfg(target_os = "linux")]
fn socket_user(remote: SocketAddr, local: SocketAddr) -> Option<u32> {
    crate::sock_diag::owner(remote, local)
}

/// Other systems say this only through functions that Rust cannot call without `unsafe`.
#[cfg(not(target_os = "linux"))]
fn socket_user(_: SocketAddr, _: SocketAddr) -> Option<u32> {
    None
}
