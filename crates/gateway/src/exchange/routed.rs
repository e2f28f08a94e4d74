//! A request to a JSON API: it is passed on, and its answer meets the plugins.

use super::rewriting::Rewriting;
use super::{Stop, Visit, refusal};
use crate::http::body::Body;
use crate::options;
use crate::route::Route;
use http::Response;
use http::uri::PathAndQuery;
use hyper::body::Incoming;
use tokenforge_plugin::Exchange;
use tokenforge_plugins::Usual;

impl Visit {
    /// Sends the request where the route leads, and its answer back.
    pub(super) async fn through_route(
        &self,
        route: &Route,
        exchange: &mut Exchange,
        body: Incoming,
    ) -> Result<Response<Body>, Stop> {
        let head = exchange.request_mut();
        options::remove_from(&mut head.headers);
        let path = head.uri.path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        let target = route.target(&path).map_err(refusal)?;
        exchange.extensions_mut().insert(Usual(route.format));
        let mut payload = self.read(exchange, body, self.plugin_reader()).await?;
        self.run_on_body(exchange, &mut payload).await?;
        self.forward(exchange, target, Rewriting::untouched(payload.into_body())).await
    }
}
