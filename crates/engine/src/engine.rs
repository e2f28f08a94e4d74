//! The compression engine: one tool output in, one with fewer tokens out.

mod head;
mod own_notation;
mod own_stages;
mod variant;

use crate::context::CallContext;
use crate::fidelity::Fidelity;
use crate::filter::FilterSet;
use crate::history::History;
use crate::mode::Mode;
use crate::nature::Nature;
use crate::output::{CompressedOutput, Original, Output};
use crate::record::{KeptReason, StageOutcome, StageStep, Verdict};
use crate::reference::Reference;
use crate::runner::{StageRun, isolate_panic};
use crate::settings::{CEILING_BYTES, DEFAULT_MAX_OUTPUT_BYTES, FLOOR_BYTES, Settings};
use crate::stage::{Stage, StageContext};
use crate::vault::{Vault, VaultAccess};
use crate::wrapper::{Parts, Piece};
use crate::{redaction, stages, wrapper};
pub(crate) use own_notation::{has_mark, is_marked};
use own_stages::{OwnStages, StagePlace};
use std::borrow::Cow;
use std::cell::OnceCell;
use tokenforge_tokens::interrupt::{Deadline, watched};
use variant::{ModelView, OutputVariant};
use xxhash_rust::xxh3::xxh3_64;

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
    /// not begin once a deadline has passed, but the engine does not stop it while it runs. A stage of
    /// [`Fidelity::Safety`] is never run, since the text of such a stage is taken however large it is.
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
    pub fn with_trace(&self) -> Self {
        Engine { is_traced: true, ..self.clone() }
    }

    /// Whether the reader of an output can fetch back what is left out of it.
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
                original: variant.reference.map(|reference| Original::new(reference, text)),
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
        if self.settings.redact_secrets && self.settings.mode.is_safe() {
            redaction::redact(text, context)
        } else {
            (text.into(), Vec::new())
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
        let runs = self.start_runs(&parts, context).into_iter();
        let clean: Vec<StageRun<'_>> = runs.map(|run| self.clean(run)).collect();
        // What a terminal overwrites or does not show may stand before a mark, and hide it.
        if text.contains(crate::SIGNATURE) && clean.iter().any(|run| is_marked(run.text())) {
            return self.cap_marked(text, context);
        }
        let short = self.may_leave_out().then(|| self.short(&clean, context)).flatten();
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
            .filter_map(|runs| self.variant(text, &before, &parts, runs, context, seen))
            .min_by_key(|variant| variant.weight)
            .ok_or(reason)
    }

    fn start_run<'r>(&'r self, payload: &'r str, context: &'r CallContext) -> StageRun<'r> {
        let nature = Nature::of(payload, context);
        let Engine { settings, filters, deadline, is_traced, .. } = *self;
        let given = StageContext { context, settings, filters, nature, is_quoted: false };
        StageRun::new(payload, given, deadline, is_traced)
    }

    /// The runs of the payloads of an output.
    fn start_runs<'r>(
        &'r self,
        parts: &'r Parts<'_>,
        context: &'r CallContext,
    ) -> Vec<StageRun<'r>> {
        let start = |piece: &'r Piece<'_>| match piece {
            Piece::Keep(_) => None,
            Piece::Payload(payload) => {
                let run = self.start_run(&payload.text, context);
                Some(if payload.codecs.is_empty() { run } else { run.quoted() })
            }
        };
        parts.pieces().iter().filter_map(start).collect()
    }

    /// Without what a terminal would not show and, where that can be fetched back, what is not text.
    fn clean<'r>(&self, run: StageRun<'r>) -> StageRun<'r> {
        let own = &self.own_stages;
        let run = run.through(stages::CLEAN).through(&own.at(StagePlace::Clean)).looked_at_again();
        let run = run.refuse(&own.at(StagePlace::Nowhere));
        self.suppress(run)
    }

    /// Without binary output, if it can be fetched back: decision 11.
    fn suppress<'r>(&self, run: StageRun<'r>) -> StageRun<'r> {
        let is_gated = self.settings.mode.is_safe() && self.is_reversible();
        if is_gated { run.through(stages::SUPPRESS) } else { run }
    }

    /// In fewer tokens, and no longer than allowed.
    fn compact<'r>(&self, run: StageRun<'r>) -> StageRun<'r> {
        let run = if self.settings.mode.compacts() {
            run.through(stages::COMPACT).through(&self.own_stages.at(StagePlace::Compact))
        } else {
            run
        };
        let limit = self.limit(run.nature());
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
        let notations = match self.settings.mode {
            mode if !mode.compacts() => return run,
            Mode::Aggressive => &[stages::NOTATIONS, stages::DICTIONARY][..],
            _ => &[stages::NOTATIONS],
        };
        let notations = self.own_stages.behind(notations, StagePlace::Notation);
        run.in_cheapest(&notations, stages::REPEATS)
    }

    /// Without what can be fetched if it is wanted; `None` if there is nothing of that kind.
    fn short<'r>(
        &'r self,
        clean: &[StageRun<'r>],
        context: &CallContext,
    ) -> Option<Vec<StageRun<'r>>> {
        let stages = match (context.is_error, self.settings.mode) {
            // A failure is shown whole: what explains it cannot be told from what does not. What passed does not.
            (true, _) => stages::FAMILY.to_vec(),
            (false, Mode::Aggressive) => {
                let lists = [stages::FAMILY, stages::LEAVE_OUT, stages::NOISE];
                self.own_stages.behind(&lists, StagePlace::LeaveOut)
            }
            (false, _) => {
                let lists = [stages::FAMILY, stages::LEAVE_OUT];
                self.own_stages.behind(&lists, StagePlace::LeaveOut)
            }
        };
        let short: Vec<StageRun<'r>> =
            clean.iter().map(|run| run.clone().through(&stages)).collect();
        let leaves_out = short.iter().any(|run| run.has_applied(Fidelity::Reversible));
        leaves_out.then(|| short.into_iter().map(|run| self.compact(run)).collect())
    }

    /// How many bytes of a payload are kept, if not all. A limit that the caller set holds in any case. The usual one holds
    /// where the rest can be fetched back, and not for file text and diffs: an agent that edits or applies them has to see
    /// all of them (decision 41).
    fn limit(&self, nature: Nature) -> Option<usize> {
        let Settings { mode, max_output_bytes, .. } = self.settings;
        let has_usual = self.is_reversible() && nature == Nature::Plain;
        let usual = has_usual.then_some(DEFAULT_MAX_OUTPUT_BYTES);
        max_output_bytes.or(usual).filter(|_| mode.is_safe())
    }

    fn may_leave_out(&self) -> bool {
        self.settings.mode.leaves_out() && self.is_reversible()
    }
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

/// The record of an output for which there was no time.
fn late() -> StageStep {
    StageStep {
        stage: "deadline",
        fidelity: Fidelity::Safety,
        outcome: StageOutcome::OutOfTime,
        tokens: None,
        texts: None,
    }
}

/// What is left of an output by a family, as one part in this many, makes the whole output not worth looking at.
const LITTLE: usize = 4;

fn size(runs: &[StageRun<'_>]) -> usize {
    runs.iter().map(StageRun::len).sum()
}

/// Was something taken away that only a reference gives back?
fn has_left_out(run: &StageRun<'_>) -> bool {
    run.has_applied(Fidelity::Reversible) || run.has_applied(Fidelity::Safety)
}
