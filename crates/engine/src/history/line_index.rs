//! An inverted index of the lines that the model can see: where they are, and what it would call the result that shows them.

mod lookup;

use super::ComparedLine;
use super::marker::{self, LinePointer};
use super::name::{CallName, CallView, FileChange, NameKind, ToolCall, is_same_file};
use crate::density::has_dense_lines;
use crate::reference::Reference;
use crate::settings::CEILING_BYTES;
use crate::stages::{fold, numbers};
use crate::tool::CalledTool;
use crate::{SIGNATURE, lines};
use foldhash::HashMap;
use std::hash::BuildHasher;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Pointers of one text beyond so many are not followed: each takes a look at all lines of another text.
const MOST_POINTERS: usize = 100;

/// Of so many lines it is remembered where they were shown. The longest context windows have no room for more.
const MOST_LINES: usize = 1 << 16;

/// What a line that was shown takes in bytes.
const LINE_BYTES: usize = 100;

/// Of a line that was shown many times, the last few places are remembered.
const PLACES: usize = 4;

/// Texts that were shown, by line.
#[derive(Debug, Clone, Default)]
pub(super) struct LineIndex {
    shown: Vec<ShownText>,
    by_name: HashMap<String, Namesakes>,
    by_call: HashMap<String, u32>,
    /// The texts of each hash. A conversation may have thousands of results that are nearly the same: none is compared with
    /// all of them.
    by_text: HashMap<u64, Vec<u32>>,
    /// Where a line was shown last, by its hash.
    places: HashMap<u64, LinePlace>,
    /// How many lines of a text are quoted alike, by the hash of the quote.
    quotes: HashMap<u64, u32>,
    /// Was the last answer to a call like this a pointer?
    answered: HashMap<u64, bool>,
    /// How many lines the results had so far.
    line_count: usize,
}

/// A text that was shown.
#[derive(Debug, Clone)]
pub(super) struct ShownText {
    pub(super) name: CallName,
    call: String,
    /// `None` for a text in the arguments of the call that is answered.
    tool: Option<CalledTool>,
    text: Box<str>,
    lines: Vec<ShownLine>,
    /// Does another result stand for it already?
    is_pointed_to: bool,
}

/// A line that can be pointed to.
#[derive(Debug, Clone, Copy)]
struct ShownLine {
    /// Where it is in the text, without a number that is shown before it.
    start: u32,
    end: u32,
    /// The number that the model sees, or can tell from those it sees.
    number: Option<u32>,
    /// Does no pointer lead to it yet? A second one in a row would leave a reader who asks again without the text.
    is_free: bool,
    /// Where the same line was shown before.
    earlier: Option<LinePlace>,
}

/// The results of one name.
#[derive(Debug, Clone)]
struct Namesakes {
    kind: NameKind,
    identity: u64,
    /// Is the name that of different things?
    is_ambiguous: bool,
    /// The texts, in their order; `None` for those that cannot be pointed to.
    runs: Vec<Option<u32>>,
    /// The latest one that is not wholly a pointer.
    latest: Option<u32>,
    /// Of a file: was it edited since it was read? Then its lines above are no longer those of the file. Who reads it again
    /// knows that; who reads of it in another result does not.
    is_edited: bool,
}

/// The call for whose result a source is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskingCall<'a> {
    pub(super) call: Option<&'a str>,
    /// What it is called.
    pub(super) name: Option<&'a CallName>,
    /// What it did to files.
    pub(super) change: Option<&'a FileChange>,
}

/// Which text, and which line of it.
#[derive(Debug, Clone, Copy)]
struct LinePlace {
    text: u32,
    line: u32,
}

/// Lines in a row that were shown before.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownRun {
    pub(super) text: u32,
    pub(super) start: usize,
    pub(super) count: usize,
}

impl LineIndex {
    pub(super) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Remembers a result.
    pub(super) fn add(&mut self, call: &ToolCall<'_>, forwarded: &str) {
        let view = CallView::of(call);
        let body = Reference::leading(forwarded).map_or(forwarded, |(_, body)| body);
        let duplicated = marker::duplicate_name(body);
        let is_pointer =
            duplicated.is_some() || super::lines::split_lines(body).any(marker::is_pointer);
        self.answered.insert(view.identity, is_pointer);
        self.mark_pointed(body);
        self.change(view.change.as_ref());
        let Some(name) = view.name else { return };
        let text = match (call.id, duplicated) {
            (Some(id), None) => self.show(name.clone(), id, Some(view.tool), forwarded, body),
            _ => None,
        };
        self.enlist(name, view.identity, text, duplicated.is_some());
    }

    /// Remembers that files are not what was shown of them.
    fn change(&mut self, change: Option<&FileChange>) {
        match change {
            None => {}
            // What was read is gone, and the call itself shows the new text.
            Some(FileChange::Written(path)) => {
                self.files(path).for_each(|file| file.latest = None);
            }
            Some(FileChange::Edited(path)) => {
                self.files(path).for_each(|file| file.is_edited = true);
            }
            Some(FileChange::Any) => {
                self.by_name.values_mut().for_each(|file| file.is_edited = true)
            }
        }
    }

    /// All that was called like this file, however its path was spelled.
    fn files(&mut self, path: &str) -> impl Iterator<Item = &mut Namesakes> {
        let all = self.by_name.iter_mut();
        all.filter(move |(name, file)| file.kind == NameKind::File && is_same_file(name, path))
            .map(|(_, file)| file)
    }

    /// Remembers a text in the arguments of the call that is answered.
    pub(super) fn add_argument(&mut self, key: &str, text: &str) {
        if let Some(name) = CallName::argument(key) {
            let shown = self.show(name.clone(), key, None, text, text);
            self.enlist(name, 0, shown, false);
        }
    }

    fn show(
        &mut self,
        name: CallName,
        call: &str,
        tool: Option<CalledTool>,
        text: &str,
        body: &str,
    ) -> Option<u32> {
        let index = u32::try_from(self.shown.len()).ok()?;
        if text.len() > CEILING_BYTES || has_dense_lines(body, LINE_BYTES) {
            return None;
        }
        self.line_count += lines::count(body);
        if self.line_count > MOST_LINES {
            return None;
        }
        let lines = self.lines(index, name.kind, text.len() - body.len(), body);
        self.by_call.entry(call.to_owned()).or_insert(index);
        self.by_text.entry(self.hash_of(text)).or_default().push(index);
        let (call, text) = (call.to_owned(), text.into());
        self.shown.push(ShownText { name, call, tool, text, lines, is_pointed_to: false });
        Some(index)
    }

    fn enlist(&mut self, name: CallName, identity: u64, text: Option<u32>, is_duplicate: bool) {
        let CallName { text: name, kind } = name;
        let namesakes = self.by_name.entry(name).or_insert_with(|| Namesakes {
            kind,
            identity,
            is_ambiguous: false,
            runs: Vec::new(),
            latest: None,
            is_edited: false,
        });
        // A tool's name and first argument must be unique; a file is the same for every tool; a command may be cut.
        namesakes.is_ambiguous |= match kind {
            _ if kind != namesakes.kind => true,
            NameKind::File => false,
            NameKind::Command => identity != namesakes.identity,
            NameKind::Tool | NameKind::Argument => !namesakes.runs.is_empty(),
        };
        namesakes.runs.push(text);
        if !is_duplicate {
            namesakes.latest = text;
            namesakes.is_edited = false;
        }
    }

    /// The lines of a text that can be pointed to. Where some lines show numbers of a file, the others are the client's; where
    /// the text is in a notation of ours, its lines mean nothing without its legend.
    fn lines(&mut self, index: u32, kind: NameKind, offset: usize, body: &str) -> Vec<ShownLine> {
        let all = ComparedLine::all(body);
        let is_numbered = all.iter().any(|line| line.number.is_some());
        let has_notation = all.iter().any(|line| is_notation(line.whole));
        // With a second column, one of the two is a list in the file, and a number means two lines.
        let columns = all.iter().filter(|line| line.whole.starts_with(numbers::SIGNATURE)).count();
        if has_notation || columns > 1 || (is_numbered && kind != NameKind::File) {
            return Vec::new();
        }
        let (mut lines, mut end) = (Vec::with_capacity(all.len()), offset);
        // Behind a pointer in a column the lines that follow are not counted on.
        let mut is_lost = false;
        for line in all {
            end += line.whole.len();
            let start = end - line.bare.len();
            is_lost = match line.number {
                Some(_) => is_lost || line.whole.starts_with(SIGNATURE),
                None => false,
            };
            let number = line.number.filter(|_| !is_lost);
            let is_free = !line.whole.starts_with(SIGNATURE) && number.is_some() == is_numbered;
            if !is_numbered && let Some(quote) = marker::quote(line.bare) {
                let count = self.quotes.entry(quote_hash(index, &quote)).or_default();
                *count = count.saturating_add(1);
            }
            // A run that begins with an empty line may as well begin with the next.
            let is_findable = is_free && !line.bare.trim_ascii().is_empty();
            let place = LinePlace { text: index, line: lines.len() as u32 };
            let earlier = is_findable.then(|| self.places.insert(hash(line.bare), place)).flatten();
            lines.push(ShownLine {
                start: start as u32,
                end: end as u32,
                number,
                is_free,
                earlier,
            });
            end += 1;
        }
        lines.shrink_to_fit();
        lines
    }

    /// Remembers what the pointers of a text lead to.
    fn mark_pointed(&mut self, body: &str) {
        if let Some(name) = marker::duplicate_name(body) {
            if let Some(text) = self.find_named(name, false) {
                self.mark(text, 0, usize::MAX);
            }
            return;
        }
        let pointers = super::lines::split_lines(body).filter(|line| marker::is_pointer(line));
        for line in pointers.take(MOST_POINTERS) {
            if let Some(run) =
                LinePointer::parse(line).and_then(|pointer| self.find_pointed(&pointer))
            {
                self.mark(run.text, run.start, run.count);
            }
        }
    }

    fn mark(&mut self, text: u32, start: usize, count: usize) {
        if let Some(shown) = self.shown.get_mut(text as usize) {
            shown.is_pointed_to = true;
            shown.lines.iter_mut().skip(start).take(count).for_each(|line| line.is_free = false);
        }
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let line = size_of::<ShownLine>();
        let texts: usize =
            self.shown.iter().map(|shown| shown.text.len() + shown.lines.capacity() * line).sum();
        let named =
            size_of::<ShownText>() + size_of::<Namesakes>() + 4 * size_of::<(String, usize)>();
        let hashed = self.by_text.capacity() * size_of::<(u64, Vec<u32>)>();
        texts
            + hashed
            + self.shown.len() * named
            + self.answered.capacity() * size_of::<(u64, bool)>()
            + self.quotes.capacity() * size_of::<(u64, u32)>()
            + self.places.capacity() * size_of::<(u64, LinePlace)>()
    }

    /// Hashes a text with the seed of a map, so that an attacker cannot construct texts that collide.
    fn hash_of(&self, text: &str) -> u64 {
        self.by_text.hasher().hash_one(text)
    }
}

impl ShownText {
    fn line(&self, at: usize) -> Option<&str> {
        Some(self.bare(self.lines.get(at)?))
    }

    fn bare(&self, line: &ShownLine) -> &str {
        self.text.get(line.start as usize..line.end as usize).unwrap_or_default()
    }
}

/// Does a line of ours say that the lines around it are to be read in another way?
fn is_notation(line: &str) -> bool {
    const REMARKS: [&str; 3] = ["[Forge left out ", "[Forge shortened ", "[Forge removed base64: "];
    line.starts_with(SIGNATURE)
        && !line.starts_with(numbers::SIGNATURE)
        && !marker::is_pointer(line)
        && !fold::is_note(line)
        && !REMARKS.iter().any(|remark| line.starts_with(remark))
}

fn hash(line: &str) -> u64 {
    xxh3_64(line.as_bytes())
}

fn quote_hash(text: u32, quote: &str) -> u64 {
    xxh3_64_with_seed(quote.as_bytes(), u64::from(text))
}
