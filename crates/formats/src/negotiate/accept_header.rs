//! What `Accept` and `Accept-Encoding` say of our forms.

use crate::negotiate::list;
use crate::negotiate::quality::QualityValue;
use crate::negotiate::{Format, STC_CODING, STC_TYPE, TOON_TYPE};
use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap};

const JSON_TYPE: &str = "application/json";

/// What a reader's `Accept` says of each form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AcceptHeader {
    json: FormatQuality,
    toon: FormatQuality,
    stc: FormatQuality,
    /// Of the two, the one that was named first.
    first: Option<Format>,
}

/// How much a form is liked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct FormatQuality {
    /// Where it is named.
    named: Option<QualityValue>,
    /// By `text/*` or the like, which goes before `*/*`.
    by_kind: Option<QualityValue>,
    by_all: Option<QualityValue>,
}

impl AcceptHeader {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let nothing = FormatQuality::default();
        let mut accepted = Self { json: nothing, toon: nothing, stc: nothing, first: None };
        for (range, quality) in list::accepted(headers, ACCEPT) {
            accepted.json.hear(range, quality, JSON_TYPE);
            accepted.toon.hear(range, quality, TOON_TYPE);
            accepted.stc.hear(range, quality, STC_TYPE);
            accepted.first = accepted.first.or(match (accepted.toon.named, accepted.stc.named) {
                (Some(_), _) => Some(Format::Toon),
                (None, Some(_)) => Some(Format::Stc),
                (None, None) => None,
            });
        }
        if !headers.contains_key(ACCEPT) {
            for liking in [&mut accepted.json, &mut accepted.toon, &mut accepted.stc] {
                liking.by_all = Some(QualityValue::MOST);
            }
        }
        accepted
    }

    /// The form of ours that is asked for by name, and liked no less than JSON. Of equals the first.
    pub(crate) fn asked(&self) -> Option<Format> {
        let quality = |liking: &FormatQuality| {
            liking
                .named
                .filter(|named| *named > QualityValue::NEVER && *named >= self.json.quality())
        };
        match (quality(&self.toon), quality(&self.stc)) {
            (Some(toon), Some(stc)) if toon == stc => self.first,
            (Some(toon), Some(stc)) => Some(if toon > stc { Format::Toon } else { Format::Stc }),
            (Some(_), None) => Some(Format::Toon),
            (None, Some(_)) => Some(Format::Stc),
            (None, None) => None,
        }
    }

    /// Can the answer itself be in this form? Where a reader likes JSON better, it cannot.
    pub(crate) fn takes(&self, format: Format) -> bool {
        let quality = self.liking(format).quality();
        quality > QualityValue::NEVER && quality >= self.json.quality()
    }

    /// Was this form refused by name?
    pub(crate) fn refuses(&self, format: Format) -> bool {
        self.liking(format).named == Some(QualityValue::NEVER)
    }

    fn liking(&self, format: Format) -> &FormatQuality {
        match format {
            Format::Toon => &self.toon,
            Format::Stc => &self.stc,
            Format::Json | Format::Auto => &self.json,
        }
    }
}

impl FormatQuality {
    /// Takes in what a range of media types says of this one.
    fn hear(&mut self, range: &str, quality: QualityValue, media_type: &str) {
        let kind = media_type.split('/').next().unwrap_or_default();
        let heard = if range.eq_ignore_ascii_case(media_type) {
            &mut self.named
        } else if range == "*/*" {
            &mut self.by_all
        } else if range.strip_suffix("/*").is_some_and(|range| range.eq_ignore_ascii_case(kind)) {
            &mut self.by_kind
        } else {
            return;
        };
        *heard = Some(heard.map_or(quality, |other| both(other, quality)));
    }

    /// The narrowest range that holds it says how much it is liked.
    fn quality(&self) -> QualityValue {
        self.named.or(self.by_kind).or(self.by_all).unwrap_or(QualityValue::NEVER)
    }
}

/// Does `Accept-Encoding` name our coding, and not to refuse it?
pub(crate) fn takes_stc_coding(headers: &HeaderMap) -> bool {
    let named = list::accepted(headers, ACCEPT_ENCODING)
        .filter(|(coding, _)| coding.eq_ignore_ascii_case(STC_CODING))
        .map(|(_, quality)| quality);
    named.reduce(both).is_some_and(|quality| quality > QualityValue::NEVER)
}

/// Two opinions of one thing: what was refused once is refused.
fn both(one: QualityValue, other: QualityValue) -> QualityValue {
    match one.min(other) {
        QualityValue::NEVER => QualityValue::NEVER,
        _ => one.max(other),
    }
}
