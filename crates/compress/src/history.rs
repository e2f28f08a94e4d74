//! Repetition across results: lines that an earlier result of the same conversation shows become a pointer to it.
//!
//! ```text
//! [Forge 120 lines as in call_7 from line 3]
//! ```
//!
//! Everything here is a function of the results that came before, as they were forwarded, and of the call that is
//! answered: a tool that repeats what it was given to write repeats what the model said itself. The earliest copy is
//! never touched, so what a provider has cached stays as it is, and a pointer leads to lines the model can see.
//! Numbers that a thinned column shows before a line are not part of it: text that moved down a file is still the same.

mod shown;

use crate::lines;
use crate::numbers::Numbering;
use serde_json::Value;
use shown::{Index, Run};
use tokenforge_tokens::Counter;

/// A run of fewer lines is repeated rather than pointed to.
const FEWEST_LINES: usize = 3;

/// A run with fewer characters is repeated rather than pointed to.
const FEWEST_BYTES: usize = 40;

/// A run this many times as long as its pointer costs more tokens; below that they are counted.
const SURELY_LONGER: usize = 4;

/// No id that a client gives its calls is longer, and none that is can be pointed to.
const LONGEST_NAME: usize = 128;

/// The results of a conversation so far, as the model sees them.
#[derive(Debug, Clone, Default)]
pub struct History {
    results: Index,
}

impl History {
    /// Remembers what was forwarded for a call. A result without a call id cannot be pointed to, nor can those of calls
    /// that have the same id: some clients number the calls of every turn from zero.
    pub fn add(&mut self, call: Option<&str>, tool: &str, forwarded: &str) {
        if let Some(call) = call.filter(|call| is_plain(call)) {
            self.results.add(call, tool, forwarded);
        }
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.results.bytes()
    }

    /// Was this text forwarded for this call?
    #[must_use]
    pub fn shows(&self, call: &str, text: &str) -> bool {
        self.results.same_as(text, None).is_some_and(|(name, _)| name == call)
    }

    /// What stands for a text that another call was shown just so.
    #[must_use]
    pub fn duplicate_of(&self, text: &str, call: Option<&str>) -> Option<String> {
        let (call, tool) = self.results.same_as(text, call)?;
        Some(duplicate_marker(call, tool))
    }

    /// Are all the results shown that the pointers in a text lead to?
    pub(crate) fn leads_on(&self, text: &str) -> bool {
        let is_shown = |call| self.results.find(call).is_some();
        pointed_calls(text).all(|call| is_shown(call) || call.starts_with(OWN))
    }

    /// The text with pointers instead of what other calls' results show or is in its own call's arguments (JSON text);
    /// `None` if nothing is. A result that is sent twice does not point to its call: that name would be its own.
    #[must_use]
    pub fn point(
        &self,
        text: &str,
        call: Option<&str>,
        arguments: &str,
        counter: Counter,
    ) -> Option<String> {
        let own = own_words(arguments);
        if self.results.is_empty() && own.is_empty() {
            return None;
        }
        if let Some(marker) = self.duplicate_of(text, call) {
            return Some(marker);
        }
        let lines = Line::all(text);
        let (mut out, mut copied) = (String::new(), 0);
        let (mut at, mut start) = (0, 0);
        while at < lines.len() {
            let rest = &lines[at..];
            let run = [&self.results, &own]
                .into_iter()
                .filter_map(|index| index.longest_run(rest, call))
                // The first wins among equals, so that a pointer leads to the earliest copy.
                .reduce(|best, run| if run.count > best.count { run } else { best })
                .filter(|run| run.count >= FEWEST_LINES);
            let pointed = run.and_then(|run| Some((shorter_pointer(&run, rest, counter)?, run)));
            let Some((pointer, run)) = pointed else {
                start += rest[0].whole.len() + 1;
                at += 1;
                continue;
            };
            out.push_str(&text[copied..start]);
            out.push_str(&pointer);
            start += size(&rest[..run.count]);
            // The line end behind the run stays.
            copied = start - 1;
            at += run.count;
        }
        if out.is_empty() {
            return None;
        }
        out.push_str(&text[copied..]);
        Some(out)
    }

    /// What a text with pointers stands for.
    #[must_use]
    pub fn resolve(&self, text: &str, arguments: &str) -> Option<String> {
        if let Some(same) = self.results.marked_as(text) {
            return Some(same);
        }
        let own = own_words(arguments);
        let mut numbering = Numbering::default();
        let mut out = String::new();
        let mut lines = lines::split(text).peekable();
        while let Some(line) = lines.next() {
            match parse_pointer(line) {
                None => {
                    numbering.read(line, lines.peek().copied());
                    out.push_str(line);
                    out.push('\n');
                }
                Some((count, name, first)) => {
                    let shown = self.results.find(name).or_else(|| own.find(name))?;
                    let start = first.checked_sub(1)?;
                    for bare in shown.lines(start, count)? {
                        numbering.write(bare, &mut out);
                        out.push('\n');
                    }
                }
            }
        }
        out.pop();
        Some(out)
    }
}

/// A line of the text that is looked at.
struct Line<'a> {
    whole: &'a str,
    /// Without a number that is shown before it.
    bare: &'a str,
    /// Must it stay where it is? What we announce must, and the line that shows how numbers were written.
    is_fixed: bool,
}

impl<'a> Line<'a> {
    fn all(text: &'a str) -> Vec<Self> {
        let mut numbering = Numbering::default();
        let mut all = Vec::with_capacity(lines::count(text));
        let mut lines = lines::split(text).peekable();
        while let Some(whole) = lines.next() {
            let is_fixed = whole.starts_with(crate::SIGNATURE) || numbering.is_at_first();
            let bare = numbering.read(whole, lines.peek().copied());
            all.push(Line { whole, bare, is_fixed });
        }
        all
    }
}

/// A pointer to the run, if the run itself costs more.
fn shorter_pointer(run: &Run<'_>, lines: &[Line<'_>], counter: Counter) -> Option<String> {
    let pointer = pointer(run);
    let lines = &lines[..run.count];
    let bytes = size(lines);
    let text = || lines.iter().map(|line| line.whole).collect::<Vec<_>>().join("\n");
    let is_shorter = bytes >= FEWEST_BYTES
        && (bytes > SURELY_LONGER * pointer.len() || counter.is_cheaper(&pointer, &text()));
    is_shorter.then_some(pointer)
}

/// The bytes of lines, with their ends.
fn size(lines: &[Line<'_>]) -> usize {
    lines.iter().map(|line| line.whole.len() + 1).sum()
}

/// What stands for a result that an earlier one shows whole.
#[must_use]
pub fn duplicate_marker(call: &str, tool: &str) -> String {
    format!("[Duplicate of {call} ({tool}); see earlier result]")
}

fn pointer(run: &Run<'_>) -> String {
    let Run { name, start, count } = run;
    format!("[Forge {count} lines as in {name} from line {}]", start + 1)
}

fn parse_pointer(line: &str) -> Option<(usize, &str, usize)> {
    let (count, rest) = line.strip_prefix(crate::SIGNATURE)?.split_once(" lines as in ")?;
    let (name, first) = rest.strip_suffix(']')?.split_once(" from line ")?;
    Some((count.parse().ok()?, name, first.parse().ok()?))
}

/// The calls that the pointers in a text lead to.
pub(crate) fn pointed_calls(text: &str) -> impl Iterator<Item = &str> {
    let call_of = |line| parse_pointer(line).map(|(_, call, _)| call).or_else(|| original_of(line));
    lines::split(text).filter_map(call_of)
}

/// The call that a duplicate marker names.
fn original_of(line: &str) -> Option<&str> {
    let line = line.strip_prefix("[Duplicate of ")?.strip_suffix("); see earlier result]")?;
    Some(line.split_once(" (")?.0)
}

/// What a pointer calls the call's own arguments.
const OWN: &str = "this call's ";

/// The texts of several lines in the arguments of the call, as things that were shown.
fn own_words(arguments: &str) -> Index {
    let mut index = Index::default();
    // Only a string with an escaped line end has several lines.
    if memchr::memmem::find(arguments.as_bytes(), b"\\n").is_some()
        && let Ok(Value::Object(arguments)) = serde_json::from_str(arguments)
    {
        for (name, value) in &arguments {
            if let (true, Value::String(text)) = (is_plain(name), value) {
                index.add(&format!("{OWN}{name}"), "", text);
            }
        }
    }
    index
}

/// Ids are the client's: one that could be mistaken for other words of a pointer is not used, nor one that is longer than
/// what it would stand for. A run of lines is counted if it is not much longer than its pointer, and that at every line.
fn is_plain(call: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:|".contains(&byte);
    (1..=LONGEST_NAME).contains(&call.len()) && call.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers;

    fn listing(from: usize, to: usize) -> String {
        (from..to).map(|n| format!("line number {n} of some file\n")).collect()
    }

    fn history() -> History {
        let mut history = History::default();
        history.add(Some("call_1"), "bash", &listing(0, 50));
        history
    }

    fn point(history: &History, text: &str) -> Option<String> {
        history.point(text, None, "{}", Counter::default())
    }

    #[test]
    fn g9_a_result_shown_before_becomes_a_pointer_to_it() {
        let marker = point(&history(), &listing(0, 50)).unwrap();
        assert_eq!(marker, "[Duplicate of call_1 (bash); see earlier result]");
        assert_eq!(history().resolve(&marker, "{}").unwrap(), listing(0, 50));
    }

    #[test]
    fn a_run_of_lines_shown_before_becomes_a_pointer_and_can_be_resolved() {
        let text = format!("new first line\n{}new last line\n", listing(10, 30));
        let pointed = point(&history(), &text).unwrap();
        let expected =
            "new first line\n[Forge 20 lines as in call_1 from line 11]\nnew last line\n";
        assert_eq!(pointed, expected);
        assert_eq!(history().resolve(&pointed, "{}").unwrap(), text);
    }

    #[test]
    fn lines_that_moved_down_a_file_are_still_the_same_lines() {
        let numbered = |from: usize, text: String| -> String {
            text.lines().enumerate().map(|(n, line)| format!("{:6}→{line}\n", n + from)).collect()
        };
        let mut history = History::default();
        let before = numbers::encode(&numbered(1, listing(0, 80))).unwrap();
        history.add(Some("call_1"), "Read", &before);
        let moved = format!("a new line\nand one more\n{}", listing(0, 80));
        let after = numbers::encode(&numbered(1, moved)).unwrap();
        let pointed = point(&history, &after).unwrap();
        assert_eq!(pointed.lines().count(), 4, "{pointed}");
        assert_eq!(history.resolve(&pointed, "{}").unwrap(), after);
    }

    #[test]
    fn what_the_call_itself_said_is_pointed_to() {
        let arguments = serde_json::json!({"path": "a.rs", "content": listing(0, 40)}).to_string();
        let text = format!("The file now reads:\n{}", listing(0, 40));
        let history = History::default();
        let pointed = history.point(&text, None, &arguments, Counter::default()).unwrap();
        assert_eq!(
            pointed,
            "The file now reads:\n[Forge 41 lines as in this call's content from line 1]"
        );
        assert_eq!(history.resolve(&pointed, &arguments).unwrap(), text);
    }

    #[test]
    fn fewer_than_three_lines_are_repeated() {
        let text = format!("x\n{}y\n", listing(10, 12));
        assert_eq!(point(&history(), &text), None);
    }

    #[test]
    fn f11_a_result_without_a_call_id_is_never_pointed_to() {
        let mut history = History::default();
        history.add(None, "bash", &listing(0, 50));
        assert_eq!(point(&history, &listing(0, 50)), None);
    }

    #[test]
    fn an_id_that_two_calls_have_is_not_pointed_to() {
        let mut history = history();
        history.add(Some("call_1"), "bash", "something else of the same name");
        assert_eq!(point(&history, &listing(0, 50)), None);
        history.add(Some("call_2"), "bash", &listing(0, 50));
        let marker = point(&history, &listing(0, 50)).unwrap();
        assert!(marker.contains("call_2"), "{marker}");
    }

    #[test]
    fn g9_a_result_that_is_sent_twice_does_not_point_to_itself() {
        let mut history = history();
        let longer = format!("{}and more\n", listing(0, 50));
        let point = |history: &History, text: &str| {
            history.point(text, Some("call_1"), "{}", Counter::default())
        };
        assert_eq!(point(&history, &listing(0, 50)), None);
        assert_eq!(point(&history, &longer), None);
        history.add(Some("call_2"), "bash", &listing(0, 50));
        for text in [listing(0, 50), longer] {
            let pointed = point(&history, &text).unwrap();
            assert!(pointed.contains("call_2") && !pointed.contains("call_1"), "{pointed}");
        }
    }

    #[test]
    fn the_earliest_copy_is_the_one_pointed_to() {
        let mut history = history();
        history.add(Some("call_2"), "bash", &listing(0, 50));
        let marker = point(&history, &listing(0, 50)).unwrap();
        assert!(marker.contains("call_1"), "{marker}");
    }
}
