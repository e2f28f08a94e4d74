//! AWS Signature Version 4 (SigV4): requests that a client signed for Bedrock are signed again after their body was made
//! smaller.
//!
//! A signature covers the host and the hash of the body, so a signed request can neither go on to another host nor be
//! changed. [`SignatureClaim`] is what a request says about its own signature, [`AwsCredentialSource`] what the operator
//! has, [`resign_rule`] decides between the two, and [`RequestSigner`] signs what goes on.
//!
//! This is our own code because no crate does it. `reqsign-aws-v4` 3.3.1 was tried on 2026-11-19:
//!
//! - It gives botocore's signature for 1 of the 13 vectors in `tests/aws`. It encodes the path once, as S3 wants it, and
//!   Bedrock wants `%253A` for the colon of a model's id; it also signs `x-amz-content-sha256` in every request.
//! - It signs at the present time only (`with_time` is `cfg(test)`), and the new signature must keep the client's date.
//!   It cannot check a signature, so [`canonical`] and [`signing_key`] would stay for [`SignatureClaim`].
//! - Its chain of sources is not botocore's: a profile's access key comes before the profile's role and before a web
//!   identity, and a file that cannot be read counts as empty, which could choose another identity. By default it asks the
//!   instance metadata service. It does not list the keys of all profiles, which [`AwsCredentialSource`] needs.
//! - It adds 26 packages to the 252 of the program, with second versions of `sha2`, `digest` and `block-buffer`.
//!
//! `aws-sigv4` and `aws-credential-types` bring 21 packages for [`canonical`] and [`signing_key`] alone.

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
