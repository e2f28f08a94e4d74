//! E-mail addresses.

use super::spot::{TextSpot, run};
use std::ops::Range;

const LONGEST_LOCAL: usize = 64;
const LONGEST_LABEL: usize = 63;
const LONGEST_DOMAIN: usize = 253;

/// What looks like a top-level domain and is none: pictures in two sizes (`logo@2x.png`), units of systemd
/// (`getty@tty1.service`).
const NO_DOMAINS: &[&str] = &[
    "css", "device", "gif", "html", "jpeg", "jpg", "js", "json", "lock", "log", "mount", "path",
    "png", "scope", "service", "slice", "socket", "svg", "swap", "target", "timer", "toml", "ts",
    "txt", "webp", "yaml", "yml",
];

/// Algorithms of SSH carry the name of who thought of them: `hmac-sha2-256-etm@openssh.com`.
const NO_MAIL: &[&[u8]] = &[b"openssh.com", b"libssh.org"];

/// The address that begins here.
pub(super) fn find(spot: &TextSpot<'_>) -> Option<Range<usize>> {
    let is_inside = spot.before(1).is_some_and(is_local);
    // The part before the `@` of a URL is a login, not a mailbox.
    let is_login = spot.before(1) == Some(b'/') && spot.before(2) == Some(b'/');
    if is_inside || is_login {
        return None;
    }
    let rest = spot.rest();
    let local = run(rest, LONGEST_LOCAL + 1, is_local);
    if local > LONGEST_LOCAL || rest.get(local) != Some(&b'@') || rest[..local].ends_with(b".") {
        return None;
    }
    let start =
        rest[..local].iter().position(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')?;
    let end = local + 1 + domain(rest.get(local + 1..)?)?;
    // `git@example.com:path` is where a repository is.
    let is_other = rest[..local] == *b"git" || NO_MAIL.contains(&&rest[local + 1..end]);
    (!is_other).then(|| spot.at + start..spot.at + end)
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte)
}

/// The length of the domain at the beginning.
fn domain(bytes: &[u8]) -> Option<usize> {
    let bytes = &bytes[..bytes.len().min(LONGEST_DOMAIN)];
    let mut labels = Vec::new();
    let mut end = 0;
    loop {
        let rest = &bytes[end..];
        let length =
            run(rest, LONGEST_LABEL + 1, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let label = &rest[..rest[..length].iter().rposition(|byte| *byte != b'-')? + 1];
        if label.starts_with(b"-") || label.len() > LONGEST_LABEL {
            return None;
        }
        labels.push(label);
        end += label.len();
        let goes_on = label.len() == length
            && bytes.get(end) == Some(&b'.')
            && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !goes_on {
            break;
        }
        end += 1;
    }
    let [first, .., last] = labels[..] else { return None };
    let is_version = labels.len() > 2 && is_number(first) && labels[1][0].is_ascii_digit();
    (is_top_level(last) && !is_version).then_some(end)
}

fn is_number(label: &[u8]) -> bool {
    label.iter().all(u8::is_ascii_digit)
}

fn is_top_level(label: &[u8]) -> bool {
    let is_other = NO_DOMAINS.iter().any(|other| label.eq_ignore_ascii_case(other.as_bytes()));
    let is_word = label.iter().all(u8::is_ascii_alphabetic) && (2..=24).contains(&label.len());
    (is_word && !is_other) || label.starts_with(b"xn--")
}
