//! What was saved while the agent ran, in one line.

use crate::output::grouped;
use serde_json::Value;

/// Figures of a project at a moment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Savings {
    /// Results that were new.
    results: u64,
    before: u64,
    after: u64,
    /// Of `after`, what the model fetched back.
    expanded: u64,
}

impl Savings {
    /// As a gateway's figures have them. What was fetched back is not counted by project: it is ours if the gateway is.
    pub(super) fn of(stats: &Value, project: &str, is_own: bool) -> Self {
        let expanded = stats["counters"]["expansion_tokens"].as_u64().filter(|_| is_own);
        let expanded = expanded.unwrap_or(0);
        let row = &stats["projects"][project];
        let number = |name: &str| row[name].as_u64().unwrap_or(0);
        Savings {
            results: number("fresh"),
            before: number("tokens_before"),
            after: number("tokens_after") + expanded,
            expanded,
        }
    }

    /// What came since then. A gateway that was replaced began anew.
    pub(super) fn since(self, then: Savings) -> Self {
        if then.before > self.before {
            return self;
        }
        Savings {
            results: self.results.saturating_sub(then.results),
            before: self.before - then.before,
            after: self.after.saturating_sub(then.after),
            expanded: self.expanded.saturating_sub(then.expanded),
        }
    }

    pub(super) fn line(self) -> String {
        let Savings { results, before, after, expanded } = self;
        if before == 0 {
            return "no tool results came by".to_owned();
        }
        let share = 100.0 * (before as f64 - after as f64) / before as f64;
        let [before, after] = [before, after].map(|tokens| grouped(tokens as usize));
        let results = match results {
            1 => "1 tool result".to_owned(),
            results => format!("{} tool results", grouped(results as usize)),
        };
        let expanded = match expanded {
            0 => String::new(),
            tokens => format!(" ({} of them fetched back)", grouped(tokens as usize)),
        };
        format!(
            "{results}, sent with each turn: {before} tokens became {after}{expanded}, {share:.0} % less"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(results: u64, before: u64, after: u64) -> Savings {
        let row = json!({"fresh": results, "tokens_before": before, "tokens_after": after});
        Savings::of(&json!({"projects": {"web": row}}), "web", true)
    }

    #[test]
    fn the_line_is_about_this_run_only() {
        let line = at(3, 3000, 1500).since(at(1, 1000, 1000)).line();
        assert_eq!(line, "2 tool results, sent with each turn: 2,000 tokens became 500, 75 % less");
        assert_eq!(
            at(1, 10, 5).since(at(9, 900, 900)).line().split(',').next(),
            Some("1 tool result")
        );
        let stats = json!({
            "projects": {"web": {"fresh": 1, "tokens_before": 100, "tokens_after": 10}},
            "counters": {"expansion_tokens": 40},
        });
        let line = Savings::of(&stats, "web", true).line();
        assert!(line.ends_with("became 50 (40 of them fetched back), 50 % less"), "{line}");
        assert!(Savings::of(&stats, "web", false).line().ends_with("became 10, 90 % less"));
        assert_eq!(at(0, 0, 0).line(), "no tool results came by");
    }
}
