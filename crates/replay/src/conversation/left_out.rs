//! Old results that were left out: what was decided at each cold cache, as a gateway would remember it.

use super::ReplayedConversation;
use super::cold_cache::{CacheState, CacheUse};
use super::handled_result::{HandledResult, fingerprint, output};
use super::settlement::PendingRequest;
use crate::account::ReplayAccount;
use tokenforge_conversation::cold_cache::LeftOutResults;
use tokenforge_engine::History;
use tokenforge_engine::old_results::{AgedResult, OldResultChoice};

/// What was decided about a conversation.
#[derive(Debug, Default)]
pub(super) struct LeftOutChoices {
    choices: Vec<OldResultChoice>,
    all: LeftOutResults,
}

impl LeftOutChoices {
    pub(super) fn contains(&self, index: usize) -> bool {
        self.all.contains(index)
    }

    /// The model was told of the tool that fetches them.
    pub(super) fn offers_tool(&self) -> bool {
        self.all.offers_tool
    }

    /// Decides about a request with these results. True if there is something new to leave out.
    pub(super) fn decide(&mut self, results: &[HandledResult], is_offered: bool) -> bool {
        let turns = results.last().map_or(0, |result| result.turn);
        if !LeftOutResults::may_decide(turns, self.choices.len()) {
            return false;
        }
        let aged: Vec<AgedResult<'_>> = results
            .iter()
            .enumerate()
            .map(|(index, result)| AgedResult {
                call: output(&result.original).tool_call(),
                is_error: result.original.is_error,
                turns_since: turns - result.turn,
                text: &result.original.text,
                is_left_out: self.contains(index),
            })
            .collect();
        let choice = self.all.choose_more(&aged, is_offered);
        let is_new = choice.is_some();
        self.choices.extend(choice);
        self.sum_up();
        is_new
    }

    /// So many results are left: what was decided about others was decided about another history. True if there was such.
    pub(super) fn rewind(&mut self, results: usize) -> bool {
        let before = self.choices.len();
        self.choices.retain(|choice| choice.left_out.last().is_none_or(|last| *last < results));
        self.sum_up();
        self.choices.len() < before
    }

    fn sum_up(&mut self) {
        let choices = self.choices.iter();
        self.all =
            LeftOutResults::by(choices.map(|choice| (&*choice.left_out, choice.offers_tool)));
    }
}

/// Results that were made anew.
#[derive(Debug, Default)]
pub(super) struct RemadeResults {
    /// The first message that is not what it was.
    pub(super) from: Option<usize>,
    /// Those that are left out now and were not, and how many tokens fewer each has.
    pub(super) left_out: Vec<(usize, usize)>,
}

impl ReplayedConversation<'_> {
    /// Leaves out old results if the cache was cold when a request with so many results was sent.
    pub(super) fn meet_cache(
        &mut self,
        pending: &PendingRequest,
        results: usize,
        account: &mut ReplayAccount,
    ) -> RemadeResults {
        let messages = pending.tariff.factor * self.mark(pending.messages).tokens as f64;
        let own = CacheUse { sent: pending.sent, usage: pending.usage, messages };
        let lifetime = pending.tariff.lifetimes.of(self.cache.is_kept_an_hour);
        self.cache.is_kept_an_hour |= pending.usage.is_some_and(|usage| usage.cache_write_1h > 0.0);
        let before = self.cache.last_use.replace(own);
        let state = before.map_or(CacheState::Unknown, |before| own.state_after(&before, lifetime));
        if state == CacheState::Cold && pending.usage.is_none() {
            self.cache.cached = 0;
        }
        if !self.terms.leaves_out_old(self.fetching.route) {
            return RemadeResults::default();
        }
        if !pending.is_copy {
            let sums = account.old_results.get_or_insert_default();
            sums.known += usize::from(state != CacheState::Unknown);
            sums.cold += usize::from(state == CacheState::Cold);
        }
        let is_offered = self.terms.can_fetch_old(self.fetching.route);
        let asked = self.results.all.get(..results).unwrap_or_default();
        let is_decided = state == CacheState::Cold
            && self.terms.preamble.has_tools
            && self.left_out.decide(asked, is_offered);
        if !is_decided {
            return RemadeResults::default();
        }
        self.choose_route();
        let remade = self.remake(account);
        if !pending.is_copy {
            remade.left_out.iter().for_each(|(_, tokens)| account.leave_out(*tokens));
        }
        // A new tool stands before all messages.
        let from = if self.left_out.offers_tool() && !is_offered { Some(0) } else { remade.from };
        RemadeResults { from, ..remade }
    }

    /// Makes all results anew, now that others are left out than before.
    pub(super) fn remake(&mut self, account: &mut ReplayAccount) -> RemadeResults {
        // What was sent until now is charged as it was sent.
        self.attribute(account);
        let mut remade = RemadeResults::default();
        let mut history = History::default();
        for (index, before) in std::mem::take(&mut self.results.all).into_iter().enumerate() {
            let compressed = self.forward(index, &before.original, &history);
            let text = compressed.text(&before.original.text);
            history.add(&output(&before.original).tool_call(), text);
            if fingerprint(text) != before.fingerprint {
                remade.from.get_or_insert(before.message);
            }
            let (had, tokens) = (before.is_left_out(), before.tokens.1);
            let after = before.again(&compressed, self.terms.settings.counter);
            if after.is_left_out() && !had {
                remade.left_out.push((index, tokens.saturating_sub(after.tokens.1)));
            }
            self.results.all.push(after);
        }
        self.results.history = history;
        self.results.bytes = self.results.all.iter().map(HandledResult::bytes).sum();
        self.recall.forget_results();
        self.sum_up_savings();
        remade
    }

    /// Adds up again what is saved up to each message.
    fn sum_up_savings(&mut self) {
        let (mut results, mut saved) = (self.results.all.iter().peekable(), 0);
        for (index, mark) in self.messages.iter_mut().enumerate() {
            while let Some(result) = results.next_if(|result| result.message <= index) {
                saved += result.tokens.0 as i64 - result.tokens.1 as i64;
            }
            mark.saved = saved;
        }
    }
}
