//! The body of a request: read where somebody has to see it, passed on as it comes where nobody has.

use super::{Stop, Visit, detected};
use crate::answer::Problem;
use crate::http::body::{Body, BodyError, Limit, TooSlow};
use crate::http::coding::{Coding, CodingError};
use crate::http::read::{Read, joined, read};
use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_ENCODING;
use hyper::body::Incoming;
use std::collections::VecDeque;
use tokenforge_plugin::{BodyNeed, Exchange, Phase};
use tokio::time::Instant;

/// The body of a request.
pub(super) enum Payload {
    /// Here, as the client wrote it.
    Here(Bytes),
    /// Here in a coding that the client chose.
    Coded {
        /// As it came.
        wire: VecDeque<Bytes>,
        /// What that says.
        decoded: Bytes,
    },
    /// On its way, and nobody has to see it.
    Passing(Body),
}

impl Visit {
    /// Reads the body if somebody has to see it.
    pub(super) async fn read(&self, exchange: &Exchange, body: Incoming) -> Result<Payload, Stop> {
        let limits = &self.state.settings.limits;
        let until = Instant::now() + limits.body_timeout;
        if !self.must_be_read(exchange) {
            return Ok(Payload::Passing(Body::passing(body, Limit::Until(until), None)));
        }
        let pieces =
            match read(body, limits.max_body_bytes, until).await.map_err(|error| unread(&error))? {
                Read::Whole(pieces) => pieces,
                Read::TooLong(body) => return Ok(Payload::Passing(body)),
            };
        let Ok(coding) = Coding::of(&exchange.request().headers) else {
            return Ok(Payload::Passing(Body::Pieces(pieces)));
        };
        let Some(coding) = coding else { return Ok(Payload::Here(joined(pieces))) };
        let (wire, limit) = (joined(pieces.clone()), limits.max_decoded_bytes);
        let decoding = tokio::task::spawn_blocking(move || coding.decode(&wire, limit));
        match decoding.await.unwrap_or(Err(CodingError::Malformed)) {
            Ok(decoded) => Ok(Payload::Coded { wire: pieces, decoded }),
            // The provider says what is wrong with it.
            Err(CodingError::Malformed) => Ok(Payload::Passing(Body::Pieces(pieces))),
            Err(error) => {
                Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()).into())
            }
        }
    }

    /// A body that may hold tool results or `_forge` has to be seen, unless it is signed; so has one that a plugin
    /// asks for.
    fn must_be_read(&self, exchange: &Exchange) -> bool {
        let is_ours = detected(exchange.request()).is_some_and(|detected| !detected.is_signed);
        is_ours || self.state.chain.body_need(Phase::PreUpstream) != BodyNeed::None
    }

    /// Runs the plugins that come before the upstream, with the body if they ask for it.
    pub(super) async fn run_on_body(
        &self,
        exchange: &mut Exchange,
        payload: &mut Payload,
    ) -> Result<(), Stop> {
        if self.state.chain.is_empty_for(Phase::PreUpstream) {
            return Ok(());
        }
        let before = match payload {
            Payload::Here(body) | Payload::Coded { decoded: body, .. } => Some(body.clone()),
            Payload::Passing(_) => None,
        };
        if let Some(body) = &before {
            exchange.set_request_body(body.clone());
        }
        self.run(Phase::PreUpstream, exchange).await?;
        if let Some(after) =
            exchange.take_request_body().filter(|after| Some(after) != before.as_ref())
        {
            exchange.request_mut().headers.remove(CONTENT_ENCODING);
            *payload = Payload::Here(after);
        }
        Ok(())
    }
}

/// Why there is no body.
pub(crate) fn unread(error: &BodyError) -> Problem {
    match error.is::<TooSlow>() {
        true => Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive"),
        false => Problem::bad_request("the body did not arrive whole"),
    }
}
