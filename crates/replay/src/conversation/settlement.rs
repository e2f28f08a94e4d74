//! The settlement of a request: what it was charged for, and what it would have been charged for.

use super::ReplayedConversation;
use super::charge::{ChargedRequest, front_rate};
use super::handled_result::HandledResult;
use super::left_out::RemadeResults;
use super::recall::RecallDemand;
use super::tariff::Tariff;
use crate::account::{ReplayAccount, TokenBill};
use crate::preamble::expand_tool_tokens;
use crate::probes::TextAvailability;
use crate::usage::UsageCharge;
use std::collections::BTreeSet;
use tokenforge_conversation::expand_route::{ExpandRoute, is_tool_listed};

/// What a call of the tool that expands costs the model to write, about.
const CALL_TOKENS: usize = 60;

/// The same of a call of the shell: its arguments have 36 tokens with a command line and a description, those of the tool 27.
const SHELL_CALL_TOKENS: usize = 70;

/// A request whose answer is being read.
pub(super) struct PendingRequest {
    pub(super) messages: usize,
    /// Of the model that answers it: the next request may go to another.
    pub(super) tariff: Tariff,
    /// When it was sent, in seconds since 1970.
    pub(super) sent: Option<u64>,
    pub(super) usage: Option<UsageCharge>,
    pub(super) output: usize,
    /// What the answer used.
    pub(super) used: RecallDemand,
    /// It was charged for in another log.
    pub(super) is_copy: bool,
}

impl ReplayedConversation<'_> {
    /// Charges for the request whose answer was read.
    pub(super) fn settle(&mut self, account: &mut ReplayAccount) {
        let Some(pending) = self.pending.take() else { return };
        let Tariff { price, is_known, factor, .. } = pending.tariff;
        let fresh = self.results.all.partition_point(|result| result.message < pending.messages);
        let remade = self.meet_cache(&pending, fresh, account);
        let total = self.terms.tools + self.mark(pending.messages).tokens;
        let modelled = UsageCharge {
            input: 0.0,
            cache_read: factor * self.cache.cached.min(total) as f64,
            cache_write: factor * total.saturating_sub(self.cache.cached) as f64,
            cache_write_1h: 0.0,
            output: factor * pending.output as f64,
        };
        let before = pending.usage.unwrap_or(modelled);
        let is_added = self.offers(fresh) && pending.messages > 0 && self.cache.cached > 0;
        let rewritten_from = [self.cache.rewritten_from.take(), remade.from, is_added.then_some(0)];
        let context = ChargedRequest {
            messages: self.messages.get(..pending.messages).unwrap_or_default(),
            factor,
            added: self.added_tokens(),
            rewritten_from: rewritten_from.into_iter().flatten().min(),
        };
        let charge = context.charge(&before);
        let mut fetched = self.fetched(&pending, fresh, account);
        fetched.retain(|index| self.fetching.by_shell.iter().all(|(_, known)| known != index));
        if !pending.is_copy {
            self.rates.add(&charge, pending.messages, &price);
            account.requests += 1;
            account.front_rate += factor * front_rate(&before, &price);
            account.logged += usize::from(pending.usage.is_some());
            account.unpriced += usize::from(!is_known);
            let bill = |usage: UsageCharge| TokenBill { tokens: usage, cost: usage.cost(&price) };
            account.before.add(&bill(before));
            account.after.add(&bill(charge.after));
            let call = self.call_tokens();
            let expansion =
                |result: &HandledResult| bill(expansion(result, call, &charge.after, factor));
            self.tell_references(fresh, &remade, &expansion, account);
            for bill in
                fetched.iter().filter_map(|index| self.results.all.get(*index)).map(expansion)
            {
                account.after.add(&bill);
                account.expansions.fetched += 1;
                account.expansions.cost_of_fetched += bill.cost.total();
            }
        }
        if self.fetching.is_by_shell() {
            self.fetching.by_shell.extend(fetched.iter().map(|index| (pending.messages, *index)));
        }
        self.results.fresh = self.results.fresh.max(fresh);
        self.cache.cached = total;
        self.recall.advance(&self.results.all);
    }

    /// Tokens of a request that the log does not have: of our tool, or of what the model fetched in its shell.
    fn added_tokens(&self) -> usize {
        let tool =
            if self.fetching.is_offered { expand_tool_tokens(&self.terms.settings) } else { 0 };
        let fetched = self.fetching.by_shell.iter();
        let texts = fetched.filter_map(|(_, index)| self.results.all.get(*index));
        tool + texts.map(|result| result.tokens.0 + SHELL_CALL_TOKENS).sum::<usize>()
    }

    /// What a call that fetches costs the model to write.
    fn call_tokens(&self) -> usize {
        if self.fetching.is_by_shell() { SHELL_CALL_TOKENS } else { CALL_TOKENS }
    }

    /// Tells of the results that are new in a request with so many, and what it would cost to fetch those of which something
    /// is left out from now on.
    fn tell_references(
        &self,
        results: usize,
        remade: &RemadeResults,
        expansion: &dyn Fn(&HandledResult) -> TokenBill,
        account: &mut ReplayAccount,
    ) {
        let new = self.results.all.get(self.results.fresh..results).unwrap_or_default();
        new.iter().for_each(|result| result.tell(account));
        let left_out = remade.left_out.iter().filter_map(|(index, _)| self.results.all.get(*index));
        for result in new.iter().filter(|result| result.has_reference).chain(left_out) {
            let all = &mut account.expansions;
            all.references += 1;
            all.tokens += result.tokens.0;
            all.cost_of_all += expansion(result).cost.total();
        }
    }

    /// The results that an answer needed and that were only behind references in its request, which had so many.
    fn fetched(
        &mut self,
        pending: &PendingRequest,
        results: usize,
        account: &mut ReplayAccount,
    ) -> BTreeSet<usize> {
        let results = self.results.all.get(..results).unwrap_or_default();
        let mut fetched = self.recall.fetched(&pending.used, results);
        for needle in &pending.used.needles {
            let found = self.recall.find(needle, pending.messages, results);
            account.probes.get_or_insert_default().count(found);
            if let TextAvailability::Retrievable(result) = found {
                fetched.insert(result);
            }
        }
        fetched
    }

    /// Offers our tool where the plan says so; true if it was not offered before.
    fn offers(&mut self, results: usize) -> bool {
        let shown = self.results.all.get(..results).unwrap_or(&self.results.all);
        let is_offered = self.engine(&self.terms.settings).offers_expansion()
            && self.fetching.route == Some(ExpandRoute::Tool)
            && is_tool_listed(self.terms.plan.injection(), || {
                shown.iter().any(|result| result.has_reference)
            });
        !std::mem::replace(&mut self.fetching.is_offered, is_offered) && is_offered
    }
}

/// What it costs if the model fetches a result: a call, another request with all that was in this one, the original.
fn expansion(result: &HandledResult, call: usize, after: &UsageCharge, factor: f64) -> UsageCharge {
    UsageCharge {
        input: 0.0,
        cache_read: after.total_input(),
        cache_write: factor * (result.tokens.0 + call) as f64,
        cache_write_1h: 0.0,
        output: factor * call as f64,
    }
}
