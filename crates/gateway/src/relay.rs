//! The answer of a provider on its way back, when it may hold a call that is ours.
//!
//! What is the client's flows on as it arrives. A call of our tool is held back and answered, and the provider is asked
//! again; what it says then goes on in the same answer to the client.

mod ask;
mod client;
mod job;
mod whole;

pub(crate) use ask::Ask;
pub(crate) use job::Job;

use crate::blocking::blocking;
use crate::deferral;
use crate::gateway::{Gateway, State};
use crate::http::body::{Body, BodyError, Limit};
use crate::http::coding::{Coding, Decoder};
use crate::upstream::{Failure, Received};
use bytes::Bytes;
use client::{Client, Gone};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http::{StatusCode, response};
use http_body_util::BodyExt;
use std::sync::Arc;
use tokenforge_dialects::{Answer, InternalCall, Next, Reply, Turn, Wire};
use tokenforge_plugin::Exchange;
use tokio::sync::mpsc;

/// How often the provider is asked again for one answer to the client.
const LOOPS: usize = 5;

/// How many pieces may wait for a client that reads slowly. They are cut so that all of them have 64 KB.
const WAITING_PIECES: usize = 8;

/// A large piece is decoded bit by bit, so that what it may swell to is bounded: no stream of words has 256 times its
/// size.
const CODED_PIECE: usize = 1 << 10;

/// The body of the client's answer. One that is no stream is here when this returns.
pub(crate) async fn relay(
    gateway: &Arc<Gateway>,
    state: &Arc<State>,
    job: Box<Job>,
    ask: Ask,
    exchange: &mut Exchange,
    body: Received,
) -> Result<Body, Failure> {
    let Some(mut head) = exchange.take_response() else { return Ok(Body::empty()) };
    let wire = job.wire(&head).unwrap_or(Wire::Whole);
    let answer = Upstream::new(state, &head, body);
    let upstream = match wire {
        Wire::Whole => {
            let most = state.settings.limits.max_answer_bytes;
            match Box::pin(whole::read(answer, most)).await? {
                Ok(plain) => plain,
                Err(passing) => {
                    exchange.set_response(head);
                    return Ok(passing);
                }
            }
        }
        _ => answer,
    };
    head.headers.remove(CONTENT_LENGTH);
    head.headers.remove(CONTENT_ENCODING);
    exchange.set_response(head);
    let mut relaying = Box::new(Relaying {
        gateway: gateway.clone(),
        state: state.clone(),
        reply: Reply::new(job.originals.dialect, wire),
        job: *job,
        ask,
        upstream,
    });
    if wire != Wire::Whole {
        let (sender, receiver) = mpsc::channel(WAITING_PIECES);
        relaying.settle();
        tokio::spawn(async move { relaying.run(&mut Client::Reads(sender)).await });
        return Ok(Body::Made(receiver));
    }
    let mut client = Client::waits();
    Box::pin(relaying.run(&mut client)).await;
    client.into_answer().map_err(|error| Failure::broken_off(&*error))
}

/// One answer to a client, while it is made. In a box: whatever runs would have room for it at each level.
struct Relaying {
    gateway: Arc<Gateway>,
    state: Arc<State>,
    reply: Reply,
    job: Job,
    ask: Ask,
    upstream: Upstream,
}

/// One answer of the provider.
struct Upstream {
    body: Body,
    coding: Option<Coding>,
    /// Made when there is first something to decode.
    decoder: Option<Decoder>,
}

impl Upstream {
    fn new(state: &State, head: &response::Parts, body: Received) -> Self {
        let body = Body::passing(body, Limit::idle(state.settings.limits.idle_timeout));
        Upstream { body, coding: Coding::of(&head.headers).ok().flatten(), decoder: None }
    }

    /// What a piece of it says.
    fn plain(&mut self, piece: &Bytes) -> Result<Bytes, BodyError> {
        let Some(coding) = self.coding else { return Ok(piece.clone()) };
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            none => none.insert(coding.decoder()?),
        };
        Ok(decoder.push(piece)?.into())
    }
}

impl Relaying {
    /// A stream may last: it keeps nothing that it does not need.
    fn settle(&mut self) {
        self.ask.settle();
        self.job.settle();
    }

    async fn run(mut self: Box<Self>, client: &mut Client) {
        for loops in 0.. {
            match self.pass(client).await {
                Ok(Some(_)) if loops == LOOPS => break,
                // In a box, since most streams end without it and every stream would have room for it.
                Ok(Some(turn)) => match Box::pin(self.ask_again(&turn, client)).await {
                    Some(next) => self.upstream = next,
                    None => break,
                },
                Ok(None) => return Box::pin(self.finish()).await,
                Err(Gone) => {
                    // Nobody reads it any further, and what came so far is charged for.
                    self.job.note.counted(self.reply.usage().clone());
                    return;
                }
            }
        }
        let mut out = Vec::new();
        self.reply.give_up(&mut out);
        let _ = client.send(out).await;
        Box::pin(self.finish()).await;
    }

    /// Passes on an answer of the provider. Ends with the turn that is to be answered, if there is one.
    async fn pass(&mut self, client: &mut Client) -> Result<Option<Turn>, Gone> {
        loop {
            let frame = tokio::select! {
                frame = self.upstream.body.frame() => frame,
                () = client.closed() => return Err(Gone),
            };
            let mut piece = match frame {
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
                None => break,
                // The provider's answer broke off, and so does the client's: it must not take a part for the whole.
                Some(Err(error)) => return Err(client.fail(error).await),
            };
            let most = self.upstream.coding.map_or(usize::MAX, |_| CODED_PIECE);
            while !piece.is_empty() {
                let mut out = Vec::new();
                match self.upstream.plain(&piece.split_to(piece.len().min(most))) {
                    Ok(plain) => self.reply.push(&plain, &mut out),
                    Err(error) => return Err(client.fail(error).await),
                }
                client.send(out).await?;
            }
        }
        let mut out = Vec::new();
        let next = self.reply.finish(&mut out);
        client.send(out).await?;
        match next {
            Next::Done => Ok(None),
            Next::Ask(turn) => Ok(Some(turn)),
        }
    }

    /// Answers our calls and asks the provider again. Nothing if it has no answer to that.
    async fn ask_again(&mut self, turn: &Turn, client: &Client) -> Option<Upstream> {
        let answers = self.answers(turn).await;
        let body = Bytes::from(turn.follow_up(&self.job.body()?, &answers)?);
        self.job.follow(body.clone());
        let first_byte = self.state.settings.limits.first_byte_timeout;
        let mut request = self.ask.again(body);
        let sent = self.gateway.client.send(&mut request, self.ask.is_guarded, first_byte);
        let answer = tokio::select! {
            sent = sent => sent.ok()?,
            () = client.closed() => return None,
        };
        let (head, body) = answer.into_parts();
        let is_known = head.status == StatusCode::OK && Coding::of(&head.headers).is_ok();
        let answer = is_known.then(|| Upstream::new(&self.state, &head, body))?;
        match client {
            Client::Reads(_) => Some(answer),
            Client::Waits(_) => {
                let most = self.state.settings.limits.max_answer_bytes;
                whole::read(answer, most).await.ok()?.ok()
            }
        }
    }

    async fn answers(&mut self, turn: &Turn) -> Vec<Answer> {
        let gateway = self.gateway.clone();
        let originals = self.job.originals.clone();
        let calls = turn.calls.clone();
        let answering = blocking(move || -> Vec<_> {
            calls.iter().map(|call| originals.answer(&gateway, call)).collect()
        });
        let unanswered = |_: &InternalCall| Answer {
            text: "The original cannot be fetched now. Run the tool again if you need its output."
                .to_owned(),
            is_error: true,
        };
        let Some(answered) = answering.await else {
            return turn.calls.iter().map(unanswered).collect();
        };
        let noted = |(answer, expanded)| {
            self.job.note.expanded(expanded);
            answer
        };
        answered.into_iter().map(noted).collect()
    }

    /// The client has its answer: what is left is to remember.
    async fn finish(self: Box<Self>) {
        let Relaying { gateway, mut reply, job, .. } = *self;
        let Job { originals, mut note, .. } = job;
        note.counted(reply.usage().clone());
        let Some(deferred) = reply.deferred() else { return };
        blocking(move || deferral::remember(&gateway, &originals, &deferred, &mut note)).await;
    }
}
