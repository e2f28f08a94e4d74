//! The result of a tool, rewritten: its texts in fewer tokens, everything else as the server wrote it.

mod structured;
mod text;

use crate::message::Message;
use crate::policy::ResultRule;
use crate::tasks::ResultPlace;
use serde_json::json;
use std::time::Duration;
use structured::StructuredCopy;
use text::RewrittenText;
use tokenforge_config::Structured;
use tokenforge_engine::{Engine, Reference};
use tokenforge_formats::negotiate::Format;
use tokenforge_json::{Edit, Node, Splice, ValueKind, quote};

/// Where a request says which form it wants, in its `_meta`.
pub const FORMAT_KEY: &str = "dev.tokenforge/format";

/// Where a result says what was done to it, in its `_meta`.
pub const RESULT_KEY: &str = "dev.tokenforge/result";

/// A result, and what is to be done to it.
#[derive(Clone, Copy)]
pub struct RewriteJob<'a> {
    /// The tool, as agents call it: `mcp__server__tool`.
    pub tool: &'a str,
    /// The arguments of the call, as JSON.
    pub arguments: &'a str,
    /// What is to be done to its texts; `None`: nothing.
    pub rule: Option<ResultRule>,
    /// What becomes of structured content.
    pub structured: Structured,
    /// Does the client hold a schema that the result must have structured content for?
    pub is_promised: bool,
    /// Is it only measured?
    pub is_observed: bool,
    /// Does the result say what was done to it?
    pub has_metadata: bool,
    /// How long it took so far.
    pub elapsed: &'a dyn Fn() -> Duration,
}

/// What became of a result.
#[derive(Debug, Default)]
pub struct RewrittenResult {
    /// The answer in other words; `None`: as it came.
    pub answer: Option<String>,
    /// What that saves.
    pub figures: ResultFigures,
    /// What must be stored before the answer goes on.
    pub originals: Vec<Original>,
}

/// The same as changes to the answer's text, so that they can be made together with others.
#[derive(Debug, Default)]
pub(crate) struct ResultEdits {
    /// What is changed; empty: nothing.
    pub(crate) splices: Vec<Splice<'static>>,
    /// What that saves.
    pub(crate) figures: ResultFigures,
    /// What must be stored before the answer goes on.
    pub(crate) originals: Vec<Original>,
}

impl ResultEdits {
    /// The answer with these changes.
    pub(crate) fn applied_to(self, text: &str) -> RewrittenResult {
        let ResultEdits { splices, figures, originals } = self;
        let mut edits = Edit::new(text);
        edits.extend(splices);
        let answer = (!edits.is_empty()).then(|| edits.done().into_owned());
        RewrittenResult { answer, figures, originals }
    }
}

/// A text that something was left out of, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// The id under which a model will ask for it.
    pub reference: Reference,
    /// The text.
    pub text: String,
}

/// A result in figures: of what the client's model would have seen, and sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultFigures {
    /// The form of its texts: `json` where they are as they came.
    pub format: &'static str,
    /// Bytes as it came.
    pub bytes_before: usize,
    /// Bytes as it went on.
    pub bytes_after: usize,
    /// Tokens as it came.
    pub tokens_before: usize,
    /// Tokens as it went on.
    pub tokens_after: usize,
}

impl Default for ResultFigures {
    fn default() -> Self {
        let (bytes_before, bytes_after, tokens_before, tokens_after) = (0, 0, 0, 0);
        let format = Format::Json.name();
        ResultFigures { format, bytes_before, bytes_after, tokens_before, tokens_after }
    }
}

/// Rewrites the answer to a call. What is no result, or none of a tool, stays as it is.
#[must_use]
pub fn rewrite(answer: &str, job: &RewriteJob<'_>, engine: &Engine<'_>) -> RewrittenResult {
    match Message::read(answer) {
        Ok(message) => rewrite_at(ResultPlace::Whole, &message, job, engine).applied_to(answer),
        Err(_) => RewrittenResult::default(),
    }
}

/// The same for an answer that was read, whose result may be inside of the state of a task.
pub(crate) fn rewrite_at(
    place: ResultPlace,
    message: &Message<'_>,
    job: &RewriteJob<'_>,
    engine: &Engine<'_>,
) -> ResultEdits {
    let kept = ResultEdits::default();
    let Some(result) = place.find(message) else { return kept };
    let members = ["content", "structuredContent", "isError", "_meta"];
    let [content, copy, error, meta] = match place {
        ResultPlace::Whole => members.map(|name| message.result_member(name)),
        ResultPlace::Inside => result.pick(members),
    };
    let Some(content) = content.filter(|content| content.kind() == ValueKind::Array) else {
        return kept;
    };
    let is_error = error.is_some_and(|error| error.kind() == ValueKind::True);
    if job.is_promised && copy.is_none() && !is_error {
        // The client may read the text in its place.
        return kept;
    }
    let mut work = ResultRewriter { job, engine, is_error, made: RewriteOutcome::default() };
    let mut edits = Edit::new(message.text());
    let blocks = blocks(&content);
    let standing = StructuredCopy::of(copy.as_ref(), &blocks);
    work.count(job.structured, copy.as_ref(), &blocks);
    for (index, (node, text)) in blocks.iter().enumerate() {
        let pointed = (job.structured == Structured::Pointer && standing.repeats(index))
            .then(|| structured::pointer(text, engine.settings().counter))
            .flatten();
        let written = match pointed {
            Some(pointer) => Some(RewrittenText::plain(pointer)),
            None => work.written(text),
        };
        work.settle(text, written.as_ref());
        if let Some(written) = written {
            edits.replace(node, quote(&written.text));
            work.made.keep(written);
        }
    }
    if let (Some(copy), Structured::Drop) = (&copy, job.structured) {
        edits.cut(&result, "structuredContent");
        if !standing.is_in_text() {
            // Nothing may be lost: what no text says becomes one.
            let text = copy.raw();
            let written = work.written(text);
            work.settle(text, written.as_ref());
            let shown = written.as_ref().map_or(text, |written| &written.text);
            edits.append(&content, &format!(r#"{{"type":"text","text":{}}}"#, quote(shown)));
            if let Some(written) = written {
                work.made.keep(written);
            }
        }
    }
    let figures = work.made.figures;
    if edits.is_empty() || job.is_observed {
        return ResultEdits { figures, ..ResultEdits::default() };
    }
    if job.has_metadata {
        let note = note(&work.made, (job.elapsed)());
        match meta {
            Some(meta) if meta.kind() == ValueKind::Object => {
                edits.set_in_front(&meta, RESULT_KEY, note);
            }
            Some(other) => edits.replace(&other, own_meta(&note)),
            // The content, which stays, comes somewhere behind it.
            None => {
                let start = result.span().start + 1;
                edits.splice(start..start, format!("\"_meta\":{},", own_meta(&note)));
            }
        }
    }
    let splices = edits.into_splices().into_iter().map(Splice::into_owned).collect();
    ResultEdits { splices, figures, originals: work.made.originals }
}

fn own_meta(note: &str) -> String {
    format!("{{{}:{note}}}", quote(RESULT_KEY))
}

/// The texts of a result that a model reads.
fn blocks<'a>(content: &Node<'a>) -> Vec<(Node<'a>, String)> {
    let block = |block: Node<'a>| {
        let [kind, text, annotations] = block.pick(["type", "text", "annotations"]);
        let is_for_people = annotations
            .and_then(|annotations| annotations.get("audience"))
            .is_some_and(|audience| matches!(&audience.elements()[..], [only] if only.is("user")));
        if !kind.is_some_and(|kind| kind.is("text")) || is_for_people {
            return None;
        }
        let text = text?;
        let content = text.text()?.into_owned();
        Some((text, content))
    };
    content.elements().into_iter().filter_map(block).collect()
}

/// The work on one result.
struct ResultRewriter<'w> {
    job: &'w RewriteJob<'w>,
    engine: &'w Engine<'w>,
    is_error: bool,
    made: RewriteOutcome,
}

/// What was made so far.
#[derive(Default)]
struct RewriteOutcome {
    figures: ResultFigures,
    originals: Vec<Original>,
    references: Vec<String>,
}

impl RewriteOutcome {
    fn keep(&mut self, written: RewrittenText) {
        if let Some(format) = written.format {
            self.figures.format = format;
        }
        if let Some(original) = written.original {
            self.references.push(original.reference.to_string());
            self.originals.push(original);
        }
    }
}

impl ResultRewriter<'_> {
    /// A text in other words, if it may be and if that has fewer tokens.
    fn written(&self, text: &str) -> Option<RewrittenText> {
        let RewriteJob { tool, arguments, rule, .. } = *self.job;
        text::rewrite_text(text, tool, arguments, self.is_error, rule, self.engine)
    }

    /// Counts what the client's model would have seen.
    fn count(
        &mut self,
        policy: Structured,
        copy: Option<&Node<'_>>,
        blocks: &[(Node<'_>, String)],
    ) {
        let counter = self.engine.settings().counter;
        let figures = &mut self.made.figures;
        // Clients whose copy is dropped show it in place of the texts.
        let shows_texts = policy != Structured::Drop || copy.is_none();
        for (_, text) in blocks.iter().filter(|_| shows_texts) {
            figures.bytes_before += text.len();
            figures.tokens_before += counter.count(text);
        }
        if let Some(copy) = copy.filter(|_| policy != Structured::Keep) {
            let (bytes, tokens) = (copy.raw().len(), counter.count(copy.raw()));
            figures.bytes_before += bytes;
            figures.tokens_before += tokens;
            if policy == Structured::Pointer {
                figures.bytes_after += bytes;
                figures.tokens_after += tokens;
            }
        }
    }

    fn settle(&mut self, text: &str, written: Option<&RewrittenText>) {
        let text = written.map_or(text, |written| &written.text);
        self.made.figures.bytes_after += text.len();
        self.made.figures.tokens_after += self.engine.settings().counter.count(text);
    }
}

fn note(made: &RewriteOutcome, elapsed: Duration) -> String {
    let ResultFigures { format, bytes_before, bytes_after, tokens_before, tokens_after } =
        made.figures;
    let mut note = json!({
        "format": format,
        "bytes_before": bytes_before, "bytes_after": bytes_after,
        "tokens_before": tokens_before, "tokens_after": tokens_after,
        "tokens_saved": tokens_before as i64 - tokens_after as i64,
        "ms": (elapsed.as_secs_f64() * 1e4).round() / 10.0,
    });
    if !made.references.is_empty() {
        note["original_ref"] = json!(made.references);
    }
    note.to_string()
}
