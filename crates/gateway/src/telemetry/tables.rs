//! Figures by tool, stage, project and model.

use super::minutes::RecentMinutes;
use std::collections::BTreeMap;
use tokenforge_conversation::report::RequestReport;

/// Names beyond this many are counted together: clients choose them.
const NAMES: usize = 200;
const OTHERS: &str = "(others)";

/// Figures by name.
#[derive(Debug, Default)]
pub(super) struct FigureTables {
    pub(super) tools: BTreeMap<String, FigureRow>,
    pub(super) stages: BTreeMap<String, u64>,
    pub(super) projects: BTreeMap<String, FigureRow>,
    pub(super) verdicts: BTreeMap<String, u64>,
    pub(super) prompts_kept: BTreeMap<String, u64>,
    pub(super) changes: BTreeMap<String, u64>,
    pub(super) minutes: RecentMinutes,
    pub(super) dollars: DollarTotals,
}

/// What was saved in money by requests that are over.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct DollarTotals {
    /// Requests whose model has a price.
    pub(super) requests: u64,
    /// Requests whose model has none.
    pub(super) unpriced: u64,
    /// What they saved, after what was fetched back.
    pub(super) saved: f64,
    /// What fetching back cost.
    pub(super) expanded: f64,
    /// Requests whose bill is known, that bill, and what they saved.
    pub(super) billed_requests: u64,
    pub(super) billed: f64,
    pub(super) saved_of_bill: f64,
    /// Requests that a subscription paid for.
    pub(super) subscription: u64,
}

/// A request that is over, in dollars: each is none where it is not known.
#[derive(Debug, Clone, Copy)]
pub(super) struct SettledAccount {
    /// What it saved after what fetching back cost.
    pub(super) saved: Option<f64>,
    pub(super) expanded: Option<f64>,
    pub(super) billed: Option<f64>,
    pub(super) is_subscription: bool,
}

/// One row.
#[derive(Debug, Default, Clone, Copy, serde::Serialize)]
pub(super) struct FigureRow {
    pub(super) results: u64,
    pub(super) fresh: u64,
    pub(super) tokens_before: u64,
    pub(super) tokens_after: u64,
    /// Of those that are new.
    pub(super) fresh_tokens_before: u64,
    pub(super) fresh_tokens_after: u64,
}

impl FigureRow {
    fn add(&mut self, before: u64, after: u64, is_fresh: bool) {
        self.results += 1;
        self.tokens_before += before;
        self.tokens_after += after;
        if is_fresh {
            self.fresh += 1;
            self.fresh_tokens_before += before;
            self.fresh_tokens_after += after;
        }
    }
}

impl FigureTables {
    pub(super) fn add(&mut self, report: &RequestReport) {
        for change in &report.changes {
            *slot(&mut self.changes, change) += 1;
        }
        for result in &report.results {
            let figures = &result.figures;
            let (before, after) = (figures.before.tokens as u64, figures.sent_size().tokens as u64);
            let is_fresh = !result.is_repeated;
            if is_fresh {
                self.minutes.add(before, after);
            }
            slot(&mut self.tools, &figures.tool).add(before, after, is_fresh);
            if let Some(project) = &report.project {
                slot(&mut self.projects, project).add(before, after, is_fresh);
            }
            *slot(&mut self.verdicts, figures.verdict.name()) += 1;
            for stage in figures.stages.iter().filter(|_| !result.is_repeated) {
                *slot(&mut self.stages, stage) += 1;
            }
        }
    }

    /// A tool server's result, which is new.
    pub(super) fn add_tool_call(&mut self, tool: &str, before: u64, after: u64) {
        self.minutes.add(before, after);
        slot(&mut self.tools, tool).add(before, after, true);
    }

    /// A request is over.
    pub(super) fn settle(&mut self, settled: SettledAccount) {
        let dollars = &mut self.dollars;
        dollars.subscription += u64::from(settled.is_subscription);
        let Some(saved) = settled.saved else {
            dollars.unpriced += u64::from(!settled.is_subscription);
            return;
        };
        dollars.requests += 1;
        dollars.saved += saved;
        dollars.expanded += settled.expanded.unwrap_or(0.0);
        if let Some(billed) = settled.billed {
            dollars.billed_requests += 1;
            dollars.billed += billed;
            dollars.saved_of_bill += saved;
        }
    }

    pub(super) fn count_prompt_kept(&mut self, reason: &str) {
        *slot(&mut self.prompts_kept, reason) += 1;
    }
}

/// The slot of a name, which is copied only when it is new.
fn slot<'t, T: Default>(table: &'t mut BTreeMap<String, T>, name: &str) -> &'t mut T {
    let is_known = table.contains_key(name);
    let name = if is_known || table.len() < NAMES { name } else { OTHERS };
    if is_known {
        table.get_mut(name).unwrap_or_else(|| unreachable!("it was just found"))
    } else {
        table.entry(name.to_owned()).or_default()
    }
}
