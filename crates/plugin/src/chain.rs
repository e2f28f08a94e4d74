//! The plugins of a gateway in their order, and how a request meets them.

use crate::context::Context;
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::isolation;
use crate::metrics::{Meter, PluginMetrics};
use crate::phase::{Phase, Phases};
use crate::placement::{ErrorPolicy, Placement};
use crate::plugin::{BodyNeed, Flow, Plugin};
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::time::Instant;

/// The plugins of a gateway in their order.
///
/// A chain never changes: on a reload the gateway makes [the next one](Self::replaced_by) and swaps them, and requests
/// that are under way end with the one they began with.
#[derive(Default)]
pub struct Chain {
    links: Vec<ChainLink>,
    phases: Phases,
    needs: [BodyNeed; Phase::ALL.len()],
    meters: BTreeMap<Arc<str>, (Phases, Arc<Meter>)>,
}

/// A plugin in its place, with what it said about itself.
struct ChainLink {
    plugin: Arc<dyn Plugin>,
    name: Arc<str>,
    placement: Placement,
    phases: Phases,
    needs: [BodyNeed; Phase::ALL.len()],
    meter: Arc<Meter>,
}

/// What came of a phase.
#[must_use]
pub enum Outcome {
    /// The request goes on with what the exchange holds now.
    Continue,
    /// The request ends here, with this response.
    Terminate(Response<Bytes>),
}

impl Chain {
    /// Puts plugins into the order of their priorities; those that [encode](Plugin::encodes) come last.
    pub fn new(plugins: Vec<(Arc<dyn Plugin>, Placement)>) -> Self {
        Self::default().replaced_by(plugins)
    }

    /// The chain that takes the place of this one. Plugins whose name stays go on counting where they were.
    pub fn replaced_by(&self, mut plugins: Vec<(Arc<dyn Plugin>, Placement)>) -> Self {
        plugins.sort_by_key(|(plugin, placement)| (plugin.encodes(), placement.priority));
        let mut next = Self::default();
        for (plugin, placement) in plugins {
            next.append(plugin, placement, self);
        }
        next
    }

    /// Is there no plugin for the phase? Then nothing has to be prepared for it.
    pub fn is_empty_for(&self, phase: Phase) -> bool {
        !self.phases.contains(phase)
    }

    /// Is there a plugin that [has something to do](Plugin::is_concerned) in the phase?
    pub fn concerns_any(&self, phase: Phase, exchange: &mut Exchange) -> bool {
        !self.is_empty_for(phase)
            && self.links_of(phase).any(|link| link.is_concerned(phase, exchange))
    }

    /// The most that the plugins of the phase together may have to see of the body that belongs to it.
    pub fn body_need(&self, phase: Phase) -> BodyNeed {
        self.needs[phase.index()]
    }

    /// What they have to see of it [in this request](Plugin::wants_body).
    pub fn body_need_of(&self, phase: Phase, exchange: &mut Exchange) -> BodyNeed {
        let needs = self.links_of(phase).map(|link| link.need_of(phase, exchange));
        needs.max().unwrap_or_default()
    }

    /// The lists of headers that the response [varies by](Plugin::varies_by).
    pub fn varies_by(&self, exchange: &mut Exchange) -> Vec<HeaderValue> {
        let links = self.links_of(Phase::PostUpstream);
        links.filter_map(|link| link.varies_by(exchange)).collect()
    }

    /// Calls the plugins of a phase one after the other. Needs a tokio runtime with its clock.
    ///
    /// A call that panics, fails or takes longer than its placement allows is undone and kept for
    /// [`Exchange::take_failures`]; its [`ErrorPolicy`] decides whether the request goes on. A caller that drops this
    /// future before its end must drop the exchange too: a call that was cut off is not undone.
    pub async fn run(&self, phase: Phase, exchange: &mut Exchange) -> Outcome {
        for link in self.links_of(phase) {
            if !link.is_concerned(phase, exchange) {
                continue;
            }
            match link.call(phase, exchange).await {
                Some(Flow::Continue) => {}
                Some(Flow::SkipRest) => break,
                Some(Flow::Terminate(response)) => return Outcome::Terminate(response),
                None if link.ends_a_failed(phase) => {
                    return Outcome::Terminate(link.refusal(phase));
                }
                None => {}
            }
        }
        Outcome::Continue
    }

    /// What the calls came to so far: by plugin, then by phase. Plugins of the same name are counted as one.
    pub fn metrics(&self) -> impl Iterator<Item = PluginMetrics> {
        self.meters.iter().flat_map(|(name, (phases, meter))| {
            phases.iter().map(|phase| meter.read(Arc::clone(name), phase))
        })
    }

    fn links_of(&self, phase: Phase) -> impl Iterator<Item = &ChainLink> {
        self.links.iter().filter(move |link| link.phases.contains(phase))
    }

    fn append(&mut self, plugin: Arc<dyn Plugin>, placement: Placement, previous: &Self) {
        let name: Arc<str> = plugin.name().into();
        let phases = plugin.phases();
        let mut needs = [BodyNeed::None; Phase::ALL.len()];
        for phase in phases.iter().filter(|phase| phase.shows_a_body()) {
            let need = plugin.body(phase);
            needs[phase.index()] = need;
            self.needs[phase.index()] = self.needs[phase.index()].max(need);
        }
        let (metered, meter) = self.meters.entry(Arc::clone(&name)).or_insert_with(|| {
            let known = previous.meters.get(&name);
            (Phases::NONE, known.map(|(_, meter)| Arc::clone(meter)).unwrap_or_default())
        });
        *metered = *metered | phases;
        self.phases = self.phases | phases;
        let meter = Arc::clone(meter);
        self.links.push(ChainLink { plugin, name, placement, phases, needs, meter });
    }
}

impl ChainLink {
    /// Calls the plugin; nothing comes of a call that failed.
    async fn call(&self, phase: Phase, exchange: &mut Exchange) -> Option<Flow> {
        let before = exchange.state.clone();
        let start = Instant::now();
        self.meter.count_call(phase);
        let context = Context::new(phase, self.needs[phase.index()], exchange);
        let result = isolation::call(&*self.plugin, context, self.placement.timeout).await;
        let result = result.and_then(|flow| exchange.checked_since(&before).map(|()| flow));
        self.meter.count_result(phase, &result, start.elapsed());
        match result {
            Ok(flow) => Some(flow),
            Err(cause) => {
                let plugin = Arc::clone(&self.name);
                exchange.undo(before, Failure { plugin, phase, cause });
                None
            }
        }
    }

    /// Is there anything for the plugin to do? One that panics is called: that will fail in its turn.
    fn is_concerned(&self, phase: Phase, exchange: &mut Exchange) -> bool {
        let context = Context::new(phase, BodyNeed::None, exchange);
        catch_unwind(AssertUnwindSafe(|| self.plugin.is_concerned(&context))).unwrap_or(true)
    }

    /// What the response varies by. One that panics says nothing.
    fn varies_by(&self, exchange: &mut Exchange) -> Option<HeaderValue> {
        let context = Context::new(Phase::PostUpstream, BodyNeed::None, exchange);
        catch_unwind(AssertUnwindSafe(|| self.plugin.varies_by(&context))).unwrap_or_default()
    }

    /// What the plugin has to see of a body. One that panics is taken to want it: its call will fail in its turn.
    fn need_of(&self, phase: Phase, exchange: &mut Exchange) -> BodyNeed {
        let need = self.needs[phase.index()];
        if need == BodyNeed::None {
            return need;
        }
        let context = Context::new(phase, BodyNeed::None, exchange);
        let wants = catch_unwind(AssertUnwindSafe(|| self.plugin.wants_body(&context)));
        if wants.unwrap_or(true) { need } else { BodyNeed::None }
    }

    fn ends_a_failed(&self, phase: Phase) -> bool {
        self.placement.on_error == ErrorPolicy::Closed && phase != Phase::OnError
    }

    /// What the client gets when the plugin failed and must not be passed by, in a shape that clients of every provider
    /// find a message in.
    fn refusal(&self, phase: Phase) -> Response<Bytes> {
        let message = format!(
            "plugin `{}` failed in phase {phase}, and its on_error setting is closed",
            self.name
        );
        let body = serde_json::json!({
            "type": "error",
            "error": { "type": "plugin_failed", "message": message },
        });
        let mut response = Response::new(body.to_string().into());
        *response.status_mut() = StatusCode::BAD_GATEWAY;
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}
