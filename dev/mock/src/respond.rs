//! One request: recorded, answered, and the answer sent at its pace or with its fault.

use crate::answer::{self, Answer};
use crate::fault::{Fault, Plan, spoil};
use crate::outgoing::{InFlight, Outgoing, empty, live, whole};
use crate::pace::{Split, decoded, writes};
use crate::record::Recorded;
use crate::route::{AsksFor, Dialect, Route};
use crate::script::Reply;
use crate::server::Takeover;
use crate::shared::Shared;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use std::convert::Infallible;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Answers one request.
pub(crate) async fn respond(
    request: Request<Incoming>,
    shared: Arc<Shared>,
    takeover: Takeover,
) -> Result<Response<Outgoing>, Infallible> {
    let mut in_flight = InFlight::new(&shared);
    let (head, body) = request.into_parts();
    let Ok(body) = body.collect().await else { return Ok(empty(StatusCode::BAD_REQUEST)) };
    let path_and_query = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let mut request = Recorded {
        method: head.method,
        target: head.uri.to_string(),
        path_and_query,
        headers: head.headers,
        body: body.to_bytes(),
        at: Instant::now(),
        refused: None,
    };
    if request.path_and_query.starts_with(crate::admin::PREFIX) {
        in_flight.done = true;
        return Ok(whole(crate::admin::answer(&request, &shared)));
    }
    let (answer, reply) = answered(&mut request, &shared);
    let is_attentive = shared.is_attentive();
    shared.log.note(|happened| {
        happened.count += 1;
        if is_attentive {
            happened.requests.push(request);
        }
    });
    shared.pass_gates(None).await;
    send(answer, reply, shared, in_flight, &takeover).await
}

/// What the request is answered with: a refusal, what the script says, or what the path has by default.
fn answered(request: &mut Recorded, shared: &Shared) -> (Answer, Reply) {
    let route = Route::of(&request.path_and_query).filter(|_| request.method == http::Method::POST);
    let Some(route) = route else {
        let scripted = shared.scripted(request, false);
        let service = shared.service().clone();
        return match (scripted, service) {
            (None, Some(service)) => (service(request), Reply::default()),
            (scripted, _) => {
                let reply = scripted.unwrap_or_default();
                (answer::of_no_model(request, &reply), reply)
            }
        };
    };
    let serial = shared.next_reply();
    if !shared.is_attentive() {
        let reply = shared
            .scripted(request, route.asks == AsksFor::Answer)
            .unwrap_or_else(|| Reply::from("ok"));
        return (answer::unchecked(&route, &request.body, &reply, serial), reply);
    }
    if matches!(route.dialect, Dialect::Converse | Dialect::Invoke)
        && let Some(key) = &*shared.aws_key()
        && let Err((reason, answer)) = key.check(request)
    {
        request.refused = Some(reason);
        return (answer, Reply::default());
    }
    let plain = decoded(&request.body, request.header("content-encoding")).unwrap_or_default();
    let body = match answer::checked(&route, &plain, &shared.memory) {
        Ok(body) => body,
        Err(refused) => {
            request.refused = Some(refused.reason);
            return (refused.answer, Reply::default());
        }
    };
    let reply = shared
        .scripted(request, route.asks == AsksFor::Answer)
        .unwrap_or_else(|| Reply::from("ok"));
    (answer::to(&route, &body, &plain, &reply, serial, &shared.memory), reply)
}

async fn send(
    mut answer: Answer,
    reply: Reply,
    shared: Arc<Shared>,
    mut in_flight: InFlight,
    takeover: &Takeover,
) -> Result<Response<Outgoing>, Infallible> {
    answer.headers.extend(reply.headers.iter().cloned());
    match &reply.fault {
        Some(Fault::InvalidUtf8) => spoil(&mut answer.events),
        Some(Fault::Redirect(to)) => {
            answer.status = 307;
            answer.headers.push(("location".to_owned(), to.clone()));
        }
        _ => {}
    }
    if let Some(encoding) = reply.encoding
        && let Ok(events) = encoding.encode(&answer.events)
    {
        answer.events = events;
        answer.headers.push(("content-encoding".to_owned(), encoding.name().to_owned()));
    }
    let plan = reply
        .fault
        .as_ref()
        .and_then(|fault| Plan::of(fault, answer.status, &answer.headers, &answer.events));
    if let Some(plan) = plan {
        in_flight.done = true;
        let sender = takeover.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            let _ = sender.send(plan);
        }
        // The connection ends this when it sees the plan.
        std::future::pending::<()>().await;
    }
    let plain =
        reply.split == Split::Events && reply.chunk_every.is_none() && shared.gates().is_empty();
    if !answer.streams && plain {
        in_flight.done = true;
        return Ok(whole(answer));
    }
    let (sender, frames) = mpsc::channel(1);
    let response = live(&answer, frames, in_flight);
    tokio::spawn(trickle(answer.events, reply.split, reply.chunk_every, sender, shared));
    Ok(response)
}

/// Sends the writes of a body at their pace, past the gates, until the client leaves. The second value says that it was
/// the last.
async fn trickle(
    events: Vec<Bytes>,
    split: Split,
    pause: Option<Duration>,
    sender: mpsc::Sender<(Bytes, bool)>,
    shared: Arc<Shared>,
) {
    let writes = writes(&events, split);
    let count = writes.len();
    let sent = async {
        let mut complete = 0;
        shared.pass_gates(Some(0)).await;
        for (at, (write, events)) in writes.into_iter().enumerate() {
            if let Some(pause) = pause {
                tokio::time::sleep(pause).await;
            }
            if sender.send((write, at + 1 == count)).await.is_err() {
                return;
            }
            while complete < events {
                complete += 1;
                shared.pass_gates(Some(complete)).await;
            }
        }
    };
    tokio::select! {
        () = sent => {}
        () = sender.closed() => {}
    }
}
