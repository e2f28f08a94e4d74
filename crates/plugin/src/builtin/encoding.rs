//! What `stc` and `toon` share: an answer in JSON becomes an answer in the form that its reader asked for.
//!
//! Before the request goes upstream they agree on what is wanted, and take out of it what the upstream need not hear.
//! When the answer is there, the first of them writes it in the form that was agreed on, if that is cheaper.

mod agreement;
mod answer;
mod form;
mod request;
mod tag;

use crate::{BodyNeed, BoxFuture, Context, Error, Flow, Phase, Phases, Plugin};
use agreement::Agreement;
use http::HeaderValue;
use schemars::JsonSchema;
use serde::Deserialize;
use tokenforge_formats::Form;
use tokenforge_formats::negotiate::Format;

/// The form that is usual where a request goes. The gateway puts it among the extensions of every request to a route, by
/// which plugins know one; otherwise it is JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DefaultFormat(pub Format);

/// The settings of both plugins.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// Answers above this many bytes stream by as JSON.
    max_bytes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { max_bytes: 4 << 20 }
    }
}

/// A plugin that writes answers in a form.
pub(crate) struct Encoding {
    name: &'static str,
    form: Form,
    max_bytes: usize,
}

impl Encoding {
    pub(crate) fn new(name: &'static str, form: Form, config: &Config) -> Self {
        Self { name, form, max_bytes: config.max_bytes }
    }
}

impl Plugin for Encoding {
    fn name(&self) -> &str {
        self.name
    }

    fn phases(&self) -> Phases {
        Phase::PreUpstream | Phase::PostUpstream
    }

    fn body(&self, phase: Phase) -> BodyNeed {
        match phase {
            Phase::PostUpstream => BodyNeed::Buffered { up_to: self.max_bytes },
            _ => BodyNeed::None,
        }
    }

    fn wants_body(&self, context: &Context<'_>) -> bool {
        let agreement = context.extensions().get::<Agreement>();
        agreement.is_some_and(|agreement| agreement.asks_for(self.form))
            && answer::can_change(context)
    }

    fn is_concerned(&self, context: &Context<'_>) -> bool {
        match context.phase() {
            Phase::PreUpstream => request::concerns_us(context),
            _ => answer::concerns_us(context),
        }
    }

    fn varies_by(&self, context: &Context<'_>) -> Option<HeaderValue> {
        const TOON: HeaderValue = HeaderValue::from_static("Accept, X-Prefer-Format");
        const STC: HeaderValue =
            HeaderValue::from_static("Accept, Accept-Encoding, X-Prefer-Format, X-STC-Version");
        answer::may_differ(context).then_some(if self.form == Form::Toon { TOON } else { STC })
    }

    fn encodes(&self) -> bool {
        true
    }

    fn call<'a>(&'a self, mut context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            match context.phase() {
                Phase::PreUpstream => request::prepare(&mut context, self.form, self.max_bytes)?,
                _ => answer::encode(&mut context, self.form).await?,
            }
            Ok(Flow::Continue)
        })
    }
}
