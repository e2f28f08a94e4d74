//! The daily budget: what may be spent on shadow requests in a day (UTC), in dollars.

use serde::{Deserialize, Serialize};

const DAY: u64 = 24 * 60 * 60;

/// What was spent today, and since the beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct DayBudget {
    /// Which day, in days since 1970.
    day: u64,
    /// What was spent on that day, in dollars.
    spent: f64,
    /// What was spent on all days.
    pub total: f64,
    /// Requests that were paid for.
    pub requests: u64,
}

impl DayBudget {
    /// What was spent on the day of this moment, in seconds since 1970.
    #[must_use]
    pub fn spent_today(&self, now: u64) -> f64 {
        if now / DAY == self.day { self.spent } else { 0.0 }
    }

    /// Is there room for so much more today?
    #[must_use]
    pub fn has_room(&self, now: u64, dollars: f64, budget: f64) -> bool {
        self.spent_today(now) + dollars <= budget
    }

    /// A request was paid for.
    pub fn spend(&mut self, now: u64, dollars: f64) {
        self.spent = self.spent_today(now) + dollars;
        self.day = now / DAY;
        self.total += dollars;
        self.requests += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v4_a_day_has_its_budget_and_the_next_day_another() {
        let mut budget = DayBudget::default();
        budget.spend(10 * DAY, 0.6);
        assert!(budget.has_room(11 * DAY - 1, 0.4, 1.0));
        assert!(!budget.has_room(11 * DAY - 1, 0.5, 1.0));
        assert!(budget.has_room(11 * DAY, 0.9, 1.0));
        budget.spend(11 * DAY, 0.3);
        assert_eq!((budget.spent_today(11 * DAY), budget.requests), (0.3, 2));
        assert!((budget.total - 0.9).abs() < 1e-9);
        assert!(!DayBudget::default().has_room(0, 0.01, 0.0));
    }
}
