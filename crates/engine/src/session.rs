//! The session cache, bounded, the oldest evicted first: results that were shown, and what became of each call's result.
//!
//! Both are bounded, and neither is needed for a request to be compressed: a pointer to an earlier result of the same
//! request comes from [`History`], and the engine writes the same text every time. A session adds duplicates across
//! requests, and saves the work of compressing a result that was sent before.

use crate::engine::Engine;
use crate::history::{History, has_pointers, session_duplicate};
use crate::output::{CompressedOutput, Original, Output};
use crate::record::Verdict;
use crate::tool::CalledTool;
use std::collections::{HashMap, VecDeque};

/// A longer text is compressed anew each time.
const LARGEST_MEMO: usize = 16 << 10;

/// How many bytes of texts a session remembers; the oldest go first.
const MEMO_BYTES: usize = 512 << 10;

/// How many results a session recognises duplicates of; the oldest go first.
const SHOWN_RESULTS: usize = 1024;

/// What a session remembers between requests.
#[derive(Debug, Default)]
pub struct Session {
    memo: HashMap<String, ResultMemo>,
    /// The calls in the memo, oldest first.
    order: VecDeque<String>,
    bytes: usize,
    shown: VecDeque<ShownResult>,
}

/// What is asked of a session.
#[derive(Debug, Clone, Copy)]
pub struct SessionOptions {
    /// May the text made of a call's result before be used again?
    pub memo: bool,
}

impl Default for SessionOptions {
    fn default() -> Self {
        SessionOptions { memo: true }
    }
}

/// What became of an output, and what the session had to do with it. The gateway makes one where there is no session.
#[derive(Debug, Clone)]
pub struct SessionOutput {
    /// What became of it.
    pub compressed: CompressedOutput,
    /// The text made before was used again.
    pub memo_reused: bool,
    /// Another text had been made before, of other bytes or with other settings: the provider's cache is lost.
    pub memo_changed: bool,
    /// It is a pointer to an equal result of an earlier request.
    pub deduped: bool,
}

#[derive(Debug, Clone)]
struct ResultMemo {
    /// A strong hash although it is kept in memory alone: what is found by it is forwarded without another look at the
    /// text, and tools choose their texts.
    input: blake3::Hash,
    settings: u64,
    compressed: CompressedOutput,
    deduped: bool,
    /// What its pointers stood for, if it has some.
    resolved: Option<blake3::Hash>,
}

#[derive(Debug)]
struct ShownResult {
    call: String,
    tool: CalledTool,
    tool_name: String,
    length: usize,
    hash: blake3::Hash,
}

impl Session {
    /// Compresses an output as [`Engine::compress`] does, with what this session remembers.
    pub fn compress(
        &mut self,
        engine: &Engine<'_>,
        output: &Output<'_>,
        history: &History,
        options: SessionOptions,
    ) -> SessionOutput {
        let Some(call) = output.call else {
            let compressed = engine.compress(output, history);
            return SessionOutput {
                compressed,
                memo_reused: false,
                memo_changed: false,
                deduped: false,
            };
        };
        let input = blake3::hash(output.text.as_bytes());
        let settings = engine.fingerprint();
        let known = self.memo.get(call).filter(|_| options.memo);
        let still_holds = |memo: &&ResultMemo| {
            let is_same = memo.input == input && memo.settings == settings;
            is_same && memo.can_be_read(engine, output, history)
        };
        if let Some(memo) = known.filter(still_holds) {
            let ResultMemo { compressed, deduped, .. } = memo.clone();
            return SessionOutput { compressed, memo_reused: true, memo_changed: false, deduped };
        }
        let memo_changed = known.is_some();
        let (compressed, deduped) = self.compress_new(call, engine, output, history);
        if options.memo {
            let resolved = pointed_hash(compressed.text(output.text), output, history);
            let compressed = compressed.clone();
            self.remember(call, ResultMemo { input, settings, compressed, deduped, resolved });
        }
        SessionOutput { compressed, memo_reused: false, memo_changed, deduped }
    }

    /// What becomes of an output that is not remembered. The caller named the session and so knows its calls: a result that
    /// another one shows whole becomes the marker of the document, before it could become a pointer within the request.
    fn compress_new(
        &mut self,
        call: &str,
        engine: &Engine<'_>,
        output: &Output<'_>,
        history: &History,
    ) -> (CompressedOutput, bool) {
        if !engine.settings().dedup {
            return (engine.compress(output, history), false);
        }
        let alone = engine.compress(output, &History::default());
        if let Some(duplicate) = self.duplicate(engine, output, &alone, history) {
            return (duplicate, true);
        }
        self.show(call, output, &alone);
        let compressed = if history.is_empty() { alone } else { engine.compress(output, history) };
        (compressed, false)
    }

    /// A pointer to an equal result of another call, if the model can see that or ask for it.
    fn duplicate(
        &self,
        engine: &Engine<'_>,
        output: &Output<'_>,
        compressed: &CompressedOutput,
        history: &History,
    ) -> Option<CompressedOutput> {
        let text = compressed.text(output.text);
        let hash = blake3::hash(text.as_bytes());
        let tool = CalledTool::of(output.tool, output.arguments);
        let is_same = |shown: &&ShownResult| {
            shown.tool == tool && shown.length == text.len() && shown.hash == hash
        };
        let shown =
            self.shown.iter().find(is_same).filter(|shown| Some(&*shown.call) != output.call)?;
        let marker = session_duplicate(&shown.call, &shown.tool_name);
        let original = if history.shows(&shown.call, text) {
            None
        } else {
            let reference = engine.reference(text).filter(|_| engine.is_reversible())?;
            // What is shown: where nothing was done to it, that is the output.
            Some(Original { reference, redacted: compressed.replacement.clone() })
        };
        let replacement = match &original {
            Some(Original { reference, .. }) => {
                reference.before(&marker, engine.settings().expand_hint)
            }
            None => marker,
        };
        engine.settings().counter.is_cheaper(&replacement, text).then(|| CompressedOutput {
            replacement: Some(replacement),
            verdict: Verdict::Replaced,
            original: original.or_else(|| compressed.original.clone()),
            counted: None,
            ..compressed.clone()
        })
    }

    fn show(&mut self, call: &str, output: &Output<'_>, compressed: &CompressedOutput) {
        if self.shown.iter().any(|shown| shown.call == call) {
            return;
        }
        let text = compressed.text(output.text);
        if self.shown.len() == SHOWN_RESULTS {
            self.shown.pop_front();
        }
        self.shown.push_back(ShownResult {
            call: call.to_owned(),
            tool: CalledTool::of(output.tool, output.arguments),
            tool_name: output.tool.to_owned(),
            length: text.len(),
            hash: blake3::hash(text.as_bytes()),
        });
    }

    fn remember(&mut self, call: &str, memo: ResultMemo) {
        self.forget(call);
        let bytes = memo.bytes();
        if bytes > LARGEST_MEMO {
            return;
        }
        while self.bytes + bytes > MEMO_BYTES {
            let Some(oldest) = self.order.front().cloned() else { break };
            self.forget(&oldest);
        }
        self.bytes += bytes;
        self.order.push_back(call.to_owned());
        self.memo.insert(call.to_owned(), memo);
    }

    fn forget(&mut self, call: &str) {
        if let Some(memo) = self.memo.remove(call) {
            self.bytes -= memo.bytes();
            self.order.retain(|other| other != call);
        }
    }
}

impl ResultMemo {
    /// What it takes to keep it: the text that was made, the original where one must be stored again, and the record.
    fn bytes(&self) -> usize {
        let original = self.compressed.original.as_ref();
        let original = original.and_then(|original| Some(original.redacted.as_ref()?.len()));
        let text = self.compressed.replacement.as_ref().map_or(0, String::len);
        size_of::<Self>() + size_of_val(&*self.compressed.steps) + text + original.unwrap_or(0)
    }

    /// Can the model still see or ask for all that the text speaks of? Clients drop old messages, and a request may
    /// have no place for originals.
    fn can_be_read(&self, engine: &Engine<'_>, output: &Output<'_>, history: &History) -> bool {
        match &self.compressed.original {
            Some(original) => {
                engine.reference(original.text(output.text)) == Some(original.reference)
            }
            None => {
                pointed_hash(self.compressed.text(output.text), output, history) == self.resolved
            }
        }
    }
}

/// What the pointers of a text stand for, if it has some and they lead somewhere.
fn pointed_hash(text: &str, output: &Output<'_>, history: &History) -> Option<blake3::Hash> {
    let resolved = has_pointers(text).then(|| history.resolve(text, output.arguments))?.ok()?;
    Some(blake3::hash(resolved.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::Mode;
    use crate::reference::ExpandHint;
    use crate::settings::Settings;

    fn rows(count: usize, seed: usize) -> String {
        let row = |n: usize| format!("{{\"id\": {n}, \"name\": \"row {}\"}}", n * seed);
        format!("[{}]", (0..count).map(row).collect::<Vec<_>>().join(", "))
    }

    fn output<'a>(text: &'a str, call: &'a str) -> Output<'a> {
        Output { text, tool: "bash", arguments: "{}", call: Some(call), is_error: false }
    }

    fn compress(
        session: &mut Session,
        output: &Output<'_>,
        history: &History,
        settings: &Settings,
    ) -> SessionOutput {
        session.compress(&Engine::new(settings), output, history, SessionOptions::default())
    }

    #[test]
    fn f11_an_equal_result_of_another_call_becomes_the_printed_marker() {
        for mode in [Mode::Safe, Mode::Standard] {
            let settings = Settings { mode, ..Settings::default() };
            let mut session = Session::default();
            let text = rows(40, 7);
            let first = compress(
                &mut session,
                &output(&text, "call_abc123"),
                &History::default(),
                &settings,
            );
            let mut history = History::default();
            history.add(&output("", "call_abc123").tool_call(), first.compressed.text(&text));
            let second = compress(&mut session, &output(&text, "call_2"), &history, &settings);
            let marker = "[Duplicate of call_abc123 (bash); see earlier result]";
            assert!(!first.deduped);
            assert_eq!(second.compressed.replacement.as_deref(), Some(marker));
            assert!(second.deduped);
        }
    }

    #[test]
    fn f11_equal_results_of_other_unknown_tools_stay_whole() {
        let (mut session, settings) = (Session::default(), Settings::default());
        let text = rows(40, 7);
        let call = |tool, call| Output { tool, ..output(&text, call) };
        let user = call("get_user", "call_1");
        let mut history = History::default();
        let first = compress(&mut session, &user, &history, &settings);
        history.add(&user.tool_call(), first.compressed.text(&text));
        let order = compress(&mut session, &call("get_order", "call_2"), &history, &settings);
        assert_eq!(order.compressed.replacement, first.compressed.replacement);
        assert!(!order.deduped);
        let again = compress(&mut session, &call("get_user", "call_3"), &history, &settings);
        let marker = "[Duplicate of call_1 (get_user); see earlier result]";
        assert_eq!(again.compressed.replacement.as_deref(), Some(marker));
    }

    #[test]
    fn d10_without_dedup_a_session_has_no_duplicates() {
        let settings = Settings { dedup: false, ..Settings::default() };
        let (mut session, text) = (Session::default(), rows(40, 7));
        let mut history = History::default();
        let first = compress(&mut session, &output(&text, "call_1"), &history, &settings);
        history.add(&output("", "call_1").tool_call(), first.compressed.text(&text));
        let second = compress(&mut session, &output(&text, "call_2"), &history, &settings);
        assert_eq!(second.compressed.text(&text), first.compressed.text(&text));
        assert!(!second.deduped);
    }

    #[test]
    fn f11_the_same_call_sent_again_keeps_its_content() {
        let (mut session, settings) = (Session::default(), Settings::default());
        let text = rows(40, 7);
        let first =
            compress(&mut session, &output(&text, "call_1"), &History::default(), &settings);
        let options = SessionOptions { memo: false };
        let again = session.compress(
            &Engine::new(&settings),
            &output(&text, "call_1"),
            &History::default(),
            options,
        );
        assert_eq!(first.compressed.replacement, again.compressed.replacement);
        assert!(!again.deduped);
    }

    #[test]
    fn f11_a_marker_is_not_used_where_its_original_can_be_neither_seen_nor_fetched() {
        let (mut session, settings) = (Session::default(), Settings::default());
        let text = rows(40, 7);
        compress(&mut session, &output(&text, "call_1"), &History::default(), &settings);
        let second =
            compress(&mut session, &output(&text, "call_2"), &History::default(), &settings);
        assert!(!second.deduped);
    }

    #[test]
    fn f11_a_pointer_is_not_pointed_to() {
        let (mut session, settings) = (Session::default(), Settings::default());
        let mut history = History::default();
        let text = rows(40, 7);
        for call in ["call_with_a_long_identifier_31415926535", "call_2", "c3"] {
            let made = compress(&mut session, &output(&text, call), &history, &settings);
            let shown = made.compressed.text(&text);
            assert!(!shown.contains("call_2") && !shown.contains("c3"), "{shown}");
            history.add(&output("", call).tool_call(), shown);
        }
    }

    #[test]
    fn f12_a_pointer_is_not_used_again_once_its_result_is_gone() {
        let (mut session, settings) = (Session::default(), Settings::default());
        let text = rows(40, 7);
        let mut history = History::default();
        let first = compress(&mut session, &output(&text, "call_1"), &history, &settings);
        history.add(&output("", "call_1").tool_call(), first.compressed.text(&text));
        let again = |session: &mut Session, history: &History| {
            compress(session, &output(&text, "call_2"), history, &settings)
        };
        let marker = again(&mut session, &history);
        assert!(marker.compressed.text(&text).starts_with("[Duplicate of call_1"));
        assert!(again(&mut session, &history).memo_reused);
        let alone = again(&mut session, &History::default());
        assert!(!alone.memo_reused && alone.memo_changed);
        assert_eq!(alone.compressed.replacement, first.compressed.replacement);
    }

    #[test]
    fn f12_results_that_were_kept_are_counted_too() {
        let (mut session, settings) = (Session::default(), Settings::default());
        for n in 0..10_000 {
            let call = format!("call_{n}");
            compress(&mut session, &output("ok", &call), &History::default(), &settings);
        }
        assert!(session.memo.len() < 5_000, "{}", session.memo.len());
    }

    #[test]
    fn f12_a_result_sent_again_is_the_same_text_from_the_memo() {
        let (mut session, settings) = (Session::default(), Settings::default());
        let text = rows(40, 7);
        let first =
            compress(&mut session, &output(&text, "call_1"), &History::default(), &settings);
        let again =
            compress(&mut session, &output(&text, "call_1"), &History::default(), &settings);
        assert!(!first.memo_reused && again.memo_reused);
        assert_eq!(first.compressed.replacement, again.compressed.replacement);
    }

    #[test]
    fn f12_other_settings_or_other_bytes_set_memo_changed() {
        let (mut session, settings) = (Session::default(), Settings::default());
        let text = rows(40, 7);
        compress(&mut session, &output(&text, "call_1"), &History::default(), &settings);
        let other = Settings { max_output_bytes: Some(1000), ..Settings::default() };
        assert!(
            compress(&mut session, &output(&text, "call_1"), &History::default(), &other)
                .memo_changed
        );
        let text = rows(41, 7);
        assert!(
            compress(&mut session, &output(&text, "call_1"), &History::default(), &other)
                .memo_changed
        );
        let hinted = Settings { expand_hint: Some(ExpandHint::Tool), ..other };
        assert!(
            compress(&mut session, &output(&text, "call_1"), &History::default(), &hinted)
                .memo_changed
        );
    }

    #[test]
    fn f12_long_texts_are_not_remembered_and_the_oldest_go_first() {
        let (mut session, settings) = (Session::default(), Settings::default());
        let long = rows(4000, 7);
        compress(&mut session, &output(&long, "long"), &History::default(), &settings);
        assert!(
            !compress(&mut session, &output(&long, "long"), &History::default(), &settings)
                .memo_reused
        );
        let text = |n: usize| rows(300, n + 1);
        for n in 0..400 {
            compress(
                &mut session,
                &output(&text(n), &format!("call_{n}")),
                &History::default(),
                &settings,
            );
        }
        assert!(session.bytes <= MEMO_BYTES);
        assert!(session.memo.len() < 400, "{}", session.memo.len());
        assert!(!session.memo.contains_key("call_0") && session.memo.contains_key("call_399"));
    }
}
