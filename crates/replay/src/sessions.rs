//! Measures whole sessions: each request replayed as a gateway would have sent it.

use crate::bill::{Bill, Tally};
use crate::corpus::Probe;
use crate::report::{Probes, Set};
use crate::session::{Message, Part, Session, ToolResult};
use std::collections::BTreeMap;
use std::rc::Rc;
use tokenforge_compress::{Engine, History, Output, expand_tool};

/// The tools of a session that did not record its own.
const TOOLS: &str = include_str!("tools.json");

/// What the engine makes of the sessions of one set.
#[must_use]
pub fn measure(sessions: &[(Session, Vec<Probe>)], engine: &Engine<'_>, tally: &mut Tally) -> Set {
    let mut set = Set { prefix_stability: 1.0, ..Set::default() };
    let (mut ours, mut raw) = (0.0, 0.0);
    for (session, probes) in sessions {
        let replay = Replay { session, engine };
        let bills = replay.bills(tally);
        ours += bills.ours.cost();
        raw += bills.raw.cost();
        set.prefix_stability = set.prefix_stability.min(bills.ours.prefix_stability());
        set.sessions += 1;
        for (result, forwarded) in
            session.results().zip(replay.forwarded(session.messages.len()).results())
        {
            set.tool_tokens_in += tally.count(&result.text);
            set.tool_tokens_out += tally.count(&forwarded.text);
        }
        replay.search(probes, &mut set.probes);
    }
    set.cost_ratio = if raw > 0.0 { ours / raw } else { 1.0 };
    set
}

struct Replay<'a> {
    session: &'a Session,
    engine: &'a Engine<'a>,
}

struct Bills {
    ours: Bill,
    raw: Bill,
}

/// A request as it would have been forwarded.
struct Forwarded {
    parts: Vec<Seen>,
}

/// A part of a request as the model sees it.
enum Seen {
    Text(Rc<str>),
    Result(SeenResult),
}

struct SeenResult {
    text: Rc<str>,
    /// What the text stands for, if nothing was left out of it.
    decoded: Option<Rc<str>>,
    /// What a reference in the text gives back.
    retrievable: Option<Rc<str>>,
}

impl Replay<'_> {
    /// What the requests cost, as they were and as we would have sent them.
    fn bills(&self, tally: &mut Tally) -> Bills {
        let mut bills = Bills { ours: Bill::default(), raw: Bill::default() };
        let tools: Rc<str> = self.session.tools.as_deref().unwrap_or(TOOLS).into();
        for request in self.session.requests() {
            let mut ours = vec![tools.clone()];
            if self.engine.offers_expansion() {
                ours.push(expand_tool::DEFINITION.into());
            }
            ours.extend(self.forwarded(request).texts());
            bills.ours.add(ours, tally);
            let mut raw = vec![tools.clone()];
            raw.extend(self.session.messages[..request].iter().flat_map(raw_texts));
            bills.raw.add(raw, tally);
        }
        bills
    }

    /// The request made of the first `count` messages. Made anew each time, as a gateway without memory would.
    fn forwarded(&self, count: usize) -> Forwarded {
        let mut history = History::default();
        let parts = self.session.messages[..count].iter().flat_map(|message| &message.parts);
        let parts = parts.map(|part| match part {
            Part::Text(text) => Seen::Text(text.as_str().into()),
            Part::Result(result) => Seen::Result(self.result(result, &mut history)),
        });
        Forwarded { parts: parts.collect() }
    }

    fn result(&self, result: &ToolResult, history: &mut History) -> SeenResult {
        let call = result.call.as_deref();
        let output = Output {
            text: &result.text,
            tool: &result.tool,
            arguments: &result.arguments,
            call,
            is_error: result.is_error,
        };
        let compressed = self.engine.compress(&output, history);
        let text = compressed.text(&result.text);
        history.add(call, &result.tool, text);
        let retrievable =
            compressed.original.as_ref().map(|original| original.text.as_str().into());
        let decoded = retrievable.is_none().then(|| result.text.as_str().into());
        SeenResult { text: text.into(), decoded, retrievable }
    }

    /// Looks for what later turns used in the requests they answered.
    fn search(&self, probes: &[Probe], found: &mut Probes) {
        let mut by_request: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for probe in probes {
            by_request.entry(probe.used_at_msg).or_default().push(&probe.needle);
        }
        for (request, needles) in by_request {
            let forwarded = self.forwarded(request.min(self.session.messages.len()));
            for needle in needles {
                found.total += 1;
                *match forwarded.find(needle) {
                    Found::Visible => &mut found.visible,
                    Found::Decoded => &mut found.decoded,
                    Found::Retrievable => &mut found.retrievable,
                    Found::Lost => &mut found.lost,
                } += 1;
            }
        }
    }
}

/// How a model could come by a text.
enum Found {
    Visible,
    Decoded,
    Retrievable,
    Lost,
}

impl Forwarded {
    fn texts(&self) -> impl Iterator<Item = Rc<str>> {
        self.parts.iter().map(|part| match part {
            Seen::Text(text) => text.clone(),
            Seen::Result(result) => result.text.clone(),
        })
    }

    fn results(&self) -> impl Iterator<Item = &SeenResult> {
        self.parts.iter().filter_map(|part| match part {
            Seen::Result(result) => Some(result),
            Seen::Text(_) => None,
        })
    }

    fn find(&self, needle: &str) -> Found {
        let holds =
            |text: &Option<Rc<str>>| text.as_ref().is_some_and(|text| text.contains(needle));
        if self.texts().any(|text| text.contains(needle)) {
            Found::Visible
        } else if self.results().any(|result| holds(&result.decoded)) {
            Found::Decoded
        } else if self.results().any(|result| holds(&result.retrievable)) {
            Found::Retrievable
        } else {
            Found::Lost
        }
    }
}

fn raw_texts(message: &Message) -> impl Iterator<Item = Rc<str>> {
    message.parts.iter().map(|part| match part {
        Part::Text(text) => text.as_str().into(),
        Part::Result(result) => result.text.as_str().into(),
    })
}
