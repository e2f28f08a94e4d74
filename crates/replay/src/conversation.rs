//! One conversation, replayed: every request as a gateway would have sent it, beside the one that was.
//!
//! A conversation only grows, and what is forwarded for a result depends on what was before it alone. So each result is
//! compressed when it comes, and a request is known by how many messages it has. That this is what a gateway without
//! memory would send is not taken for granted: at the end the last request is made anew, from nothing, and compared.
//!
//! Where the provider's cache was cold, old results are left out from that request on: all results are made anew then, and
//! what is compared at the end is what was sent since.

mod charge;
mod cold_cache;
mod handled_result;
mod left_out;
mod rates;
mod recall;

use crate::account::{ReplayAccount, TokenBill};
use crate::own_notation;
use crate::plan::{ExpansionOffer, ReplayPlan};
use crate::preamble::{Preamble, expand_tool_tokens, part_tokens, tool_tokens};
use crate::probes::TextAvailability;
use crate::transcript::{LogMessage, MessageAuthor, MessagePart, ToolResult};
use crate::usage::UsageCharge;
use charge::{ChargedRequest, front_rate};
use cold_cache::{CacheLifetimes, CacheUse};
pub(crate) use handled_result::output as forwarded_output;
use handled_result::{HandledResult, fingerprint, output};
use left_out::{LeftOutResults, RemadeResults};
use rates::MessageRates;
use recall::{RecallDemand, RecallIndex};
use std::borrow::Cow;
use std::collections::BTreeSet;
use tokenforge_config::Price;
use tokenforge_engine::reference::{ExpandHint, ReferenceSecret};
use tokenforge_engine::{CompressedOutput, Engine, History, Mode, Settings};
use tokenforge_tokens::for_model;

/// What a call of the tool that expands costs the model to write, about.
const CALL_TOKENS: usize = 60;

/// The same of a call of the shell: its arguments have 36 tokens with a command line and a description, those of the tool 27.
const SHELL_CALL_TOKENS: usize = 70;

/// A conversation that is replayed.
pub(crate) struct ReplayedConversation<'p> {
    plan: &'p ReplayPlan<'p>,
    key: ReferenceSecret,
    settings: Settings,
    tariff: Tariff,
    /// Tokens of the list of tools, without ours.
    tools: usize,
    preamble: Preamble,
    history: History,
    messages: Vec<MessageMark>,
    results: Vec<HandledResult>,
    /// The first result that was not in a request yet.
    fresh: usize,
    rates: MessageRates,
    /// How many tokens of tools and messages the provider has in its cache.
    cached: usize,
    /// The last request, as far as it tells of the cache.
    last_use: Option<CacheUse>,
    /// The provider was asked to keep something for an hour.
    is_kept_an_hour: bool,
    /// When the client last said something.
    heard: Option<u64>,
    /// How many turns of the model called for results.
    turn: usize,
    /// The model said something since the last result.
    is_new_turn: bool,
    left_out: LeftOutResults,
    /// The message from which on the next request is not what was sent before.
    rewritten_from: Option<usize>,
    /// The request whose answer is being read.
    pending: Option<PendingRequest>,
    /// Our tool is in the requests.
    is_offered: bool,
    /// The model fetches with a command in its shell.
    by_shell: bool,
    /// What it fetched there: behind which message, and of which result. It stays in the conversation, where what our tool
    /// answers is in one request alone.
    fetched_by_shell: Vec<(usize, usize)>,
    recall: RecallIndex,
    bytes: usize,
}

/// What the tokens of a model cost.
#[derive(Debug, Clone, Copy)]
struct Tariff {
    price: Price,
    is_known: bool,
    /// Tokens that the provider bills for each one counted.
    factor: f64,
    /// How long it keeps them.
    lifetimes: CacheLifetimes,
}

/// The sums after a message.
#[derive(Debug, Clone, Copy, Default)]
struct MessageMark {
    /// Tokens of all messages so far.
    tokens: usize,
    /// How many of them are saved.
    saved: i64,
}

/// A request whose answer is being read.
struct PendingRequest {
    messages: usize,
    /// Of the model that answers it: the next request may go to another.
    tariff: Tariff,
    /// When it was sent, in seconds since 1970.
    sent: Option<u64>,
    usage: Option<UsageCharge>,
    output: usize,
    /// What the answer used.
    used: RecallDemand,
    /// It was charged for in another log.
    is_copy: bool,
}

impl<'p> ReplayedConversation<'p> {
    pub(crate) fn new(
        plan: &'p ReplayPlan<'p>,
        model: Option<&str>,
        tools: Option<&str>,
        preamble: Preamble,
    ) -> Self {
        let settings = plan.settings_for(model);
        let mut conversation = ReplayedConversation {
            plan,
            key: ReferenceSecret::from_bytes([7; 32]),
            tools: tool_tokens(tools, &settings),
            settings,
            tariff: Tariff::of(plan, model),
            preamble,
            history: History::default(),
            messages: Vec::new(),
            results: Vec::new(),
            fresh: 0,
            rates: MessageRates::default(),
            cached: 0,
            last_use: None,
            is_kept_an_hour: false,
            heard: None,
            turn: 0,
            is_new_turn: true,
            left_out: LeftOutResults::default(),
            rewritten_from: None,
            pending: None,
            is_offered: false,
            by_shell: false,
            fetched_by_shell: Vec::new(),
            recall: RecallIndex::default(),
            bytes: 0,
        };
        conversation.choose_route();
        conversation
    }

    /// Chooses how the model fetches. In its shell it does so until it is told of the tool at a cold cache.
    fn choose_route(&mut self) {
        let is_told = self.left_out.offers_tool;
        self.by_shell = !is_told && self.plan.is_by_shell(&self.settings, &self.preamble);
        let usual = self.plan.settings.expand_hint;
        self.settings.expand_hint = if self.by_shell { Some(ExpandHint::Shell) } else { usual };
    }

    /// Keeps what the model sees, to be searched.
    pub(crate) fn searchable(self) -> Self {
        ReplayedConversation { recall: RecallIndex::Texts(Vec::new()), ..self }
    }

    /// About how many bytes of text are held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Another model answers from here on.
    pub(crate) fn model(&mut self, model: Option<&str>) {
        self.tariff = Tariff::of(self.plan, model);
        // Who counts decides what is forwarded, so it does not change in mid-conversation.
        if self.results.is_empty() {
            self.settings = self.plan.settings_for(model);
            self.choose_route();
        }
    }

    /// Something was said, at a time in seconds since 1970.
    pub(crate) fn say(
        &mut self,
        message: LogMessage,
        time: Option<u64>,
        account: &mut ReplayAccount,
    ) {
        let is_answer = matches!(message.author, MessageAuthor::Model | MessageAuthor::ModelAgain);
        if message.author == MessageAuthor::Model {
            self.settle(account);
            self.pending = Some(PendingRequest {
                messages: self.messages.len(),
                tariff: self.tariff,
                sent: self.heard.or(time),
                usage: None,
                output: 0,
                used: RecallDemand::default(),
                is_copy: false,
            });
        } else if !is_answer {
            self.heard = time;
        }
        self.is_new_turn |= is_answer;
        let mut mark = self.messages.last().copied().unwrap_or_default();
        let before = mark.tokens;
        for part in message.parts {
            if let MessagePart::Result(result) = part {
                let (tokens_in, tokens_out) = self.result(result);
                mark.tokens += tokens_in;
                mark.saved += tokens_in as i64 - tokens_out as i64;
                continue;
            }
            mark.tokens += part_tokens(&part, &self.settings);
            if let Some(text) = part.said().map(Cow::into_owned) {
                let answer = self.pending.as_mut().filter(|_| is_answer);
                let used = answer.map(|pending| &mut pending.used);
                self.recall.say(self.messages.len(), text, used);
            }
        }
        let pending = self.pending.as_mut().filter(|_| is_answer);
        if let Some(pending) = pending {
            pending.output += mark.tokens - before;
        }
        self.messages.push(mark);
    }

    /// The answer that is being read, or nobody's, used a text.
    pub(crate) fn expect(&mut self, needle: String, account: &mut ReplayAccount) {
        match &mut self.pending {
            Some(pending) => pending.used.needles.push(needle),
            None => {
                let found = self.recall.find(&needle, self.messages.len(), &self.results);
                account.probes.get_or_insert_default().count(found);
            }
        }
    }

    /// What was charged for the answer that is being read.
    pub(crate) fn charge(&mut self, usage: UsageCharge) {
        if let Some(pending) = &mut self.pending {
            pending.usage = Some(usage);
        }
    }

    /// The answer that is being read is to a request that was charged for in another log.
    pub(crate) fn mark_copied(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.is_copy = true;
        }
    }

    /// The user went back: so many messages are left.
    pub(crate) fn rewind(&mut self, messages: usize, account: &mut ReplayAccount) {
        self.close(account);
        self.messages.truncate(messages);
        self.results.retain(|result| result.message < messages);
        self.fresh = self.fresh.min(self.results.len());
        self.fetched_by_shell.retain(|(message, _)| *message < messages);
        self.turn = self.results.last().map_or(0, |result| result.turn);
        self.is_new_turn = true;
        self.recall.rewind(messages);
        let was_offered = self.left_out.offers_tool;
        if self.left_out.rewind(self.results.len()) {
            self.choose_route();
            let is_gone = was_offered && !self.left_out.offers_tool;
            let from = self.remake(account).from;
            self.rewritten_from = if is_gone { Some(0) } else { from };
        } else {
            self.history = self.anew(account);
            self.bytes = self.results.iter().map(HandledResult::bytes).sum();
        }
        self.recall.advance(&self.results);
        let left = self.messages.last().map_or(0, |mark| mark.tokens);
        self.cached = self.cached.min(self.tools + left);
    }

    /// The conversation is over.
    pub(crate) fn finish(mut self, account: &mut ReplayAccount) {
        self.close(account);
        self.anew(account);
    }

    /// Tokens of a result and of what is forwarded for it.
    fn result(&mut self, result: ToolResult) -> (usize, usize) {
        self.turn += usize::from(std::mem::take(&mut self.is_new_turn));
        let compressed = self.forward(self.results.len(), &result, &self.history);
        self.history.add(&output(&result).tool_call(), compressed.text(&result.text));
        let place = (self.messages.len(), self.turn);
        let handled = HandledResult::new(place, result, &compressed, self.settings.counter);
        let tokens = handled.tokens;
        self.bytes += handled.bytes();
        self.results.push(handled);
        tokens
    }

    /// What becomes of the result with this index.
    fn forward(&self, index: usize, result: &ToolResult, history: &History) -> CompressedOutput {
        let compressed = self.compress(result, history);
        if !self.left_out.contains(index) {
            return compressed;
        }
        let shown = compressed.text(&result.text);
        let left_out = self.engine(&self.settings).leave_out(&output(result), shown);
        left_out.unwrap_or(compressed)
    }

    /// What becomes of a result. One that Tokenforge wrote already stays as it is.
    fn compress(&self, result: &ToolResult, history: &History) -> CompressedOutput {
        let settings = match own_notation::is_in(&result.text) {
            true => &Settings { mode: Mode::Disabled, ..self.settings.clone() },
            false => &self.settings,
        };
        self.engine(settings).compress(&output(result), history)
    }

    /// What works on a result. Something is left out only where the model could ask for it: not in a session that has no
    /// tools.
    fn engine<'s>(&'s self, settings: &'s Settings) -> Engine<'s> {
        match self.preamble.has_tools {
            true => {
                let pays = self.preamble.pays(settings) || self.left_out.offers_tool;
                self.plan.engine(settings, &self.key, pays, self.by_shell)
            }
            false => Engine::new(settings),
        }
    }

    /// Charges for the request whose answer was read.
    fn settle(&mut self, account: &mut ReplayAccount) {
        let Some(pending) = self.pending.take() else { return };
        let Tariff { price, is_known, factor, .. } = pending.tariff;
        let fresh = self.results.partition_point(|result| result.message < pending.messages);
        let remade = self.meet_cache(&pending, fresh, account);
        let total = self.tools + self.mark(pending.messages).tokens;
        let modelled = UsageCharge {
            input: 0.0,
            cache_read: factor * self.cached.min(total) as f64,
            cache_write: factor * total.saturating_sub(self.cached) as f64,
            cache_write_1h: 0.0,
            output: factor * pending.output as f64,
        };
        let before = pending.usage.unwrap_or(modelled);
        let is_added = self.offers(fresh) && pending.messages > 0 && self.cached > 0;
        let rewritten_from = [self.rewritten_from.take(), remade.from, is_added.then_some(0)];
        let context = ChargedRequest {
            messages: self.messages.get(..pending.messages).unwrap_or_default(),
            factor,
            added: self.added_tokens(),
            rewritten_from: rewritten_from.into_iter().flatten().min(),
        };
        let charge = context.charge(&before);
        let mut fetched = self.fetched(&pending, fresh, account);
        fetched.retain(|index| self.fetched_by_shell.iter().all(|(_, known)| known != index));
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
            for bill in fetched.iter().filter_map(|index| self.results.get(*index)).map(expansion) {
                account.after.add(&bill);
                account.expansions.fetched += 1;
                account.expansions.cost_of_fetched += bill.cost.total();
            }
        }
        if self.by_shell {
            self.fetched_by_shell.extend(fetched.iter().map(|index| (pending.messages, *index)));
        }
        self.fresh = self.fresh.max(fresh);
        self.cached = total;
        self.recall.advance(&self.results);
    }

    /// Tokens of a request that the log does not have: of our tool, or of what the model fetched in its shell.
    fn added_tokens(&self) -> usize {
        let tool = if self.is_offered { expand_tool_tokens(&self.settings) } else { 0 };
        let fetched = self.fetched_by_shell.iter();
        let texts = fetched.filter_map(|(_, index)| self.results.get(*index));
        tool + texts.map(|result| result.tokens.0 + SHELL_CALL_TOKENS).sum::<usize>()
    }

    /// What a call that fetches costs the model to write.
    fn call_tokens(&self) -> usize {
        if self.by_shell { SHELL_CALL_TOKENS } else { CALL_TOKENS }
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
        let new = self.results.get(self.fresh..results).unwrap_or_default();
        new.iter().for_each(|result| result.tell(account));
        let left_out = remade.left_out.iter().filter_map(|(index, _)| self.results.get(*index));
        for result in new.iter().filter(|result| result.has_reference).chain(left_out) {
            let all = &mut account.expansions;
            all.references += 1;
            all.tokens += result.tokens.0;
            all.cost_of_all += expansion(result).cost.total();
        }
    }

    /// The sums of the first so many messages.
    fn mark(&self, messages: usize) -> MessageMark {
        let last = messages.checked_sub(1).and_then(|last| self.messages.get(last));
        last.copied().unwrap_or_default()
    }

    /// The results that an answer needed and that were only behind references in its request, which had so many.
    fn fetched(
        &mut self,
        pending: &PendingRequest,
        results: usize,
        account: &mut ReplayAccount,
    ) -> BTreeSet<usize> {
        let results = self.results.get(..results).unwrap_or_default();
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

    /// Charges for the last request, and tells of the results that came after it.
    fn close(&mut self, account: &mut ReplayAccount) {
        self.settle(account);
        let fresh = self.results.get(self.fresh..).unwrap_or_default();
        fresh.iter().for_each(|result| result.tell(account));
        self.fresh = self.results.len();
        self.attribute(account);
    }

    /// Offers our tool where the plan says so; true if it was not offered before.
    fn offers(&mut self, results: usize) -> bool {
        let is_offered = self.engine(&self.settings).offers_expansion()
            && match self.plan.expansion {
                ExpansionOffer::FromStart | ExpansionOffer::WhenItPays => true,
                ExpansionOffer::WhenReferenced => {
                    self.results.iter().take(results).any(|result| result.has_reference)
                }
                ExpansionOffer::WhenItPaysElseByShell => !self.by_shell,
                ExpansionOffer::Never | ExpansionOffer::ByShell => false,
            };
        !std::mem::replace(&mut self.is_offered, is_offered) && is_offered
    }

    /// Says what each tool and stage saved on the bill since this was last said.
    fn attribute(&mut self, account: &mut ReplayAccount) {
        let rates = std::mem::take(&mut self.rates).by_message();
        for result in &self.results {
            let rate = rates.get(result.message).copied().unwrap_or_default();
            let saved = rate * (result.tokens.0 as f64 - result.tokens.1 as f64);
            account.results.cost_saved += saved;
            // A result that was told of in another log is carried by requests of this one.
            let tool = account.tools.entry(result.original.tool.clone()).or_default();
            tool.cost_saved += saved;
            for (stage, tokens) in &result.stages {
                let stage = account.stages.entry((*stage).to_owned()).or_default();
                stage.cost_saved += rate * *tokens as f64;
            }
        }
    }

    /// Makes the request of all messages anew, and says how much of it is as it was sent before.
    fn anew(&self, account: &mut ReplayAccount) -> History {
        let mut history = History::default();
        let mut changed = None;
        for (index, result) in self.results.iter().enumerate() {
            let compressed = self.forward(index, &result.original, &history);
            let text = compressed.text(&result.original.text);
            history.add(&output(&result.original).tool_call(), text);
            if changed.is_none() && fingerprint(text) != result.fingerprint {
                changed = Some(result.message);
            }
        }
        if let Some(message) = changed {
            let sent =
                |mark: &MessageMark| (self.tools as i64 + mark.tokens as i64 - mark.saved) as f64;
            let same = message.checked_sub(1).and_then(|last| self.messages.get(last));
            let (same, all) =
                (same.map_or(self.tools as f64, sent), self.messages.last().map_or(1.0, sent));
            account.prefix_stability = account.prefix_stability.min(same / all.max(1.0));
        }
        history
    }
}

impl Tariff {
    fn of(plan: &ReplayPlan<'_>, model: Option<&str>) -> Self {
        let (price, is_known) = plan.price(model);
        let factor = model.map_or(1.0, |model| for_model(model).cost_factor);
        Tariff { price, is_known, factor, lifetimes: CacheLifetimes::new(model) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_config::OldResults;

    #[test]
    fn l5_a_result_that_would_be_sent_otherwise_the_second_time_is_found() {
        let plan = ReplayPlan {
            settings: Settings::default(),
            counter: None,
            class: None,
            expansion: ExpansionOffer::FromStart,
            old_results: OldResults::WhenCold,
            prices: &|_| None,
        };
        let mut account = ReplayAccount::new();
        let mut conversation =
            ReplayedConversation::new(&plan, None, Some("[]"), Preamble::default());
        for text in ["first ".repeat(500), "second ".repeat(500)] {
            let result = ToolResult { text, ..ToolResult::default() };
            let message = LogMessage {
                author: MessageAuthor::Client,
                parts: vec![MessagePart::Result(result)],
            };
            conversation.say(message, None, &mut account);
        }
        conversation.results[1].fingerprint ^= 1;
        conversation.finish(&mut account);
        let stability = account.prefix_stability;
        assert!((0.4..0.6).contains(&stability), "{stability}");
    }
}
