//! Admission control by bytes (load shedding): how much of request bodies may be in memory to be worked on, in all and for
//! one tenant.
//!
//! What is done to a body takes several times its memory. A tenant has at most half of all, so that another always finds
//! room for what it sends. Small bodies are not counted: their connections take as much.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Bytes are counted in blocks of this size.
const BLOCK: usize = 64 << 10;

/// So many tenants are remembered before those without a body are forgotten.
const TENANTS: usize = 1_000;

/// Room for bodies.
pub struct ByteBudget {
    all: Arc<Semaphore>,
    /// The blocks of one tenant.
    share: u32,
    tenants: Mutex<HashMap<Arc<str>, Arc<Semaphore>>>,
}

/// Room that is taken, until this is dropped.
pub struct BytePermit {
    _share: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl ByteBudget {
    /// Room for so many bytes.
    pub fn new(bytes: usize) -> Self {
        let blocks = u32::try_from(bytes / BLOCK).unwrap_or(u32::MAX / 8).max(2);
        ByteBudget {
            all: Arc::new(Semaphore::new(blocks as usize)),
            share: blocks / 2,
            tenants: Mutex::default(),
        }
    }

    /// Are so many bytes too few to be counted?
    #[inline]
    #[must_use]
    pub fn is_small(bytes: usize) -> bool {
        bytes <= BLOCK
    }

    /// Room for so many bytes of a tenant, waited for up to `patience`. More than a tenant's share is as good as all of it.
    pub async fn acquire(
        &self,
        tenant: &Arc<str>,
        bytes: usize,
        patience: Duration,
    ) -> Option<BytePermit> {
        if let Some(permit) = self.try_acquire(tenant, bytes) {
            return Some(permit);
        }
        let (blocks, share) = (self.blocks(bytes), self.share_of(tenant));
        let waiting = async {
            let share = share.acquire_many_owned(blocks).await?;
            let all = self.all.clone().acquire_many_owned(blocks).await?;
            Ok::<_, AcquireError>(BytePermit { _share: share, _all: all })
        };
        timeout(patience, waiting).await.ok()?.ok()
    }

    /// The same, if there is room now.
    #[must_use]
    pub fn try_acquire(&self, tenant: &Arc<str>, bytes: usize) -> Option<BytePermit> {
        let blocks = self.blocks(bytes);
        let share = self.share_of(tenant).try_acquire_many_owned(blocks).ok()?;
        let all = self.all.clone().try_acquire_many_owned(blocks).ok()?;
        Some(BytePermit { _share: share, _all: all })
    }

    fn blocks(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.div_ceil(BLOCK)).unwrap_or(u32::MAX).clamp(1, self.share)
    }

    fn share_of(&self, tenant: &Arc<str>) -> Arc<Semaphore> {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if tenants.len() >= TENANTS {
            // A request that holds room, or waits for it, holds a clone of the semaphore.
            tenants.retain(|_, share| Arc::strong_count(share) > 1);
        }
        let share = tenants.entry(tenant.clone());
        share.or_insert_with(|| Arc::new(Semaphore::new(self.share as usize))).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[tokio::test]
    async fn d64_a_tenant_takes_half_and_another_still_finds_room() {
        let budget = ByteBudget::new(8 * BLOCK);
        let (a, b): (Arc<str>, Arc<str>) = ("a".into(), "b".into());
        let held = budget.acquire(&a, 3 * BLOCK, NOW).await.unwrap();
        assert!(budget.acquire(&a, 2 * BLOCK, NOW).await.is_none());
        let rest = budget.acquire(&a, BLOCK, NOW).await.unwrap();
        let other = budget.acquire(&b, 100 * BLOCK, NOW).await.unwrap();
        assert!(budget.acquire(&"c".into(), 1, NOW).await.is_none(), "all is taken");
        drop((held, rest, other));
        assert!(budget.acquire(&a, 4 * BLOCK, NOW).await.is_some(), "what was taken is given back");
    }

    #[tokio::test]
    async fn d64_tenants_without_a_body_are_forgotten() {
        let budget = ByteBudget::new(8 * BLOCK);
        let held = budget.acquire(&"held".into(), BLOCK, NOW).await;
        for number in 0..3 * TENANTS {
            assert!(budget.acquire(&number.to_string().into(), BLOCK, NOW).await.is_some());
        }
        let tenants = budget.tenants.lock().unwrap();
        assert!(tenants.len() <= TENANTS + 1 && tenants.contains_key("held"));
        drop(held);
    }
}
