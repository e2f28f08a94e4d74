//! A candidate: a sampled request that is about to go on, as it came and as it goes on.

use super::sample::ShadowSample;
use crate::holds::tenant_of;
use crate::relay::RequestTemplate;
use crate::state::GatewayState;
use bytes::Bytes;
use http::HeaderMap;
use std::sync::Arc;
use tokenforge_conversation::RequestOptions;
use tokenforge_conversation::report::RequestReport;
use tokenforge_conversation::rewrite::{RewriteInput, RewrittenBody};
use tokenforge_engine::recorded_stage;
use tokenforge_ledger::BoundedName;
use tokenforge_providers::{Dialect, RequestPurpose};
use tokenforge_shadow::{SampleLabels, is_sampled};

/// A longer request is not asked again: its bodies wait in memory.
const LARGEST: usize = 4 << 20;

/// Every gateway chooses the same requests.
const SEED: u64 = 0;

/// A sampled request.
pub(crate) struct ShadowCandidate {
    pub(super) state: Arc<GatewayState>,
    pub(super) tenant: Arc<str>,
    pub(super) dialect: Dialect,
    pub(super) model: Option<String>,
    pub(super) client: Option<BoundedName>,
    pub(super) project: Option<BoundedName>,
    /// A stream is asked for.
    pub(super) streams: bool,
    pub(super) is_subscription: bool,
    pub(super) options: Arc<RequestOptions>,
    /// As it came.
    pub(super) original: Bytes,
    /// As it goes on.
    pub(super) compressed: Bytes,
    pub(super) labels: SampleLabels,
}

impl ShadowCandidate {
    /// A request, if it is sampled and has a new result that was made smaller: a model answers to what is new.
    pub(crate) fn of(
        state: &Arc<GatewayState>,
        input: &RewriteInput,
        rewritten: &RewrittenBody,
        is_subscription: bool,
    ) -> Option<Box<Self>> {
        let settings = &state.settings.shadow;
        // Asked first, and by most never answered with yes.
        if !settings.is_on() || input.kind.purpose != RequestPurpose::Generate {
            return None;
        }
        let report = &rewritten.report;
        let is_short = input.body.len() <= LARGEST && rewritten.body.length() <= LARGEST;
        let is_meant = is_short && rewritten.body.is_changed() && !report.is_observed();
        let labels = labels(report, input).filter(|_| is_meant)?;
        if !is_sampled(&input.body, SEED, settings.share) {
            return None;
        }
        Some(Box::new(ShadowCandidate {
            state: state.clone(),
            tenant: input.sender.tenant.clone(),
            dialect: input.kind.dialect,
            model: report.model.clone(),
            client: report.client.clone(),
            project: report.project.as_deref().map(BoundedName::from),
            streams: rewritten.streams,
            is_subscription,
            options: input.options.clone(),
            original: input.body.clone(),
            compressed: rewritten.body.to_bytes(),
            labels,
        }))
    }

    /// With where it goes.
    pub(crate) fn addressed(self: Box<Self>, template: RequestTemplate) -> ShadowSample {
        ShadowSample { candidate: self, template }
    }
}

/// What a sample belongs to; nothing if no new result was made smaller.
fn labels(report: &RequestReport, input: &RewriteInput) -> Option<SampleLabels> {
    let new = report.results.iter().filter(|result| !result.is_repeated);
    let touched = new.map(|result| &result.figures).filter(|figures| figures.is_touched());
    let (mut tools, mut stages): (Vec<String>, Vec<String>) = Default::default();
    let add = |list: &mut Vec<String>, name: &str| {
        // Names that clients choose are cut, as in the ledger.
        let name = BoundedName::from(name);
        if !list.iter().any(|known| known == name.as_str()) {
            list.push(name.as_str().to_owned());
        }
    };
    for figures in touched {
        add(&mut tools, &figures.tool);
        for stage in figures.stages.iter().chain(&figures.strategy) {
            add(&mut stages, recorded_stage(stage));
        }
    }
    if tools.is_empty() {
        return None;
    }
    let mode = if input.holds.has_mode(report.mode) {
        format!("{} (held)", report.mode)
    } else {
        report.mode.to_owned()
    };
    let client = report.client.as_ref().map_or("(unknown)", BoundedName::as_str).to_owned();
    let tenant = tenant_of(&input.sender.tenant, input.is_personal()).to_owned();
    Some(SampleLabels { tenant, mode, client, tools, stages })
}

/// Headers by which a provider tells a request that is sent again from a new one: with them it would answer with the
/// client's own reply, or refuse.
const OF_ONE_REQUEST: [&str; 2] = ["idempotency-key", "x-request-id"];

/// Takes out what is the client's own request's alone.
pub(super) fn remove_identity(headers: &mut HeaderMap) {
    OF_ONE_REQUEST.iter().for_each(|name| drop(headers.remove(*name)));
}
