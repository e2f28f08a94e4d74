//! The scanner: all rules over one text.

use std::sync::LazyLock;

use super::{
    assigned, blocks,
    finding::{Finding, Findings},
    marker::{EDIT_NOTE, MARKER_END, marker},
    rules::{AssignedRule, BlockRule, Rules},
    spots::{SecretSpot, each_spot},
    tokens::TokenRules,
    urls::UrlRules,
};

/// The longest value that a name is looked at for, and the longest such name.
const LONGEST_VALUE: usize = 1024;
const LONGEST_NAME: usize = 64;

/// What a name and its value cannot hold between their quotes.
const UNQUOTED: [char; 3] = ['"', '\\', '\n'];

/// Finds secrets in text.
pub struct Scanner {
    tokens: TokenRules,
    assigned: Vec<AssignedRule>,
    urls: UrlRules,
    blocks: Vec<BlockRule>,
}

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactedText {
    /// The text, with a marker in place of every secret.
    pub text: String,
    /// What was replaced; the ranges are those in the text before.
    pub findings: Vec<Finding>,
}

impl RedactedText {
    /// The text, with a note in its first marker that edits must not quote such lines: for the text of a file.
    ///
    /// It stands inside the marker, because a line of its own would change the numbers of the lines behind it.
    ///
    /// ```
    /// use tokenforge_redact::{EDIT_NOTE, Scanner};
    ///
    /// let text = "DATABASE_URL=postgres://app:t1ger-Lily@db/orders";
    /// let noted = Scanner::builtin().redact(text).unwrap().with_edit_note();
    /// assert_eq!(noted, format!("DATABASE_URL=postgres://app:[REDACTED:postgres-password{EDIT_NOTE}]@db/orders"));
    /// assert_eq!(Scanner::builtin().redact(&noted), None);
    /// ```
    #[must_use]
    pub fn with_edit_note(self) -> String {
        let Some(first) = self.findings.first() else { return self.text };
        let end = first.range.start + marker(first.rule).len() - MARKER_END.len_utf8();
        let mut text = self.text;
        text.insert_str(end, EDIT_NOTE);
        text
    }
}

impl Scanner {
    /// The scanner with the rules of this crate, read when first asked for.
    pub fn builtin() -> &'static Self {
        static BUILTIN: LazyLock<Scanner> = LazyLock::new(|| {
            let Rules { token, assigned, url, block } = Rules::builtin();
            Scanner {
                tokens: TokenRules::new(token),
                assigned,
                urls: UrlRules::new(url),
                blocks: block,
            }
        });
        &BUILTIN
    }

    /// The ids of all rules.
    pub fn rules(&self) -> impl Iterator<Item = &'static str> {
        let tokens = self.tokens.rules().iter().map(|rule| rule.id);
        let assigned = self.assigned.iter().map(|rule| rule.id);
        let urls = self.urls.rules().map(|rule| rule.id);
        tokens.chain(assigned).chain(urls).chain(self.blocks.iter().map(|rule| rule.id))
    }

    /// The secrets of a text in their order; none overlaps another.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        let mut findings = Findings::default();
        each_spot(text.as_bytes(), |spot| match spot {
            SecretSpot::Run(at) => self.tokens.find_at(text, at, &mut findings),
            SecretSpot::Pair(at) => self.find_at_pair(text, at, &mut findings),
        });
        findings.into_disjoint()
    }

    /// The secrets of a text that is the value of a member with this name: a password shows itself by its name alone.
    pub fn find_value(&self, name: &str, text: &str) -> Vec<Finding> {
        let is_short = text.len() <= LONGEST_VALUE && name.len() <= LONGEST_NAME;
        if name.is_empty() || !is_short || [name, text].iter().any(|it| it.contains(UNQUOTED)) {
            return self.find(text);
        }
        let before = format!("\"{name}\": \"");
        let within = |finding: Finding| {
            let start = finding.range.start.checked_sub(before.len())?;
            let end = (finding.range.end - before.len()).min(text.len());
            Some(Finding { range: start..end, ..finding })
        };
        self.find(&format!("{before}{text}\"")).into_iter().filter_map(within).collect()
    }

    /// The text with a marker in place of every secret, or nothing if there is none.
    pub fn redact(&self, text: &str) -> Option<RedactedText> {
        replace_findings(text, self.find(text))
    }

    /// The same, for the value of a member with this name.
    pub fn redact_value(&self, name: &str, text: &str) -> Option<RedactedText> {
        replace_findings(text, self.find_value(name, text))
    }

    fn find_at_pair(&self, text: &str, at: usize, findings: &mut Findings) {
        match text.as_bytes().get(at) {
            Some(b':') => self.urls.find_at(text, at, findings),
            Some(b'K') => {
                blocks::find_at(&self.blocks, text, at, findings);
                assigned::find_at(&self.assigned, text, at, findings);
            }
            _ => assigned::find_at(&self.assigned, text, at, findings),
        }
    }
}

fn replace_findings(text: &str, findings: Vec<Finding>) -> Option<RedactedText> {
    if findings.is_empty() {
        return None;
    }
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for finding in &findings {
        redacted.push_str(&text[end..finding.range.start]);
        redacted.push_str(&marker(finding.rule));
        end = finding.range.end;
    }
    redacted.push_str(&text[end..]);
    Some(RedactedText { text: redacted, findings })
}
