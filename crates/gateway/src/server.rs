//! The gateway as a server: what starts and ends with it, around the connections that [`tokenforge_proxy`] serves.

use crate::exchange;
use crate::gateway::Gateway;
use crate::limits::server_limits;
use crate::traces;
use crate::usage_tap::TappedBody;
use http::{Request, Response};
use hyper::body::Incoming;
use std::io;
use std::sync::Arc;
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::client_peer::ClientPeer;
use tokenforge_proxy::server::{RequestHandler, Server, TlsIdentity};
use tokio::net::TcpListener;

/// Serves connections until `stop` ends, and then those that are open until they are done or out of time.
///
/// # Errors
/// There cannot be another thread, or the listener has no address.
pub async fn serve(
    gateway: Arc<Gateway>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    serve_over(gateway, listener, None, stop).await
}

/// The same over TLS. Connections from this machine may do without, as its own commands do.
///
/// # Errors
/// As [`serve`].
pub async fn serve_tls(
    gateway: Arc<Gateway>,
    listener: TcpListener,
    identity: Arc<TlsIdentity>,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    serve_over(gateway, listener, Some(identity), stop).await
}

async fn serve_over(
    gateway: Arc<Gateway>,
    listener: TcpListener,
    identity: Option<Arc<TlsIdentity>>,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    gateway.credentials.admin.set_port(listener.local_addr()?.port());
    let limits = server_limits(&gateway.settings().limits);
    let server = Server::start(&GatewayHandler(gateway.clone()), limits)?;
    let server = match identity {
        Some(identity) => server.encrypted(identity),
        None => server,
    };
    let warming = gateway.clone();
    // Made before the first request, which would otherwise wait for it.
    std::thread::spawn(move || warming.warm_up());
    if let Some(traces) = &gateway.traces {
        tokio::spawn(traces::export(traces.clone(), gateway.client.clone()));
    }
    server.accept_until(&listener, stop).await;
    gateway.start_draining();
    let _threads = server.drain(listener).await;
    gateway.mcp.stop().await;
    let _ = run_blocking(move || gateway.telemetry.close()).await;
    Ok(())
}

/// Answers requests as the gateway.
#[derive(Clone)]
struct GatewayHandler(Arc<Gateway>);

impl RequestHandler for GatewayHandler {
    type Body = TappedBody;

    fn answer(
        &self,
        request: Request<Incoming>,
        client: Arc<ClientPeer>,
    ) -> impl Future<Output = Response<TappedBody>> + Send {
        exchange::serve(&self.0, request, client)
    }

    fn is_draining(&self) -> bool {
        self.0.is_draining()
    }
}
