//! One conversation, replayed: every request as a gateway would have sent it, beside the one that was.
//!
//! A conversation only grows, and what is forwarded for a result depends on what was before it alone. So each result is
//! compressed when it comes, and a request is known by how many messages it has. That this is what a gateway without
//! memory would send is not taken for granted: at the end the last request is made anew, from nothing, and compared.

mod charge;
mod handled_result;
mod rates;

use crate::account::{ReplayAccount, TokenBill};
use crate::own_notation;
use crate::plan::{ExpansionOffer, ReplayPlan};
use crate::preamble::{Preamble, expand_tool_tokens, part_tokens, tool_tokens};
use crate::probes::TextAvailability;
use crate::transcript::{LogMessage, MessageAuthor, MessagePart, ToolResult};
use crate::usage::UsageCharge;
use charge::ChargedRequest;
use handled_result::{HandledResult, fingerprint, output};
use rates::MessageRates;
use tokenforge_config::Price;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{CompressedOutput, Engine, History, Mode, Settings};
use tokenforge_tokens::for_model;

/// What a call of the tool that expands costs the model to write, about.
const CALL_TOKENS: usize = 60;

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
    /// The request whose answer is being read.
    pending: Option<PendingRequest>,
    /// Our tool is in the requests.
    is_offered: bool,
    /// All texts as the model sees them, kept where somebody will search them.
    shown: Option<Vec<String>>,
    bytes: usize,
}

/// What the tokens of a model cost.
#[derive(Debug, Clone, Copy)]
struct Tariff {
    price: Price,
    is_known: bool,
    /// Tokens that the provider bills for each one counted.
    factor: f64,
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
    usage: Option<UsageCharge>,
    output: usize,
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
        ReplayedConversation {
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
            pending: None,
            is_offered: false,
            shown: None,
            bytes: 0,
        }
    }

    /// Keeps what the model sees, to be searched.
    pub(crate) fn searchable(self) -> Self {
        ReplayedConversation { shown: Some(Vec::new()), ..self }
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
        }
    }

    /// Something was said.
    pub(crate) fn say(&mut self, message: LogMessage, account: &mut ReplayAccount) {
        if message.author == MessageAuthor::Model {
            self.settle(account);
            let (messages, tariff) = (self.messages.len(), self.tariff);
            self.pending =
                Some(PendingRequest { messages, tariff, usage: None, output: 0, is_copy: false });
        }
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
            if let (Some(shown), MessagePart::Text(text)) = (&mut self.shown, part) {
                shown.push(text);
            }
        }
        let is_answer = matches!(message.author, MessageAuthor::Model | MessageAuthor::ModelAgain);
        let pending = self.pending.as_mut().filter(|_| is_answer);
        if let Some(pending) = pending {
            pending.output += mark.tokens - before;
        }
        self.messages.push(mark);
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
        self.history = self.anew(account);
        self.bytes = self.results.iter().map(HandledResult::bytes).sum();
        let left = self.messages.last().map_or(0, |mark| mark.tokens);
        self.cached = self.cached.min(self.tools + left);
    }

    /// The conversation is over.
    pub(crate) fn finish(mut self, account: &mut ReplayAccount) {
        self.close(account);
        self.anew(account);
    }

    /// How the model could come by a text, in a request made of all messages so far.
    pub(crate) fn find(&self, needle: &str) -> TextAvailability {
        let is_shown = self.shown.iter().flatten().any(|text| text.contains(needle));
        let holds = |is_retrievable: bool| {
            let mut results = self.results.iter();
            results.any(|result| {
                result.has_reference == is_retrievable && result.original.text.contains(needle)
            })
        };
        match is_shown {
            true => TextAvailability::Visible,
            false if holds(false) => TextAvailability::Decoded,
            false if holds(true) => TextAvailability::Retrievable,
            false => TextAvailability::Lost,
        }
    }

    /// Tokens of a result and of what is forwarded for it.
    fn result(&mut self, result: ToolResult) -> (usize, usize) {
        let compressed = self.compress(&result, &self.history);
        let text = compressed.text(&result.text);
        self.history.add(&output(&result).tool_call(), text);
        if let Some(shown) = &mut self.shown {
            shown.push(text.to_owned());
        }
        let handled =
            HandledResult::new(self.messages.len(), result, &compressed, self.settings.counter);
        let tokens = handled.tokens;
        self.bytes += handled.bytes();
        self.results.push(handled);
        tokens
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
            true => self.plan.engine(settings, &self.key, self.preamble.pays(settings)),
            false => Engine::new(settings),
        }
    }

    /// Charges for the request whose answer was read.
    fn settle(&mut self, account: &mut ReplayAccount) {
        let Some(pending) = self.pending.take() else { return };
        let Tariff { price, is_known, factor } = pending.tariff;
        let at = |count: usize| count.checked_sub(1).and_then(|last| self.messages.get(last));
        let mark = at(pending.messages).copied().unwrap_or_default();
        let total = self.tools + mark.tokens;
        let modelled = UsageCharge {
            input: 0.0,
            cache_read: factor * self.cached.min(total) as f64,
            cache_write: factor * total.saturating_sub(self.cached) as f64,
            cache_write_1h: 0.0,
            output: factor * pending.output as f64,
        };
        let before = pending.usage.unwrap_or(modelled);
        let fresh = self.results.partition_point(|result| result.message < pending.messages);
        let is_added = self.offers(fresh);
        let context = ChargedRequest {
            messages: self.messages.get(..pending.messages).unwrap_or_default(),
            factor,
            own_tool: if self.is_offered { expand_tool_tokens(&self.settings) } else { 0 },
            is_rewritten: is_added
                && self.plan.expansion == ExpansionOffer::WhenReferenced
                && pending.messages > 0
                && self.cached > 0,
        };
        let charge = context.charge(&before);
        if !pending.is_copy {
            self.rates.add(&charge, pending.messages, &price);
            account.requests += 1;
            account.logged += usize::from(pending.usage.is_some());
            account.unpriced += usize::from(!is_known);
            let bill = |usage: UsageCharge| TokenBill { tokens: usage, cost: usage.cost(&price) };
            account.before.add(&bill(before));
            account.after.add(&bill(charge.after));
            for result in self.results.get(self.fresh..fresh).unwrap_or_default() {
                result.tell(account);
                if result.has_reference {
                    let all = &mut account.expansions;
                    all.references += 1;
                    all.tokens += result.tokens.0;
                    all.cost_of_all +=
                        expansion(result, &charge.after, factor).cost(&price).total();
                }
            }
        }
        self.fresh = self.fresh.max(fresh);
        self.cached = total;
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
                ExpansionOffer::Never => false,
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
        for result in &self.results {
            let compressed = self.compress(&result.original, &history);
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
        Tariff { price, is_known, factor }
    }
}

/// What it costs if the model fetches a result: a call, another request with all that was in this one, the original.
fn expansion(result: &HandledResult, after: &UsageCharge, factor: f64) -> UsageCharge {
    UsageCharge {
        input: 0.0,
        cache_read: after.total_input(),
        cache_write: factor * (result.tokens.0 + CALL_TOKENS) as f64,
        cache_write_1h: 0.0,
        output: factor * CALL_TOKENS as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l5_a_result_that_would_be_sent_otherwise_the_second_time_is_found() {
        let plan = ReplayPlan {
            settings: Settings::default(),
            counter: None,
            class: None,
            expansion: ExpansionOffer::FromStart,
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
            conversation.say(message, &mut account);
        }
        conversation.results[1].fingerprint ^= 1;
        conversation.finish(&mut account);
        let stability = account.prefix_stability;
        assert!((0.4..0.6).contains(&stability), "{stability}");
    }
}
