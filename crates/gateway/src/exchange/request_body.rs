//! The body of a request: buffered within bounds where it has to be read, streamed through elsewhere.

use super::{ModelRequest, RequestScope, Stop};
use crate::answer::Problem;
use crate::limits::request_body_timeout;
use crate::workers::{QUEUE_PATIENCE, Undone, WorkPatience};
use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use hyper::body::{Body as _, Incoming};
use memchr::memmem;
use std::sync::LazyLock;
use tokenforge_conversation::RequestOptions;
use tokenforge_plugin::{BodyNeed, Exchange, Phase};
use tokenforge_proxy::body::Body;
use tokenforge_proxy::byte_budget::{ByteBudget, BytePermit};
use tokenforge_proxy::coding::{CodingError, ContentCoding, UnknownCoding};
use tokenforge_proxy::read::{BodyRead, concat_pieces, read_pieces};

/// The body of a request.
pub(super) enum RequestPayload {
    /// Here, as the client wrote it.
    Plain(Bytes),
    /// Here in a coding that the client chose.
    Coded {
        /// As it came.
        wire: Bytes,
        /// What that says.
        decoded: Bytes,
    },
    /// Streamed through, because it does not have to be read.
    Passing(Body),
}

impl RequestPayload {
    /// As it came, if all of it is here.
    pub(super) fn wire(&self) -> Option<Bytes> {
        match self {
            RequestPayload::Plain(body) | RequestPayload::Coded { wire: body, .. } => {
                Some(body.clone())
            }
            RequestPayload::Passing(_) => None,
        }
    }

    /// What goes on where nothing is rewritten.
    pub(super) fn into_body(self) -> Body {
        match self {
            RequestPayload::Plain(body) | RequestPayload::Coded { wire: body, .. } => body.into(),
            RequestPayload::Passing(body) => body,
        }
    }
}

/// Bytes that are read of a body of unknown length before there must be room for more.
const PIECE: usize = 1 << 20;

/// What became of a body that was to be read.
enum BodyArrival {
    /// All of it, in pieces.
    Whole(Vec<Bytes>, Option<BytePermit>),
    /// It is longer than is read: what was read is put before the rest.
    TooLong(Body),
    /// There was no room for it.
    NoRoom(Body),
}

/// When a body has to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyReader {
    /// Never: it streams by.
    None,
    /// Nothing is to be done to it, unless it asks for that in its `_forge`.
    IfItNamesUs,
    /// The same for one that is said to be something else than JSON: others pass without being held.
    IfItBeginsAnObject,
    /// Always: it may hold tool results, it is signed, or a plugin asks for it.
    Required,
}

impl RequestScope<'_> {
    /// Reads the body if that is needed. Until it was worked on, there must be room for it.
    pub(super) async fn read(
        &self,
        exchange: &Exchange,
        body: Incoming,
        reader: BodyReader,
    ) -> Result<(RequestPayload, Option<BytePermit>), Stop> {
        let limits = &self.state.settings.limits;
        let is_unneeded = reader != BodyReader::Required && body.is_end_stream();
        let length = body.size_hint().upper().and_then(|length| usize::try_from(length).ok());
        let mut body = Body::passing(body, request_body_timeout(limits));
        if reader == BodyReader::None || is_unneeded {
            return Ok((RequestPayload::Passing(body), None));
        }
        if reader == BodyReader::IfItBeginsAnObject {
            let first = body.first_bytes().await.map_err(|error| Problem::unread(&error))?;
            if first.trim_ascii_start().first().is_some_and(|byte| *byte != b'{') {
                return Ok((RequestPayload::Passing(body), None));
            }
        }
        let (pieces, room) = match self.receive(exchange, body, length).await? {
            BodyArrival::Whole(pieces, room) => (pieces, room),
            BodyArrival::TooLong(body) => return Ok((RequestPayload::Passing(body), None)),
            BodyArrival::NoRoom(body) => return self.pass_unseen(body),
        };
        let coding = ContentCoding::of(&exchange.request().headers);
        if reader != BodyReader::Required && coding == Ok(None) && !may_name_us(&pieces) {
            return Ok((RequestPayload::Passing(pieces.into()), None));
        }
        let wire = concat_pieces(pieces);
        match coding {
            Ok(Some(coding)) if !wire.is_empty() => {
                // What is held is given back first: others may wait for it too.
                drop(room);
                let bytes = wire.len() + self.decoded_limit(wire.len());
                let Ok(room) = self.acquire_room(exchange, bytes).await else {
                    return self.pass_unseen(wire.into());
                };
                Ok((Box::pin(self.decode(exchange, wire, coding)).await?, room))
            }
            Err(UnknownCoding) if !wire.is_empty() => {
                Ok((RequestPayload::Passing(wire.into()), None))
            }
            _ => Ok((RequestPayload::Plain(wire), room)),
        }
    }

    /// Receives a body. The budget is charged for the announced length; without one, for twice as much each time the
    /// body turns out longer, because a short body must not take the room of the longest.
    async fn receive(
        &self,
        exchange: &Exchange,
        mut body: Body,
        length: Option<usize>,
    ) -> Result<BodyArrival, Stop> {
        let longest = self.state.settings.limits.max_body_bytes;
        if length.is_some_and(|length| length > longest) {
            return Ok(BodyArrival::TooLong(body));
        }
        let mut limit = length.unwrap_or(PIECE).min(longest);
        loop {
            let Ok(room) = self.acquire_room(exchange, limit).await else {
                return Ok(BodyArrival::NoRoom(body));
            };
            match read_pieces(body, limit).await.map_err(|error| Problem::unread(&error))? {
                BodyRead::Whole(pieces) => return Ok(BodyArrival::Whole(pieces, room)),
                BodyRead::TooLong(rest) if limit == longest => {
                    return Ok(BodyArrival::TooLong(rest));
                }
                BodyRead::TooLong(rest) => body = rest,
            }
            limit = (2 * limit).min(longest);
        }
    }

    /// Room for so many bytes; what is small needs none.
    async fn acquire_room(
        &self,
        exchange: &Exchange,
        bytes: usize,
    ) -> Result<Option<BytePermit>, ()> {
        if ByteBudget::is_small(bytes) {
            return Ok(None);
        }
        let tenant = exchange.tenant.clone().unwrap_or_default();
        let room = self.gateway.rewriter.bodies.acquire(&tenant, bytes, QUEUE_PATIENCE).await;
        room.map(Some).ok_or(())
    }

    fn decoded_limit(&self, coded: usize) -> usize {
        let limits = &self.state.settings.limits;
        ContentCoding::decoded_limit(coded, limits.max_decoding_ratio, limits.max_decoded_bytes)
    }

    /// A body for which there was no room: it streams by, unless it must be read.
    fn pass_unseen(&self, body: Body) -> Result<(RequestPayload, Option<BytePermit>), Stop> {
        self.gateway.telemetry.gave_up();
        if self.must_see() {
            Err(Problem::busy().into())
        } else {
            Ok((RequestPayload::Passing(body), None))
        }
    }

    /// Whether a body that was not read must not be forwarded.
    fn must_see(&self) -> bool {
        self.state.settings.redact_secrets || self.plugin_reader() == BodyReader::Required
    }

    /// Decodes a body, with the tenant's share of the workers.
    async fn decode(
        &self,
        exchange: &Exchange,
        wire: Bytes,
        coding: ContentCoding,
    ) -> Result<RequestPayload, Stop> {
        let (coded, limit) = (wire.clone(), self.decoded_limit(wire.len()));
        let tenant = exchange.tenant.clone().unwrap_or_default();
        let patience = WorkPatience { queue: QUEUE_PATIENCE, work: QUEUE_PATIENCE };
        let workers = &self.gateway.rewriter.workers;
        let decoding = workers.try_run(&tenant, patience, move || coding.decode(&coded, limit));
        match decoding.await {
            Ok(decoded) => Ok(RequestPayload::Coded { wire, decoded }),
            Err(Undone::Refused(error @ CodingError::TooLarge { .. })) if self.must_see() => {
                Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()).into())
            }
            // The provider says what is wrong with it.
            Err(Undone::Refused(CodingError::Malformed | CodingError::TooLarge { .. })) => {
                Ok(RequestPayload::Passing(wire.into()))
            }
            Err(Undone::NotDone(_)) => self.pass_unseen(wire.into()).map(|(payload, _)| payload),
        }
    }

    /// When the body of a request to a model has to be read.
    pub(super) fn reader(
        &self,
        head: &Parts,
        kind: Option<ModelRequest>,
        options: &RequestOptions,
    ) -> BodyReader {
        let is_ours = kind.is_some_and(|kind| !kind.is_signed);
        match self.plugin_reader() {
            BodyReader::None if self.redacts() => BodyReader::Required,
            BodyReader::None if is_ours && self.state.has_work(options) => BodyReader::Required,
            BodyReader::None if self.route.is_none() && (kind.is_some() || may_be_json(head)) => {
                BodyReader::IfItNamesUs
            }
            BodyReader::None if self.route.is_none() && arrives_alone(head) => {
                BodyReader::IfItBeginsAnObject
            }
            reader => reader,
        }
    }

    /// When plugins need the body of any request.
    pub(super) fn plugin_reader(&self) -> BodyReader {
        match self.chain().body_need(Phase::PreUpstream) {
            BodyNeed::None => BodyReader::None,
            BodyNeed::Buffered { .. } => BodyReader::Required,
        }
    }

    /// Runs the plugins that come before the upstream, with the body if they ask for it.
    pub(super) async fn run_on_body(
        &self,
        exchange: &mut Exchange,
        payload: &mut RequestPayload,
    ) -> Result<(), Stop> {
        if self.chain().is_empty_for(Phase::PreUpstream) {
            return Ok(());
        }
        let before = match payload {
            RequestPayload::Plain(body) | RequestPayload::Coded { decoded: body, .. } => {
                Some(body.clone())
            }
            RequestPayload::Passing(_) => None,
        };
        if let Some(body) = &before {
            exchange.set_request_body(body.clone());
        }
        self.run(Phase::PreUpstream, exchange).await?;
        if let Some(after) =
            exchange.take_request_body().filter(|after| Some(after) != before.as_ref())
        {
            exchange.request_mut().headers.remove(CONTENT_ENCODING);
            *payload = RequestPayload::Plain(after);
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

/// Whether a body comes without the client waiting for anything first: one whose length is said, or text. Other streams may
/// be half of a conversation in both directions, whose first bytes may never come.
fn arrives_alone(head: &Parts) -> bool {
    let kind = head.headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    head.headers.contains_key(CONTENT_LENGTH) || kind.trim_ascii().starts_with(b"text/")
}

/// Byte sequences that show that our own member may be there: the end of its name, or one of its letters escaped, which
/// no JSON writer does without intent.
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
