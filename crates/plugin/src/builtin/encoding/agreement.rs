//! What was agreed on with the reader of an answer.

use super::DefaultFormat;
use crate::Context;
use tokenforge_formats::Form;
use tokenforge_formats::negotiate::{
    ClientPreferences, DecidedBy, Format, FormatCarrier, NegotiatedFormat, StcVersion,
};

/// What was agreed on with the reader of an answer: kept from the request until the answer is written.
#[derive(Debug, Clone)]
pub(crate) struct Agreement {
    pub(crate) wanted: NegotiatedFormat,
    /// The highest version of STC that the reader reads.
    pub(crate) stc_version: StcVersion,
    /// The forms that can be had: those whose plugin has seen the request, each up to a size of the JSON.
    pub(crate) offered: Vec<(Form, usize)>,
    /// What the client said in `If-None-Match`.
    pub(crate) if_none_match: Option<String>,
    /// The answer has been dealt with.
    pub(crate) is_done: bool,
}

impl Agreement {
    /// What the request asks for, if it asks.
    pub(crate) fn of(context: &Context<'_>) -> Option<Self> {
        let DefaultFormat(usual) = context.extensions().get().copied().unwrap_or_default();
        let reader =
            ClientPreferences { usual, ..ClientPreferences::of(context.request_headers()) };
        let wanted = reader.wants(FormatCarrier::Body);
        let is_asked = wanted.format() != Format::Json || wanted.by() == DecidedBy::PreferFormat;
        is_asked.then(|| {
            let tags = context.request_headers().get(http::header::IF_NONE_MATCH);
            let if_none_match = tags.and_then(|tags| tags.to_str().ok()).map(str::to_owned);
            let stc_version = reader.stc_version();
            Self { wanted, stc_version, offered: Vec::new(), if_none_match, is_done: false }
        })
    }

    /// May the answer become this?
    pub(crate) fn asks_for(&self, form: Form) -> bool {
        match self.wanted.format() {
            Format::Json => false,
            Format::Toon => form == Form::Toon,
            Format::Stc => form == Form::Stc,
            Format::Auto => matches!(form, Form::Toon | Form::Stc),
        }
    }

    /// Is it asked for as a content coding, by a program that will undo it?
    pub(crate) fn is_coding(&self) -> bool {
        self.wanted.by() == DecidedBy::AcceptEncoding
    }
}
