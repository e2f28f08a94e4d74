//! Where in a line the noise is.

use super::time::{duration, time};

/// What noise there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoiseKind {
    Time,
    Duration,
    Uuid,
    Address,
    Process,
    Temporary,
}

impl NoiseKind {
    pub(super) const ALL: [Self; 6] =
        [Self::Time, Self::Duration, Self::Uuid, Self::Address, Self::Process, Self::Temporary];

    pub(super) fn placeholder(self) -> &'static str {
        match self {
            Self::Time => "<ts>",
            Self::Duration => "<dur>",
            Self::Uuid => "<uuid>",
            Self::Address => "<hex>",
            Self::Process => "<pid>",
            Self::Temporary => "<tmp>",
        }
    }
}

/// One piece of noise in a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoiseSpan {
    pub(super) kind: NoiseKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The noise of a line, in order. Every rule looks at a bounded number of bytes.
pub(super) fn find(line: &str) -> impl Iterator<Item = NoiseSpan> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            let found = match byte {
                b'0'..=b'9'
                | b'a'..=b'f'
                | b'A'
                | b'D'
                | b'F'
                | b'J'
                | b'M'
                | b'N'
                | b'O'
                | b'S'
                | b'p'
                | b'P'
                | b'/'
                | b'[' => noise_at(bytes, start),
                _ => None,
            };
            if let Some(noise) = found {
                at = noise.end;
                return Some(noise);
            }
            // On to the next byte that may begin a word.
            at += 1;
            if is_word(byte) {
                at += bytes
                    .get(at..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|&&byte| is_word(byte))
                    .count();
            }
        }
        None
    })
}

fn noise_at(bytes: &[u8], start: usize) -> Option<NoiseSpan> {
    let text = bytes.get(start..)?;
    let before = start.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let whole = |kind, length: usize| NoiseSpan { kind, start, end: start + length };
    if text.first() == Some(&b'/') {
        return temporary(text, before).map(|(from, to)| NoiseSpan {
            kind: NoiseKind::Temporary,
            start: start + from,
            end: start + to,
        });
    }
    if text.first() == Some(&b'[') || matches!(text.first(), Some(b'p' | b'P')) {
        return process(text, before).map(|(from, to)| NoiseSpan {
            kind: NoiseKind::Process,
            start: start + from,
            end: start + to,
        });
    }
    if b":./-+@#$%".contains(&before) {
        return None;
    }
    uuid(text)
        .map(|length| whole(NoiseKind::Uuid, length))
        .or_else(|| address(text).map(|length| whole(NoiseKind::Address, length)))
        .or_else(|| time(text).map(|length| whole(NoiseKind::Time, length)))
        .or_else(|| duration(text).map(|length| whole(NoiseKind::Duration, length)))
}

fn uuid(text: &[u8]) -> Option<usize> {
    let hyphens = [8, 13, 18, 23];
    let fits = text.get(..36)?.iter().enumerate().all(|(at, byte)| {
        if hyphens.contains(&at) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
    });
    (fits && text.get(36).is_none_or(|&byte| !is_word(byte))).then_some(36)
}

/// `0x` and six digits or more: smaller ones are flags and codes.
fn address(text: &[u8]) -> Option<usize> {
    let hex = text.strip_prefix(b"0x")?;
    let length = hex.iter().take(MAX_NUMBER).take_while(|byte| byte.is_ascii_hexdigit()).count();
    ((6..=16).contains(&length) && hex.get(length).is_none_or(|&byte| !is_word(byte)))
        .then_some(length + 2)
}

/// The number in `[312]:` after a name, and in `pid=312`, `pid 312`, `PID: 312`.
fn process(text: &[u8], before: u8) -> Option<(usize, usize)> {
    let (from, closing) = if text.first() == Some(&b'[') {
        (1, &b"]: "[..])
    } else {
        let name = text.get(..3).filter(|name| name.eq_ignore_ascii_case(b"pid"));
        name.filter(|_| !is_word(before))?;
        let between = [&b"="[..], b" ", b": ", b":"];
        (
            3 + between
                .iter()
                .find(|it| text.get(3..).is_some_and(|text| text.starts_with(it)))?
                .len(),
            &b""[..],
        )
    };
    let number = digits(text, from);
    let rest = text.get(from + number..)?;
    let named = from == 1 && before.is_ascii_alphabetic() || from > 1;
    // `list[3]: 4` is a place in a list: processes have larger numbers.
    let large = number >= if from == 1 { 3 } else { 1 };
    (named && large && rest.starts_with(closing) && rest.first().is_none_or(|&byte| !is_word(byte)))
        .then_some((from, from + number))
}

/// The name after `/tmp/` that no one chose: with a digit, or small and large letters mixed.
fn temporary(text: &[u8], before: u8) -> Option<(usize, usize)> {
    if is_word(before) {
        return None;
    }
    let from = [&b"/tmp/"[..], b"/var/tmp/", b"/private/tmp/"]
        .iter()
        .find(|folder| text.starts_with(folder))?
        .len();
    let is_name = |byte: &u8| is_word(*byte) || *byte == b'-' || *byte == b'.';
    let name = text.get(from..)?;
    let name = name.get(..name.iter().take(MAX_NAME).take_while(|byte| is_name(byte)).count())?;
    let random = name.iter().any(u8::is_ascii_digit)
        || name.iter().any(u8::is_ascii_lowercase) && name.iter().any(u8::is_ascii_uppercase);
    (name.len() >= 6 && random).then_some((from, from + name.len()))
}

/// The longest number and the longest name looked at.
const MAX_NUMBER: usize = 20;
const MAX_NAME: usize = 128;

pub(super) fn digits(text: &[u8], from: usize) -> usize {
    text.get(from..)
        .unwrap_or_default()
        .iter()
        .take(MAX_NUMBER)
        .take_while(|byte| byte.is_ascii_digit())
        .count()
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
