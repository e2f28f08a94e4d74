//! What a model would call a result: the file it read, the command it ran, or the tool and what that was asked for.
//!
//! A pointer must be resolved from what the model sees (L12), and call ids are not shown to most models. So a result is
//! named by the call that asked for it. What cannot be named in one line without doubt has no name, and is not pointed to.

use crate::command::CommandLine;
use crate::context::CallContext;
use crate::redaction;
use crate::tool::{CalledTool, ToolKind};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// A tool call, as far as a history has to know it.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    /// Its id, which only tells calls apart: it is never shown.
    pub id: Option<&'a str>,
    /// The name of the tool, as the client calls it.
    pub tool: &'a str,
    /// The arguments, as JSON text; empty if they are not known.
    pub arguments: &'a str,
}

/// Commands and arguments are cut here.
const LONGEST: usize = 80;
/// A longer path is not used: it would cost more than most of what it stands for.
const LONGEST_PATH: usize = 200;
/// Keys under which agents put the path of a file to read.
const PATH_KEYS: &[&str] = &[
    "file_path",
    "path",
    "filePath",
    "absolute_path",
    "target_file",
    "file",
    "filename",
    "file_name",
    "notebook_path",
    "uri",
];
/// Keys of texts that say how or why, not which file.
const TALK_KEYS: &[&str] = &["command", "description", "explanation", "reason", "encoding"];
/// What stands behind a name in a pointer, so that no name may contain it.
pub(super) const BEHIND: &str = " above";

/// What kind of thing a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A file that was read from its first line: the latest such read is meant.
    File,
    /// A command line, of which any run can be meant.
    Command,
    /// Another tool and its first string argument, which must be unique.
    Tool,
    /// A text in the arguments of the call itself.
    Argument,
}

/// What a model would call a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallName {
    pub(super) text: String,
    pub(super) kind: NameKind,
}

/// A call as a history sees it.
#[derive(Debug)]
pub(super) struct CallView {
    /// `None`: nothing can point to its result.
    pub(super) name: Option<CallName>,
    /// The same for calls that ask for the same thing.
    pub(super) identity: u64,
    pub(super) tool: CalledTool,
    /// Was a part of a file asked for, by line or by what stands there? Who does so wants to see just that.
    pub(super) is_excerpt: bool,
    /// What it does to files.
    pub(super) change: Option<FileChange>,
}

/// What a call does to files. For a command it is a guess, because one may change files that it does not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileChange {
    /// This one has another text.
    Written(String),
    /// This one has another text in places.
    Edited(String),
    /// Any of them may have: a patch names its files in words of its own.
    Any,
}

impl CallView {
    pub(super) fn of(call: &ToolCall<'_>) -> Self {
        let context = CallContext::new(call.tool, call.arguments, false);
        let members = members(call.arguments);
        let line = match context.tool {
            ToolKind::Shell => CommandLine::line_of(call.arguments),
            _ => None,
        };
        let path = path(&members);
        let (asked, name, is_excerpt) = match (context.tool, &line) {
            (ToolKind::Read, _) => {
                let is_excerpt = members.iter().any(|(_, value)| is_range(value));
                let is_one = path.is_some_and(|path| is_told_by(path, &members));
                let name = path.filter(|_| is_one && !is_excerpt).and_then(file);
                // Who reads a part of a file has not asked for the file again.
                let asked = path.filter(|_| !is_excerpt).unwrap_or(call.arguments);
                (asked, name, is_excerpt)
            }
            // They show parts of files, at places of their own.
            (ToolKind::Edit | ToolKind::Write, _) => (call.arguments, None, false),
            (_, Some(line)) => {
                let is_excerpt = context.command.as_ref().is_some_and(CommandLine::reads_part);
                (line.as_str(), command(line), is_excerpt)
            }
            _ => (call.arguments, other(call.tool, &members), context.has_context_lines),
        };
        let tool = CalledTool::of(call.tool, call.arguments);
        let identity = xxh3_64(format!("{}\n{asked}", call.tool).as_bytes());
        let change = match (context.tool, path) {
            _ if line.as_deref().is_some_and(changes_files) => Some(FileChange::Any),
            (ToolKind::Write, Some(path)) => Some(FileChange::Written(path.trim().to_owned())),
            (ToolKind::Edit, Some(path)) => Some(FileChange::Edited(path.trim().to_owned())),
            (ToolKind::Write | ToolKind::Edit, None) => Some(FileChange::Any),
            _ => None,
        };
        CallView { name, identity, tool, is_excerpt, change }
    }
}

/// A call that is about one file, and all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WholeFile {
    /// It was read.
    Read(String),
    /// It has another text.
    Written(String),
}

impl WholeFile {
    pub(crate) fn of(call: &ToolCall<'_>) -> Option<Self> {
        let CallView { name, change, .. } = CallView::of(call);
        match (name, change) {
            (Some(CallName { text, kind: NameKind::File }), _) => Some(WholeFile::Read(text)),
            (_, Some(FileChange::Written(path))) => Some(WholeFile::Written(path)),
            _ => None,
        }
    }
}

impl CallName {
    /// A text in the arguments of the call that is answered.
    pub(super) fn argument(key: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let is_key = (1..=LONGEST).contains(&key.len()) && key.bytes().all(is_plain);
        is_key.then(|| CallName { text: key.to_owned(), kind: NameKind::Argument })
    }
}

/// Do these arguments tell of one file by its path alone? There may be others: an owner, a repository, a version.
fn is_told_by(path: &str, members: &[(String, Value)]) -> bool {
    let is_talk = |key: &str| TALK_KEYS.contains(&key);
    let mut texts = members.iter().filter_map(|(key, value)| Some((key, value.as_str()?)));
    texts.all(|(key, text)| text == path || is_talk(key))
}

/// Whether a command line has a word for changing files. Knows the usual ones only, because no list has every program.
fn changes_files(line: &str) -> bool {
    const WORDS: [&str; 8] = [
        "apply_patch",
        "sed -i",
        "perl -pi",
        "patch -p",
        "git apply",
        "git checkout",
        "git restore",
        "git stash",
    ];
    WORDS.iter().any(|word| line.contains(word))
}

/// Are these two spellings of one file, as far as one can tell?
pub(super) fn is_same_file(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|path| path.trim_start_matches("./"));
    let ends = |long: &str, short: &str| {
        !short.is_empty() && long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'))
    };
    one == other || ends(one, other) || ends(other, one)
}

fn file(path: &str) -> Option<CallName> {
    let text = path.trim().to_owned();
    (is_plain(&text) && text.len() <= LONGEST_PATH)
        .then_some(CallName { text, kind: NameKind::File })
}

fn command(line: &str) -> Option<CallName> {
    let text = cut_to_name(line);
    (is_plain(&text) && !has_secret(line)).then_some(CallName { text, kind: NameKind::Command })
}

fn other(tool: &str, members: &[(String, Value)]) -> Option<CallName> {
    let first = members.iter().find_map(|(_, value)| value.as_str());
    let text = match first.map(cut_to_name) {
        Some(argument) => format!("{tool} \"{argument}\""),
        None => tool.to_owned(),
    };
    let is_fit = tool.len() <= LONGEST && !first.is_some_and(has_secret);
    (is_plain(&text) && is_fit).then_some(CallName { text, kind: NameKind::Tool })
}

/// The first line, no longer than a name may be.
fn cut_to_name(text: &str) -> String {
    let text = text.trim();
    let first = text.split('\n').next().unwrap_or_default().trim_end();
    let end = first.char_indices().nth(LONGEST).map_or(first.len(), |(at, _)| at);
    if end < text.len() { format!("{}…", first[..end].trim_end()) } else { first.to_owned() }
}

/// Arguments are not redacted, results are: a name carries nothing from the one into the other. Looked at before it is cut,
/// since half a secret is not known to be one.
fn has_secret(text: &str) -> bool {
    const LOOKED_AT: usize = 4096;
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    redaction::has_secrets(text)
}

/// Can a name not be mistaken for other words of a pointer?
fn is_plain(name: &str) -> bool {
    let is_free = |word: &str| !name.contains(word);
    !name.is_empty()
        && [BEHIND, ", from \"", " (run "].into_iter().all(is_free)
        && !name.chars().any(char::is_control)
}

fn path(members: &[(String, Value)]) -> Option<&str> {
    let of = |wanted: &&str| {
        members.iter().find(|(key, _)| key == wanted).and_then(|(_, value)| value.as_str())
    };
    PATH_KEYS.iter().find_map(of)
}

/// Does an argument say where to begin or to end? Whatever it is called, it is a number, some numbers, or a text of them.
fn is_range(value: &Value) -> bool {
    let is_digits = |text: &str| {
        text.contains(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_digit() || " -:,.+$L".contains(c))
    };
    match value {
        Value::Number(_) => true,
        Value::String(text) => is_digits(text),
        Value::Array(items) => items.iter().any(is_range),
        _ => false,
    }
}

/// The members of the arguments, in their order: a map would sort them, and the first one would be another.
fn members(arguments: &str) -> Vec<(String, Value)> {
    struct Members(Vec<(String, Value)>);

    impl<'de> Deserialize<'de> for Members {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_map(InOrder).map(Members)
        }
    }

    struct InOrder;

    impl<'de> Visitor<'de> for InOrder {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }

    serde_json::from_str(arguments).map_or_else(|_| Vec::new(), |Members(members)| members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(tool: &str, arguments: &str) -> CallView {
        CallView::of(&ToolCall { id: None, tool, arguments })
    }

    fn name(tool: &str, arguments: &str) -> Option<String> {
        view(tool, arguments).name.map(|name| name.text)
    }

    #[test]
    fn d1_a_result_is_named_by_the_file_the_command_or_the_tool() {
        let cases = [
            ("Read", r#"{"file_path":"/a/b.rs"}"#, "/a/b.rs"),
            ("view", r#"{"command":"view","path":"b.rs"}"#, "b.rs"),
            ("Bash", r#"{"description":"run","command":"cargo test"}"#, "cargo test"),
            ("shell", r#"{"command":["bash","-lc","cargo test"]}"#, "cargo test"),
            ("exec_command", r#"{"cmd":"ls -l"}"#, "ls -l"),
            ("Bash", r#"{"command":"python3 - <<'E'\nprint(1)\nE"}"#, "python3 - <<'E'…"),
            ("get_user", r#"{"page":2,"zone":"eu","id":"x"}"#, "get_user \"eu\""),
            ("list_all", "{}", "list_all"),
        ];
        for (tool, arguments, expected) in cases {
            assert_eq!(name(tool, arguments).as_deref(), Some(expected), "{tool} {arguments}");
        }
        let long = format!(r#"{{"command":"echo {}"}}"#, "x".repeat(100));
        assert_eq!(name("Bash", &long).unwrap().chars().count(), LONGEST + 1);
    }

    #[test]
    fn d1_what_cannot_be_named_without_doubt_has_no_name() {
        for (tool, arguments) in [
            ("Read", r#"{"file_path":"a","offset":20,"limit":10}"#),
            ("view", r#"{"command":"view","path":"a","view_range":[1,20]}"#),
            ("read_file", r#"{"path":"a","lines":"10-20"}"#),
            ("Read", r#"{"file_path":"a\nb"}"#),
            ("Read", r#"{"file_path":"as seen above"}"#),
            ("Read", "{}"),
            ("Edit", r#"{"file_path":"a"}"#),
        ] {
            assert_eq!(name(tool, arguments), None, "{tool} {arguments}");
        }
    }

    #[test]
    fn l10_a_secret_in_a_command_is_in_no_name() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        for padding in [0, 30, 60] {
            let line = format!(
                "{} curl -H 'Authorization: token {token}' https://x.example",
                "x".repeat(padding)
            );
            let arguments = serde_json::json!({ "command": line }).to_string();
            assert_eq!(name("Bash", &arguments), None, "{line}");
        }
        assert!(name("Bash", r#"{"command":"curl https://x.example"}"#).is_some());
    }

    #[test]
    fn d1_a_part_of_a_file_is_known_by_its_arguments_or_its_command() {
        let command = |command: &str| {
            let arguments = serde_json::json!({ "command": command }).to_string();
            view("Bash", &arguments).is_excerpt
        };
        assert!(view("Read", r#"{"file_path":"a","offset":0}"#).is_excerpt);
        for line in [
            "sed -n 20,30p a.rs",
            "head -50 a.rs",
            "cat a.rs | tail -n 3",
            "bat -r 1:9 a.rs",
            "bat --line-range=1:9 a.rs",
            "grep -rn -C 3 main src",
            "cat a.rs | grep -A3 main",
        ] {
            assert!(command(line), "{line}");
        }
        for line in
            ["cat a.rs", "bat a.rs", "grep -r main src", "cargo test | tail -50", "git diff"]
        {
            assert!(!command(line), "{line}");
        }
        assert!(view("Grep", r#"{"pattern":"main","-C":3}"#).is_excerpt);
        assert!(!view("Grep", r#"{"pattern":"main"}"#).is_excerpt);
        assert!(!view("Read", r#"{"file_path":"a","pages":null,"whole":true}"#).is_excerpt);
    }
}
