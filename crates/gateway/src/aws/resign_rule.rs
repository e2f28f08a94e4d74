//! Which requests are signed again: the confused deputy rule.
//!
//! Access to the gateway must not give access to the operator's AWS account. So the gateway signs for two kinds of clients:
//!
//! 1. a client that has the key: a secret key of the operator made the signature that it sent;
//! 2. with `upstreams.aws_signing: callers`, a client that showed one of the gateway's `keys`, for requests to a model.
//!
//! In both cases the request must be one for Bedrock, to a host that the operator named: neither to one of `X-Target-URL`,
//! nor for another of AWS's services. The new signature has the date, the region and the service of the old one.

use super::claim::SignatureClaim;
use tokenforge_config::AwsSigning;

/// The only service that is signed for.
const SERVICE: &str = "bedrock";

/// What decides whether a request may be signed again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResignRule {
    pub(crate) signing: AwsSigning,
    /// It showed one of the gateway's keys.
    pub(crate) is_keyed: bool,
    /// It asks a model of Bedrock.
    pub(crate) is_for_model: bool,
}

/// Whether a request with this signature may be signed again once the signature is checked. If not, its body is not read.
pub(crate) fn may_be_resigned(claim: &SignatureClaim, signing: AwsSigning) -> bool {
    signing != AwsSigning::Never && claim.scope.service == SERVICE
}

impl ResignRule {
    /// Is it signed again although its own signature is made with a key that the operator does not have?
    pub(super) fn trusts_caller(self) -> bool {
        self.signing == AwsSigning::Callers && self.is_keyed && self.is_for_model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_is_trusted_only_with_a_gateway_key_where_the_operator_said_so_and_for_a_model() {
        for signing in [AwsSigning::OwnKey, AwsSigning::Callers, AwsSigning::Never] {
            for is_keyed in [false, true] {
                for is_for_model in [false, true] {
                    let rule = ResignRule { signing, is_keyed, is_for_model };
                    let expected = signing == AwsSigning::Callers && is_keyed && is_for_model;
                    assert_eq!(rule.trusts_caller(), expected, "{rule:?}");
                }
            }
        }
    }
}
