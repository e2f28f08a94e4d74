//! The lifetime of a provider's cache: when it must be gone.

use std::time::Duration;

/// Records are written once in this part of the cache's lifetime, so a record may be that much older than the request.
pub(super) const RECORDS_PER_LIFETIME: u32 = 5;

/// Must a cache that lives so long be gone, so long after the last record of a request?
#[must_use]
pub fn is_cold(pause: Duration, lifetime: Duration) -> bool {
    pause > lifetime + lifetime / RECORDS_PER_LIFETIME
}
