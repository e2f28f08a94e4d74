//! L12: whatever points to an earlier result can be resolved from what the model sees of that.
//!
//! The reader here knows nothing of how pointers are made. It has the calls as the model wrote them and the results as they
//! were forwarded, and does what a marker says in words.

use tokenforge_engine::reference::Reference;
use tokenforge_engine::{Engine, History, Output, Settings};

/// A call, by what its author would call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallDescription {
    /// A file was read: all of it, or from a line on.
    Read {
        /// Which.
        path: String,
        /// The first line that was asked for, if not the file.
        offset: Option<usize>,
    },
    /// A shell ran a command.
    Ran(String),
    /// A tool was asked for something, on some page.
    Called {
        /// The tool.
        tool: &'static str,
        /// Its first string argument.
        about: String,
        /// Another argument.
        page: usize,
    },
}

impl CallDescription {
    fn tool(&self) -> &'static str {
        match self {
            CallDescription::Read { .. } => "Read",
            CallDescription::Ran(_) => "Bash",
            CallDescription::Called { tool, .. } => tool,
        }
    }

    fn arguments(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text);
        match self {
            CallDescription::Read { path, offset: None } => {
                format!("{{\"file_path\":{}}}", quoted(path))
            }
            CallDescription::Read { path, offset: Some(offset) } => {
                format!("{{\"file_path\":{},\"offset\":{offset}}}", quoted(path))
            }
            CallDescription::Ran(line) => format!("{{\"command\":{}}}", quoted(line)),
            CallDescription::Called { about, page, .. } => {
                format!("{{\"page\":{page},\"about\":{}}}", quoted(about))
            }
        }
    }

    /// What a pointer would call its result.
    fn name(&self) -> Option<String> {
        match self {
            CallDescription::Read { path, offset: None } => Some(path.clone()),
            CallDescription::Read { .. } => None,
            CallDescription::Ran(line) => Some(match line.char_indices().nth(80) {
                Some((end, _)) => format!("{}…", line[..end].trim_end()),
                None => line.clone(),
            }),
            CallDescription::Called { tool, about, .. } => Some(format!("{tool} \"{about}\"")),
        }
    }
}

/// A result, as the model sees it.
struct EarlierResult<'a> {
    asked: &'a CallDescription,
    forwarded: String,
}

/// L2, L5, L6 and L12 for the results of a conversation, of which each sees those before it. How many of them have pointers.
pub fn resolvable(settings: &Settings, results: &[(CallDescription, String)]) -> usize {
    let alone = Settings { dedup: false, ..settings.clone() };
    let mut history = History::default();
    let mut seen: Vec<EarlierResult<'_>> = Vec::new();
    let mut pointed = 0;
    for (number, (asked, text)) in results.iter().enumerate() {
        let (id, arguments) = (format!("toolu_01Q{number}x"), asked.arguments());
        let output = Output {
            text,
            tool: asked.tool(),
            arguments: &arguments,
            call: Some(&id),
            is_error: false,
        };
        let compressed = Engine::new(settings).compress(&output, &history);
        let forwarded = compressed.text(text).to_owned();
        let plain = Engine::new(&alone).compress(&output, &history);
        if forwarded != plain.text(text) {
            pointed += 1;
            let is_part = matches!(asked, CallDescription::Read { offset: Some(_), .. });
            assert!(!is_part, "a part that was asked for became a pointer: {forwarded}");
            assert!(!forwarded.contains("toolu_"), "a call id is shown: {forwarded}");
            let last = seen.iter().rfind(|seen| seen.asked == asked);
            let is_again = last.is_some_and(|last| markers(&last.forwarded) > 0);
            assert!(!is_again, "two pointers in a row for {asked:?}: {forwarded}");
            assert_eq!(resolved(&seen, &forwarded), plain.text(text), "{forwarded}");
            let counter = settings.counter;
            assert!(counter.count(&forwarded) < counter.count(plain.text(text)), "{forwarded}");
            let again =
                Engine::new(settings).compress(&Output { text: &forwarded, ..output }, &history);
            assert_eq!(again.text(&forwarded), forwarded, "compressed twice");
        }
        history.add(&output.tool_call(), &forwarded);
        seen.push(EarlierResult { asked, forwarded });
    }
    pointed
}

/// How many markers there are in a text.
fn markers(text: &str) -> usize {
    let is_marker =
        |line: &&str| line.starts_with("[Forge same as ") || line.starts_with("[Duplicate of ");
    text.lines().filter(is_marker).count()
}

/// A text with the lines that its markers name.
fn resolved(above: &[EarlierResult<'_>], text: &str) -> String {
    if let Some(name) = text
        .strip_prefix("[Duplicate of ")
        .and_then(|text| text.strip_suffix("; see earlier result]"))
    {
        return named(above, name).to_owned();
    }
    let mut column = Column::default();
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let Some(marker) =
            line.strip_prefix("[Forge same as ").and_then(|line| line.strip_suffix(']'))
        else {
            column.read(line);
            lines.push(line.to_owned());
            continue;
        };
        let (marker, here) = match marker.rsplit_once(", here ") {
            Some((marker, here)) => (marker, Some(range(here))),
            None => (marker, None),
        };
        let (shown, there) = match marker.strip_prefix("lines ") {
            Some(marker) => {
                let (numbers, name) = marker.split_once(" of ").expect("lines of something");
                let name = name.strip_suffix(" above").expect("above");
                (numbered(named(above, name), range(numbers)), Some(range(numbers)))
            }
            None => (quoted(above, marker), None),
        };
        let first = column.next;
        if let Some(first) = first {
            let expected = here.or(there).expect("a pointer in a column says where it stands");
            assert_eq!(expected, (first, first + shown.len() - 1), "{line}");
        }
        lines.extend(shown.iter().map(|bare| column.write(bare)));
    }
    lines.join("\n")
}

/// `N lines of NAME above, from "A" to "B"`
fn quoted<'s>(above: &'s [EarlierResult<'_>], marker: &str) -> Vec<&'s str> {
    let (count, rest) = marker.split_once(" lines of ").expect("so many lines of something");
    let (name, quotes) = rest.split_once(" above, from \"").expect("from a line");
    let (first, last) = quotes.split_once("\" to \"").expect("to a line");
    let last = last.strip_suffix('"').expect("a quoted line");
    let name = name.strip_prefix('`').map_or(name.to_owned(), |name| name.replacen('`', "", 1));
    let body = named(above, &name);
    let body = Reference::leading(body).map_or(body, |(_, body)| body);
    let lines: Vec<&str> = body.split('\n').collect();
    let only = |quote: &str| {
        let is_it = |line: &&str| match quote.strip_suffix('…') {
            Some(start) => line.trim().starts_with(start) && line.trim().chars().count() > 48,
            None => line.trim() == quote,
        };
        assert_eq!(lines.iter().filter(|line| is_it(line)).count(), 1, "{quote:?} in {body}");
        lines.iter().position(is_it).expect("it is there")
    };
    let shown = &lines[only(first)..=only(last)];
    assert_eq!(shown.len().to_string(), count);
    shown.to_vec()
}

/// What was forwarded for the call of a name: for a file the latest that is not all a marker, else the only one, or the run.
fn named<'s>(above: &'s [EarlierResult<'_>], name: &str) -> &'s str {
    let (bare, run) = match name.strip_suffix(')').and_then(|name| name.rsplit_once(" (run ")) {
        Some((bare, run)) => (bare.to_owned(), run.split_once(" of ")),
        None => (name.to_owned(), None),
    };
    let all: Vec<&EarlierResult<'_>> =
        above.iter().filter(|seen| seen.asked.name().as_deref() == Some(&*bare)).collect();
    let is_file = |seen: &&&EarlierResult<'_>| matches!(seen.asked, CallDescription::Read { .. });
    if all.iter().any(|seen| is_file(&seen)) {
        let is_text = |seen: &&&EarlierResult<'_>| !seen.forwarded.starts_with("[Duplicate of ");
        return &all.iter().rfind(is_text).expect("a read").forwarded;
    }
    assert!(all.iter().all(|seen| seen.asked == all[0].asked), "{name} is not one thing");
    let number = match run {
        Some((number, of)) => {
            assert_eq!(of, all.len().to_string(), "{name}");
            number.parse().expect("a number")
        }
        None => {
            assert_eq!(all.len(), 1, "{name}");
            1
        }
    };
    &all[number - 1usize].forwarded
}

/// The lines of a read that have these numbers, without them.
fn numbered(text: &str, (first, last): (usize, usize)) -> Vec<&str> {
    let mut column = Column::default();
    let mut found = Vec::new();
    for line in text.split('\n') {
        let number = column.next;
        let bare = column.read(line);
        if number.is_some_and(|number| (first..=last).contains(&number)) {
            assert!(!line.starts_with("[Forge "), "a pointer to a pointer: {line}");
            found.push(bare);
        }
        // What comes behind a pointer in a column is not counted on.
        if line.starts_with("[Forge same as ") {
            column = Column::default();
        }
    }
    assert_eq!(found.len(), last + 1 - first, "lines {first}-{last} of {text}");
    found
}

/// A thinned column of line numbers, as the announcing line explains it.
#[derive(Default)]
struct Column {
    next: Option<usize>,
    first: usize,
    last: usize,
}

const ARROW: &str = "→";

impl Column {
    fn read<'l>(&mut self, line: &'l str) -> &'l str {
        let announced = line.strip_prefix("[Forge lines ").and_then(|line| line.split_once(','));
        if let Some((numbers, _)) = announced {
            (self.first, self.last) = range(numbers);
            self.next = Some(self.first);
            return line;
        }
        let Some(number) = self.next else { return line };
        let shows = number == self.first || number.is_multiple_of(10);
        self.advance();
        match line.split_once(ARROW) {
            Some((shown, bare)) if shows && shown.trim() == number.to_string() => bare,
            _ => line,
        }
    }

    fn write(&mut self, bare: &str) -> String {
        let number = self.next;
        self.advance();
        match number.filter(|number| number.is_multiple_of(10)) {
            Some(number) => format!("{number}{ARROW}{bare}"),
            None => bare.to_owned(),
        }
    }

    fn advance(&mut self) {
        self.next = self.next.map(|number| number + 1).filter(|number| *number <= self.last);
    }
}

fn range(text: &str) -> (usize, usize) {
    let (first, last) = text.split_once('-').expect("two numbers");
    (first.parse().expect("a number"), last.parse().expect("a number"))
}
