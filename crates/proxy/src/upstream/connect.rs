//! Making connections: TCP and TLS, directly or through the proxy that the environment names.

use super::environment_proxy::EnvironmentProxies;
use super::link::{ForwardProxy, TcpLink};
use super::ssrf_guard::GuardedResolver;
use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use rustls::ClientConfig;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tower_service::Service;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// TLS where the address asks for it, over a connection of either kind.
pub(crate) type Connector = HttpsConnector<ProxyingConnector>;

/// What it makes.
pub(crate) type UpstreamStream = MaybeHttpsStream<TcpLink>;

/// A connector that waits no longer than this for a connection. A guarded one does not connect to addresses of the
/// network that the gateway stands in, whatever name they go by.
pub(crate) fn connector(
    tls: ClientConfig,
    connect_timeout: Duration,
    is_guarded: bool,
    proxies: Arc<EnvironmentProxies>,
) -> Connector {
    let mut direct = HttpConnector::new_with_resolver(GuardedResolver { is_guarded });
    direct.enforce_http(false);
    direct.set_nodelay(true);
    direct.set_connect_timeout(Some(connect_timeout));
    let route = ProxyingConnector { direct, proxies };
    hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .enable_http2()
        .wrap_connector(route)
}

/// Trusts whom the machine trusts; where it has no list of authorities, those that browsers trust.
pub(crate) fn tls() -> ClientConfig {
    use rustls_platform_verifier::BuilderVerifierExt;

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = || {
        ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .expect("ring has the ciphers of every version")
    };
    match builder().with_platform_verifier() {
        Ok(platform) => platform.with_no_client_auth(),
        Err(_) => {
            let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.into() };
            builder().with_root_certificates(roots).with_no_client_auth()
        }
    }
}

/// The route to an address: direct, or through its proxy. A proxy tunnels what is encrypted, and reads what is not.
#[derive(Clone)]
pub(crate) struct ProxyingConnector {
    direct: HttpConnector<GuardedResolver>,
    proxies: Arc<EnvironmentProxies>,
}

impl Service<Uri> for ProxyingConnector {
    type Response = TcpLink;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<TcpLink, Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Service::<Uri>::poll_ready(&mut self.direct, context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.of(&to) else {
            let connecting = self.direct.call(to);
            return Box::pin(async move { Ok(TcpLink::direct(connecting.await?)) });
        };
        if proxy.uri().scheme_str() != Some("http") {
            let error = "the proxy that the environment names is no http:// address";
            return Box::pin(async move { Err(error.into()) });
        }
        if to.scheme_str() == Some("http") {
            let connecting = self.direct.call(proxy.uri().clone());
            let proxy = ForwardProxy { credentials: proxy.basic_auth().cloned() };
            return Box::pin(async move { Ok(TcpLink::to_proxy(connecting.await?, proxy)) });
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.direct.clone());
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        let connecting = tunnel.call(to);
        Box::pin(async move { Ok(TcpLink::direct(connecting.await?)) })
    }
}
