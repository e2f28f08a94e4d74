//! Connections to providers: directly, or through the proxy that the environment names.

use super::names::Names;
use http::Uri;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tower_service::Service;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// TLS where the address asks for it, over a connection of either kind.
pub(crate) type Connector = HttpsConnector<Route>;

/// A connector that waits no longer than this for a connection. A guarded one does not connect to addresses of the
/// network that the gateway stands in, whatever name they go by.
pub(crate) fn connector(connect_timeout: Duration, is_guarded: bool) -> Connector {
    let mut direct = HttpConnector::new_with_resolver(Names { is_guarded });
    direct.enforce_http(false);
    direct.set_nodelay(true);
    direct.set_connect_timeout(Some(connect_timeout));
    let proxies = if is_guarded { Matcher::builder().build() } else { Matcher::from_env() };
    let route = Route { direct, proxies: Arc::new(proxies) };
    hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(tls())
        .https_or_http()
        .enable_http1()
        .enable_http2()
        .wrap_connector(route)
}

/// Trusts whom the machine trusts; where it has no list of authorities, those that browsers trust.
fn tls() -> rustls::ClientConfig {
    use rustls_platform_verifier::BuilderVerifierExt;

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = || {
        rustls::ClientConfig::builder_with_provider(provider.clone())
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

/// The route to an address: direct, or through `HTTPS_PROXY` unless `NO_PROXY` names the host.
#[derive(Clone)]
pub(crate) struct Route {
    direct: HttpConnector<Names>,
    proxies: Arc<Matcher>,
}

impl Service<Uri> for Route {
    type Response = TokioIo<TcpStream>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Service::<Uri>::poll_ready(&mut self.direct, context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        // A plain address is a neighbour's; asking a proxy for it would need another form of request.
        let proxy = self.proxies.intercept(&to).filter(|_| to.scheme_str() == Some("https"));
        match proxy {
            None => {
                let connecting = self.direct.call(to);
                Box::pin(async move { Ok(connecting.await?) })
            }
            Some(proxy) => {
                let mut tunnel = Tunnel::new(proxy.uri().clone(), self.direct.clone());
                if let Some(credentials) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(credentials.clone());
                }
                let connecting = tunnel.call(to);
                Box::pin(async move { Ok(connecting.await?) })
            }
        }
    }
}
