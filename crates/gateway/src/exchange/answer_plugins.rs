//! Plugins after the upstream: they are shown its answer, whole and decoded, if they ask for that.

use super::{RequestScope, Stop};
use crate::answer::Problem;
use crate::usage_tap::TappedBody;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use http_body::Body as _;
use tokenforge_plugin::{BodyNeed, Exchange, Phase};
use tokenforge_proxy::body::Body;
use tokenforge_proxy::coding::ContentCoding;
use tokenforge_proxy::read::BodyRead;

/// What an upstream says of its bytes, which is not true of others.
const OF_THE_BYTES: [&str; 6] =
    ["etag", "accept-ranges", "content-md5", "digest", "content-digest", "repr-digest"];

/// How an answer can be read.
enum AnswerReading {
    /// As a whole, decoded from this.
    Whole(Option<ContentCoding>),
    /// Not at all: it is made while it passes.
    Stream,
    /// Not at all.
    None,
}

/// What came of reading an answer.
enum ReadAnswer {
    Whole(WholeAnswer),
    /// It goes on as it comes.
    Unread(TappedBody),
}

/// An answer that was read: as it came, and what that says.
struct WholeAnswer {
    wire: Bytes,
    decoded: Bytes,
}

impl RequestScope<'_> {
    /// Runs the plugins that come after the upstream, with the body if they ask for it and it is not too long.
    pub(super) async fn run_on_answer(
        &self,
        exchange: &mut Exchange,
        body: TappedBody,
    ) -> Result<TappedBody, Stop> {
        let need = self.chain().body_need_of(Phase::PostUpstream, exchange);
        let read = match need {
            BodyNeed::Buffered { up_to } => {
                Box::pin(self.read_answer(exchange, body, up_to)).await?
            }
            BodyNeed::None => ReadAnswer::Unread(body),
        };
        match read {
            ReadAnswer::Whole(whole) => {
                Ok(Box::pin(self.run_on_whole(exchange, whole)).await?.into())
            }
            ReadAnswer::Unread(body) => {
                self.run(Phase::PostUpstream, exchange).await?;
                Ok(body)
            }
        }
    }

    /// Reads the answer if it is no longer than this; otherwise it is given back.
    async fn read_answer(
        &self,
        exchange: &mut Exchange,
        body: TappedBody,
        up_to: usize,
    ) -> Result<ReadAnswer, Stop> {
        let coding = match self.reading(exchange, &body.body, up_to) {
            AnswerReading::Whole(coding) => coding,
            AnswerReading::Stream => {
                exchange.set_response_streamed();
                return Ok(ReadAnswer::Unread(body));
            }
            AnswerReading::None => return Ok(ReadAnswer::Unread(body)),
        };
        let TappedBody { body, tap } = body;
        let wire = match body.read(up_to).await {
            Ok(BodyRead::Whole(wire)) => wire,
            Ok(BodyRead::TooLong(body)) => return Ok(ReadAnswer::Unread(TappedBody { body, tap })),
            Err(_) => {
                let message = "the upstream's answer broke off";
                return Err(Problem::new(StatusCode::BAD_GATEWAY, message).into());
            }
        };
        if let Some(mut tap) = tap {
            tap.see(&wire);
        }
        let Some(coding) = coding else {
            return Ok(ReadAnswer::Whole(WholeAnswer { decoded: wire.clone(), wire }));
        };
        let coded = wire.clone();
        let decoding = tokio::task::spawn_blocking(move || coding.decode(&coded, up_to).ok());
        match decoding.await.unwrap_or_default() {
            Some(decoded) => Ok(ReadAnswer::Whole(WholeAnswer { wire, decoded })),
            // Too long, or not what it says: that is between the upstream and the client.
            None => Ok(ReadAnswer::Unread(Body::from(wire).into())),
        }
    }

    /// Whether an answer has a body which ends soon.
    fn reading(&self, exchange: &Exchange, body: &Body, up_to: usize) -> AnswerReading {
        let Some(head) = exchange.response() else { return AnswerReading::None };
        let has_body = exchange.request().method != Method::HEAD
            && !matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        let Some(coding) = ContentCoding::of(&head.headers).ok().filter(|_| has_body) else {
            return AnswerReading::None;
        };
        let header = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        // An answer that was read on its way is here, whatever its headers say.
        let length = header(CONTENT_LENGTH).and_then(|length| length.parse().ok());
        match length.or_else(|| body.size_hint().exact()) {
            Some(length) if length <= up_to as u64 => AnswerReading::Whole(coding),
            Some(_) => AnswerReading::None,
            None if is_stream(exchange, header(CONTENT_TYPE)) => AnswerReading::Stream,
            // One that does not say how long it is: read as far as the plugins are ready to wait for.
            None if header(CONTENT_TYPE).is_some_and(is_json) => AnswerReading::Whole(coding),
            None => AnswerReading::None,
        }
    }

    /// Runs the plugins with the body. It goes on as it came if none of them changed it.
    async fn run_on_whole(
        &self,
        exchange: &mut Exchange,
        whole: WholeAnswer,
    ) -> Result<Body, Stop> {
        let Some(mut head) = exchange.take_response() else { return Ok(whole.wire.into()) };
        head.headers.remove(CONTENT_LENGTH);
        let coding = head.headers.remove(CONTENT_ENCODING);
        let said = OF_THE_BYTES.map(|name| head.headers.get(name).cloned());
        exchange.set_response(head);
        exchange.set_response_body(whole.decoded.clone());
        self.run(Phase::PostUpstream, exchange).await?;
        match exchange.take_response_body() {
            Some(body) if body != whole.decoded => {
                if let Some(mut head) = exchange.take_response() {
                    remove_digests(&mut head.headers, &said);
                    exchange.set_response(head);
                }
                Ok(body.into())
            }
            _ => {
                if let Some(coding) = coding
                    && let Some(mut head) = exchange.take_response()
                {
                    head.headers.insert(CONTENT_ENCODING, coding);
                    exchange.set_response(head);
                }
                Ok(whole.wire.into())
            }
        }
    }
}

/// Removes what was said of other bytes. Who changed the body may have said something of its own.
fn remove_digests(headers: &mut HeaderMap, said: &[Option<HeaderValue>; OF_THE_BYTES.len()]) {
    for (name, said) in OF_THE_BYTES.into_iter().zip(said) {
        if headers.get(name) == said.as_ref() {
            headers.remove(name);
        }
    }
}

/// Is an answer of unknown length made while it passes? Google's may be an array of JSON that grows.
fn is_stream(exchange: &Exchange, media_type: Option<&str>) -> bool {
    let streams =
        ["text/event-stream", "application/x-ndjson", "application/vnd.amazon.eventstream"];
    let essence = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let path = exchange.request().uri.path();
    streams.iter().any(|stream| essence.eq_ignore_ascii_case(stream))
        || path.ends_with(":streamGenerateContent")
}

fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}
