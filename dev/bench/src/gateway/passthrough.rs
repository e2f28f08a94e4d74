//! The practical limit: a proxy that does nothing but pass both bodies on.

use hyper::body::Incoming;
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use std::net::SocketAddr;

/// Passes requests on to one upstream, over connections that are kept.
#[derive(Clone)]
pub(crate) struct Passthrough {
    client: Client<HttpConnector, Incoming>,
    upstream: SocketAddr,
}

impl Passthrough {
    pub(crate) fn new(upstream: SocketAddr) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self { client: Client::builder(TokioExecutor::new()).build(connector), upstream }
    }

    /// The upstream's answer.
    pub(crate) async fn answer(
        self,
        mut request: Request<Incoming>,
    ) -> anyhow::Result<Response<Incoming>> {
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        *request.uri_mut() = Uri::try_from(format!("http://{}{path}", self.upstream))?;
        Ok(self.client.request(request).await?)
    }
}
