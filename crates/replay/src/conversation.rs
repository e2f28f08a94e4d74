//! One conversation, replayed: every request as a gateway would have sent it, beside the one that was.
//!
//! A conversation only grows, and what is forwarded for a result depends on what was before it alone. So each result is
//! compressed when it comes, and a request is known by how many messages it has. That this is what a gateway without
//! memory would send is not taken for granted: at the end the last request is made anew, from nothing, and compared.

mod charge;
mod rates;

use crate::account::{Account, Bill, Kept};
use crate::plan::{Expansion, Plan};
use crate::probes::Found;
use crate::transcript::{Author, Message, Part, ToolResult};
use crate::usage::Usage;
use charge::Context;
use rates::Rates;
use std::hash::{DefaultHasher, Hash, Hasher};
use tokenforge_compress::reference::Key;
use tokenforge_compress::{Compressed, Engine, History, Output, Settings, Verdict, expand_tool};
use tokenforge_config::Price;
use tokenforge_tokens::for_model;

/// What a picture costs, about.
const IMAGE_TOKENS: usize = 1500;

/// What a call of the tool that expands costs the model to write, about.
const CALL_TOKENS: usize = 60;

/// The tools of a session that did not record its own: those of a coding agent, with filler for descriptions.
const TOOLS: &str = include_str!("tools.json");

/// A conversation that is replayed.
pub(crate) struct Conversation<'p> {
    plan: &'p Plan<'p>,
    key: Key,
    settings: Settings,
    price: Price,
    is_price_known: bool,
    /// Tokens that the provider bills for each one counted.
    factor: f64,
    /// Tokens of the list of tools, without ours.
    tools: usize,
    history: History,
    messages: Vec<Mark>,
    results: Vec<Handled>,
    /// The first result that was not in a request yet.
    fresh: usize,
    rates: Rates,
    /// How many tokens of tools and messages the provider has in its cache.
    cached: usize,
    /// The request whose answer is being read.
    pending: Option<Pending>,
    /// Our tool is in the requests.
    is_offered: bool,
    /// All texts as the model sees them, kept where somebody will search them.
    shown: Option<Vec<String>>,
    bytes: usize,
}

/// The sums after a message.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    /// Tokens of all messages so far.
    tokens: usize,
    /// How many of them are saved.
    saved: i64,
}

/// A result, and what became of it.
struct Handled {
    message: usize,
    original: ToolResult,
    fingerprint: u64,
    tokens: (usize, usize),
    stages: Vec<(&'static str, i64)>,
    has_reference: bool,
}

/// A request whose answer is being read.
struct Pending {
    messages: usize,
    usage: Option<Usage>,
    output: usize,
}

impl<'p> Conversation<'p> {
    pub(crate) fn new(plan: &'p Plan<'p>, model: Option<&str>, tools: Option<&str>) -> Self {
        let mut conversation = Conversation {
            plan,
            key: Key::from_bytes([7; 32]),
            settings: plan.settings_for(model),
            price: Price::default(),
            is_price_known: false,
            factor: 1.0,
            tools: 0,
            history: History::default(),
            messages: Vec::new(),
            results: Vec::new(),
            fresh: 0,
            rates: Rates::default(),
            cached: 0,
            pending: None,
            is_offered: false,
            shown: None,
            bytes: 0,
        };
        conversation.model(model);
        conversation.tools = conversation.settings.counter.count(tools.unwrap_or(TOOLS));
        conversation
    }

    /// Keeps what the model sees, to be searched.
    pub(crate) fn searchable(self) -> Self {
        Conversation { shown: Some(Vec::new()), ..self }
    }

    /// About how many bytes of text are held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Another model answers from here on.
    pub(crate) fn model(&mut self, model: Option<&str>) {
        (self.price, self.is_price_known) = self.plan.price(model);
        self.factor = model.map_or(1.0, |model| for_model(model).cost_factor);
        // Who counts decides what is forwarded, so it does not change in mid-conversation.
        if self.results.is_empty() {
            self.settings = self.plan.settings_for(model);
        }
    }

    /// Something was said.
    pub(crate) fn say(&mut self, message: Message, account: &mut Account) {
        if message.author == Author::Model {
            self.settle(account);
            self.pending = Some(Pending { messages: self.messages.len(), usage: None, output: 0 });
        }
        let mut mark = self.messages.last().copied().unwrap_or_default();
        let before = mark.tokens;
        for part in message.parts {
            match part {
                Part::Image => mark.tokens += IMAGE_TOKENS,
                Part::Text(text) => {
                    mark.tokens += self.settings.counter.count(&text);
                    if let Some(shown) = &mut self.shown {
                        shown.push(text);
                    }
                }
                Part::Result(result) => {
                    let (tokens_in, tokens_out) = self.result(result, account);
                    mark.tokens += tokens_in;
                    mark.saved += tokens_in as i64 - tokens_out as i64;
                }
            }
        }
        let pending = self.pending.as_mut().filter(|_| message.author != Author::Client);
        if let Some(pending) = pending {
            pending.output += mark.tokens - before;
        }
        self.messages.push(mark);
    }

    /// What was charged for the answer that is being read.
    pub(crate) fn charged(&mut self, usage: Usage) {
        if let Some(pending) = &mut self.pending {
            pending.usage = Some(usage);
        }
    }

    /// The user went back: so many messages are left.
    pub(crate) fn rewind(&mut self, messages: usize, account: &mut Account) {
        self.settle(account);
        self.attribute(account);
        self.messages.truncate(messages);
        self.results.retain(|result| result.message < messages);
        self.fresh = self.fresh.min(self.results.len());
        self.history = self.anew(account);
        self.bytes = self.results.iter().map(Handled::bytes).sum();
        let left = self.messages.last().map_or(0, |mark| mark.tokens);
        self.cached = self.cached.min(self.tools + left);
    }

    /// The conversation is over.
    pub(crate) fn finish(mut self, account: &mut Account) {
        self.settle(account);
        self.attribute(account);
        self.anew(account);
    }

    /// How the model could come by a text, in a request made of all messages so far.
    pub(crate) fn find(&self, needle: &str) -> Found {
        let is_shown = self.shown.iter().flatten().any(|text| text.contains(needle));
        let holds = |is_retrievable: bool| {
            let mut results = self.results.iter();
            results.any(|result| {
                result.has_reference == is_retrievable && result.original.text.contains(needle)
            })
        };
        match is_shown {
            true => Found::Visible,
            false if holds(false) => Found::Decoded,
            false if holds(true) => Found::Retrievable,
            false => Found::Lost,
        }
    }

    /// Tokens of a result and of what is forwarded for it.
    fn result(&mut self, result: ToolResult, account: &mut Account) -> (usize, usize) {
        let engine = self.plan.engine(&self.settings, &self.key);
        let compressed = engine.compress(&output(&result), &self.history);
        let text = compressed.text(&result.text);
        self.history.add(result.call.as_deref(), &result.tool, text);
        let tokens = compressed.tokens(&result.text, self.settings.counter);
        let handled = Handled {
            message: self.messages.len(),
            fingerprint: fingerprint(text),
            tokens,
            stages: stages(&compressed, tokens),
            has_reference: compressed.original.is_some(),
            original: result,
        };
        if let Some(shown) = &mut self.shown {
            shown.push(text_of(&compressed, &handled.original));
        }
        handled.count(&mut account.results);
        handled.count(account.tools.entry(handled.original.tool.clone()).or_default());
        for (stage, saved) in &handled.stages {
            let stage = account.stages.entry((*stage).to_owned()).or_default();
            stage.results += 1;
            stage.tokens_saved += saved;
        }
        if let Verdict::Kept(reason) = compressed.verdict {
            let (tool, reason) = (handled.original.tool.clone(), reason.name());
            account.keep(Kept { tokens: tokens.0, tool, reason });
        }
        self.bytes += handled.bytes();
        self.results.push(handled);
        tokens
    }

    /// Charges for the request whose answer was read.
    fn settle(&mut self, account: &mut Account) {
        let Some(pending) = self.pending.take() else { return };
        let at = |count: usize| count.checked_sub(1).and_then(|last| self.messages.get(last));
        let mark = at(pending.messages).copied().unwrap_or_default();
        let total = self.tools + mark.tokens;
        let modelled = Usage {
            input: 0.0,
            cache_read: self.factor * self.cached.min(total) as f64,
            cache_write: self.factor * total.saturating_sub(self.cached) as f64,
            output: self.factor * pending.output as f64,
        };
        let before = pending.usage.unwrap_or(modelled);
        let fresh = self.results.partition_point(|result| result.message < pending.messages);
        let is_added = self.offers(fresh);
        let context = Context {
            messages: self.messages.get(..pending.messages).unwrap_or_default(),
            factor: self.factor,
            own_tool: if self.is_offered { expand_tool_tokens(&self.settings) } else { 0 },
            is_rewritten: is_added && pending.messages > 0 && self.cached > 0,
        };
        let charge = context.charge(&before);
        self.rates.add(&charge, pending.messages, &self.price);
        account.requests += 1;
        account.logged += usize::from(pending.usage.is_some());
        account.unpriced += usize::from(!self.is_price_known);
        let bill = |usage: Usage| Bill { tokens: usage, cost: usage.cost(&self.price) };
        account.before.add(&bill(before));
        account.after.add(&bill(charge.after));
        for result in self.results.get(self.fresh..fresh).unwrap_or_default() {
            if result.has_reference {
                let all = &mut account.expansions;
                all.references += 1;
                all.tokens += result.tokens.0;
                all.cost_of_all += self.expansion(result, &charge.after).cost(&self.price).total();
            }
        }
        self.fresh = self.fresh.max(fresh);
        self.cached = total;
    }

    /// Offers our tool where the plan says so; true if it was not offered before.
    fn offers(&mut self, results: usize) -> bool {
        let engine = self.plan.engine(&self.settings, &self.key);
        let is_offered = engine.offers_expansion()
            && match self.plan.expansion {
                Expansion::FromStart => true,
                Expansion::WhenReferenced => {
                    self.results.iter().take(results).any(|result| result.has_reference)
                }
                Expansion::Never => false,
            };
        !std::mem::replace(&mut self.is_offered, is_offered) && is_offered
    }

    /// What it costs if the model fetches a result: a call, another request with all that was in this one, the original.
    fn expansion(&self, result: &Handled, after: &Usage) -> Usage {
        Usage {
            input: 0.0,
            cache_read: after.total_input(),
            cache_write: self.factor * (result.tokens.0 + CALL_TOKENS) as f64,
            output: self.factor * CALL_TOKENS as f64,
        }
    }

    /// Says what each tool and stage saved on the bill since this was last said.
    fn attribute(&mut self, account: &mut Account) {
        let rates = std::mem::take(&mut self.rates).by_message();
        for result in &self.results {
            let rate = rates.get(result.message).copied().unwrap_or_default();
            let saved = rate * (result.tokens.0 as f64 - result.tokens.1 as f64);
            account.results.cost_saved += saved;
            if let Some(tool) = account.tools.get_mut(&result.original.tool) {
                tool.cost_saved += saved;
            }
            for (stage, tokens) in &result.stages {
                if let Some(stage) = account.stages.get_mut(*stage) {
                    stage.cost_saved += rate * *tokens as f64;
                }
            }
        }
    }

    /// Makes the request of all messages anew, and says how much of it is as it was sent before.
    fn anew(&self, account: &mut Account) -> History {
        let engine: Engine<'_> = self.plan.engine(&self.settings, &self.key);
        let mut history = History::default();
        let mut changed = None;
        for result in &self.results {
            let compressed = engine.compress(&output(&result.original), &history);
            let text = compressed.text(&result.original.text);
            history.add(result.original.call.as_deref(), &result.original.tool, text);
            if changed.is_none() && fingerprint(text) != result.fingerprint {
                changed = Some(result.message);
            }
        }
        if let Some(message) = changed {
            let sent = |mark: &Mark| (self.tools as i64 + mark.tokens as i64 - mark.saved) as f64;
            let same = message.checked_sub(1).and_then(|last| self.messages.get(last));
            let (same, all) =
                (same.map_or(self.tools as f64, sent), self.messages.last().map_or(1.0, sent));
            account.prefix_stability = account.prefix_stability.min(same / all.max(1.0));
        }
        history
    }
}

impl Handled {
    fn bytes(&self) -> usize {
        let ToolResult { tool, arguments, text, .. } = &self.original;
        tool.len() + arguments.len() + text.len() + size_of::<Self>()
    }

    fn count(&self, results: &mut crate::account::Results) {
        let (before, after) = self.tokens;
        results.count += 1;
        results.changed += usize::from(fingerprint(&self.original.text) != self.fingerprint);
        results.larger += usize::from(after > before);
        results.tokens_in += before;
        results.tokens_out += after;
    }
}

fn output(result: &ToolResult) -> Output<'_> {
    Output {
        text: &result.text,
        tool: &result.tool,
        arguments: &result.arguments,
        call: result.call.as_deref(),
        is_error: result.is_error,
    }
}

fn text_of(compressed: &Compressed, original: &ToolResult) -> String {
    compressed.text(&original.text).to_owned()
}

fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn expand_tool_tokens(settings: &Settings) -> usize {
    settings.counter.count(expand_tool::DEFINITION)
}

/// What each stage saved. What was not counted on the way is the doing of the stage that comes last; else it is the
/// price of the reference, or what escapes in a wrapper around the payload add to a saving.
fn stages(compressed: &Compressed, (before, after): (usize, usize)) -> Vec<(&'static str, i64)> {
    if compressed.replacement.is_none() {
        return Vec::new();
    }
    let applied = || compressed.steps.iter().filter(|step| step.is_applied());
    let mut saved: Vec<(&'static str, i64)> = Vec::new();
    for step in applied() {
        if let Some((before, after)) = step.tokens {
            saved.push((step.stage, before as i64 - after as i64));
        }
    }
    let counted: i64 = saved.iter().map(|(_, saved)| saved).sum();
    let rest = before as i64 - after as i64 - counted;
    let uncounted = applied().filter(|step| step.tokens.is_none()).last().map(|step| step.stage);
    let redacted = (!compressed.redacted.is_empty()).then_some("redaction");
    match uncounted.or(redacted) {
        Some(stage) => saved.push((stage, rest)),
        None if rest < 0 => saved.push(("reference", rest)),
        None if rest > 0 => saved.push(("wrapper", rest)),
        None => {}
    }
    saved
}
