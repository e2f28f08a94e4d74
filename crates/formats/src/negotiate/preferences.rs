//! What a client prefers, by its headers and its request, and the format that follows.

use crate::negotiate::accept_header::{AcceptHeader, takes_stc_coding};
use crate::negotiate::{Format, PREFER_FORMAT, STC_VERSION};
use http::HeaderMap;

/// What is known of the client that reads an answer.
#[derive(Debug, Clone, Copy)]
pub struct ClientPreferences<'a> {
    /// The headers of its request.
    pub headers: &'a HeaderMap,
    /// The word for a format that came in its request, outside of the headers.
    pub meta: Option<&'a str>,
    /// The form for a client that names none.
    pub usual: Format,
}

/// What carries the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatCarrier {
    /// The body of an answer. `Accept` speaks of it: a usual form is sent only where `Accept` takes it.
    Body,
    /// A text inside of a body which stays JSON, as in MCP. What `Accept` says of JSON is said of that body; a usual form
    /// is sent unless it is refused by name.
    Text,
}

/// What a reader wants, and who said so. Only [`ClientPreferences::wants`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub struct NegotiatedFormat {
    format: Format,
    by: DecidedBy,
}

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecidedBy {
    /// The header `X-Prefer-Format`.
    PreferFormat,
    /// The word in the request.
    Meta,
    /// The header `Accept`. It says JSON where it does not take what is usual.
    Accept,
    /// The header `Accept-Encoding`. It says nothing but STC.
    AcceptEncoding,
    /// The default: the client named no form.
    Usual,
}

/// A version of STC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum StcVersion {
    /// What every reader of STC reads.
    #[default]
    One,
    /// What only those get who named it.
    Two,
}

impl StcVersion {
    /// As headers name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
        }
    }
}

impl NegotiatedFormat {
    /// The form that is wanted.
    pub const fn format(self) -> Format {
        self.format
    }

    /// Who said so.
    pub const fn by(self) -> DecidedBy {
        self.by
    }
}

impl<'a> ClientPreferences<'a> {
    /// A reader of whom no more than headers is known, where JSON is usual.
    pub const fn of(headers: &'a HeaderMap) -> Self {
        Self { headers, meta: None, usual: Format::Json }
    }

    /// What it wants.
    pub fn wants(&self, carrier: FormatCarrier) -> NegotiatedFormat {
        let wanted = |format, by| NegotiatedFormat { format, by };
        if let Some(format) = self.preferred() {
            return wanted(format, DecidedBy::PreferFormat);
        }
        if let Some(format) = self.meta.and_then(|word| word.parse().ok()) {
            return wanted(format, DecidedBy::Meta);
        }
        let accepted = AcceptHeader::of(self.headers);
        if let Some(format) = accepted.asked() {
            return wanted(format, DecidedBy::Accept);
        }
        if takes_stc_coding(self.headers) {
            return wanted(Format::Stc, DecidedBy::AcceptEncoding);
        }
        let takes = |format| match carrier {
            FormatCarrier::Body => accepted.takes(format),
            FormatCarrier::Text => !accepted.refuses(format),
        };
        match narrowed(self.usual, takes(Format::Toon), takes(Format::Stc)) {
            Some(format) => wanted(format, DecidedBy::Usual),
            None => wanted(Format::Json, DecidedBy::Accept),
        }
    }

    /// The highest version of STC that it reads, as far as it said so and we know it. Where lines differ, the lowest.
    #[must_use]
    pub fn stc_version(&self) -> StcVersion {
        let lines = self.headers.get_all(STC_VERSION).iter();
        let named = lines.map(|line| line.to_str().ok()?.trim().parse::<u32>().ok()).min();
        match named.flatten() {
            Some(2..) => StcVersion::Two,
            _ => StcVersion::One,
        }
    }

    /// What the header says, if all of its lines say the same.
    fn preferred(&self) -> Option<Format> {
        let lines = self.headers.get_all(PREFER_FORMAT).iter();
        let mut formats = lines.map(|line| line.to_str().ok()?.parse::<Format>().ok());
        let first = formats.next()??;
        formats.all(|format| format == Some(first)).then_some(first)
    }
}

/// What is left of a usual form for a reader who takes the one, the other, both or none.
fn narrowed(usual: Format, takes_toon: bool, takes_stc: bool) -> Option<Format> {
    match (usual, takes_toon, takes_stc) {
        (Format::Json, _, _) => Some(Format::Json),
        (Format::Toon | Format::Auto, true, false) => Some(Format::Toon),
        (Format::Stc | Format::Auto, false, true) => Some(Format::Stc),
        (_, true, true) => Some(usual),
        (Format::Toon, false, _) | (Format::Stc, _, false) | (Format::Auto, false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn who_did_not_name_version_2_reads_version_1() {
        let version = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(STC_VERSION, HeaderValue::from_str(line).unwrap());
            }
            ClientPreferences::of(&headers).stc_version()
        };
        for lines in [&[][..], &["1"], &["0"], &["two"], &[""], &["2.0"], &["2", "1"], &["2", "x"]]
        {
            assert_eq!(version(lines), StcVersion::One, "{lines:?}");
        }
        for lines in [&["2"][..], &[" 2 "], &["3"], &["2", "7"]] {
            assert_eq!(version(lines), StcVersion::Two, "{lines:?}");
        }
    }
}
