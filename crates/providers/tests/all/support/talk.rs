//! A client, an upstream that answers as it was told, and a reply between them.

use tokenforge_providers::{
    DeferredCalls, Dialect, ExpandAnswer, HiddenTurn, NextStep, Reply, TurnUsage, WireFormat,
};

/// What came of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard {
    /// What the client got.
    pub(crate) client: Vec<u8>,
    /// The turns after which the upstream was asked again.
    pub(crate) turns: Vec<HiddenTurn>,
    pub(crate) deferred: Option<DeferredCalls>,
    pub(crate) usage: TurnUsage,
    /// Whether the upstream was asked more often than it answers; then the reply was given up.
    pub(crate) is_given_up: bool,
}

impl Heard {
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.client).unwrap()
    }

    /// The client has its reply.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert!(!self.is_given_up, "the upstream was asked more often than it answers");
        self
    }

    /// What the client got when it was given up.
    #[track_caller]
    pub(crate) fn given_up(self) -> String {
        assert!(self.is_given_up, "the client has its reply");
        String::from_utf8(self.client).unwrap()
    }

    /// The ids and arguments of the calls that were answered, turn by turn.
    pub(crate) fn asked(&self) -> Vec<Vec<(&str, &str)>> {
        let turns = self.turns.iter();
        turns
            .map(|turn| turn.calls.iter().map(|call| (&*call.id, &*call.arguments)).collect())
            .collect()
    }

    /// The body that the upstream is asked again with after a turn whose calls are all answered by `text`.
    pub(crate) fn body(&self, turn: usize, body: &str, text: &str) -> String {
        let turn = &self.turns[turn];
        let answer = ExpandAnswer { text: text.to_owned(), is_error: false };
        let answers = vec![answer; turn.calls.len()];
        String::from_utf8(turn.follow_up(body.as_bytes(), &answers).unwrap()).unwrap()
    }
}

/// Lets the upstream give its replies, one after the other, in pieces that `cut` makes.
pub(crate) fn talk<'a>(
    dialect: Dialect,
    wire: WireFormat,
    replies: &'a [Vec<u8>],
    cut: impl Fn(&'a [u8]) -> Vec<&'a [u8]>,
) -> Heard {
    let (mut reply, mut client, mut turns) = (Reply::new(dialect, wire), Vec::new(), Vec::new());
    let mut is_given_up = true;
    for bytes in replies {
        for piece in cut(bytes) {
            reply.push(piece, &mut client);
        }
        match reply.finish(&mut client) {
            NextStep::Ask(turn) => turns.push(turn),
            NextStep::Done => {
                is_given_up = false;
                break;
            }
        }
    }
    if is_given_up {
        reply.give_up(&mut client);
    }
    let deferred = reply.take_deferred_calls();
    Heard { client, turns, deferred, usage: reply.usage().clone(), is_given_up }
}

/// As [`talk`], in one piece. Checks that it is the same for every cut into two and for single bytes.
#[track_caller]
pub(crate) fn talk_in_any_split(dialect: Dialect, wire: WireFormat, replies: &[Vec<u8>]) -> Heard {
    let heard = talk(dialect, wire, replies, |bytes| vec![bytes]);
    let single = talk(dialect, wire, replies, |bytes| bytes.chunks(1).collect());
    assert_eq!(heard, single, "byte by byte");
    let longest = replies.iter().map(Vec::len).max().unwrap_or_default();
    for at in 1..longest {
        let cut = talk(dialect, wire, replies, |bytes| {
            let (left, right) = bytes.split_at(at.min(bytes.len()));
            vec![left, right]
        });
        assert!(heard == cut, "cut at {at}");
    }
    heard
}

/// What a client reads whose turn was ended because the model went on asking.
pub(crate) const ENDED: &str = "[This turn was ended here: the model kept asking for left-out tool output instead of answering.]";

/// The same behind a text.
pub(crate) fn ended_behind_text() -> String {
    format!("\n\n{ENDED}")
}

/// An answer to every call of a turn.
pub(crate) fn answers(turn: &HiddenTurn) -> Vec<ExpandAnswer> {
    let answer = |number| ExpandAnswer { text: format!("original {number}\n"), is_error: false };
    (1..=turn.calls.len()).map(answer).collect()
}

/// The body that the upstream is asked again with.
pub(crate) fn follow_up(turn: &HiddenTurn, body: &str) -> serde_json::Value {
    let body = turn.follow_up(body.as_bytes(), &answers(turn)).unwrap();
    serde_json::from_slice(&body).unwrap()
}

/// Texts as an upstream sends them.
pub(crate) fn bytes<T: AsRef<str>>(texts: &[T]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_ref().as_bytes().to_vec()).collect()
}

/// Cuts bytes into pieces of these lengths, over and over.
pub(crate) fn pieces<'a>(mut bytes: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for length in lengths.iter().cycle() {
        if bytes.is_empty() {
            break;
        }
        let (piece, rest) = bytes.split_at((*length).clamp(1, bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

/// Server-sent events without names.
pub(crate) fn data<T: AsRef<str>>(payloads: &[T]) -> String {
    payloads.iter().map(|json| format!("data: {}\n\n", json.as_ref())).collect()
}

/// The payloads of server-sent events.
pub(crate) fn payloads(events: &str) -> Vec<&str> {
    events.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
}
