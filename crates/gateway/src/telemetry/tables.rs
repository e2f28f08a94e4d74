//! Figures by tool, stage, project and model.

use super::minutes::Minutes;
use super::prices::Prices;
use crate::report::Report;
use std::collections::BTreeMap;

/// Names beyond this many are counted together: clients choose them.
const NAMES: usize = 200;
const OTHERS: &str = "(others)";

/// Figures by name.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) tools: BTreeMap<String, Row>,
    pub(super) stages: BTreeMap<String, u64>,
    pub(super) projects: BTreeMap<String, Row>,
    pub(super) verdicts: BTreeMap<String, u64>,
    pub(super) prompts_kept: BTreeMap<String, u64>,
    pub(super) changes: BTreeMap<String, u64>,
    pub(super) minutes: Minutes,
    /// What was saved, in dollars: new results at the price of writing to the provider's cache, repeated ones at that
    /// of reading from it.
    pub(super) dollars: f64,
}

/// One row.
#[derive(Debug, Default, Clone, Copy, serde::Serialize)]
pub(super) struct Row {
    pub(super) results: u64,
    pub(super) fresh: u64,
    pub(super) tokens_before: u64,
    pub(super) tokens_after: u64,
    /// Of those that are new.
    pub(super) fresh_tokens_before: u64,
    pub(super) fresh_tokens_after: u64,
}

impl Tables {
    pub(super) fn add(&mut self, report: &Report, prices: &Prices) {
        let price = prices.of(report.model.as_deref());
        for change in &report.changes {
            *slot(&mut self.changes, change) += 1;
        }
        for result in &report.results {
            let figures = &result.figures;
            let (before, after) = (figures.before.tokens as u64, figures.after.tokens as u64);
            let add = |row: &mut Row| {
                row.results += 1;
                row.tokens_before += before;
                row.tokens_after += after;
                if !result.memo_reused {
                    row.fresh += 1;
                    row.fresh_tokens_before += before;
                    row.fresh_tokens_after += after;
                }
            };
            if !result.memo_reused {
                self.minutes.add(before, after);
            }
            add(slot(&mut self.tools, &figures.tool));
            if let Some(project) = &report.project {
                add(slot(&mut self.projects, project));
            }
            *slot(&mut self.verdicts, figures.verdict.name()) += 1;
            for stage in figures.stages.iter().filter(|_| !result.memo_reused) {
                *slot(&mut self.stages, stage) += 1;
            }
            let per_token = if result.memo_reused { price.cache_read } else { price.cache_write };
            self.dollars += (before as f64 - after as f64) * per_token / 1e6;
        }
    }

    pub(super) fn prompt_kept(&mut self, reason: &str) {
        *slot(&mut self.prompts_kept, reason) += 1;
    }
}

/// The slot of a name, which is copied only when it is new.
fn slot<'t, T: Default>(table: &'t mut BTreeMap<String, T>, name: &str) -> &'t mut T {
    let is_known = table.contains_key(name);
    let name = if is_known || table.len() < NAMES { name } else { OTHERS };
    match is_known {
        true => table.get_mut(name).unwrap_or_else(|| unreachable!("it was just found")),
        false => table.entry(name.to_owned()).or_default(),
    }
}
