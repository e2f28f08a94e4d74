//! The session of a role: temporary credentials that STS gave for a web identity, and when it is asked again.

use super::credentials::AwsCredentials;
use super::web_identity::{TemporaryCredentials, WebIdentity};
use http::Uri;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokenforge_proxy::upstream::UpstreamClient;

/// Temporary credentials are replaced when they have so many seconds left: a third of the shortest session of STS.
const REFRESH_BEFORE: u64 = 5 * 60;

/// After a failure STS is left alone for so many seconds.
const RETRY_AFTER: u64 = 10;

/// What STS said last, for one role at a time.
#[derive(Default)]
pub(super) struct RoleSession {
    said: Mutex<Option<StsAnswer>>,
    /// Held by the one request that asks.
    asking: tokio::sync::Mutex<()>,
}

struct StsAnswer {
    identity: WebIdentity,
    given: Result<TemporaryCredentials, String>,
    /// STS is not asked again before this moment, in seconds since 1970.
    next_try: u64,
}

impl RoleSession {
    /// The credentials of a role, from STS if those that there are end soon. One request asks; the others go on with what
    /// there is, and wait only if that has ended. If the one that asks is given up, nothing is lost.
    pub(super) async fn credentials(
        &self,
        identity: WebIdentity,
        client: &UpstreamClient,
        sts: &Uri,
        now: u64,
    ) -> Result<AwsCredentials, String> {
        let arrived = Instant::now();
        if let Some(settled) = self.settled(&identity, now) {
            return settled;
        }
        let _asking = match self.asking.try_lock() {
            Ok(asking) => asking,
            Err(_) => match self.lasting(&identity, now) {
                Some(lasting) => return Ok(lasting),
                None => self.asking.lock().await,
            },
        };
        // Another request may have been told meanwhile.
        if let Some(settled) = self.settled(&identity, now) {
            return settled;
        }
        let given = identity.assume(client, sts).await;
        // It may have taken longer to fail than it is then left alone.
        self.settle(identity, given, now + arrived.elapsed().as_secs())
    }

    fn said(&self) -> MutexGuard<'_, Option<StsAnswer>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known for this role, if STS need not be asked.
    fn settled(&self, identity: &WebIdentity, now: u64) -> Option<Result<AwsCredentials, String>> {
        let said = self.said();
        let said =
            said.as_ref().filter(|said| said.identity == *identity && now < said.next_try)?;
        Some(said.credentials(now))
    }

    /// The credentials that there are for this role, if they have not ended.
    fn lasting(&self, identity: &WebIdentity, now: u64) -> Option<AwsCredentials> {
        let said = self.said();
        said.as_ref().filter(|said| said.identity == *identity)?.credentials(now).ok()
    }

    fn settle(
        &self,
        identity: WebIdentity,
        given: Result<TemporaryCredentials, String>,
        now: u64,
    ) -> Result<AwsCredentials, String> {
        let mut said = self.said();
        let before = said.take().filter(|said| said.identity == identity);
        let answer = match (given, before.map(|before| before.given)) {
            (Ok(given), _) => {
                let next_try = given.expires.saturating_sub(REFRESH_BEFORE).max(now + RETRY_AFTER);
                StsAnswer { identity, given: Ok(given), next_try }
            }
            // What there is lasts a little longer.
            (Err(why), Some(Ok(given))) if given.expires > now + RETRY_AFTER => {
                tracing::warn!("AWS credentials cannot be refreshed: {why}");
                StsAnswer { identity, given: Ok(given), next_try: now + RETRY_AFTER }
            }
            (Err(why), _) => StsAnswer { identity, given: Err(why), next_try: now + RETRY_AFTER },
        };
        said.insert(answer).credentials(now)
    }
}

impl StsAnswer {
    fn credentials(&self, now: u64) -> Result<AwsCredentials, String> {
        match &self.given {
            Ok(given) if given.expires > now => Ok(given.credentials.clone()),
            Ok(_) => Err("the temporary credentials have expired".to_owned()),
            Err(why) => Err(why.clone()),
        }
    }
}
