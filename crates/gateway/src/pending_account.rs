//! The account of a request under way: what it saved is counted when it is over, however it ends.

use crate::telemetry::{PromptCount, RequestAccount, Telemetry};
use std::sync::Arc;
use tokenforge_conversation::report::{FetchedBack, RequestReport};
use tokenforge_providers::TurnUsage;

/// The account of a request under way. Only one that a provider accepted saves anything.
pub(crate) struct PendingAccount {
    telemetry: Arc<Telemetry>,
    record: RequestAccount,
    is_accepted: bool,
}

impl PendingAccount {
    /// A request, and the length of the body that goes on if it goes to a model.
    pub(crate) fn new(
        telemetry: &Arc<Telemetry>,
        report: RequestReport,
        body_bytes: Option<usize>,
    ) -> Self {
        let record =
            RequestAccount { sums: report.sums(), report, body_bytes, ..RequestAccount::default() };
        PendingAccount { telemetry: telemetry.clone(), record, is_accepted: false }
    }

    /// Says whether it is paid for with a subscription.
    pub(crate) fn with_subscription(mut self, is_subscription: bool) -> Self {
        self.record.is_subscription = is_subscription;
        self
    }

    /// It is a part of a batch, for which providers charge less.
    pub(crate) fn in_batch(mut self) -> Self {
        self.record.is_batch = true;
        self
    }

    /// With our count of all its text, where there is one.
    pub(crate) fn with_count(mut self, counted: Option<PromptCount>) -> Self {
        self.record.counted = counted;
        self
    }

    /// The provider accepted the request.
    pub(crate) fn accept(&mut self) {
        self.is_accepted = true;
        self.telemetry.count_accepted(&self.record);
        if !self.telemetry.has_ledger() {
            // Only the ledger reads the results one by one.
            self.record.report.results = Vec::new();
        }
    }

    /// The model fetched something back.
    pub(crate) fn add_fetched(&mut self, fetched: Option<FetchedBack>) {
        self.record.fetched.extend(fetched);
    }

    /// The provider said what the turn cost.
    pub(crate) fn add_usage(&mut self, usage: TurnUsage) {
        self.telemetry.count_usage(&usage);
        self.record.usage = Some(usage);
    }
}

impl Drop for PendingAccount {
    fn drop(&mut self) {
        let record = std::mem::take(&mut self.record);
        if self.is_accepted {
            self.telemetry.settle(record);
        } else {
            self.telemetry.count_not_accepted();
        }
    }
}
