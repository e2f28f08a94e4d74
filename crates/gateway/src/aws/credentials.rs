//! AWS credentials, and what a person may be told about them.

use super::timestamp::Timestamp;
use super::{canonical, signing_key};
use std::fmt;
use tokenforge_config::Secret;

/// An access key, with the token that belongs to it if it is temporary.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct AwsCredentials {
    pub(super) key_id: String,
    pub(super) secret: Secret,
    pub(super) session_token: Option<Secret>,
}

impl AwsCredentials {
    /// The signature of a canonical request under this key.
    pub(super) fn sign(
        &self,
        stamp: Timestamp,
        region: &str,
        service: &str,
        head: &str,
        payload: &str,
    ) -> String {
        let date = stamp.date();
        let scope = [date.as_str(), region, service];
        let text = canonical::string_to_sign(&stamp.text(), scope, head, payload);
        signing_key::signature(self.secret.expose(), scope, &text)
    }
}

impl fmt::Debug for AwsCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AwsCredentials").field(&masked(&self.key_id)).finish()
    }
}

/// What was found where AWS credentials are looked for. No secret, and no whole key id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsFinding {
    /// Where: the environment, or a profile and its file.
    pub place: String,
    /// What.
    pub kind: AwsFindingKind,
}

/// What was found in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AwsFindingKind {
    /// An access key, of which the first and last four characters are shown.
    AccessKey(String),
    /// A role that a web identity token is exchanged for.
    WebIdentity(String),
    /// Something that cannot be used, and why.
    Unusable(String),
}

/// Enough of a key id to tell it from others.
pub(super) fn masked(key_id: &str) -> String {
    let is_long = key_id.len() >= 12 && key_id.is_ascii();
    let (Some(first), Some(last)) = (key_id.get(..4), key_id.get(key_id.len().saturating_sub(4)..))
    else {
        return "…".to_owned();
    };
    if is_long { format!("{first}…{last}") } else { "…".to_owned() }
}
