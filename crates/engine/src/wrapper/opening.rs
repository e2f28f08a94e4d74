//! Taking a text apart: which wrapper is it, where are its payloads, and are these wrapped themselves?

use super::slot::Slot;
use super::{Codec, Payload, Piece};
use super::{claude, codex, edges, envelope, gemini, tags, text_content};
use crate::stages::json;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;
use tokenforge_agents::OutputWrapper;

/// Says where the payloads are in a text that it knows. None at all means that the text is not to be touched.
type Wrapper = fn(&str) -> Option<Vec<Slot>>;

/// The wrappers, in the order in which they are tried. One with a name is tried if the data file of an agent has it.
const WRAPPERS: &[(Option<OutputWrapper>, Wrapper)] = &[
    (Some(OutputWrapper::UntouchableBlocks), claude::untouchable),
    (Some(OutputWrapper::SystemReminders), claude::reminders),
    (Some(OutputWrapper::ExitCodeLine), claude::exit_code),
    (Some(OutputWrapper::OutputHeader), codex::header),
    (None, edges::first_lines),
    (None, edges::last_lines),
    (Some(OutputWrapper::UntrustedContext), gemini::untrusted_context),
    (Some(OutputWrapper::CommandReport), gemini::report),
    (None, tags::tagged),
    (None, envelope::json),
    (None, text_content::python),
];

static IN_USE: LazyLock<Vec<Wrapper>> = LazyLock::new(|| {
    let agents = tokenforge_agents::all().iter();
    let named: Vec<_> = agents.flat_map(|agent| &agent.output.wrappers).collect();
    let is_used =
        |name: &Option<OutputWrapper>| name.as_ref().is_none_or(|name| named.contains(&name));
    WRAPPERS.iter().filter(|(name, _)| is_used(name)).map(|(_, wrapper)| *wrapper).collect()
});

/// How many wrappers may lie inside each other.
const MAX_LEVELS: usize = 6;
/// How many of them may be strings inside strings.
const MAX_CODECS: usize = 2;
/// `\ud83d\ude00` and `\U0001f600`.
const LONGEST_ESCAPE: usize = 12;
/// Two halves of a pair, and a backslash that belongs to the one before it.
const MAX_CUTS: usize = 4;

/// The pieces of an output.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    open(Cow::Borrowed(text), MAX_LEVELS, MAX_CODECS)
}

/// Cuts a text into pieces, and its payloads again as far as they are wrapped themselves.
fn open(text: Cow<'_, str>, levels: usize, codecs: usize) -> Vec<Piece<'_>> {
    let inner = |find: &Wrapper| decode(find(&text)?, &text, codecs);
    let known = if levels == 0 { &[] } else { &IN_USE[..] };
    let Some(payloads) = known.iter().find_map(inner) else {
        return whole(text);
    };
    let mut pieces = Vec::new();
    let mut at = 0;
    for (Slot { range, codec }, decoded) in payloads {
        push(&mut pieces, Piece::Keep(at..range.start));
        let inside = match (decoded, &text) {
            (Some(inner), _) => written(&inner, codec, levels - 1, codecs - 1),
            (None, Cow::Borrowed(text)) => {
                open(Cow::Borrowed(&text[range.clone()]), levels - 1, codecs)
            }
            (None, Cow::Owned(text)) => {
                open(Cow::Owned(text[range.clone()].to_owned()), levels - 1, codecs)
            }
        };
        for piece in inside {
            push(&mut pieces, piece.moved(range.start));
        }
        at = range.end;
    }
    push(&mut pieces, Piece::Keep(at..text.len()));
    pieces
}

/// The text without the blanks of wrappers that are JSON. What is wrapped stays as it is.
pub(super) fn minified(text: &str) -> Cow<'_, str> {
    minify(text, MAX_LEVELS, MAX_CODECS)
}

fn minify(text: &str, levels: usize, codecs: usize) -> Cow<'_, str> {
    let inner = |find: &Wrapper| decode(find(text)?, text, codecs);
    let known = if levels == 0 { &[] } else { &IN_USE[..] };
    let Some(payloads) = known.iter().find_map(inner) else {
        return Cow::Borrowed(text);
    };
    let (mut written, mut at) = (String::with_capacity(text.len()), 0);
    for (Slot { range, codec }, decoded) in payloads {
        written.push_str(&text[at..range.start]);
        match decoded {
            Some(inner) => {
                written.push_str(&codec.encode(minify(&inner, levels - 1, codecs - 1)));
            }
            None => written.push_str(&minify(&text[range.clone()], levels - 1, codecs)),
        }
        at = range.end;
    }
    written.push_str(&text[at..]);
    Cow::Owned(json::minify(&written).into_owned())
}

fn whole(text: Cow<'_, str>) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    push(&mut pieces, Piece::Payload(Payload { range: 0..text.len(), text, codecs: Vec::new() }));
    pieces
}

/// The pieces of a decoded payload, measured as they are written in the text around it.
fn written<'t>(inner: &str, codec: Codec, levels: usize, codecs: usize) -> Vec<Piece<'t>> {
    let mut at = 0;
    let place = |piece: Piece<'_>| {
        let start = at;
        at += codec.encode(Cow::Borrowed(&inner[piece.range()])).len();
        match piece {
            Piece::Keep(_) => Piece::Keep(start..at),
            Piece::Payload(mut payload) => {
                payload.codecs.insert(0, codec);
                let text = Cow::Owned(payload.text.into_owned());
                Piece::Payload(Payload { range: start..at, text, codecs: payload.codecs })
            }
        }
    };
    open(Cow::Borrowed(inner), levels, codecs).into_iter().map(place).collect()
}

/// The texts of the slots where these are escaped; nothing if one of them would not come back as it was.
fn decode(slots: Vec<Slot>, text: &str, codecs: usize) -> Option<Vec<(Slot, Option<String>)>> {
    let decode = |slot: Slot| match slot.codec {
        Codec::Plain => Some((slot, None)),
        _ if codecs == 0 => None,
        _ => decode_whole_or_cut(slot, text),
    };
    slots.into_iter().map(decode).collect()
}

/// Where the client cut the text inside an escape, that escape is not part of the payload.
fn decode_whole_or_cut(slot: Slot, text: &str) -> Option<(Slot, Option<String>)> {
    let Range { start, mut end } = slot.range;
    for _ in 0..MAX_CUTS {
        if let Some((codec, inner)) = slot.codec.decode(&text[start..end]) {
            return Some((Slot { range: start..end, codec }, Some(inner)));
        }
        let tail = text.floor_char_boundary(text.len().saturating_sub(LONGEST_ESCAPE)).max(start);
        end = tail + text.get(tail..end)?.rfind('\\')?;
    }
    None
}

/// Adds a piece; pieces of wrapper that touch are one.
fn push<'a>(pieces: &mut Vec<Piece<'a>>, piece: Piece<'a>) {
    match (pieces.last_mut(), piece) {
        (_, piece) if piece.range().is_empty() => {}
        (Some(Piece::Keep(last)), Piece::Keep(range)) => last.end = range.end,
        (_, piece) => pieces.push(piece),
    }
}
