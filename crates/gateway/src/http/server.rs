//! Accepts connections, and ends them well.

use super::lanes::Lanes;
use crate::blocking::blocking;
use crate::gateway::Gateway;
use crate::traces;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// How long connections are still accepted after a stop was asked for, so that whoever sends them here notices.
const FAREWELL: Duration = Duration::from_millis(500);

/// Serves connections until `stop` ends, and then those that are open until they are done or out of time.
///
/// # Errors
/// There cannot be another thread, or the listener has no address.
pub async fn serve(
    gateway: Arc<Gateway>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    gateway.admin.set_port(listener.local_addr()?.port());
    let lanes = Lanes::start(&gateway)?;
    let warming = gateway.clone();
    // What the first request would wait for is made while nobody waits.
    std::thread::spawn(move || warming.warm_up());
    tokio::spawn(traces::export(gateway.clone()));
    let connections = Arc::new(Semaphore::new(gateway.settings().limits.max_connections));
    tokio::select! {
        () = accept(&listener, &connections, &lanes) => {}
        () = stop => {}
    }
    gateway.start_draining();
    let _ = timeout(FAREWELL, accept(&listener, &connections, &lanes)).await;
    drop(listener);
    let _lives = lanes.drain().await;
    gateway.mcp.stop().await;
    let _ = blocking(move || gateway.telemetry.close()).await;
    Ok(())
}

async fn accept(listener: &TcpListener, connections: &Arc<Semaphore>, lanes: &Lanes) {
    loop {
        let Ok(permit) = connections.clone().acquire_owned().await else { return };
        let accepted = listener.accept().await;
        let accepted = accepted.and_then(|(stream, remote)| Ok((stream.into_std()?, remote)));
        match accepted {
            Ok((stream, remote)) => lanes.give(stream, remote, permit).await,
            // Out of file descriptors, or the client was gone already: others may do better.
            Err(_) => sleep(Duration::from_millis(10)).await,
        }
    }
}
