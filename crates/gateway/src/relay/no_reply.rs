//! The provider has no reply when it is asked again after an expansion: the client hears what the provider says.

use super::whole;
use super::{ReplyRelay, UpstreamAnswer};
use crate::answer::Problem;
use bytes::Bytes;
use http::response;
use tokenforge_providers::error_document;
use tokenforge_proxy::body::Body;
use tokenforge_proxy::coding::ContentCoding;
use tokenforge_proxy::read::BodyRead;
use tokenforge_proxy::upstream::UpstreamFailure;

/// So much of an error is read to be told in a stream. Errors of providers have a few hundred bytes.
const ERROR_BYTES: usize = 64 << 10;

/// Why no reply follows.
pub(super) enum NoReply {
    /// The provider answered with something else, most of all an error.
    Answered(Box<response::Parts>, Body),
    /// It did not answer, or not to the end, or nothing that can be passed on.
    Failed(UpstreamFailure),
}

impl NoReply {
    /// Nothing was sent, or nothing can be made of what came.
    pub(super) fn because(what: &'static str, cause: impl Into<String>) -> Self {
        NoReply::Failed(UpstreamFailure::Broken { what, cause: cause.into() })
    }
}

impl ReplyRelay {
    /// Leaves a line in the log, which names the status or the failure and no text of anybody.
    pub(super) fn log(&self, why: &NoReply) {
        self.shared.telemetry.counters.follow_ups_failed.add(1);
        let dialect = self.context.originals.dialect;
        let what = "the provider did not answer to an expansion; the client hears of it";
        match why {
            NoReply::Answered(head, _) => {
                tracing::warn!(?dialect, status = head.status.as_u16(), "{what}");
            }
            NoReply::Failed(failure) => tracing::warn!(?dialect, %failure, "{what}"),
        }
    }

    /// The event with which a stream breaks off.
    pub(super) async fn error_event(&mut self, why: NoReply) -> Vec<u8> {
        let dialect = self.context.originals.dialect;
        let (problem, said) = match why {
            NoReply::Answered(head, body) => {
                let coding = ContentCoding::of(&head.headers).unwrap_or_default();
                let answer = UpstreamAnswer { body, coding, decoder: None };
                let said = match whole::plain(answer, ERROR_BYTES).await {
                    Ok(BodyRead::Whole(said)) => said,
                    _ => Bytes::new(),
                };
                let message = format!("the upstream answered {}", head.status);
                (Problem::new(head.status, message), said)
            }
            NoReply::Failed(failure) => (Problem::from(&failure), Bytes::new()),
        };
        let ours = problem.answer_bytes(Some(dialect)).into_body();
        let document = error_document(dialect, &said).or_else(|| str::from_utf8(&ours).ok());
        let mut out = Vec::new();
        self.reply.fail(problem.status.as_u16(), document.unwrap_or("{}"), &mut out);
        out
    }
}
