//! The relay: the answer of a provider on its way back, when it may hold a call that is ours.
//!
//! What is the client's flows on as it arrives. A call of our tool is held back and answered, and the provider is asked
//! again; what it says then goes on in the same answer to the client.

mod answer_sink;
mod context;
mod no_reply;
mod request_template;
mod whole;

pub(crate) use context::RelayContext;
pub(crate) use request_template::RequestTemplate;

use crate::state::GatewayState;
use crate::telemetry::Telemetry;
use answer_sink::{AnswerSink, ClientGone};
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{StatusCode, response};
use http_body_util::BodyExt;
use no_reply::NoReply;
use std::sync::Arc;
use tokenforge_conversation::DeferredCallStore;
use tokenforge_conversation::OriginalStore;
use tokenforge_plugin::Exchange;
use tokenforge_providers::{ExpandAnswer, HiddenTurn, InternalCall, NextStep, Reply, WireFormat};
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::body::{Body, BodyError, BodyTimeout};
use tokenforge_proxy::coding::{ContentCoding, PieceDecoder};
use tokenforge_proxy::headers;
use tokenforge_proxy::read::BodyRead;
use tokenforge_proxy::upstream::{ReceivedBody, Resend, UpstreamClient, UpstreamFailure};
use tokio::sync::mpsc;

/// How often the provider is asked again for one answer to the client.
const LOOPS: usize = 5;

/// How many pieces may wait for a client that reads slowly. They are cut so that all of them have 16 KB.
const WAITING_PIECES: usize = 2;

/// A large piece is worked on in parts, so that a client which hardly reads does not hold what was made of all of it.
const PLAIN_PIECE: usize = 8 << 10;

/// A large piece is decoded bit by bit, so that what it may swell to is bounded: no stream of words has 256 times its
/// size.
const CODED_PIECE: usize = 1 << 10;

/// What relaying shares across requests.
pub(crate) struct RelayShared {
    pub(crate) client: Arc<UpstreamClient>,
    pub(crate) deferred: Arc<DeferredCallStore>,
    pub(crate) originals: Arc<OriginalStore>,
    pub(crate) telemetry: Arc<Telemetry>,
}

/// The body of the client's answer. One that is no stream is here when this returns.
pub(crate) async fn relay(
    shared: &Arc<RelayShared>,
    state: &Arc<GatewayState>,
    context: Box<RelayContext>,
    template: RequestTemplate,
    exchange: &mut Exchange,
    body: ReceivedBody,
) -> Result<Body, UpstreamFailure> {
    let Some(mut head) = exchange.take_response() else { return Ok(Body::empty()) };
    let wire = context.wire(&head).unwrap_or(WireFormat::Whole);
    let answer = UpstreamAnswer::new(state, &head, body);
    let upstream = match wire {
        WireFormat::Whole => {
            let most = state.settings.limits.max_answer_bytes;
            match Box::pin(whole::read(answer, most)).await? {
                BodyRead::Whole(plain) => plain,
                BodyRead::TooLong(passing) => {
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
    let mut reply = Reply::new(context.originals.dialect, wire);
    reply.set_stored(context.is_stored);
    let mut relaying = Box::new(ReplyRelay {
        shared: shared.clone(),
        state: state.clone(),
        reply,
        wire,
        context: *context,
        template,
        upstream,
    });
    if wire != WireFormat::Whole {
        let (sender, receiver) = mpsc::channel(WAITING_PIECES);
        relaying.release_buffers();
        tokio::spawn(async move { relaying.run(&mut AnswerSink::Stream(sender)).await });
        return Ok(Body::Channel(receiver));
    }
    let mut client = AnswerSink::buffer();
    match Box::pin(relaying.run(&mut client)).await {
        Ok(()) => client.into_answer().map_err(|error| UpstreamFailure::broken_off(&*error)),
        Err(NoReply::Failed(failure)) => Err(failure),
        // The client has nothing yet: it gets the provider's own answer, and does what it always does with that.
        Err(NoReply::Answered(mut head, body)) => {
            headers::remove_hop_by_hop(&mut head.headers);
            exchange.set_response(*head);
            Ok(body)
        }
    }
}

/// One answer to a client, while it is made. In a box: whatever runs would have room for it at each level.
struct ReplyRelay {
    shared: Arc<RelayShared>,
    state: Arc<GatewayState>,
    reply: Reply,
    wire: WireFormat,
    context: RelayContext,
    template: RequestTemplate,
    upstream: UpstreamAnswer,
}

/// What comes of asking the provider again.
enum FollowUp {
    Answer(UpstreamAnswer),
    /// The client closed the connection.
    ClientGone,
}

/// One answer of the provider.
struct UpstreamAnswer {
    body: Body,
    coding: Option<ContentCoding>,
    /// Made when there is first something to decode.
    decoder: Option<PieceDecoder>,
}

impl UpstreamAnswer {
    fn new(state: &GatewayState, head: &response::Parts, body: ReceivedBody) -> Self {
        let body = Body::passing(body, BodyTimeout::idle(state.settings.limits.idle_timeout));
        UpstreamAnswer {
            body,
            coding: ContentCoding::of(&head.headers).unwrap_or_default(),
            decoder: None,
        }
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

impl ReplyRelay {
    /// A stream may last: it keeps nothing that it does not need.
    fn release_buffers(&mut self) {
        self.template.release_buffers();
        self.context.release_buffers();
    }

    /// Makes the client's answer, or says why one that is no stream cannot be made.
    async fn run(mut self: Box<Self>, client: &mut AnswerSink) -> Result<(), NoReply> {
        for loops in 0.. {
            match self.pass(client).await {
                Ok(Some(_)) if loops == LOOPS => break,
                // In a box, since most streams end without it and every stream would have room for it.
                Ok(Some(turn)) => match Box::pin(self.ask_again(&turn, client)).await {
                    Ok(FollowUp::Answer(next)) => self.upstream = next,
                    Ok(FollowUp::ClientGone) => {
                        self.context.account.add_usage(self.reply.usage().clone());
                        return Ok(());
                    }
                    Err(why) => return Box::pin(self.break_off(why, client)).await,
                },
                Ok(None) => {
                    Box::pin(self.finish()).await;
                    return Ok(());
                }
                Err(ClientGone) => {
                    // The client reads no further; the provider bills what came so far.
                    self.context.account.add_usage(self.reply.usage().clone());
                    return Ok(());
                }
            }
        }
        tracing::warn!(
            loops = LOOPS,
            "a model kept asking for what was left out; its turn was ended"
        );
        let mut out = Vec::new();
        self.reply.give_up(&mut out);
        let _ = client.send(out).await;
        Box::pin(self.finish()).await;
        Ok(())
    }

    /// The provider has no reply to the follow-up: a stream breaks off with its error, and a client that waits for the
    /// whole answer gets the reason. What was paid so far is counted.
    async fn break_off(
        mut self: Box<Self>,
        why: NoReply,
        client: &mut AnswerSink,
    ) -> Result<(), NoReply> {
        self.log(&why);
        let told = match client {
            AnswerSink::Buffer(_) => Err(why),
            AnswerSink::Stream(_) => {
                let event = self.error_event(why).await;
                let _ = client.send(event).await;
                Ok(())
            }
        };
        self.finish().await;
        told
    }

    /// Passes on an answer of the provider. Ends with the turn that is to be answered, if there is one.
    async fn pass(&mut self, client: &mut AnswerSink) -> Result<Option<HiddenTurn>, ClientGone> {
        loop {
            let frame = tokio::select! {
                frame = self.upstream.body.frame() => frame,
                () = client.closed() => return Err(ClientGone),
            };
            let mut piece = match frame {
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
                None => break,
                // The provider's answer broke off, and so does the client's: it must not take a part for the whole.
                Some(Err(error)) => return Err(client.fail(error).await),
            };
            let most = self.upstream.coding.map_or(PLAIN_PIECE, |_| CODED_PIECE);
            while !piece.is_empty() {
                let mut out = Vec::new();
                match self.upstream.plain(&piece.split_to(piece.len().min(most))) {
                    Ok(plain) => self.reply.push(&plain, &mut out),
                    Err(error) => return Err(client.fail(error).await),
                }
                self.remember_continuation();
                client.send(out).await?;
            }
        }
        let mut out = Vec::new();
        let next = self.reply.finish(&mut out);
        self.remember_continuation();
        client.send(out).await?;
        match next {
            NextStep::Done => Ok(None),
            NextStep::Ask(turn) => Ok(Some(turn)),
        }
    }

    /// Answers our calls and asks the provider again.
    async fn ask_again(
        &mut self,
        turn: &HiddenTurn,
        client: &AnswerSink,
    ) -> Result<FollowUp, NoReply> {
        let answers = self.answer_calls(turn).await;
        let body = self.context.body().and_then(|body| turn.follow_up(&body, &answers));
        let Some(body) = body.map(Bytes::from) else {
            return Err(NoReply::because(
                "the request cannot be continued",
                "it has no conversation",
            ));
        };
        self.context.follow(body.clone());
        self.remember_turn(turn, answers).await;
        let first_byte = self.state.settings.limits.first_byte_timeout;
        let mut request = self.template.instantiate(body, |_| {}).await;
        let is_guarded = self.template.is_guarded;
        let upstreams = &self.shared.client;
        let sent = upstreams.send_as(&mut request, Resend::Always, is_guarded, first_byte);
        let answer = tokio::select! {
            sent = sent => sent.map_err(NoReply::Failed)?,
            () = client.closed() => return Ok(FollowUp::ClientGone),
        };
        let (head, body) = answer.into_parts();
        if head.status != StatusCode::OK {
            let body =
                Body::passing(body, BodyTimeout::idle(self.state.settings.limits.idle_timeout));
            return Err(NoReply::Answered(Box::new(head), body));
        }
        if self.context.wire(&head) != Some(self.wire) || ContentCoding::of(&head.headers).is_err()
        {
            let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
            let cause = content_type.unwrap_or("no content type").to_owned();
            return Err(NoReply::because("it went on in another form than it began in", cause));
        }
        let answer = UpstreamAnswer::new(&self.state, &head, body);
        match client {
            AnswerSink::Stream(_) => Ok(FollowUp::Answer(answer)),
            AnswerSink::Buffer(_) => {
                let most = self.state.settings.limits.max_answer_bytes;
                match whole::read(answer, most).await.map_err(NoReply::Failed)? {
                    BodyRead::Whole(answer) => Ok(FollowUp::Answer(answer)),
                    BodyRead::TooLong(_) => {
                        let cause = format!("over {most} bytes");
                        Err(NoReply::because("its answer is too long", cause))
                    }
                }
            }
        }
    }

    /// Keeps the turn where the client's conversation must be given it back. Before the provider is asked again: what it
    /// says then may be with the client any moment.
    async fn remember_turn(&mut self, turn: &HiddenTurn, answers: Vec<ExpandAnswer>) {
        if turn.anchor.is_none() {
            return;
        }
        let (deferred, turn) = (self.shared.deferred.clone(), turn.clone());
        run_blocking(move || deferred.remember_turn(&turn, &answers)).await;
    }

    /// The client may go on from a reply that it has the id of, and not from those before.
    fn remember_continuation(&mut self) {
        if let Some(goes_on) = self.reply.continuation() {
            let deferred = self.shared.deferred.clone();
            let known = deferred.learn_continuation(goes_on);
            drop(tokio::task::spawn_blocking(move || deferred.store_continuation(known)));
        }
    }

    async fn answer_calls(&mut self, turn: &HiddenTurn) -> Vec<ExpandAnswer> {
        let store = self.shared.originals.clone();
        let originals = self.context.originals.clone();
        let calls = turn.calls.clone();
        let answering = run_blocking(move || -> Vec<_> {
            calls.iter().map(|call| originals.answer(&store, call)).collect()
        });
        let unanswered = |_: &InternalCall| ExpandAnswer {
            text: "The original cannot be fetched now. Run the tool again if you need its output."
                .to_owned(),
            is_error: true,
        };
        let Some(answered) = answering.await else {
            return turn.calls.iter().map(unanswered).collect();
        };
        let noted = |(answer, fetched)| {
            self.context.account.add_fetched(fetched);
            answer
        };
        answered.into_iter().map(noted).collect()
    }

    /// The client has its answer: what is left is to remember.
    async fn finish(self: Box<Self>) {
        let ReplyRelay { shared, mut reply, context, .. } = *self;
        let RelayContext { originals, mut account, .. } = context;
        account.add_usage(reply.usage().clone());
        let Some(deferred) = reply.take_deferred_calls() else { return };
        run_blocking(move || {
            for fetched in shared.deferred.remember(&shared.originals, &originals, &deferred) {
                account.add_fetched(Some(fetched));
            }
        })
        .await;
    }
}
