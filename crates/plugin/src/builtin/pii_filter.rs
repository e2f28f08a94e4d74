//! `pii-filter`: replaces personal data, which identifies a person, before it is forwarded.
//!
//! E-mail addresses, telephone numbers, card numbers and bank accounts whose checksums are right, IP addresses. In JSON
//! only values that are strings change, so that it stays JSON; a number stays a number.

use crate::builtin::redactor::{self, MAX_BYTES, RedactedPart};
use crate::{BodyNeed, BoxFuture, Context, Error, Factory, Flow, Phase, Phases, Plugin};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokenforge_redact::{PersonalFinder, PersonalKind};

/// The name in settings.
pub(crate) const NAME: &str = "pii-filter";

/// What `pii-filter` can be told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct PiiFilterSettings {
    /// What is looked for: everything, unless said otherwise.
    kinds: Vec<Kind>,
    /// What replaces each kind, if not its name in brackets, as in `[EMAIL]`.
    replacements: BTreeMap<Kind, String>,
    /// Where it is looked for: in what models are asked and tools answer, unless said otherwise.
    places: Vec<RedactedPart>,
    /// The largest body that is looked at. About a larger one `on_error` decides.
    max_bytes: usize,
}

impl Default for PiiFilterSettings {
    fn default() -> Self {
        Self {
            kinds: Kind::ALL.into(),
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
    finder: Arc<PersonalFinder>,
    places: Vec<RedactedPart>,
    max_bytes: usize,
}

/// A kind of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// An address of e-mail.
    Email,
    /// The address of a machine, IPv4 or IPv6.
    Ip,
    /// A bank account.
    Iban,
    /// The number of a payment card.
    Card,
    /// A telephone number.
    Phone,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Email, Self::Ip, Self::Iban, Self::Card, Self::Phone];
}

impl From<Kind> for PersonalKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Email => Self::Email,
            Kind::Ip => Self::Ip,
            Kind::Iban => Self::Iban,
            Kind::Card => Self::Card,
            Kind::Phone => Self::Phone,
        }
    }
}

impl PiiFilter {
    fn new(settings: PiiFilterSettings) -> Result<Self, Error> {
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
            replacements.insert(kind.into(), with);
        }
        let PiiFilterSettings { places, max_bytes, .. } = settings;
        Ok(Self { finder: Arc::new(PersonalFinder(replacements)), places, max_bytes })
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

#[cfg(test)]
mod tests;
