//! The SSRF guard, proof against DNS rebinding: a host that a client chose leads to public addresses only.
//!
//! It is the resolver of guarded connections, asked when the connection is made: a check before that could be answered with
//! another address than the connection is.

use hyper_util::client::legacy::connect::dns::Name;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec;
use tower_service::Service;

/// Looks up names. For guarded connections it gives no address that is not public: it is asked when the connection is
/// made, so a name cannot lead elsewhere between a check and its use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GuardedResolver {
    pub(crate) is_guarded: bool,
}

impl Service<Name> for GuardedResolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let is_guarded = self.is_guarded;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let may_use = |address: &SocketAddr| !is_guarded || is_public(address.ip());
            let found: Vec<SocketAddr> = found.filter(may_use).collect();
            if found.is_empty() {
                return Err(io::Error::other("the host has no public address"));
            }
            Ok(found.into_iter())
        })
    }
}

/// Can this address belong to anybody's server on the internet?
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match address.to_ipv4() {
            Some(mapped) => is_public_v4(mapped),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    let is_reserved = first == 0 || first >= 240 || (first, second, third) == (192, 0, 0);
    let is_benchmark = first == 198 && (18..20).contains(&second);
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || is_shared
        || is_reserved
        || is_benchmark)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // Global unicast, without documentation, Teredo and 6to4, which carry other addresses inside.
    (0x2000..0x4000).contains(&first)
        && (first, second) != (0x2001, 0xdb8)
        && (first, second) != (0x2001, 0)
        && first != 0x2002
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_inner_networks_are_not_public() {
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::7f00:1",
            "2002:7f00:1::",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in ["1.1.1.1", "160.79.104.10", "2606:4700::1111"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
