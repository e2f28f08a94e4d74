//! Row 4: streams cut anywhere, in every dialect: the client's bytes do not depend on where.

use crate::dialects::{VOICES, Voice, body};
use crate::kit::{Ask, Bench, Gateway, Open, test_run};
use crate::row::{Faults, Measured, Row};
use serde_json::json;
use tokenforge_mock::grammar::check;
use tokenforge_mock::{Mock, Reply, Split};
use tokenforge_providers::{NextStep, Reply as Relay, WireFormat};

pub(crate) const ROW: Row = Row {
    number: 4,
    what: "SSE: every cut of every stream, all dialects; CRLF, BOM, comments, data over several lines",
    bar: "the client's bytes are the same for every cut, 0 frames lost (10,000 streams are aimed at)",
    prove,
};

fn prove(bench: &Bench) -> anyhow::Result<Measured> {
    let mut faults = Faults::default();
    let (mut streams, mut cuts) = (0, 0);
    let mock = Mock::start();
    mock.careless();
    for voice in VOICES {
        for reply in replies() {
            let spoken = spoken(&mock, voice, reply);
            for stream in spellings(voice, &spoken) {
                streams += 1;
                cuts += every_cut(voice, &stream, &mut faults);
            }
        }
    }
    let sockets = over_sockets(bench, &mock, &mut faults)?;
    let figure = format!("{cuts} cuts; {sockets} streams through the gateway, cut at every byte");
    faults.measured(format!("{streams} streams"), figure)
}

/// What models say: text, a call of the client's, a call of ours, and both.
fn replies() -> Vec<Reply> {
    let expand = || Reply::new().call("expand_context", json!({"id": "shadow_0"}));
    let bash = json!({"command": "printf 'é\\n\"'"});
    vec![
        Reply::new().text("Done: “ünïcode” and \n\n\"quotes\"."),
        Reply::new().thinking("So.").text("Let me look.").call("Bash", bash.clone()),
        expand(),
        expand().text("And so on.").call("Bash", bash),
    ]
}

/// The mock's words in a dialect.
fn spoken(mock: &Mock, voice: Voice, reply: Reply) -> Vec<u8> {
    mock.reply(reply);
    let ask = Ask::post(voice.path, body(voice.dialect, "short", "0"));
    Open::asking(mock.address(), &ask).answer().body
}

/// The same stream in other spellings that servers use. Frames of Amazon and arrays have one.
fn spellings(voice: Voice, stream: &[u8]) -> Vec<Vec<u8>> {
    let mut spellings = vec![stream.to_vec()];
    if let (WireFormat::Events, Ok(text)) = (voice.wire, str::from_utf8(stream)) {
        let commented = text.replace("\n\n", "\n\n: keep-alive\n\n");
        let split = text.replace("data: {", "data: {\ndata: ");
        let crlf = text.replace('\n', "\r\n");
        let returns = text.replace('\n', "\r");
        let marked = format!("\u{feff}{text}");
        let more = [commented, split, crlf, returns, marked].map(String::into_bytes);
        spellings.extend(more);
    }
    spellings
}

/// What the client gets of a stream that comes in these pieces. A call of ours is answered, and the same stream comes again.
fn relayed<'s>(voice: Voice, pieces: impl Fn() -> Vec<&'s [u8]>) -> Vec<u8> {
    let (mut relay, mut client) = (Relay::new(voice.dialect, voice.wire), Vec::new());
    for _ in 0..2 {
        for piece in pieces() {
            relay.push(piece, &mut client);
        }
        if !matches!(relay.finish(&mut client), NextStep::Ask(_)) {
            return client;
        }
    }
    relay.give_up(&mut client);
    client
}

/// Cuts a stream in two at every place, and into pieces of 1 to 16 bytes. How many ways there were.
fn every_cut(voice: Voice, stream: &[u8], faults: &mut Faults) -> usize {
    let whole = relayed(voice, || vec![stream]);
    let told = |how: String| format!("{} {:?}: cut {how}", voice.path, voice.wire);
    for at in 1..stream.len() {
        let cut = relayed(voice, || vec![&stream[..at], &stream[at..]]);
        faults.check(cut == whole, || told(format!("at {at}")));
    }
    for size in 1..=16 {
        let cut = relayed(voice, || stream.chunks(size).collect());
        faults.check(cut == whole, || told(format!("into pieces of {size}")));
    }
    let names_us = stream.windows(14).any(|window| window == b"expand_context")
        || voice.wire == WireFormat::EventStream;
    faults.check(names_us || whole == stream, || told("nowhere, and changed".to_owned()));
    stream.len() + 15
}

/// The same over sockets: whole, and a byte at a time.
fn over_sockets(bench: &Bench, mock: &Mock, faults: &mut Faults) -> anyhow::Result<usize> {
    let (gateway, _home) = Gateway::start(bench, mock.address(), "")?;
    let mut streams = 0;
    for voice in VOICES {
        let ask = Ask::post(voice.path, body(voice.dialect, &test_run(1), "0"));
        for reply in replies().into_iter().take(2) {
            let heard = [Split::Whole, Split::EveryByte, Split::Every(7)].map(|split| {
                mock.reply(reply.clone().split(split));
                gateway.send(&ask)
            });
            streams += heard.len();
            let first = understood(voice, &heard[0].body);
            let is_same = first.is_ok()
                && heard
                    .iter()
                    .all(|answer| answer.is_whole && understood(voice, &answer.body) == first);
            faults.check(is_same, || format!("{} through the gateway: {first:?}", voice.path));
        }
    }
    Ok(streams)
}

/// What a client makes of a reply. Ids are left out: the mock makes them up for each.
fn understood(voice: Voice, body: &[u8]) -> Result<String, String> {
    let summary = check(voice.name, body)?;
    let calls: Vec<_> =
        summary.calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
    Ok(format!("{} {} {calls:?} {}", summary.text, summary.thinking, summary.events))
}
