//! A client, a gateway that answers our calls, and an upstream whose replies are given.

#![allow(dead_code, reason = "each test file takes what it needs")]

use tokenforge_dialects::{Answer, Dialect, Next, Reply, Turn, Wire};

/// What came of the replies.
pub(crate) struct Conversation {
    /// What the client got.
    pub(crate) client: String,
    /// What the upstream was asked again with.
    pub(crate) turns: Vec<Turn>,
    pub(crate) reply: Reply,
    /// Whether the upstream would have to be asked once more.
    pub(crate) is_open: bool,
}

impl Conversation {
    /// Takes the replies of the upstream, cut into pieces of these lengths, over and over.
    pub(crate) fn cut<T: AsRef<[u8]>>(
        dialect: Dialect,
        wire: Wire,
        replies: &[T],
        lengths: &[usize],
    ) -> Self {
        let mut reply = Reply::new(dialect, wire);
        let (mut client, mut turns, mut is_open) = (Vec::new(), Vec::new(), true);
        let mut lengths = lengths.iter().copied().cycle();
        for bytes in replies {
            assert!(is_open, "the upstream is asked again, though the client has its reply");
            let mut bytes = bytes.as_ref();
            while !bytes.is_empty() {
                let (piece, rest) = bytes.split_at(lengths.next().unwrap().clamp(1, bytes.len()));
                reply.push(piece, &mut client);
                bytes = rest;
            }
            match reply.finish(&mut client) {
                Next::Ask(turn) => turns.push(turn),
                Next::Done => is_open = false,
            }
        }
        let client = String::from_utf8(client).unwrap();
        Conversation { client, turns, reply, is_open }
    }

    /// Takes the replies of the upstream in every way that a network may cut them (G25, G34).
    pub(crate) fn of<T: AsRef<[u8]>>(dialect: Dialect, wire: Wire, replies: &[T]) -> Self {
        let whole = Self::cut(dialect, wire, replies, &[usize::MAX]);
        let check = |lengths: &[usize]| {
            let cut = Self::cut(dialect, wire, replies, lengths);
            assert_eq!(cut.client, whole.client, "{lengths:?}");
            assert_eq!(cut.turns, whole.turns, "{lengths:?}");
        };
        let longest = replies.iter().map(|reply| reply.as_ref().len()).max().unwrap_or(0);
        check(&[1]);
        (1..longest).for_each(|at| check(&[at, usize::MAX]));
        whole
    }

    /// The client has its reply.
    pub(crate) fn done(self) -> Self {
        assert!(!self.is_open, "the upstream is to be asked again");
        self
    }

    /// The ids and arguments of the calls that were answered, reply by reply.
    pub(crate) fn asked(&self) -> Vec<Vec<(&str, &str)>> {
        self.turns
            .iter()
            .map(|turn| turn.calls.iter().map(|call| (&*call.id, &*call.arguments)).collect())
            .collect()
    }

    /// The body that a turn makes of a request's, when all its calls are answered by `text`.
    pub(crate) fn follow_up(&self, turn: usize, body: &str, text: &str) -> String {
        let turn = &self.turns[turn];
        let answer = Answer { text: text.to_owned(), is_error: false };
        let answers = vec![answer; turn.calls.len()];
        String::from_utf8(turn.follow_up(body.as_bytes(), &answers).unwrap()).unwrap()
    }

    /// Gives the client up; what it got.
    pub(crate) fn give_up(mut self) -> String {
        let mut client = self.client.into_bytes();
        self.reply.give_up(&mut client);
        String::from_utf8(client).unwrap()
    }
}

/// Server-sent events without names.
pub(crate) fn events<T: AsRef<str>>(payloads: &[T]) -> String {
    payloads.iter().map(|json| format!("data: {}\n\n", json.as_ref())).collect()
}

/// The payloads of server-sent events.
pub(crate) fn payloads(events: &str) -> Vec<&str> {
    events.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
}
