//! A sample: the three requests in their turn, what they cost, and what they show.
//!
//! A is asked first and A' behind it, so that A' reads from the provider's cache what A wrote there; B reads what the client's
//! own request wrote. So a sample costs about one request at full price and two at that of a cache.

use super::asker::ShadowAsker;
use super::asking::{self, BYTES_PER_TOKEN};
use super::candidate::ShadowCandidate;
use super::traffic::now;
use crate::holds::can_hold;
use crate::relay::RequestTemplate;
use crate::secrets::redact_request;
use bytes::Bytes;
use std::io;
use std::sync::Arc;
use tokenforge_config::Price;
use tokenforge_conversation::{SplicedBody, forge_removal};
use tokenforge_ledger::{BoundedName, EntrySource, LedgerEntry, TokenUsage, charge};
use tokenforge_providers::{NextAction, RequestPurpose, is_repeatable};
use tokenforge_proxy::blocking::{find_blocking, run_blocking};
use tokenforge_shadow::{Difference, PairedOutcome, ShadowFile, Undecided};

/// How many requests a sample is.
const REQUESTS: f64 = 3.0;

/// A sampled request that a provider accepted, and where it goes.
pub(crate) struct ShadowSample {
    pub(super) candidate: Box<ShadowCandidate>,
    pub(super) template: RequestTemplate,
}

/// Why there is no outcome.
enum NoOutcome {
    /// The sample says nothing.
    Undecided(Undecided),
    /// What was spent cannot be read or written down, so nothing more is spent.
    NoFile(io::Error),
}

impl From<Undecided> for NoOutcome {
    fn from(why: Undecided) -> Self {
        NoOutcome::Undecided(why)
    }
}

impl From<io::Error> for NoOutcome {
    fn from(error: io::Error) -> Self {
        NoOutcome::NoFile(error)
    }
}

impl ShadowSample {
    /// Sends the sample in the background, without blocking: without room it is dropped, and counted.
    pub(crate) fn start(self, asker: ShadowAsker) {
        let Some(file) = asker.traffic.file.clone() else { return };
        let Some(room) = asker.traffic.room() else {
            return asker.telemetry.counters.shadow_dropped.add(1);
        };
        let asker = Arc::new(asker);
        tokio::spawn(async move {
            self.run(&asker, file).await;
            drop(room);
        });
    }

    async fn run(self, asker: &Arc<ShadowAsker>, file: ShadowFile) {
        let _turn = asker.traffic.turn.lock().await;
        let outcome = match self.measure(asker, &file).await {
            Ok(outcome) => Ok(outcome),
            Err(NoOutcome::Undecided(why)) => Err(why),
            Err(NoOutcome::NoFile(error)) => {
                return tracing::error!(%error, "nothing is measured in the shadow");
            }
        };
        let ShadowCandidate { labels, state, .. } = *self.candidate;
        let bound = state.settings.shadow.harm_bound;
        let noting = asker.clone();
        run_blocking(move || {
            let noted = file.update(now(), |state| match outcome {
                Ok(outcome) => state.record(&labels, &outcome, bound, now(), can_hold),
                Err(why) => {
                    state.skip(why);
                    Vec::new()
                }
            });
            match noted {
                Ok(held) => held.iter().for_each(|hold| {
                    let (kind, samples) = (hold.kind.name(), hold.counts.samples);
                    let tenant = hold.tenant.as_deref().unwrap_or("all");
                    tracing::warn!(
                        kind, name = hold.name, tenant, samples,
                        "compression was shown to change what the model does, and is held; see `tokenforge shadow`"
                    );
                }),
                Err(error) => tracing::error!(%error, "what was measured cannot be written down"),
            }
            if noting.traffic.read_holds() {
                (noting.apply_holds)();
            }
        })
        .await;
    }

    /// Asks three times and compares.
    async fn measure(
        &self,
        asker: &Arc<ShadowAsker>,
        file: &ShadowFile,
    ) -> Result<PairedOutcome, NoOutcome> {
        let candidate = &*self.candidate;
        let model = candidate.model.as_deref().filter(|_| !candidate.is_subscription);
        let price = model.and_then(|model| asker.telemetry.price_of(model));
        let price = price.ok_or(Undecided::NoPrice)?;
        let original = self.checked_original(asker).await?;
        let bodies = [original.clone(), original, candidate.compressed.clone()];
        // Only a sample that can be asked to its end is begun.
        let whole = REQUESTS * input_cost(&price, &bodies[0]);
        let mut actions = Vec::new();
        for (at, body) in bodies.into_iter().enumerate() {
            let needed = if at == 0 { whole } else { input_cost(&price, &body) };
            self.check_budget(file, needed).await?;
            let reply = asking::ask(asker, candidate, &self.template, body).await;
            let reply = reply.ok_or(Undecided::NotAnswered)?;
            self.pay(asker, file, &price, reply.usage).await?;
            actions.push(reply.action.ok_or(Undecided::NotAnswered)?);
        }
        let [a, again, b]: [NextAction; 3] =
            actions.try_into().map_err(|_| Undecided::NotAnswered)?;
        // What it does once it has what was left out is not known: nothing is fetched for it here.
        if b.fetches_back && b.calls.is_empty() {
            return Err(Undecided::FetchedBack.into());
        }
        Ok(PairedOutcome { noise: Difference::of(&a, &again), changed: Difference::of(&a, &b) })
    }

    /// The request as it came, without our own member, if it may be sent. Redaction is asked whether it is on or not:
    /// results lose their secrets on the way of the client's own request, and this one goes another.
    async fn checked_original(&self, asker: &Arc<ShadowAsker>) -> Result<Bytes, NoOutcome> {
        let ShadowCandidate { dialect, original, options, tenant, .. } = &*self.candidate;
        let (dialect, body, options) = (*dialect, original.clone(), options.clone());
        let reading = find_blocking(move || {
            let is_ours = is_repeatable(dialect, &body);
            let removal = forge_removal(&body, &options).ok()?;
            let without = SplicedBody::new(body, removal.into_iter().collect())?;
            Some((without.to_bytes(), is_ours))
        });
        let (body, is_repeatable) = reading.await.ok_or(Undecided::Redaction)?;
        if !is_repeatable {
            return Err(Undecided::ProviderTools.into());
        }
        for body in [&body, &self.candidate.compressed] {
            let kind = Some((dialect, RequestPurpose::Generate));
            let found = redact_request(&asker.workers, tenant, body.clone(), kind).await;
            if !matches!(found, Ok(None)) {
                return Err(Undecided::Redaction.into());
            }
        }
        Ok(body)
    }

    async fn check_budget(&self, file: &ShadowFile, needed: f64) -> Result<(), NoOutcome> {
        let budget = self.candidate.state.settings.shadow.budget_usd;
        let reading = file.clone();
        let state = run_blocking(move || reading.read()).await;
        let state = state.unwrap_or_else(|| Err(io::Error::other("the reader failed")))?;
        let has_room = match state {
            Some(state) => state.budget.has_room(now(), needed, budget),
            None => needed <= budget,
        };
        if has_room { Ok(()) } else { Err(Undecided::Budget.into()) }
    }

    /// Writes down what a request cost: in the budget, and in the ledger under the shadow's own name.
    async fn pay(
        &self,
        asker: &Arc<ShadowAsker>,
        file: &ShadowFile,
        price: &Price,
        usage: TokenUsage,
    ) -> Result<(), NoOutcome> {
        let ShadowCandidate { model, client, project, dialect, .. } = &*self.candidate;
        let mut entry = LedgerEntry::new(EntrySource::Shadow, now());
        entry.model = model.as_deref().map(BoundedName::from);
        entry.client.clone_from(client);
        entry.project.clone_from(project);
        entry.dialect = Some(BoundedName::from(&*format!("{dialect:?}")));
        entry.usage = Some(usage);
        asker.telemetry.write_down(entry);
        let (file, dollars) = (file.clone(), charge(price, &usage));
        let paying =
            run_blocking(move || file.update(now(), |state| state.budget.spend(now(), dollars)));
        let paid = paying.await.unwrap_or_else(|| Err(io::Error::other("the writer failed")));
        Ok(paid?)
    }
}

/// What the input of a request costs at most, nearly: all of it written to the cache. What the model writes is not known
/// before, so that a day may end above its budget by what one reply costs.
fn input_cost(price: &Price, body: &Bytes) -> f64 {
    let dearest = price.input.max(price.cache_write);
    (body.len() / BYTES_PER_TOKEN) as f64 * dearest / 1e6
}
