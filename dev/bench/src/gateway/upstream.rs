//! A provider that reads a request whole and answers at once, or chunk by chunk.

use bytes::Bytes;
use http_body_util::channel::{Channel, Sender};
use http_body_util::{BodyExt, Either, Full};
use hyper::body::Incoming;
use hyper::{HeaderMap, Request, Response};
use std::convert::Infallible;
use std::time::Duration;

/// A request with this header is answered with so many chunks, and then the stream stays open if [`HOLD`] is there.
pub(crate) const CHUNKS: &str = "x-bench-chunks";
/// A request with this header keeps its stream open until it is closed from the other side.
pub(crate) const HOLD: &str = "x-bench-hold";
/// A reply's header: how many bytes arrived here.
pub(crate) const RECEIVED: &str = "x-bench-received";
/// A streamed reply's header: was the tool offered that fetches back what was left out?
pub(crate) const OFFERED: &str = "x-bench-offered";
/// How long the provider takes for a chunk.
pub(crate) const PACE: Duration = Duration::from_millis(50);

const CHAT: &str = r#"{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-5","choices":[{"index":0,"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#;
const MESSAGE: &str = r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":2}}"#;
const CHUNK: &str = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt-5\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"},\"finish_reason\":null}]}\n\n";
const LAST: &str = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt-5\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

type Body = Either<Full<Bytes>, Channel<Bytes, Infallible>>;

/// Answers a request.
pub(crate) async fn answer(request: Request<Incoming>) -> anyhow::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    if let Some(chunks) = number(&head.headers, CHUNKS) {
        let body = body.collect().await?.to_bytes();
        let is_offered = String::from_utf8_lossy(&body).contains("expand_context");
        let (sender, stream) = Channel::new(1);
        tokio::spawn(speak(sender, chunks, head.headers.contains_key(HOLD)));
        let reply = Response::builder().header("content-type", "text/event-stream");
        let reply = reply.header(OFFERED, is_offered.to_string());
        return Ok(reply.body(Either::Right(stream))?);
    }
    let received = drain(body).await?;
    let text = if head.uri.path().ends_with("/messages") { MESSAGE } else { CHAT };
    let reply = Response::builder().header("content-type", "application/json");
    Ok(reply.header(RECEIVED, received).body(Either::Left(Full::from(text)))?)
}

/// A number that a message carries in a header.
pub(crate) fn number(headers: &HeaderMap, name: &str) -> Option<usize> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}

async fn drain(mut body: Incoming) -> anyhow::Result<usize> {
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        length += frame?.data_ref().map_or(0, Bytes::len);
    }
    Ok(length)
}

/// Sends chunks until they are over, or the receiver is gone.
async fn speak(mut sender: Sender<Bytes>, chunks: usize, holds: bool) {
    let mut pace = tokio::time::interval(PACE);
    for _ in 0..chunks {
        pace.tick().await;
        if sender.send_data(Bytes::from_static(CHUNK.as_bytes())).await.is_err() {
            return;
        }
    }
    if holds {
        return std::future::pending().await;
    }
    let _ = sender.send_data(Bytes::from_static(LAST.as_bytes())).await;
}
