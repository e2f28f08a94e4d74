//! `pii-filter`: what says who somebody is, replaced before it goes on.
//!
//! E-mail addresses, telephone numbers, card numbers and bank accounts whose checksums are right, IP addresses. In JSON
//! only values that are strings change, so that it stays JSON; a number stays a number.

mod card;
mod email;
mod iban;
mod ip;
mod phone;
mod scan;
mod spot;

use crate::builtin::redaction::Finder;
use crate::builtin::redactor::{self, MAX_BYTES, RedactedPart};
use crate::{BodyNeed, BoxFuture, Context, Error, Factory, Flow, Phase, Phases, Plugin};
use scan::PersonalDataKind;
use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The name in settings.
pub(crate) const NAME: &str = "pii-filter";

/// What `pii-filter` can be told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// What is looked for: everything, unless said otherwise.
    kinds: Vec<PersonalDataKind>,
    /// What replaces each kind, if not its name in brackets, as in `[EMAIL]`.
    replacements: BTreeMap<PersonalDataKind, String>,
    /// Where it is looked for: in what models are asked and tools answer, unless said otherwise.
    places: Vec<RedactedPart>,
    /// The largest body that is looked at. About a larger one `on_error` decides.
    max_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kinds: PersonalDataKind::ALL.into(),
            replacements: BTreeMap::new(),
            places: RedactedPart::USUAL.into(),
            max_bytes: MAX_BYTES,
        }
    }
}

/// Makes the plugin from its settings.
pub(crate) fn factory() -> impl Factory {
    crate::factory(NAME, PiiFilter::new)
}

struct PiiFilter {
    finder: Arc<Personal>,
    places: Vec<RedactedPart>,
    max_bytes: usize,
}

/// Finds what is personal, and knows what replaces it.
struct Personal(BTreeMap<PersonalDataKind, String>);

impl PiiFilter {
    fn new(settings: Settings) -> Result<Self, Error> {
        let mut replacements = BTreeMap::new();
        for &kind in &settings.kinds {
            let with = settings.replacements.get(&kind);
            let with = with.cloned().unwrap_or_else(|| format!("[{kind:?}]").to_uppercase());
            if with.contains(|sign: char| sign == '"' || sign == '\\' || sign.is_control()) {
                let problem = "it must hold no quotes, backslashes or control characters, to be safe inside JSON";
                return Err(format!(
                    "replacements.{}: {problem}",
                    format!("{kind:?}").to_lowercase()
                )
                .into());
            }
            replacements.insert(kind, with);
        }
        let Settings { places, max_bytes, .. } = settings;
        Ok(Self { finder: Arc::new(Personal(replacements)), places, max_bytes })
    }
}

impl Plugin for PiiFilter {
    fn name(&self) -> &str {
        NAME
    }

    fn phases(&self) -> Phases {
        RedactedPart::phases(&self.places)
    }

    fn body(&self, _: Phase) -> BodyNeed {
        BodyNeed::Buffered { up_to: self.max_bytes }
    }

    fn wants_body(&self, context: &Context<'_>) -> bool {
        redactor::shows_text(context, &self.places)
    }

    fn call<'a>(&'a self, mut context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            let Some(body) = redactor::shown(&context, &self.places)? else {
                return Ok(Flow::Continue);
            };
            if let Some(redacted) = redactor::redacted(&self.finder, body).await? {
                redactor::replace(&mut context, redacted)?;
            }
            Ok(Flow::Continue)
        })
    }
}

impl Finder for Personal {
    fn find<'s>(&'s self, name: &str, text: &str) -> Vec<(Range<usize>, Cow<'s, str>)> {
        let found = scan::find(name, text, |kind| self.0.contains_key(&kind));
        found
            .into_iter()
            .filter_map(|(kind, range)| Some((range, self.0.get(&kind)?.into())))
            .collect()
    }
}

#[cfg(test)]
mod tests;
