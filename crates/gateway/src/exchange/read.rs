//! The body of a request: read where somebody has to see it, passed on as it comes where nobody has.

use super::{Kind, Stop, Visit};
use crate::answer::Problem;
use crate::http::body::{Body, BodyError, Limit, TooSlow};
use crate::http::coding::{Coding, CodingError};
use crate::http::read::{Read, joined, read, read_apart};
use crate::options::Options;
use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::request::Parts;
use hyper::body::{Body as _, Incoming};
use memchr::memmem;
use std::sync::LazyLock;
use tokenforge_plugin::{BodyNeed, Exchange, Phase};

/// The body of a request.
pub(super) enum Payload {
    /// Here, as the client wrote it.
    Here(Bytes),
    /// Here in a coding that the client chose.
    Coded {
        /// As it came.
        wire: Bytes,
        /// What that says.
        decoded: Bytes,
    },
    /// On its way, and nobody has to see it.
    Passing(Body),
}

impl Payload {
    /// What goes on where nothing is rewritten.
    pub(super) fn into_body(self) -> Body {
        match self {
            Payload::Here(body) | Payload::Coded { wire: body, .. } => body.into(),
            Payload::Passing(body) => body,
        }
    }
}

/// Who has to see a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// It streams by.
    Nobody,
    /// Nothing is to be done to it, unless it asks for that in its `_forge`.
    IfItNamesUs,
    /// It may hold tool results, or a plugin asks for it.
    Whoever,
}

impl Visit<'_> {
    /// Reads the body if somebody has to see it.
    pub(super) async fn read(
        &self,
        exchange: &Exchange,
        body: Incoming,
        reader: Reader,
    ) -> Result<Payload, Stop> {
        let limits = &self.state.settings.limits;
        let pace = Limit::of_request(limits);
        let is_nobodys = reader == Reader::IfItNamesUs && body.is_end_stream();
        if reader == Reader::Nobody || is_nobodys {
            return Ok(Payload::Passing(Body::passing(body, pace)));
        }
        let coding = Coding::of(&exchange.request().headers);
        let wire = if reader == Reader::IfItNamesUs && coding == Ok(None) {
            let pieces = read_apart(body, limits.max_body_bytes, pace).await;
            match pieces.map_err(|error| unread(&error))? {
                Ok(pieces) if may_name_us(&pieces) => joined(pieces),
                Ok(pieces) => return Ok(Payload::Passing(pieces.into())),
                Err(body) => return Ok(Payload::Passing(body)),
            }
        } else {
            let whole = read(body, limits.max_body_bytes, pace).await;
            match whole.map_err(|error| unread(&error))? {
                Read::Whole(body) => body,
                Read::TooLong(body) => return Ok(Payload::Passing(body)),
            }
        };
        if wire.is_empty() {
            return Ok(Payload::Here(wire));
        }
        let Ok(coding) = coding else {
            return Ok(Payload::Passing(wire.into()));
        };
        let Some(coding) = coding else { return Ok(Payload::Here(wire)) };
        let (coded, limit) = (wire.clone(), limits.max_decoded_bytes);
        let decoding = tokio::task::spawn_blocking(move || coding.decode(&coded, limit));
        match decoding.await.unwrap_or(Err(CodingError::Malformed)) {
            Ok(decoded) => Ok(Payload::Coded { wire, decoded }),
            // The provider says what is wrong with it.
            Err(CodingError::Malformed) => Ok(Payload::Passing(wire.into())),
            // Nothing but our own member was looked for.
            Err(_) if reader == Reader::IfItNamesUs => Ok(Payload::Passing(wire.into())),
            Err(error) => {
                Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()).into())
            }
        }
    }

    /// Who has to see the body of a request to a model.
    pub(super) fn reader(&self, head: &Parts, kind: Option<Kind>, options: &Options) -> Reader {
        let is_ours = kind.is_some_and(|kind| !kind.is_signed);
        match self.plugin_reader() {
            Reader::Nobody if self.redacts() => Reader::Whoever,
            Reader::Nobody if is_ours && self.state.has_work(options) => Reader::Whoever,
            Reader::Nobody if self.route.is_none() && (kind.is_some() || may_be_json(head)) => {
                Reader::IfItNamesUs
            }
            reader => reader,
        }
    }

    /// Who has to see the body of any request.
    pub(super) fn plugin_reader(&self) -> Reader {
        match self.chain().body_need(Phase::PreUpstream) {
            BodyNeed::None => Reader::Nobody,
            BodyNeed::Buffered { .. } => Reader::Whoever,
        }
    }

    /// Runs the plugins that come before the upstream, with the body if they ask for it.
    pub(super) async fn run_on_body(
        &self,
        exchange: &mut Exchange,
        payload: &mut Payload,
    ) -> Result<(), Stop> {
        if self.chain().is_empty_for(Phase::PreUpstream) {
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

/// Is a body not said to be something else than JSON?
fn may_be_json(head: &Parts) -> bool {
    let Some(kind) = head.headers.get(CONTENT_TYPE) else { return true };
    let kind = kind.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default();
    let kind = kind.trim_ascii().to_ascii_lowercase();
    kind.is_empty() || kind.ends_with(b"/json") || kind.ends_with(b"+json")
}

/// What shows that our own member may be there: the end of its name, or one of its letters escaped, which nobody who writes
/// JSON does without intent.
const SIGNS: [&[u8]; 3] = [b"forge\"", b"\\u006", b"\\u0072"];

/// How long they are at most.
const LONGEST: usize = 6;

static FINDERS: LazyLock<[memmem::Finder<'static>; 3]> =
    LazyLock::new(|| SIGNS.map(memmem::Finder::new));

fn has_sign(bytes: &[u8]) -> bool {
    FINDERS.iter().any(|finder| finder.find(bytes).is_some())
}

/// May our own member be in a body?
fn may_name_us(pieces: &[Bytes]) -> bool {
    pieces.iter().any(|piece| has_sign(piece))
        || (pieces.len() > 1 && may_name_us_at_a_seam(pieces))
}

/// May its name be cut in pieces?
fn may_name_us_at_a_seam(pieces: &[Bytes]) -> bool {
    // What may begin it at the end of the pieces so far.
    let mut before: Vec<u8> = Vec::new();
    pieces.iter().any(|piece| {
        let seam = LONGEST.min(piece.len());
        before.extend_from_slice(&piece[..seam]);
        let is_there = has_sign(&before);
        before.extend_from_slice(&piece[seam.max(piece.len().saturating_sub(LONGEST))..]);
        before.drain(..before.len().saturating_sub(LONGEST));
        is_there
    })
}

/// Why there is no body.
pub(crate) fn unread(error: &BodyError) -> Problem {
    match error.is::<TooSlow>() {
        true => Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive"),
        false => Problem::bad_request("the body did not arrive whole"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_member_is_found_however_the_body_is_cut() {
        let body = r#"{"model":"m","\u005fforge":{},"messages":[]}"#.as_bytes();
        for size in 1..=body.len() {
            let pieces: Vec<Bytes> = body.chunks(size).map(Bytes::copy_from_slice).collect();
            assert!(may_name_us(&pieces), "{size}");
        }
        let other = br#"{"model":"forge","messages":["for","ge\""]}"#;
        for size in 1..=other.len() {
            let pieces: Vec<Bytes> = other.chunks(size).map(Bytes::copy_from_slice).collect();
            assert!(may_name_us(&pieces), "a model of that name is read, too");
        }
        assert!(!may_name_us(&[
            Bytes::from_static(b"{\"messages\":[\"for"),
            Bytes::from_static(b"\",\"ge\"]}")
        ]));
        assert!(!may_name_us(&[]));
        for name in [r"\u005ff\u006frge", r"_fo\u0072ge", r"_forg\u0065"] {
            let body = format!(r#"{{"{name}":1}}"#);
            for size in 1..=body.len() {
                let pieces: Vec<Bytes> =
                    body.as_bytes().chunks(size).map(Bytes::copy_from_slice).collect();
                assert!(may_name_us(&pieces), "{name} {size}");
            }
        }
    }
}
