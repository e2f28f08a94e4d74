//! AWS credentials, how a source names them, and what `doctor` shows of them.

use super::timestamp::Timestamp;
use super::web_identity::WebIdentity;
use super::{canonical, signing_key};
use std::fmt;
use tokenforge_config::Secret;

/// An access key, and its session token if it is temporary.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct AwsCredentials {
    pub(super) key_id: String,
    pub(super) secret: Secret,
    pub(super) session_token: Option<Secret>,
}

/// What one source gives: an access key, or a role to assume.
pub(super) enum AwsIdentity {
    AccessKey(AwsCredentials),
    WebIdentity(WebIdentity),
}

/// The secret key is missing where the key id is set.
#[derive(Debug)]
pub(super) struct SecretMissing;

impl AwsCredentials {
    /// Reads an access key by the names of its values in a profile. `None`: the source has no key id.
    pub(super) fn read(
        value: impl Fn(&str) -> Option<String>,
    ) -> Option<Result<Self, SecretMissing>> {
        let key_id = value("aws_access_key_id")?;
        let Some(secret) = value("aws_secret_access_key") else {
            return Some(Err(SecretMissing));
        };
        let token = value("aws_session_token").or_else(|| value("aws_security_token"));
        let (secret, session_token) = (Secret::new(secret), token.map(Secret::new));
        Some(Ok(AwsCredentials { key_id, secret, session_token }))
    }

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

/// What one place has in the way of AWS credentials, without secrets and whole key ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsFinding {
    /// The environment, or a profile and its file.
    pub place: String,
    /// An access key, a role, or why neither can be used.
    pub kind: AwsFindingKind,
}

/// An access key, a role, or why neither can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AwsFindingKind {
    /// The first and last four characters of an access key's id.
    AccessKey(String),
    /// The role that a web identity token is exchanged for.
    WebIdentity(String),
    /// Why a source cannot be used.
    Unusable(String),
}

impl From<AwsIdentity> for AwsFindingKind {
    fn from(identity: AwsIdentity) -> Self {
        match identity {
            AwsIdentity::AccessKey(key) => AwsFindingKind::AccessKey(masked(&key.key_id)),
            AwsIdentity::WebIdentity(identity) => AwsFindingKind::WebIdentity(identity.role),
        }
    }
}

impl From<Result<AwsIdentity, String>> for AwsFindingKind {
    fn from(identity: Result<AwsIdentity, String>) -> Self {
        identity.map_or_else(AwsFindingKind::Unusable, AwsFindingKind::from)
    }
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
