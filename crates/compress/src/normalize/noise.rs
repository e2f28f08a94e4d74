//! Where in a line the noise is.

/// What noise there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Time,
    Duration,
    Uuid,
    Address,
    Process,
    Temporary,
}

impl Kind {
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
pub(super) struct Noise {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The noise of a line, in order. Every rule looks at a bounded number of bytes.
pub(super) fn find(line: &str) -> impl Iterator<Item = Noise> {
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

fn noise_at(bytes: &[u8], start: usize) -> Option<Noise> {
    let text = bytes.get(start..)?;
    let before = start.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let whole = |kind, length: usize| Noise { kind, start, end: start + length };
    if text.first() == Some(&b'/') {
        return temporary(text, before).map(|(from, to)| Noise {
            kind: Kind::Temporary,
            start: start + from,
            end: start + to,
        });
    }
    if text.first() == Some(&b'[') || matches!(text.first(), Some(b'p' | b'P')) {
        return process(text, before).map(|(from, to)| Noise {
            kind: Kind::Process,
            start: start + from,
            end: start + to,
        });
    }
    if b":./-+@#$%".contains(&before) {
        return None;
    }
    uuid(text)
        .map(|length| whole(Kind::Uuid, length))
        .or_else(|| address(text).map(|length| whole(Kind::Address, length)))
        .or_else(|| time(text).map(|length| whole(Kind::Time, length)))
        .or_else(|| duration(text).map(|length| whole(Kind::Duration, length)))
}

/// `2024-05-06T10:00:01.5Z`, `06/May/2024:10:00:01 +0000`, `May  6 10:00:01`, `10:00:01,250`, `1697048351.000668`.
fn time(text: &[u8]) -> Option<usize> {
    let dated = |pattern: &[u8]| {
        let after = matches(text, pattern)?;
        let clock = clock(text.get(after..)?)?;
        Some(zone(text, after + clock))
    };
    if text.first().is_some_and(u8::is_ascii_alphabetic) {
        let month = text.get(..3).is_some_and(|name| MONTHS.contains(&name));
        return if month {
            dated(b"aaa 00 ").or_else(|| dated(b"aaa  0 ")).or_else(|| dated(b"aaa 0 "))
        } else {
            None
        };
    }
    dated(b"0000-00-00T")
        .or_else(|| dated(b"0000-00-00 "))
        .or_else(|| dated(b"0000/00/00 "))
        .or_else(|| dated(b"00/00/00 "))
        .or_else(|| dated(b"00/aaa/0000:"))
        .or_else(|| dated(b"00/aaa/0000 "))
        .or_else(|| clock(text).map(|length| zone(text, length)))
        .or_else(|| seconds(text))
}

const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// The length of a text that looks like the pattern: `0` is any digit, `a` any letter.
fn matches(text: &[u8], pattern: &[u8]) -> Option<usize> {
    let same = |(&byte, &wanted): (&u8, &u8)| match wanted {
        b'0' => byte.is_ascii_digit(),
        b'a' => byte.is_ascii_alphabetic(),
        _ => byte == wanted,
    };
    (text.len() >= pattern.len() && text.iter().zip(pattern).all(same)).then_some(pattern.len())
}

/// `10:00:01`, with or without a fraction.
fn clock(text: &[u8]) -> Option<usize> {
    let length = matches(text, b"00:00:00")?;
    let tens = |at: usize, most: u8| text.get(at).is_some_and(|&tens| tens <= most);
    let hour = tens(0, b'1') || text.first() == Some(&b'2') && tens(1, b'3');
    let valid = hour && tens(3, b'5') && tens(6, b'5');
    let length = match text.get(length) {
        Some(b'.' | b',') => match digits(text, length + 1) {
            0 => length,
            fraction => length + 1 + fraction,
        },
        _ => length,
    };
    (valid && ends(text, length)).then_some(length)
}

/// The length with a time zone after it: `Z`, `+0200`, ` +02:00`, ` UTC`.
fn zone(text: &[u8], length: usize) -> usize {
    let rest = text.get(length..).unwrap_or_default();
    [
        &b"Z"[..],
        b"+00:00",
        b"-00:00",
        b"+0000",
        b"-0000",
        b" +00:00",
        b" -00:00",
        b" +0000",
        b" -0000",
        b" UTC",
        b" GMT",
    ]
    .iter()
    .find_map(|zone| matches(rest, zone))
    .map(|zone| length + zone)
    .filter(|&end| text.get(end).is_none_or(|&byte| !is_word(byte)))
    .unwrap_or(length)
}

/// Seconds since 1970 with a fraction.
fn seconds(text: &[u8]) -> Option<usize> {
    let fraction =
        (digits(text, 0) == 10 && text.get(10) == Some(&b'.')).then(|| digits(text, 11))?;
    ((3..=9).contains(&fraction) && ends(text, 11 + fraction)).then_some(11 + fraction)
}

/// `12ms`, `0.35s`, `2m3s`, `1.5 seconds`.
fn duration(text: &[u8]) -> Option<usize> {
    let mut length = digits(text, 0);
    if length == 0 {
        return None;
    }
    if text.get(length) == Some(&b'm') && digits(text, length + 1) > 0 {
        length += 1 + digits(text, length + 1);
    }
    if text.get(length) == Some(&b'.') && digits(text, length + 1) > 0 {
        length += 1 + digits(text, length + 1);
    }
    let rest = text.get(length..)?;
    let unit = UNITS.iter().find(|unit| {
        rest.starts_with(unit) && rest.get(unit.len()).is_none_or(|&byte| !is_word(byte))
    })?;
    Some(length + unit.len())
}

const UNITS: [&[u8]; 11] = [
    b"ms",
    b"s",
    b"us",
    b"\xc2\xb5s",
    b"ns",
    b" ms",
    b" milliseconds",
    b" seconds",
    b" secs",
    b" sec",
    b" s",
];

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

fn digits(text: &[u8], from: usize) -> usize {
    text.get(from..)
        .unwrap_or_default()
        .iter()
        .take(MAX_NUMBER)
        .take_while(|byte| byte.is_ascii_digit())
        .count()
}

/// Whether a time may end here: not within a longer number or word.
fn ends(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b'Z' | b'+' | b'-') | None => true,
        Some(b':') => text.get(at + 1).is_none_or(|byte| !byte.is_ascii_digit()),
        Some(&byte) => !is_word(byte),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
