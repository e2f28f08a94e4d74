//! The comparison as a person reads it.

use crate::gain::dollars;
use crate::output::group_digits;
use crate::screen;
use tokenforge_config::ShadowSettings;
use tokenforge_ledger::UtcDay;
use tokenforge_replay::columns::{TextColumn, TextTable};
use tokenforge_shadow::{GroupRow, ShadowHold, ShadowReport};

/// What is told of each kind, in this order.
const KINDS: [&str; 4] = ["mode", "client", "tool", "stage"];

pub(super) fn page(report: &ShadowReport, settings: &ShadowSettings) -> String {
    let mut parts = vec![screen::paragraph(&state_of(settings, report))];
    if report.all.is_empty() {
        parts.push(screen::paragraph("No samples yet."));
    } else {
        parts.push(screen::paragraph(&headline(report)));
        parts.push(table("all", &report.all));
        let by = KINDS.iter().filter_map(|kind| Some((*kind, report.by.get(kind)?)));
        parts.extend(by.filter(|(_, rows)| !rows.is_empty()).map(|(kind, rows)| table(kind, rows)));
        parts.push(screen::paragraph(
            "noise: A' acts differently from A, the same request asked twice as it came. changed: B does, the compressed \
             one. harm: the difference, in points; 95 % interval, right whenever you look. Each interval is for its own row: of \
             twenty, one may be wrong.",
        ));
    }
    parts.extend(undecided(report));
    parts.extend((!report.holds.is_empty()).then(|| holds(report, settings.is_on())));
    parts.join("\n\n")
}

fn state_of(settings: &ShadowSettings, report: &ShadowReport) -> String {
    let spent = match report.requests {
        0 => String::new(),
        requests => format!(
            " Spent: {} today, {} in all for {} requests.",
            dollars(report.spent_today),
            dollars(report.spent),
            number(requests)
        ),
    };
    if settings.is_on() {
        format!(
            "On: {} % of requests with newly compressed results, up to {} a day. Held when the harm is above {} \
             points.{spent}",
            points(settings.share),
            dollars(settings.budget_usd),
            points(settings.harm_bound)
        )
    } else {
        format!(
            "Off. `shadow.share` in the settings turns it on: that part of requests is then sent three times more, at your \
             cost.{spent}"
        )
    }
}

fn headline(report: &ShadowReport) -> String {
    let Some(action) = report.all.first() else { return String::new() };
    let samples = number(action.samples);
    let since = UtcDay::of(report.since);
    let (low, high) = (action.interval.low, action.interval.high);
    if low > 0.0 {
        format!("{samples} samples since {since}: compression changes what the model does.")
    } else if high < 0.0 {
        format!(
            "{samples} samples since {since}: with compression the model is steadier than without."
        )
    } else {
        format!(
            "{samples} samples since {since}: no harm is shown; if there is any, it is at most {} points.",
            points(high)
        )
    }
}

fn table(kind: &str, rows: &[GroupRow]) -> String {
    let numbers = ["samples", "noise %", "changed %", "harm", "95 % interval"];
    let columns = [TextColumn::text(kind)].into_iter().chain(numbers.map(TextColumn::number));
    let mut table = TextTable::new(columns);
    for row in rows {
        table.row([
            row.name.clone(),
            number(row.samples),
            points(row.noise),
            points(row.changed),
            points(row.harm),
            format!("{} to {}", points(row.interval.low), points(row.interval.high)),
        ]);
    }
    screen::table(&table)
}

fn undecided(report: &ShadowReport) -> Option<String> {
    let told = report.undecided.iter().map(|(why, count)| {
        let why = match &**why {
            "fetched_back" => "the model fetched something back before it acted",
            "not_answered" => "the provider did not answer all three",
            "budget" => "the budget of the day was spent",
            "no_price" => "no price: a subscription, or `prices` lacks the model",
            "redaction" => "redaction found something, or could not check it",
            "provider_tools" => "the provider runs tools or keeps the conversation",
            other => other,
        };
        format!("  {:>6}  {why}", number(*count))
    });
    let lines: Vec<String> = told.collect();
    (!lines.is_empty()).then(|| format!("Sampled, and not compared:\n{}", lines.join("\n")))
}

fn holds(report: &ShadowReport, is_on: bool) -> String {
    let line = |hold: &ShadowHold| {
        let interval = hold.counts.interval();
        screen::paragraph(&format!(
            "{} for {} since {}: the {} {}. In {} samples it did harm of {} points ({} to {}), above the bound of {}. \
             `tokenforge shadow release {}` uses it again.",
            if is_on { "Held" } else { "Once it is on again, held" },
            hold.tenant.as_deref().unwrap_or("all tenants"),
            UtcDay::of(hold.since),
            hold.kind.name(),
            hold.name,
            number(hold.counts.samples),
            points(hold.counts.harm().unwrap_or_default()),
            points(interval.low),
            points(interval.high),
            points(hold.bound),
            hold.name
        ))
    };
    report.holds.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A part as a number of hundredths.
fn points(part: f64) -> String {
    let rounded = (part * 1000.0).round() / 10.0;
    // Zero has no sign in a report: -0 becomes 0.
    format!("{:.1}", if rounded == 0.0 { 0.0 } else { rounded })
}

fn number(number: u64) -> String {
    group_digits(usize::try_from(number).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_shadow::{Difference, PairedOutcome, SampleLabels, ShadowState, Undecided};

    fn sampled(samples: u64, is_harmed: impl Fn(u64) -> bool) -> ShadowState {
        let mut state = ShadowState::new(1_763_000_000);
        for n in 0..samples {
            let labels = SampleLabels {
                mode: "standard".to_owned(),
                client: "claude-cli".to_owned(),
                tools: vec!["Bash".to_owned()],
                stages: vec!["family".to_owned()],
                tenant: "alice".to_owned(),
            };
            let tool = |tool| Difference { tool, ..Difference::default() };
            let outcome = PairedOutcome { noise: tool(n % 10 == 0), changed: tool(is_harmed(n)) };
            state.record(&labels, &outcome, 0.01, 1_763_000_000 + n, |_, _| true);
        }
        state
    }

    const ON: ShadowSettings = ShadowSettings { share: 0.05, budget_usd: 2.0, harm_bound: 0.01 };

    #[test]
    fn v7_a_person_reads_rates_intervals_and_what_was_not_compared() {
        let mut state = sampled(1_000, |n| n % 10 == 5);
        state.skip(Undecided::Budget);
        state.budget.spend(1_763_000_000, 0.42);
        let page = page(&ShadowReport::of(&state, 1_763_000_000), &ON).replace('\n', " ");
        for part in [
            "On: 5.0 % of requests",
            "up to $2.00 a day",
            "Spent: $0.4200 today",
            "1,000 samples since 2025-11-13: no harm is shown; if there is any, it is at most",
            "standard    1,000     10.0       10.0   0.0",
            "1  the budget of the day was spent",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("Held for"), "{page}");
    }

    #[test]
    fn v7_a_hold_is_told_with_its_evidence_and_how_to_release_it() {
        let state = sampled(60, |n| n % 2 == 1);
        let page = page(&ShadowReport::of(&state, 1_763_000_000), &ON).replace('\n', " ");
        for part in [
            "Held for alice since 2025-11-13: the stage family.",
            "tokenforge shadow release family",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
    }

    #[test]
    fn v7_off_says_how_to_turn_it_on() {
        let report = ShadowReport::of(&ShadowState::new(0), 0);
        let page = page(&report, &ShadowSettings::default()).replace('\n', " ");
        assert!(page.contains("Off. `shadow.share`") && page.contains("No samples yet."), "{page}");
    }
}
