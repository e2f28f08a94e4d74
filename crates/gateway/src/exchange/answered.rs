//! The answer of the upstream, for the plugins that ask to see it.

use super::{Stop, Visit};
use crate::http::body::Body;
use http::header::CONTENT_LENGTH;
use http_body_util::{BodyExt, Limited};
use tokenforge_plugin::{BodyNeed, Exchange, Phase};

impl Visit {
    /// Runs the plugins that come after the upstream, with the body if they ask for it and it is not too long.
    pub(super) async fn run_on_answer(
        &self,
        exchange: &mut Exchange,
        body: Body,
    ) -> Result<Body, Stop> {
        let chain = &self.state.chain;
        if chain.is_empty_for(Phase::PostUpstream) {
            return Ok(body);
        }
        let BodyNeed::Buffered { up_to } = chain.body_need(Phase::PostUpstream) else {
            self.run(Phase::PostUpstream, exchange).await?;
            return Ok(body);
        };
        let is_short = length(exchange).is_some_and(|length| length <= up_to);
        if !is_short {
            self.run(Phase::PostUpstream, exchange).await?;
            return Ok(body);
        }
        let Ok(whole) = Limited::new(body, up_to).collect().await else { return Ok(Body::empty()) };
        exchange.set_response_body(whole.to_bytes());
        self.run(Phase::PostUpstream, exchange).await?;
        let body = exchange.take_response_body().unwrap_or_default();
        if let Some(mut head) = exchange.take_response() {
            head.headers.remove(CONTENT_LENGTH);
            exchange.set_response(head);
        }
        Ok(body.into())
    }
}

/// How long the answer says it is. One that does not say may be a stream, and is not waited for.
fn length(exchange: &Exchange) -> Option<usize> {
    let length = exchange.response()?.headers.get(CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}
