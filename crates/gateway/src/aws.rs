//! AWS Signature Version 4 (SigV4): requests that a client signed for Bedrock are signed again after their body was made
//! smaller.
//!
//! A signature covers the host and the hash of the body, so a signed request can neither go on to another host nor be
//! changed. [`SignatureClaim`] is what a request says about its own signature, [`AwsCredentialSource`] what the operator
//! has, [`resign_rule`] decides between the two, and [`RequestSigner`] signs what goes on.
//!
//! The `aws-sigv4` and `aws-credential-types` crates bring 21 packages that are not here yet (`cargo tree`), and would
//! replace [`canonical`] and [`signing_key`]: 130 lines over the `sha2` that is here anyway. Those make and check the same
//! signatures as botocore, which the tests compare them with.

mod canonical;
mod claim;
mod credential_source;
mod credentials;
mod ini;
mod partition;
mod profiles;
mod resign_rule;
mod role_session;
mod signer;
mod signing_key;
mod timestamp;
mod web_identity;

#[cfg(test)]
mod tests;

pub(crate) use claim::SignatureClaim;
pub use credential_source::AwsCredentialSource;
pub(crate) use credential_source::SigningContext;
pub use credentials::{AwsFinding, AwsFindingKind};
pub(crate) use partition::domain;
pub(crate) use resign_rule::{ResignRule, may_be_resigned};
pub(crate) use signer::{RequestSigner, payload_hash};
