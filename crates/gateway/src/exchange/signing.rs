//! Requests under an AWS signature: whether they are signed again, and by whom.

use super::{ModelRequest, RequestScope, Stop};
use crate::answer::Problem;
use crate::aws::{
    AwsCredentialSource, RequestSigner, ResignRule, SignatureClaim, SigningContext,
    may_be_resigned, payload_hash,
};
use crate::target::UpstreamTarget;
use crate::tenant;
use bytes::Bytes;
use http::StatusCode;
use std::sync::Arc;
use tokenforge_plugin::Exchange;

/// The provider that takes signed requests.
const BEDROCK: &str = "bedrock";

/// A request that may be signed again, once its body is here.
pub(super) struct PendingSignature<'s> {
    claim: &'s SignatureClaim,
    source: &'s AwsCredentialSource,
}

impl RequestScope<'_> {
    /// May this request be signed again? Most have no signature.
    pub(super) fn signing(&self, target: &UpstreamTarget) -> Option<PendingSignature<'_>> {
        let (claim, source) = (self.signature.as_deref()?, self.gateway.credentials.aws.get()?);
        let is_for_bedrock = self.route.is_none() && target.is_for_aws;
        let signing = self.state.settings.upstreams.aws_signing;
        (is_for_bedrock && may_be_resigned(claim, signing))
            .then_some(PendingSignature { claim, source })
    }

    /// The signer that replaces the client's signature, whose body `wire` is as the client sent it. The client's signature
    /// is then taken off, so that the request may be rewritten like any other. `None`: it is forwarded unchanged.
    pub(super) async fn signer(
        &self,
        exchange: &mut Exchange,
        wire: Option<Bytes>,
        PendingSignature { claim, source }: PendingSignature<'_>,
        kind: Option<ModelRequest>,
    ) -> Result<Option<Arc<RequestSigner>>, Stop> {
        let Some(wire) = wire else { return Ok(None) };
        let is_keyed = !self.state.keys.is_open();
        let rule = ResignRule {
            signing: self.state.settings.upstreams.aws_signing,
            is_keyed,
            is_for_model: kind.is_some_and(|kind| kind.dialect.upstream() == BEDROCK),
        };
        let (client, now) = (&*self.gateway.client, (self.gateway.clock)());
        let context = SigningContext { client, now, rule };
        let hash = payload_hash(&wire).await;
        let headers = &mut exchange.request_mut().headers;
        let signer = source.signer_for(claim, &hash, headers, context).await.map_err(unsigned)?;
        match &signer {
            Some(_) if !is_keyed => exchange.tenant = Some(tenant::of_aws_key(claim.key_id())),
            Some(_) => {}
            None => tracing::info!(
                "a request with an AWS signature goes on unchanged: the gateway has no key that it was made with"
            ),
        }
        Ok(signer.map(Arc::new))
    }
}

/// The request was to be signed, and is not.
pub(super) fn unsigned(why: impl std::fmt::Display) -> Stop {
    let message = format!("the request cannot be signed with the gateway's AWS credentials: {why}");
    Problem::new(StatusCode::BAD_GATEWAY, message).into()
}
