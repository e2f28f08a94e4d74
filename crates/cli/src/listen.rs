//! A port to listen on; where it is taken, by whom, and what to do.

use crate::gateway::{GatewayClient, url};
use anyhow::{Context, anyhow};
use std::io::ErrorKind;
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// How many ports are tried to find one that is free.
const TRIED: u16 = 20;

/// Listens. `command` is what was called, for advice on how to call it instead.
pub(crate) async fn listen(address: SocketAddr, command: &str) -> anyhow::Result<TcpListener> {
    let bound = TcpListener::bind(address).await;
    match bound {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            Err(anyhow!(explain_taken_port(address, command).await))
        }
        bound => bound.with_context(|| format!("cannot listen on {address}")),
    }
}

async fn explain_taken_port(address: SocketAddr, command: &str) -> String {
    let url = url(address);
    let version = match GatewayClient::new(&url, None) {
        Ok(gateway) => gateway.version().await,
        Err(_) => None,
    };
    let another = format!("{command} --port {}", free(address).await);
    match version {
        Some(version) => format!(
            "a Tokenforge gateway (version {version}) is already running at {url}\n  \
             use it:             tokenforge wrap claude, or ANTHROPIC_BASE_URL={url} claude\n  \
             see what it saves:  tokenforge gain, or {url}/_forge/ui/\n  \
             run another beside: {another}"
        ),
        None => format!(
            "port {} is taken by another program\n  \
             choose another port: {another}\n  \
             or for every start:  `listen` in tokenforge.yaml, or FORGE_LISTEN",
            address.port()
        ),
    }
}

/// A port that is free now, near the one that is not.
async fn free(taken: SocketAddr) -> u16 {
    for offset in 1..=TRIED {
        let Some(port) = taken.port().checked_add(offset) else { break };
        if TcpListener::bind(SocketAddr::new(taken.ip(), port)).await.is_ok() {
            return port;
        }
    }
    taken.port().wrapping_add(1).max(1024)
}
