//! Secrets known by their place in a URL: `postgres://user:HERE@host`, `https://hooks.slack.com/HERE`.

use std::ops::Range;

use super::{
    finding::{Certainty, Findings},
    marker, randomness,
    rules::UrlRule,
};

/// The longest user, password and host, and the longest path that are followed.
const AUTHORITY: usize = 512;
const PATH: usize = 512;

/// What documentation writes for a password.
const PLACEHOLDERS: [&str; 20] = [
    "admin",
    "api_key",
    "apikey",
    "guest",
    "minioadmin",
    "mongo",
    "mypass",
    "mysql",
    "neo4j",
    "none",
    "pass",
    "postgres",
    "postgresql",
    "rabbitmq",
    "redis",
    "root",
    "user",
    "username",
    "word",
    "anonymous",
];

/// The rules, by what they look at.
pub(crate) struct UrlRules {
    by_host: Vec<UrlRule>,
    by_scheme: Vec<UrlRule>,
}

impl UrlRules {
    pub(crate) fn new(rules: Vec<UrlRule>) -> Self {
        let (by_scheme, by_host) = rules.into_iter().partition(|rule| rule.hosts.is_empty());
        Self { by_host, by_scheme }
    }

    /// Looks for a secret in the URL whose `:/` is at this byte.
    pub(crate) fn find_at(&self, text: &str, colon: usize, findings: &mut Findings) {
        let Some(url) = Parts::at(text, colon) else { return };
        match url.user {
            Some((user, password)) => {
                let rule = self.by_scheme.iter().find(|rule| rule.is_for_scheme(url.scheme));
                if let Some(rule) = rule
                    && is_password(user, &text[password.clone()], !rule.schemes.is_empty())
                {
                    findings.add(Certainty::Form, rule.id, password);
                }
            }
            None => {
                let mut rules = self.by_host.iter().filter(|rule| rule.is_for_host(url.host));
                if let Some((id, range)) =
                    rules.find_map(|rule| Some((rule.id, rule.secret(text, url.path)?)))
                {
                    findings.add(Certainty::Form, id, range);
                }
            }
        }
    }

    pub(crate) fn rules(&self) -> impl Iterator<Item = &UrlRule> {
        self.by_scheme.iter().chain(&self.by_host)
    }
}

impl UrlRule {
    fn is_for_scheme(&self, scheme: &str) -> bool {
        self.schemes.is_empty() || self.schemes.iter().any(|name| name.eq_ignore_ascii_case(scheme))
    }

    fn is_for_host(&self, host: &str) -> bool {
        // Eight bytes compare as one number: most hosts of most URLs are none of these.
        let tail = |name: &str| name.as_bytes().last_chunk::<8>().copied();
        self.hosts.iter().any(|name| tail(name) == tail(host) && host.ends_with(name))
    }

    /// Where the secret is in a path that begins at this byte.
    fn secret(&self, text: &str, path: usize) -> Option<Range<usize>> {
        let rest = text.get(path..text.floor_char_boundary(path + PATH))?;
        let secret = self.pattern()?.captures(rest)?.get(1)?;
        let is_whole = !marker::starts_at(text.as_bytes(), path + secret.end());
        (is_whole && !randomness::is_masked(secret.as_str()))
            .then(|| path + secret.start()..path + secret.end())
    }
}

/// What of a URL is looked at.
#[derive(Debug, PartialEq, Eq)]
struct Parts<'a> {
    scheme: &'a str,
    /// The user, and where the password is.
    user: Option<(&'a str, Range<usize>)>,
    host: &'a str,
    /// Where the path begins.
    path: usize,
}

impl<'a> Parts<'a> {
    fn at(text: &'a str, colon: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let start = colon + 3;
        if bytes.get(colon..start)? != b"://" {
            return None;
        }
        let authority = bytes[start..]
            .iter()
            .take(AUTHORITY)
            .take_while(|byte| !ends_authority(**byte))
            .count();
        let end = text.floor_char_boundary(start + authority);
        let at =
            bytes[start..end].iter().rposition(|&byte| byte == b'@').map(|place| start + place);
        let user = at.and_then(|at| {
            let split = start + bytes[start..at].iter().position(|&byte| byte == b':')?;
            Some((&text[start..split], split + 1..at))
        });
        let scheme = scheme(text, colon);
        let is_rest =
            marker::ends_at(bytes, colon - scheme.len()) || marker::within(&text[start..end]);
        if is_rest {
            return None; // of a URL that was looked at before it was redacted
        }
        let host = text.get(at.map_or(start, |at| at + 1)..end).unwrap_or_default();
        Some(Self { scheme, user, host, path: end })
    }
}

fn ends_authority(byte: u8) -> bool {
    matches!(
        byte,
        b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b',' | b';' | b'|'
    ) || matches!(byte, b'(' | b')' | b'{' | b'}')
        || byte.is_ascii_whitespace()
}

fn scheme(text: &str, colon: usize) -> &str {
    let is_scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
    let length = text.as_bytes()[..colon].iter().rev().take(24).take_while(is_scheme).count();
    &text[colon - length..colon]
}

/// A URL of a database that has a password has it for a reason; one of a web page may be an example of syntax.
fn is_password(user: &str, password: &str, is_database: bool) -> bool {
    let lower = password.to_ascii_lowercase();
    let is_placeholder = PLACEHOLDERS.contains(&lower.as_str())
        || password == user
        || randomness::is_made_up(password);
    let is_variable = password.starts_with(['$', '%', ':', '*', '[']);
    let is_strong = password.len() >= 8 && randomness::is_mixed(password);
    password.len() >= 4 && !is_placeholder && !is_variable && (is_database || is_strong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let url = Parts::at(text, text.find(":/").unwrap())?;
        let user = url.user.map(|(user, password)| (user, &text[password]));
        Some(format!("{} {user:?} {} {}", url.scheme, url.host, &text[url.path..]))
    }

    #[test]
    fn a_url_is_taken_apart() {
        for (text, parts) in [
            ("at redis://:p4ss@h:1/0", r#"redis Some(("", "p4ss")) h:1 /0"#),
            ("x=mongodb+srv://u:a@b@h", r#"mongodb+srv Some(("u", "a@b")) h "#),
            ("https://host:80/a@b", "https None host:80 /a@b"),
            ("ssh://git@host", "ssh None host "),
            ("é://é:é@é", r#" Some(("é", "é")) é "#),
        ] {
            assert_eq!(read(text).as_deref(), Some(parts));
        }
        assert_eq!(read("c:/a"), None);
    }
}
