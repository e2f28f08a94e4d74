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
mod settlement;
mod tariff;
mod terms;

use crate::account::ReplayAccount;
use crate::own_notation;
use crate::plan::ReplayPlan;
use crate::preamble::{Preamble, part_tokens};
use crate::transcript::{LogMessage, MessageAuthor, MessagePart, ToolResult};
use crate::usage::UsageCharge;
use cold_cache::CacheUse;
pub(crate) use handled_result::output as forwarded_output;
use handled_result::{HandledResult, fingerprint, output};
use left_out::LeftOutChoices;
use rates::MessageRates;
use recall::{RecallDemand, RecallIndex};
use settlement::PendingRequest;
use std::borrow::Cow;
use tariff::Tariff;
use terms::ReplayTerms;
use tokenforge_conversation::expand_route::ExpandRoute;
use tokenforge_engine::reference::ExpandHint;
use tokenforge_engine::{CompressedOutput, Engine, History, Mode, Settings};

/// A conversation that is replayed.
pub(crate) struct ReplayedConversation<'p> {
    terms: ReplayTerms<'p>,
    tariff: Tariff,
    messages: Vec<MessageMark>,
    results: ResultLog,
    cache: ProviderCache,
    left_out: LeftOutChoices,
    fetching: Fetching,
    rates: MessageRates,
    /// When the client last said something.
    heard: Option<u64>,
    /// The request whose answer is being read.
    pending: Option<PendingRequest>,
    recall: RecallIndex,
}

/// The tool results of a conversation.
#[derive(Default)]
struct ResultLog {
    all: Vec<HandledResult>,
    /// What the model sees of them.
    history: History,
    /// The first result that was not in a request yet.
    fresh: usize,
    /// How many turns of the model called for results.
    turn: usize,
    /// The model said something since the last result.
    is_new_turn: bool,
    /// About how many bytes of text are held.
    bytes: usize,
}

/// The provider's cache, as the requests so far leave it.
#[derive(Default)]
struct ProviderCache {
    /// How many tokens of tools and messages the provider has in it.
    cached: usize,
    /// The last request, as far as it tells of the cache.
    last_use: Option<CacheUse>,
    /// The provider was asked to keep something for an hour.
    is_kept_an_hour: bool,
    /// The message from which on the next request is not what was sent before.
    rewritten_from: Option<usize>,
}

/// How the model fetches what is left out.
#[derive(Default)]
struct Fetching {
    route: Option<ExpandRoute>,
    /// Our tool is in the requests.
    is_offered: bool,
    /// What it fetched in its shell: behind which message, and of which result. It stays in the conversation, where what our
    /// tool answers is in one request alone.
    by_shell: Vec<(usize, usize)>,
}

impl Fetching {
    /// The model fetches with a command in its shell.
    fn is_by_shell(&self) -> bool {
        self.route == Some(ExpandRoute::Shell)
    }
}

/// The sums after a message.
#[derive(Debug, Clone, Copy, Default)]
struct MessageMark {
    /// Tokens of all messages so far.
    tokens: usize,
    /// How many of them are saved.
    saved: i64,
}

impl<'p> ReplayedConversation<'p> {
    pub(crate) fn new(
        plan: &'p ReplayPlan<'p>,
        model: Option<&str>,
        tools: Option<&str>,
        preamble: Preamble,
    ) -> Self {
        let terms = ReplayTerms::new(plan, model, tools, preamble);
        let mut conversation = ReplayedConversation {
            terms,
            tariff: Tariff::of(plan, model),
            messages: Vec::new(),
            results: ResultLog { is_new_turn: true, ..ResultLog::default() },
            cache: ProviderCache::default(),
            left_out: LeftOutChoices::default(),
            fetching: Fetching::default(),
            rates: MessageRates::default(),
            heard: None,
            pending: None,
            recall: RecallIndex::default(),
        };
        conversation.choose_route();
        conversation
    }

    /// Chooses how the model fetches. In its shell it does so until it is told of the tool at a cold cache.
    fn choose_route(&mut self) {
        self.fetching.route = if self.left_out.offers_tool() {
            Some(ExpandRoute::Tool)
        } else {
            self.terms.plan.route(&self.terms.settings, &self.terms.preamble)
        };
        let usual = self.terms.plan.settings.expand_hint;
        self.terms.settings.expand_hint =
            if self.fetching.is_by_shell() { Some(ExpandHint::Shell) } else { usual };
    }

    /// Keeps what the model sees, to be searched.
    pub(crate) fn searchable(self) -> Self {
        ReplayedConversation { recall: RecallIndex::Texts(Vec::new()), ..self }
    }

    /// About how many bytes of text are held.
    pub(crate) fn bytes(&self) -> usize {
        self.results.bytes
    }

    /// Another model answers from here on.
    pub(crate) fn model(&mut self, model: Option<&str>) {
        self.tariff = Tariff::of(self.terms.plan, model);
        // Who counts decides what is forwarded, so it does not change in mid-conversation.
        if self.results.all.is_empty() {
            self.terms.settings = self.terms.plan.settings_for(model);
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
        self.results.is_new_turn |= is_answer;
        let mut mark = self.messages.last().copied().unwrap_or_default();
        let before = mark.tokens;
        for part in message.parts {
            if let MessagePart::Result(result) = part {
                let (tokens_in, tokens_out) = self.result(result);
                mark.tokens += tokens_in;
                mark.saved += tokens_in as i64 - tokens_out as i64;
                continue;
            }
            mark.tokens += part_tokens(&part, &self.terms.settings);
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

    /// The answer that is being read used a text. Without such an answer, the use counts as a probe.
    pub(crate) fn expect(&mut self, needle: String, account: &mut ReplayAccount) {
        match &mut self.pending {
            Some(pending) => pending.used.needles.push(needle),
            None => {
                let found = self.recall.find(&needle, self.messages.len(), &self.results.all);
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
        self.results.all.retain(|result| result.message < messages);
        self.results.fresh = self.results.fresh.min(self.results.all.len());
        self.fetching.by_shell.retain(|(message, _)| *message < messages);
        self.results.turn = self.results.all.last().map_or(0, |result| result.turn);
        self.results.is_new_turn = true;
        self.recall.rewind(messages);
        let was_offered = self.left_out.offers_tool();
        if self.left_out.rewind(self.results.all.len()) {
            self.choose_route();
            let is_gone = was_offered && !self.left_out.offers_tool();
            let from = self.remake(account).from;
            self.cache.rewritten_from = if is_gone { Some(0) } else { from };
        } else {
            self.results.history = self.anew(account);
            self.results.bytes = self.results.all.iter().map(HandledResult::bytes).sum();
        }
        self.recall.advance(&self.results.all);
        let left = self.messages.last().map_or(0, |mark| mark.tokens);
        self.cache.cached = self.cache.cached.min(self.terms.tools + left);
    }

    /// The conversation is over.
    pub(crate) fn finish(mut self, account: &mut ReplayAccount) {
        self.close(account);
        self.anew(account);
    }

    /// Tokens of a result and of what is forwarded for it.
    fn result(&mut self, result: ToolResult) -> (usize, usize) {
        self.results.turn += usize::from(std::mem::take(&mut self.results.is_new_turn));
        let compressed = self.forward(self.results.all.len(), &result, &self.results.history);
        self.results.history.add(&output(&result).tool_call(), compressed.text(&result.text));
        let place = (self.messages.len(), self.results.turn);
        let handled = HandledResult::new(place, result, &compressed, self.terms.settings.counter);
        let tokens = handled.tokens;
        self.results.bytes += handled.bytes();
        self.results.all.push(handled);
        tokens
    }

    /// What becomes of the result with this index.
    fn forward(&self, index: usize, result: &ToolResult, history: &History) -> CompressedOutput {
        let compressed = self.compress(result, history);
        if !self.left_out.contains(index) {
            return compressed;
        }
        let shown = compressed.text(&result.text);
        let left_out = self.engine(&self.terms.settings).leave_out(&output(result), shown);
        left_out.unwrap_or(compressed)
    }

    /// What becomes of a result. One that Tokenforge wrote already stays as it is.
    fn compress(&self, result: &ToolResult, history: &History) -> CompressedOutput {
        let settings = if own_notation::is_in(&result.text) {
            &Settings { mode: Mode::Disabled, ..self.terms.settings.clone() }
        } else {
            &self.terms.settings
        };
        self.engine(settings).compress(&output(result), history)
    }

    /// What works on a result. Something is left out only where the model could ask for it.
    fn engine<'s>(&'s self, settings: &'s Settings) -> Engine<'s> {
        self.terms.engine(settings, self.fetching.route)
    }

    /// The sums of the first so many messages.
    fn mark(&self, messages: usize) -> MessageMark {
        let last = messages.checked_sub(1).and_then(|last| self.messages.get(last));
        last.copied().unwrap_or_default()
    }

    /// Charges for the last request, and tells of the results that came after it.
    fn close(&mut self, account: &mut ReplayAccount) {
        self.settle(account);
        let fresh = self.results.all.get(self.results.fresh..).unwrap_or_default();
        fresh.iter().for_each(|result| result.tell(account));
        self.results.fresh = self.results.all.len();
        self.attribute(account);
    }

    /// Says what each tool and stage saved on the bill since this was last said.
    fn attribute(&mut self, account: &mut ReplayAccount) {
        let rates = std::mem::take(&mut self.rates).by_message();
        for result in &self.results.all {
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
        for (index, result) in self.results.all.iter().enumerate() {
            let compressed = self.forward(index, &result.original, &history);
            let text = compressed.text(&result.original.text);
            history.add(&output(&result.original).tool_call(), text);
            if changed.is_none() && fingerprint(text) != result.fingerprint {
                changed = Some(result.message);
            }
        }
        if let Some(message) = changed {
            let sent = |mark: &MessageMark| {
                (self.terms.tools as i64 + mark.tokens as i64 - mark.saved) as f64
            };
            let same = message.checked_sub(1).and_then(|last| self.messages.get(last));
            let (same, all) = (
                same.map_or(self.terms.tools as f64, sent),
                self.messages.last().map_or(1.0, sent),
            );
            account.prefix_stability = account.prefix_stability.min(same / all.max(1.0));
        }
        history
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ExpansionOffer;
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
        conversation.results.all[1].fingerprint ^= 1;
        conversation.finish(&mut account);
        let stability = account.prefix_stability;
        assert!((0.4..0.6).contains(&stability), "{stability}");
    }
}
