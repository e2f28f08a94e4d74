//! A gateway inside this process, for commands that need one for as long as they run.

use anyhow::Context;
use std::net::SocketAddr;
use std::sync::Arc;
use tokenforge_config::Settings;
use tokenforge_gateway::Gateway;
use tokenforge_store::Store;
use tokio::net::TcpListener;

/// Starts a gateway where the settings say that it listens, and tells where that is: port 0 is any free one. It ends with
/// the threads that it runs on.
pub(crate) async fn start(settings: Settings, store: Arc<dyn Store>) -> anyhow::Result<SocketAddr> {
    let address = settings.listen;
    let listener =
        TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr().context("cannot listen")?;
    let gateway = Gateway::new(settings, store)?;
    let warming = gateway.clone();
    // What the first request would wait for is made while nobody waits.
    std::thread::spawn(move || warming.warm_up());
    tokio::spawn(tokenforge_gateway::serve(gateway, listener, std::future::pending()));
    Ok(address)
}
