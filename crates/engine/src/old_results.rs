//! Old tool results: observation masking, at the one moment when it costs no prompt cache.
//!
//! A result that was sent many turns ago is read from the provider's cache in every request after it. To take it out of a
//! warm cache is dearer than to leave it: everything behind it would be written anew. Where the cache is cold everything is
//! written anew in any case, so that is when [`OldResultChoice::new`] is asked, and [`Engine::leave_out`] puts a reference in
//! the place of each. Whether a cache is cold depends on the clock, so the caller decides that once and remembers it: the
//! gateway in its store, a replay for as long as it takes. Both choose here.
//!
//! Not done: call arguments, which are the model's own words; and the same in a warm cache, which was dearer in every
//! recorded session.

use crate::context::CallContext;
use crate::engine::{Engine, is_marked};
use crate::fidelity::Fidelity;
use crate::history::{ToolCall, WholeFile};
use crate::output::{CompressedOutput, Original, Output};
use crate::record::{StageOutcome, StageStep, Verdict};
use std::collections::HashSet;

/// How many turns of the model a result stays as it is.
pub const OLD_TURNS: usize = 20;

/// A conversation with fewer turns is left alone, and not recorded: there is little in it. One that is seen with more than
/// [`OLD_TURNS`] for the first time was not sent this way with the turns between, so its cache is cold if the record is
/// complete.
pub const FEWEST_TURNS: usize = 10;

/// How many times something is left out of a conversation. Each follows a pause, so a week of work stays below it.
pub const MOST_CHOICES: usize = 32;

/// A shorter result is not worth a reference: what [`Engine::leave_out`] would leave as it is need not be chosen. Of a longer
/// one only what is beyond counts, so that many short results are no reason to change anything.
const FEWEST_BYTES: usize = 400;

/// What it takes to change a conversation where the model can fetch what is left out.
const LEAST_LEFT_OUT: usize = 2_000;

/// The same where it has to be told of the tool for that first: about twenty times the tool's definition, which stands in
/// every request from then on.
const LEAST_FOR_TOOL: usize = 5_000;

/// A pointer to an earlier result stands for no fewer lines.
const FEWEST_LINES: usize = 3;

/// What has fewer tokens stays: a reference has about 40, and to fetch one result back costs more than to carry a few.
const FEWEST_TOKENS: usize = 150;

/// The name under which the record tells of it.
pub const STAGE: &str = "old_result";

/// A result, as far as has to be known to tell whether it is still of use.
#[derive(Debug, Clone, Copy)]
pub struct AgedResult<'a> {
    /// The call that it answers.
    pub call: ToolCall<'a>,
    /// The call failed.
    pub is_error: bool,
    /// How many turns of the model came after it.
    pub turns_since: usize,
    /// Its text, as the tool put it out.
    pub text: &'a str,
    /// It was left out before.
    pub is_left_out: bool,
}

/// What is left out of a conversation from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldResultChoice {
    /// Which results, those of before included, in ascending order.
    pub left_out: Vec<usize>,
    /// The model has to be told of the tool that fetches them.
    pub offers_tool: bool,
}

impl OldResultChoice {
    /// What there is to leave out now that the cache is cold, if it is worth it. `is_offered`: the model is told of the tool
    /// that fetches it already.
    #[must_use]
    pub fn new(results: &[AgedResult<'_>], is_offered: bool) -> Option<Self> {
        let mut left_out = choose_old_results(results);
        left_out.retain(|index| {
            results.get(*index).is_some_and(|it| it.is_left_out || it.text.len() >= FEWEST_BYTES)
        });
        let least = if is_offered { LEAST_LEFT_OUT } else { LEAST_FOR_TOOL };
        let chosen = left_out.iter().filter_map(|index| results.get(*index));
        let fresh: Vec<_> = chosen.filter(|it| !it.is_left_out).collect();
        let beyond = |bytes: usize| bytes.saturating_sub(FEWEST_BYTES);
        // Nothing is compared where there would not be enough in any case.
        if fresh.iter().map(|it| beyond(it.text.len())).sum::<usize>() < least {
            return None;
        }
        let shown = shown_lines(results, &left_out);
        let bytes: usize = fresh.iter().map(|it| beyond(own_bytes(it.text, &shown))).sum();
        (bytes >= least).then_some(OldResultChoice { left_out, offers_tool: !is_offered })
    }
}

/// The lines of the results that stay. Lines that an earlier result shows are pointers in a later one
/// ([deduplication](crate::history)): without the earlier result the later one may have to show them itself, so they are no reason
/// to leave anything out. One random session in two hundred was dearer until that was counted. Where there is reason enough such
/// results are left out too: most of what is read again is shown again in any case, and to keep them cost 40 % of what is
/// saved at cold caches in recorded sessions.
fn shown_lines<'t>(results: &[AgedResult<'t>], left_out: &[usize]) -> HashSet<&'t str> {
    let stays = |index: &usize| left_out.binary_search(index).is_err();
    let staying = (0..results.len()).filter(stays).filter_map(|index| results.get(index));
    staying.flat_map(|it| it.text.lines().map(without_number)).collect()
}

/// How many bytes of a text are in lines that are not among those, each counted once. Fewer lines than a pointer stands for are
/// a coincidence, except where they are all there is.
fn own_bytes<'t>(text: &'t str, shown: &HashSet<&str>) -> usize {
    let (mut own, mut run, mut run_lines, mut are_all_shown) = (0, 0, 0, true);
    let mut counted: HashSet<&'t str> = HashSet::new();
    for line in text.lines() {
        let bare = without_number(line);
        let is_shown = shown.contains(bare);
        are_all_shown &= is_shown;
        let bytes = if counted.insert(bare) { line.len() + 1 } else { 0 };
        if is_shown {
            (run, run_lines) = (run + bytes, run_lines + 1);
            continue;
        }
        own += bytes + if run_lines < FEWEST_LINES { run } else { 0 };
        (run, run_lines) = (0, 0);
    }
    if are_all_shown { 0 } else { own + if run_lines < FEWEST_LINES { run } else { 0 } }
}

/// A line without the number that a client puts before it: that is another one where the text moved.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start().trim_start_matches(|it: char| it.is_ascii_digit());
    rest.strip_prefix(['\t', '→', ':', '|']).unwrap_or(line)
}

/// Which results can be left out when the provider's cache is cold: those that are old, and those of files that were read
/// again or overwritten since. In ascending order.
fn choose_old_results(results: &[AgedResult<'_>]) -> Vec<usize> {
    // Files that a later call shows whole, or has written whole.
    let mut later: HashSet<String> = HashSet::new();
    let mut chosen = Vec::new();
    for (index, result) in results.iter().enumerate().rev() {
        let file = WholeFile::of(&result.call).filter(|_| !result.is_error);
        let is_superseded =
            matches!(&file, Some(WholeFile::Read(path)) if later.contains(path.as_str()));
        if is_superseded || result.turns_since > OLD_TURNS {
            chosen.push(index);
        }
        if let Some(WholeFile::Read(path) | WholeFile::Written(path)) = file {
            later.insert(path);
        }
    }
    chosen.reverse();
    chosen
}

impl Engine<'_> {
    /// A reference in the place of an output, if it has fewer tokens than `shown`, which would go on otherwise, by so much that
    /// it is worth a fetch. It needs a reader that can fetch.
    #[must_use]
    pub fn leave_out(&self, output: &Output<'_>, shown: &str) -> Option<CompressedOutput> {
        let context = CallContext::new(output.tool, output.arguments, output.is_error);
        let settings = self.settings();
        let is_kept = settings.skip_tools.covers(&context.tool_name, context.tool)
            || context.is_expansion()
            || is_marked(output.text);
        if !self.offers_expansion() || is_kept {
            return None;
        }
        let counter = settings.counter;
        // Counted no further than needed.
        if counter.count_within(shown, FEWEST_TOKENS - 1).is_some() {
            return None;
        }
        let text = self.redacted_text(output);
        let reference = self.reference(&text)?;
        let note = format!("[Forge left out {} lines]", text.lines().count());
        let replacement = reference.before(&note, settings.expand_hint);
        let tokens = (counter.count(output.text), counter.count(&replacement));
        (tokens.1 < FEWEST_TOKENS).then(|| CompressedOutput {
            replacement: Some(replacement),
            verdict: Verdict::Replaced,
            steps: vec![StageStep {
                stage: STAGE,
                fidelity: Fidelity::Reversible,
                outcome: StageOutcome::Applied,
                tokens: Some(tokens),
                texts: None,
            }],
            original: Some(Original::new(reference, text)),
            redacted: Vec::new(),
            counted: Some(tokens),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::mode::Mode;
    use crate::reference::{Reference, ReferenceSecret};
    use crate::settings::Settings;
    use crate::vault::Vault;
    use std::sync::LazyLock;

    fn aged(
        tool: &'static str,
        arguments: &'static str,
        turns_since: usize,
    ) -> AgedResult<'static> {
        let call = ToolCall { id: None, tool, arguments };
        AgedResult { call, is_error: false, turns_since, text: &TEXT, is_left_out: false }
    }

    /// A hundred lines, 1,400 bytes.
    static TEXT: LazyLock<String> = LazyLock::new(|| (0..100).map(line).collect());

    fn line(number: usize) -> String {
        format!("line {number:08}\n")
    }

    #[test]
    fn decision_33_a_cold_cache_alone_is_no_reason_to_change_little() {
        let old = |count| vec![aged("Bash", r#"{"command":"ls"}"#, 30); count];
        let choose = |results: &[AgedResult<'_>], is_offered| {
            OldResultChoice::new(results, is_offered).map(|it| (it.left_out, it.offers_tool))
        };
        assert_eq!(choose(&old(1), true), None);
        assert_eq!(choose(&old(2), true), Some((vec![0, 1], false)));
        assert_eq!(choose(&old(4), false), None, "the model has to be told of the tool first");
        assert_eq!(choose(&old(5), false), Some(((0..5).collect(), true)));
        // What was left out before stays so, and is no reason to decide again.
        let mut results = old(3);
        results[0].is_left_out = true;
        results[2].text = &TEXT[..399];
        assert_eq!(choose(&results, true), None);
        results[2].text = &TEXT;
        assert_eq!(choose(&results, true), Some((vec![0, 1, 2], false)));
    }

    #[test]
    fn l11_decision_33_what_a_later_result_would_have_to_repeat_is_no_reason() {
        let read = |text: String, turns| AgedResult {
            text: text.leak(),
            ..aged("Read", r#"{"file_path":"/a.rs"}"#, turns)
        };
        let lines = |numbers: std::ops::Range<usize>| numbers.map(line).collect::<String>();
        let choose = |results: &[AgedResult<'_>]| {
            OldResultChoice::new(results, true).map(|choice| choice.left_out)
        };
        let old = read(lines(0..400), 30);
        assert_eq!(choose(&[old, read(lines(500..510), 5)]), Some(vec![0]));
        assert_eq!(choose(&[old, read(lines(0..400), 5)]), None, "it would be shown whole");
        assert_eq!(choose(&[old, read(lines(0..390) + "}\n", 5)]), None, "most of it would be");
        assert_eq!(choose(&[old, read(lines(0..100), 5)]), Some(vec![0]), "most is shown no more");
        let short = ["a\n", &line(7), "b\n"].concat();
        assert_eq!(choose(&[old, read(short, 5)]), Some(vec![0]), "a line is no pointer");
        // The numbers of a client's column are others where the text moved.
        let numbered = |first: usize| {
            (0..100)
                .map(|n| format!("{:6}\u{2192}let x{n} = {n};\n", first + n))
                .collect::<String>()
        };
        assert_eq!(choose(&[read(numbered(1), 30), read(numbered(40), 5)]), None);
        // Of three that are alike the old ones go together, or nothing does.
        let same = || read(lines(0..400), 25);
        assert_eq!(choose(&[old, same(), read("done\n".into(), 5)]), Some(vec![0, 1]));
        assert_eq!(choose(&[old, same(), read(lines(0..400), 5)]), None);
        // With reason enough beside it goes too.
        let other = read(lines(600..900), 30);
        assert_eq!(choose(&[old, other, read(lines(0..400), 5)]), Some(vec![0, 1]));
        // A result that was left out before does not show these lines any more.
        let before = AgedResult { is_left_out: true, ..same() };
        assert_eq!(choose(&[old, before]), Some(vec![0, 1]));
        // A line that comes again and again is little.
        assert_eq!(choose(&[read("again\n".repeat(900), 30)]), None);
    }

    #[test]
    fn decision_33_results_of_more_than_twenty_turns_ago_are_old() {
        let results = [21, 20, 5].map(|turns| aged("Bash", r#"{"command":"ls"}"#, turns));
        assert_eq!(choose_old_results(&results), [0]);
    }

    #[test]
    fn decision_33_a_read_is_superseded_by_another_or_by_a_write_of_the_whole_file() {
        let read = aged("Read", r#"{"file_path":"/a.rs"}"#, 3);
        let other = aged("Read", r#"{"file_path":"/b.rs"}"#, 3);
        let part = aged("Read", r#"{"file_path":"/a.rs","offset":10}"#, 2);
        let edit = aged("Edit", r#"{"file_path":"/a.rs","old_string":"a","new_string":"b"}"#, 2);
        let write = aged("Write", r#"{"file_path":"/a.rs","content":"x"}"#, 2);
        assert_eq!(choose_old_results(&[read, other, read]), [0]);
        assert_eq!(choose_old_results(&[read, other, write]), [0]);
        for harmless in [part, edit, other] {
            assert!(choose_old_results(&[read, harmless]).is_empty(), "{harmless:?}");
        }
        let failed = AgedResult { is_error: true, ..write };
        assert!(choose_old_results(&[read, failed]).is_empty());
    }

    fn leave_out(text: &str, tool: &str, settings: &Settings) -> Option<CompressedOutput> {
        let key = ReferenceSecret::from_bytes([7; 32]);
        let engine = Engine::new(settings).with_vault(Vault::for_reader(&key));
        let output = Output::new(tool, text);
        engine.leave_out(&output, text)
    }

    #[test]
    fn l4_what_is_left_out_can_be_fetched_whole() {
        let text = "a line of some words\n".repeat(100);
        let left_out = leave_out(&text, "Read", &Settings::default()).unwrap();
        let shown = left_out.replacement.unwrap();
        let original = left_out.original.unwrap();
        let (reference, note) = Reference::leading(&shown).unwrap();
        assert_eq!((reference, note), (original.reference, "[Forge left out 100 lines]"));
        assert_eq!(original.text(&text), text);
    }

    #[test]
    fn l6_a_reference_is_left_as_it_is() {
        let text = "a line of some words\n".repeat(100);
        let settings = Settings::default();
        let shown = leave_out(&text, "Read", &settings).unwrap().replacement.unwrap();
        assert!(leave_out(&shown, "Read", &settings).is_none());
        let again =
            Engine::new(&settings).compress(&Output::new("Read", &shown), &History::default());
        assert_eq!(again.replacement, None);
    }

    #[test]
    fn decision_33_small_and_unfetchable_results_stay() {
        let text = "a line of some words\n".repeat(100);
        assert!(leave_out("twenty words\n", "Bash", &Settings::default()).is_none());
        assert!(leave_out(&text, "expand_context", &Settings::default()).is_none());
        for mode in [Mode::Lossless, Mode::Safe, Mode::Observe, Mode::Disabled] {
            let settings = Settings { mode, ..Settings::default() };
            assert!(leave_out(&text, "Bash", &settings).is_none(), "{mode:?}");
        }
        let settings = Settings::default();
        let output = Output::new("Bash", &text);
        assert!(Engine::new(&settings).leave_out(&output, &text).is_none());
    }

    #[test]
    fn l10_secrets_are_not_in_what_is_kept() {
        let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let text = format!("token={secret}\n").repeat(60);
        let settings = Settings { redact_secrets: true, ..Settings::default() };
        let original = leave_out(&text, "Bash", &settings).unwrap().original.unwrap();
        assert!(!original.redacted.unwrap().contains(&secret));
    }
}
