//! Passwords in URLs: `postgres://user:HERE@host`.

use std::ops::Range;

use crate::{
    chance,
    finding::{Certainty, Findings},
    marker,
    rules::Url,
};

/// The longest user and password that are followed.
const LONGEST: usize = 512;

/// What documentation writes for a password.
const PLACEHOLDERS: [&str; 21] = [
    "admin",
    "bar",
    "guest",
    "minioadmin",
    "mongo",
    "mypass",
    "mysql",
    "none",
    "pass",
    "postgres",
    "postgresql",
    "pw",
    "pwd",
    "rabbitmq",
    "redis",
    "root",
    "user",
    "username",
    "word",
    "api_key",
    "apikey",
];

/// Looks for a password in the URL whose `:/` is at this byte.
pub(crate) fn find_at(rules: &[Url], text: &str, colon: usize, findings: &mut Findings) {
    let Some((user, password)) = user_and_password(text, colon) else { return };
    let scheme = scheme(text, colon);
    let is_of = |rule: &&Url| {
        rule.schemes.is_empty() || rule.schemes.iter().any(|name| name.eq_ignore_ascii_case(scheme))
    };
    if let Some(rule) = rules.iter().find(is_of)
        && is_secret(user, &text[password.clone()], !rule.schemes.is_empty())
    {
        findings.add(Certainty::Form, rule.id, password);
    }
}

/// The user, and where the password is.
fn user_and_password(text: &str, colon: usize) -> Option<(&str, Range<usize>)> {
    let start = colon + 3;
    if text.get(colon..start)? != "://" {
        return None;
    }
    let rest = &text.as_bytes()[start..];
    let is_end = |byte: u8| byte.is_ascii_whitespace() || b"/?#\"'`<>\\,;|(){}".contains(&byte);
    let length =
        rest.iter().take(LONGEST).position(|&byte| is_end(byte)).unwrap_or(rest.len().min(LONGEST));
    let authority = &rest[..length];
    let at = start + authority.iter().rposition(|&byte| byte == b'@')?;
    let split = start + authority.iter().position(|&byte| byte == b':')?;
    Some((text.get(start..split)?, split + 1..at))
        .filter(|(_, password)| text.get(password.clone()).is_some())
}

fn scheme(text: &str, colon: usize) -> &str {
    let is_scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
    let length = text.as_bytes()[..colon].iter().rev().take(24).take_while(is_scheme).count();
    &text[colon - length..colon]
}

/// A URL of a database that has a password has it for a reason; one of a web page may be an example of syntax.
fn is_secret(user: &str, password: &str, is_database: bool) -> bool {
    let lower = password.to_ascii_lowercase();
    let is_placeholder =
        PLACEHOLDERS.contains(&lower.as_str()) || password == user || chance::is_made_up(password);
    let is_variable = password.starts_with(['$', '%', ':', '*', '[']) || marker::within(password);
    let is_strong = password.len() >= 8 && chance::is_mixed(password);
    password.len() >= 4 && !is_placeholder && !is_variable && (is_database || is_strong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(&str, &str, &str)> {
        let colon = text.find(":/").unwrap();
        let (user, password) = user_and_password(text, colon)?;
        Some((scheme(text, colon), user, &text[password]))
    }

    #[test]
    fn a_url_is_taken_apart() {
        assert_eq!(read("at redis://:p4ss@h:1/0 x"), Some(("redis", "", "p4ss")));
        assert_eq!(read("x=mongodb+srv://u:a@b@h"), Some(("mongodb+srv", "u", "a@b")));
        for other in [
            "http://host:80/a@b",
            "http://user@host",
            "c:/a",
            "http://[::1]/",
            "://",
            "é:/",
            "a://u:é",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
