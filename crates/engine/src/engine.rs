//! The compression engine: one tool output in, one with fewer tokens out.

mod head;
mod own_notation;
<<<<<<< HEAD
=======
mod own_stages;
mod variant;
>>>>>>> words

use crate::context::CallContext;
use crate::fidelity::Fidelity;
use crate::filter::FilterSet;
use crate::history::History;
use crate::mode::Mode;
use crate::nature::Nature;
<<<<<<< HEAD
use crate::record::{KeptReason, StageOutcome, StageStep, Verdict};
use crate::reference::{Reference, ReferenceSecret};
use crate::runner::{StageRun, isolate_panic};
use crate::settings::{CEILING_BYTES, DEFAULT_MAX_OUTPUT_BYTES, FLOOR_BYTES, Settings};
use crate::stage::StageContext;
use crate::wrapper::{self, Parts, Piece};
use crate::{redaction, stages};
use head::ReferenceHead;
pub(crate) use own_notation::{has_mark, is_marked};
=======
use crate::output::{CompressedOutput, Original, Output};
use crate::record::{KeptReason, StageOutcome, StageStep, Verdict};
use crate::reference::Reference;
use crate::runner::{StageRun, isolate_panic};
use crate::settings::{CEILING_BYTES, DEFAULT_MAX_OUTPUT_BYTES, FLOOR_BYTES, Settings};
use crate::stage::{Stage, StageContext};
use crate::vault::{Vault, VaultAccess};
use crate::{redaction, stages, wrapper};
pub(crate) use own_notation::{has_mark, is_marked};
use own_stages::{OwnStages, StagePlace};
>>>>>>> words
use std::borrow::Cow;
use std::cell::OnceCell;
use tokenforge_tokens::interrupt::{Deadline, watched};
use variant::{ModelView, OutputVariant};
use xxhash_rust::xxh3::xxh3_64;

<<<<<<< HEAD
/// A tool's output and the call it answers.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// What the tool said.
    pub text: &'a str,
    /// The name of the tool, as the client calls it.
    pub tool: &'a str,
    /// The arguments of the call, as JSON text; empty if they are not known.
    pub arguments: &'a str,
    /// The id of the call.
    pub call: Option<&'a str>,
    /// Did the tool say that it failed?
    pub is_error: bool,
}

impl<'a> Output<'a> {
    /// The call that it answers.
    #[must_use]
    pub fn tool_call(&self) -> ToolCall<'a> {
        ToolCall { id: self.call, tool: self.tool, arguments: self.arguments }
    }
}

/// A place for originals.
#[derive(Debug, Clone, Copy)]
pub struct Vault<'a> {
    /// What makes references unforgeable.
    pub key: &'a ReferenceSecret,
    /// Who can fetch an original.
    pub access: VaultAccess,
}

impl<'a> Vault<'a> {
    /// From which whoever reads an output can fetch what is left out of it.
    #[must_use]
    pub fn for_reader(key: &'a ReferenceSecret) -> Self {
        Vault { key, access: VaultAccess::Reader }
    }
}

/// Who can fetch what is in a [`Vault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VaultAccess {
    /// Whoever reads the output, with what it is given beside it: so something may be left out.
    Reader,
    /// Others only. Nothing is left out but what exceeds a limit that the caller set itself, with a reference for them.
    Others,
}

/// What became of an output.
#[derive(Debug, Clone)]
pub struct CompressedOutput {
    /// What is to be forwarded instead; `None`: the output as it came.
    pub replacement: Option<String>,
    /// Whether there is a replacement, and if not, why.
    pub verdict: Verdict,
    /// What each stage did.
    pub steps: Vec<StageStep>,
    /// What must be stored before the text is forwarded: it says that it can be fetched back.
    pub original: Option<Original>,
    /// The kinds of secrets that were removed.
    pub redacted: Vec<&'static str>,
    /// Tokens of the output and of what is forwarded, where both were counted on the way.
    pub counted: Option<(usize, usize)>,
}

impl CompressedOutput {
    /// What is to be forwarded for the output with this text.
    #[must_use]
    pub fn text<'t>(&'t self, original: &'t str) -> &'t str {
        self.replacement.as_deref().unwrap_or(original)
    }

    /// The tokens of the output with this text, and of what is forwarded for it.
    #[must_use]
    pub fn tokens(&self, original: &str, counter: Counter) -> (usize, usize) {
        self.counted.unwrap_or_else(|| {
            // Nobody looked at it for long, and nobody does so to count it.
            let is_late = self.verdict == Verdict::Kept(KeptReason::OutOfTime);
            let counter = if is_late { Counter::Estimate } else { counter };
            let before = count_or_estimate(original, counter);
            let after =
                self.replacement.as_ref().map_or(before, |text| count_or_estimate(text, counter));
            (before, after)
        })
    }

    fn keep_for(reason: KeptReason) -> Self {
        CompressedOutput {
            replacement: None,
            verdict: Verdict::Kept(reason),
            steps: Vec::new(),
            original: None,
            redacted: Vec::new(),
            counted: None,
        }
    }
}

/// An output that something was left out of, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// The id under which the model will ask for it.
    pub reference: Reference,
    /// The text.
    pub text: String,
}

=======
>>>>>>> words
/// Compresses tool outputs as its settings say.
///
/// ```
/// # use tokenforge_engine::{Engine, History, Output, Settings};
/// let settings = Settings::default();
/// let text = r#"[{"id": 1, "state": "open", "title": "first"}, {"id": 2, "state": "open", "title": "second"},
///     {"id": 3, "state": "closed", "title": "third"}, {"id": 4, "state": "open", "title": "fourth"}]"#;
/// let output = Output { text, tool: "list_items", arguments: "{}", call: None, is_error: false };
/// let compressed = Engine::new(&settings).compress(&output, &History::default());
/// assert!(compressed.text(text).len() < text.len());
/// ```
#[derive(Clone)]
pub struct Engine<'a> {
    settings: &'a Settings,
    filters: &'a FilterSet,
    vault: Option<Vault<'a>>,
    deadline: Option<&'a Deadline>,
    own_stages: OwnStages<'a>,
    is_traced: bool,
}

impl<'a> Engine<'a> {
    /// An engine that leaves nothing out, since nothing could be fetched back.
    #[must_use]
    pub fn new(settings: &'a Settings) -> Self {
        let filters = FilterSet::builtin();
        let own_stages = OwnStages::default();
        Engine { settings, filters, vault: None, deadline: None, own_stages, is_traced: false }
    }

    /// With a place for originals. The caller stores [`CompressedOutput::original`] before it forwards the text.
    #[must_use]
    pub fn with_vault(&self, vault: Vault<'a>) -> Self {
        Engine { vault: Some(vault), ..self.clone() }
    }

    /// With other filters than the built-in ones.
    #[must_use]
    pub fn with_filters(&self, filters: &'a FilterSet) -> Self {
        Engine { filters, ..self.clone() }
    }

    /// With a deadline: once it has passed no further stage begins, and the one at work stops.
    #[must_use]
    pub fn with_deadline(&self, deadline: &'a Deadline) -> Self {
        Engine { deadline: Some(deadline), ..self.clone() }
    }

    /// With a stage of the caller's own, behind the built-in ones of its [`Fidelity`] and in the modes in which those run.
    ///
    /// It is held to what they are held to. Its text is taken only if that has fewer tokens and no more bytes, and, where
    /// the stage is lossless, only if its [`decode`](Stage::decode) gives back what it was given. A panic in it leaves the
    /// text as it was, for the next stage. It is asked to leave something out only where that can be fetched back. It does
    /// not begin once a deadline has passed, but nobody stops it while it runs. A stage of [`Fidelity::Safety`] is never
    /// run, since the text of such a stage is taken however large it is.
    ///
    /// [`restore`](crate::restore()) knows the built-in stages alone: the text of another is decoded by that stage.
    ///
    /// ```
    /// use tokenforge_engine::{Engine, Fidelity, History, Output, Settings, Stage, StageContext, StageOutput};
    ///
    /// /// The domain that all our machines share.
    /// struct OurDomain;
    ///
    /// impl Stage for OurDomain {
    ///     fn name(&self) -> &'static str {
    ///         "our_domain"
    ///     }
    ///
    ///     fn fidelity(&self) -> Fidelity {
    ///         Fidelity::Lossless
    ///     }
    ///
    ///     fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
    ///         Some(text.replace(".eu-central-1.compute.internal", ".~").into())
    ///     }
    ///
    ///     fn decode(&self, text: &str) -> Option<String> {
    ///         Some(text.replace(".~", ".eu-central-1.compute.internal"))
    ///     }
    /// }
    ///
    /// let settings = Settings::default();
    /// let engine = Engine::new(&settings).with_stage(&OurDomain);
    /// let text = "db.eu-central-1.compute.internal is up\nweb.eu-central-1.compute.internal has 3 errors\n\
    ///             cache.eu-central-1.compute.internal was restarted, then mail.eu-central-1.compute.internal\n";
    /// let compressed = engine.compress(&Output::new("status", text), &History::default());
    /// assert_eq!(
    ///     compressed.text(text),
    ///     "db.~ is up\nweb.~ has 3 errors\ncache.~ was restarted, then mail.~\n"
    /// );
    ///
    /// // Here `.~` has a meaning already, so the decoded text would be another: the runner refuses it.
    /// let ambiguous = format!("{text}see /srv/.~lock\n");
    /// let compressed = engine.compress(&Output::new("status", &ambiguous), &History::default());
    /// assert_eq!(compressed.text(&ambiguous), ambiguous);
    /// ```
    #[must_use]
    pub fn with_stage(&self, stage: &'a dyn Stage) -> Self {
        Engine { own_stages: self.own_stages.with(stage), ..self.clone() }
    }

    /// With the text before and after each stage in the record.
    #[must_use]
<<<<<<< HEAD
    pub fn with_trace(self) -> Self {
        Engine { is_traced: true, ..self }
=======
    pub fn with_trace(&self) -> Self {
        Engine { is_traced: true, ..self.clone() }
>>>>>>> words
    }

    /// Can whoever reads an output fetch back what is left out of it?
    #[must_use]
    pub fn is_reversible(&self) -> bool {
        self.vault.is_some_and(|vault| vault.access == VaultAccess::Reader)
    }

    /// Does a request need the tool that gives back what is left out? Decided by the settings alone, since adding it
    /// in mid-conversation would change everything that follows it.
    #[must_use]
    pub fn offers_expansion(&self) -> bool {
        matches!(self.settings.mode, Mode::Standard | Mode::Aggressive) && self.is_reversible()
    }

    /// Tells engines apart that may write another text for the same output. Stages of the caller's own are told apart by
    /// their names: one that writes otherwise than before needs another name.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let vault = match self.vault {
            None => [0, 0],
            Some(Vault { key, access: VaultAccess::Others }) => [1, key.fingerprint()],
            Some(Vault { key, access: VaultAccess::Reader }) => [2, key.fingerprint()],
        };
        let parts = [self.settings.fingerprint(), vault[0], vault[1]];
        let known = xxh3_64(parts.map(u64::to_le_bytes).as_flattened());
        // What is remembered in a shared store is found by this, so without such stages it is what it was before there were any.
        match self.own_stages.fingerprint() {
            None => known,
            Some(own) => xxh3_64([known, own].map(u64::to_le_bytes).as_flattened()),
        }
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// The reference under which a text can be fetched back, if anything can.
    #[must_use]
    pub fn reference(&self, text: &str) -> Option<Reference> {
        self.vault.map(|vault| Reference::of(vault.key, text))
    }

    /// The output without its secrets, as it would be stored if something were left out of it.
    #[must_use]
    pub fn redacted_text<'t>(&self, output: &Output<'t>) -> Cow<'t, str> {
        self.redact(output.text, &CallContext::new(output.tool, output.arguments, output.is_error))
            .0
    }

    /// What is to be forwarded instead of an output. `history` holds what was forwarded for the results before it.
    #[must_use]
    pub fn compress(&self, output: &Output<'_>, history: &History) -> CompressedOutput {
        if self.settings.mode == Mode::Disabled {
            return CompressedOutput::keep_for(KeptReason::Disabled);
        }
        let context = CallContext::new(output.tool, output.arguments, output.is_error);
        let (text, redacted) = self.redact(output.text, &context);
        let seen = ModelView { call: output.tool_call(), history };
        let shrink = || self.shrink(&text, &context, seen);
        let shrunk = isolate_panic(|| watched(u64::MAX, self.deadline, shrink));
        let shrunk = shrunk.unwrap_or(Ok(Err(KeptReason::Panicked)));
        let mut compressed = match shrunk.unwrap_or(Err(KeptReason::OutOfTime)) {
            Ok(variant) => CompressedOutput {
                replacement: Some(variant.text),
                verdict: Verdict::Replaced,
                steps: variant.steps,
                original: variant
                    .reference
                    .map(|reference| Original { reference, text: text.into_owned() }),
                counted: redacted.is_empty().then_some(variant.tokens),
                redacted,
            },
            Err(reason) if redacted.is_empty() => CompressedOutput::keep_for(reason),
            Err(reason) => CompressedOutput {
                replacement: Some(text.into_owned()),
                verdict: Verdict::Replaced,
                redacted,
                steps: if reason == KeptReason::OutOfTime { vec![late()] } else { Vec::new() },
                ..CompressedOutput::keep_for(reason)
            },
        };
        if self.settings.mode == Mode::Observe {
            compressed.replacement = None;
            compressed.verdict = Verdict::Kept(KeptReason::Observed);
            compressed.original = None;
            compressed.counted = compressed.counted.map(|(before, _)| (before, before));
        }
        compressed
    }

    fn redact<'t>(
        &self,
        text: &'t str,
        context: &CallContext,
    ) -> (Cow<'t, str>, Vec<&'static str>) {
        match self.settings.redact_secrets && self.settings.mode.is_safe() {
            true => redaction::redact(text, context.tool.text_is_exact()),
            false => (text.into(), Vec::new()),
        }
    }

    /// The text in fewer tokens, or why it must or may as well stay as it is.
    fn shrink(
        &self,
        text: &str,
        context: &CallContext,
        seen: ModelView<'_>,
    ) -> Result<OutputVariant, KeptReason> {
        if text.len() < FLOOR_BYTES {
            return Err(KeptReason::TooSmall);
        }
        if self.settings.skip_tools.covers(&context.tool_name, context.tool) {
            return Err(KeptReason::SkippedTool);
        }
        if context.is_expansion() {
            return Err(KeptReason::Expansion);
        }
        if is_marked(text) {
            return self.cap_marked(text, context);
        }
        let parts = wrapper::unwrap(text);
        let payloads: Vec<&str> = parts.payloads().collect();
        if payloads.is_empty() {
            return Err(KeptReason::ClientMessage);
        }
        if payloads.iter().any(|payload| is_marked(payload)) {
            return self.cap_marked(text, context);
        }
        let clean: Vec<StageRun<'_>> =
            payloads.iter().map(|text| self.clean(self.start_run(text, context))).collect();
        let short = self.may_leave_out(context).then(|| self.short(&clean)).flatten();
        // Nothing that is kept whole competes with so little.
        let is_little = |short: &Vec<StageRun<'_>>| size(short) < size(&clean) / LITTLE;
        let exact = (!short.as_ref().is_some_and(is_little))
            .then(|| clean.into_iter().map(|run| self.compact(run)).collect());
        let runs: Vec<Vec<StageRun<'_>>> = exact.into_iter().chain(short).collect();
        // Whichever variant it was: what is forwarded would depend on the clock without anybody hearing of it.
        if runs
            .iter()
            .flatten()
            .flat_map(StageRun::steps)
            .any(|step| step.outcome == StageOutcome::OutOfTime)
        {
            return Err(KeptReason::OutOfTime);
        }
        let reason = kept_because(text, context, &runs);
        let before = OnceCell::new();
        let variants = runs.into_iter();
        variants
            .filter_map(|runs| self.variant(text, &before, &parts, runs, seen))
            .min_by_key(|variant| variant.weight)
            .ok_or(reason)
    }

    fn start_run<'r>(&'r self, payload: &'r str, context: &'r CallContext) -> StageRun<'r> {
        let nature = Nature::of(payload, context);
        let Engine { settings, filters, deadline, is_traced, .. } = *self;
<<<<<<< HEAD
        StageRun::new(
            payload,
            StageContext { context, settings, filters, nature },
            deadline,
            is_traced,
        )
=======
        let given = StageContext { context, settings, filters, nature };
        StageRun::new(payload, given, deadline, is_traced)
>>>>>>> words
    }

    /// Without what a terminal would not show and what is not text.
    fn clean<'r>(&self, run: StageRun<'r>) -> StageRun<'r> {
<<<<<<< HEAD
        let run = run.through(stages::CLEAN).looked_at_again();
=======
        let own = &self.own_stages;
        let run = run.through(stages::CLEAN).through(&own.at(StagePlace::Clean)).looked_at_again();
        let run = run.refuse(&own.at(StagePlace::Nowhere));
>>>>>>> words
        if self.settings.mode.is_safe() { run.through(stages::SUPPRESS) } else { run }
    }

    /// In fewer tokens, and no longer than allowed.
    fn compact<'r>(&self, run: StageRun<'r>) -> StageRun<'r> {
<<<<<<< HEAD
        let run = if self.settings.mode.compacts() { run.through(stages::COMPACT) } else { run };
=======
        let run = match self.settings.mode.compacts() {
            true => run.through(stages::COMPACT).through(&self.own_stages.at(StagePlace::Compact)),
            false => run,
        };
>>>>>>> words
        let limit = self.limit();
        let fits = |run: &StageRun<'_>| limit.is_none_or(|limit| run.len() <= limit);
        if fits(&run) {
            return self.factor_out(run);
        }
        // Of lines that lean on others none can be cut out: a match would lose its file.
        let factored = self.factor_out(run.clone());
        if fits(&factored) { factored } else { run.through(stages::CAP) }
    }

    /// With what its lines share said once.
    fn factor_out<'r>(&self, run: StageRun<'r>) -> StageRun<'r> {
<<<<<<< HEAD
        match self.settings.mode {
            mode if !mode.compacts() => run,
            Mode::Aggressive => run.in_cheapest(stages::ALL_NOTATIONS, stages::REPEATS),
            _ => run.in_cheapest(stages::NOTATIONS, stages::REPEATS),
        }
=======
        let notations = match self.settings.mode {
            mode if !mode.compacts() => return run,
            Mode::Aggressive => stages::ALL_NOTATIONS,
            _ => stages::NOTATIONS,
        };
        let notations = self.own_stages.behind(notations, StagePlace::Notation);
        run.in_cheapest(&notations, stages::REPEATS)
>>>>>>> words
    }

    /// Without what can be fetched if it is wanted; `None` if there is nothing of that kind.
    fn short<'r>(&self, clean: &[StageRun<'r>]) -> Option<Vec<StageRun<'r>>> {
        let stages: &[_] = match self.settings.mode {
            Mode::Aggressive => stages::LEAVE_OUT_MORE,
            _ => stages::LEAVE_OUT,
        };
<<<<<<< HEAD
        let short: Vec<StageRun<'r>> =
            clean.iter().map(|run| run.clone().through(stages)).collect();
=======
        let stages = self.own_stages.behind(stages, StagePlace::LeaveOut);
        let short: Vec<StageRun<'r>> =
            clean.iter().map(|run| run.clone().through(&stages)).collect();
>>>>>>> words
        let leaves_out = short.iter().any(|run| run.has_applied(Fidelity::Reversible));
        leaves_out.then(|| short.into_iter().map(|run| self.compact(run)).collect())
    }

    /// How many bytes of a payload are kept, if not all. What the caller asked for is cut off in any case; what it did
    /// not ask for only where it can be fetched back.
    fn limit(&self) -> Option<usize> {
        let Settings { mode, max_output_bytes, .. } = self.settings;
        let usual = self.is_reversible().then_some(DEFAULT_MAX_OUTPUT_BYTES);
        max_output_bytes.or(usual).filter(|_| mode.is_safe())
    }

    /// A failure is shown whole: what explains it cannot be told from what does not.
    fn may_leave_out(&self, context: &CallContext) -> bool {
        self.settings.mode.leaves_out() && self.is_reversible() && !context.is_error
    }
<<<<<<< HEAD

    /// What would be forwarded, if that is less than the text. `before` are the tokens of the text, once they are known.
    fn variant(
        &self,
        text: &str,
        before: &OnceCell<usize>,
        parts: &Parts<'_>,
        runs: Vec<StageRun<'_>>,
        seen: ModelView<'_>,
    ) -> Option<OutputVariant> {
        let left_out = runs.iter().any(has_left_out);
        let is_safety = runs.iter().any(|run| run.has_applied(Fidelity::Safety));
        let whole = runs.first().filter(|_| is_whole(parts));
        // A text that is all payload has passed the gates, and its tokens are known.
        let gated = whole.and_then(StageRun::known_tokens);
        if let Some(tokens) = whole.and_then(StageRun::tokens_at_first) {
            let _ = before.set(tokens);
        }
        let body: Cow<'_, str> = match whole {
            Some(run) => run.text().into(),
            None if runs.iter().any(StageRun::has_changed) => {
                parts.rewrap(&runs.iter().map(StageRun::text).collect::<Vec<_>>()).into()
            }
            None => text.into(),
        };
        let reference = if left_out { self.reference(text) } else { None };
        let has_notation = runs.iter().any(StageRun::has_notation);
        let scope = if has_notation { PointerScope::Whole } else { PointerScope::Lines };
        let pointed = self.with_pointers(&body, reference.as_ref(), scope, seen);
        let is_pointed = pointed.is_some();
        let gated = gated.filter(|_| !is_pointed && reference.is_none());
        let forwarded = pointed.unwrap_or_else(|| self.with_reference(body, reference.as_ref()));
        if forwarded == text {
            return None;
        }
        let counter = self.settings.counter;
        let before = || *before.get_or_init(|| count_or_estimate(text, counter));
        let head = ReferenceHead::of(&forwarded, !is_safety);
        let after = match gated {
            Some(tokens) => tokens,
            None if is_safety => counter.count(&forwarded),
            None if head.bytes(forwarded.len()) > text.len() => return None,
            None => counter.count_within(&forwarded, before().checked_sub(1)?)?,
        };
        let weight = head.tokens(after, counter);
        if weight >= before() && !is_safety {
            return None;
        }
        let steps = steps(&runs, is_pointed);
        Some(OutputVariant { text: forwarded, tokens: (before(), after), weight, steps, reference })
    }

    /// What would be forwarded with pointers to what earlier results show, if it is smaller with them.
    fn with_pointers(
        &self,
        body: &str,
        reference: Option<&Reference>,
        scope: PointerScope,
        ModelView { call, history }: ModelView<'_>,
    ) -> Option<String> {
        if !self.settings.mode.compacts() || !self.settings.dedup {
            return None;
        }
        let counter = self.settings.counter;
        // An equal result that was shortened before begins with the same reference.
        let duplicate = reference.and_then(|_| {
            history.duplicate_of(&self.with_reference(body.into(), reference), &call)
        });
        if let Some(marker) = duplicate {
            return counter.is_cheaper(&marker, body).then_some(marker);
        }
        let pointed = history.point(body, &call, scope, counter)?;
        counter.is_cheaper(&pointed, body).then(|| self.with_reference(pointed.into(), reference))
    }

    /// The text with the reference before it.
    fn with_reference(&self, body: Cow<'_, str>, reference: Option<&Reference>) -> String {
        match reference {
            Some(reference) => reference.before(&body, self.settings.expand_hint),
            None => body.into_owned(),
        }
    }
}

/// What the model can see beside an output: the call that it answers, and the results before it.
#[derive(Clone, Copy)]
struct ModelView<'a> {
    call: ToolCall<'a>,
    history: &'a History,
}

/// One way to write an output.
struct OutputVariant {
    text: String,
    /// Those of the output, and those of the text.
    tokens: (usize, usize),
    /// What it is chosen by.
    weight: usize,
    steps: Vec<StageStep>,
    reference: Option<Reference>,
=======
>>>>>>> words
}

/// Why an output stays as it came, if no variant of it is smaller.
fn kept_because(text: &str, context: &CallContext, variants: &[Vec<StageRun<'_>>]) -> KeptReason {
    let any = |outcome: StageOutcome| {
        let steps = || variants.iter().flatten().flat_map(StageRun::steps);
        steps().any(|step| step.outcome == outcome)
    };
    match Nature::of(text, context) {
        _ if text.len() > CEILING_BYTES => KeptReason::TooLarge,
        Nature::File => KeptReason::ExactTool,
        _ if any(StageOutcome::NotSmaller) => KeptReason::NotSmaller,
        _ => KeptReason::NothingToDo,
    }
}

<<<<<<< HEAD
/// What was done to a variant, and whether it points to earlier results.
fn steps(runs: &[StageRun<'_>], is_pointed: bool) -> Vec<StageStep> {
    let mut steps = Vec::with_capacity(runs.iter().map(|run| run.steps().len()).sum::<usize>() + 1);
    runs.iter().for_each(|run| steps.extend_from_slice(run.steps()));
    steps.push(pointing(is_pointed));
    steps
}

=======
>>>>>>> words
/// The record of an output for which there was no time.
fn late() -> StageStep {
    StageStep {
        stage: "deadline",
        fidelity: Fidelity::Safety,
        outcome: StageOutcome::OutOfTime,
<<<<<<< HEAD
        tokens: None,
        texts: None,
    }
}

/// The record of looking for what earlier results show.
fn pointing(found: bool) -> StageStep {
    let outcome = if found { StageOutcome::Applied } else { StageOutcome::NothingToDo };
    StageStep {
        stage: "earlier_results",
        fidelity: Fidelity::Lossless,
        outcome,
=======
>>>>>>> words
        tokens: None,
        texts: None,
    }
}

/// What is left of an output by a family, as one part in this many, makes the whole output not worth looking at.
const LITTLE: usize = 4;

fn size(runs: &[StageRun<'_>]) -> usize {
    runs.iter().map(StageRun::len).sum()
<<<<<<< HEAD
}

/// The tokens of a text, or about as many for one that is too large to be looked at.
fn count_or_estimate(text: &str, counter: Counter) -> usize {
    let counter = if text.len() > CEILING_BYTES { Counter::Estimate } else { counter };
    counter.count(text)
=======
>>>>>>> words
}

/// Was something taken away that only a reference gives back?
fn has_left_out(run: &StageRun<'_>) -> bool {
    run.has_applied(Fidelity::Reversible) || run.has_applied(Fidelity::Safety)
}
