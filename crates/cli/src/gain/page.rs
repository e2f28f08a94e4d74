//! The sums as a person reads them.

use super::calibration;
use super::cold_caches;
use super::unused_tools;
use crate::output::group_digits;
use crate::screen;
use tokenforge_ledger::{CostSaving, GainReport, GainRow, SavingShare, ShareDenominator};
use tokenforge_replay::columns::{TextColumn, TextTable};

/// More rows than this are for `--json` and `--csv`.
const ROWS: usize = 30;

/// More unused tools are for `tools list`.
const UNUSED: usize = 5;

/// What a person reads: what was saved, by what, and of what.
pub(super) fn page(gain: &GainReport, with_cost: bool, place: &str) -> String {
    if gain.requests == 0 {
        return nothing(place);
    }
    let shares = gain.shares.iter().map(sentence).collect::<Vec<_>>().join("\n");
    let mut parts = vec![screen::paragraph(&headline(gain)), table(gain, with_cost), shares];
    if with_cost {
        parts.push(screen::paragraph(&cost(gain)));
    }
    parts.extend(cold_caches::section(&gain.cold_caches, with_cost));
    parts.extend(gain.declarations.as_ref().map(|report| unused_tools(report, UNUSED)));
    parts.extend(calibration::section(&gain.calibration));
    parts.extend(remarks(gain));
    parts.join("\n\n")
}

fn nothing(place: &str) -> String {
    let lines = [
        format!("Nothing saved yet: there are no requests and no hook calls in {place}."),
        "Run an agent with `tokenforge wrap claude`, or start `tokenforge serve` and point an agent at it.".to_owned(),
        "If a gateway is running already: is `ledger` off in its settings? If it runs as another user or on another \
         machine, ask it: `tokenforge gain --gateway URL`."
            .to_owned(),
    ];
    lines.map(|line| screen::paragraph(&line)).join("\n")
}

fn headline(gain: &GainReport) -> String {
    let day =
        |time: &Option<String>| time.as_deref().unwrap_or_default().chars().take(10).collect();
    let (since, until): (String, String) = (day(&gain.since), day(&gain.until));
    let period = if since == until { since } else { format!("{since} to {until}") };
    let saved = gain.tokens.net;
    let what = if saved < 0 { "more than without Tokenforge" } else { "saved" };
    format!(
        "{} tokens of tool output {what}: {} results in {} requests, {period}.",
        signed_amount(saved.abs()),
        number(gain.results),
        number(gain.requests),
    )
}

fn table(gain: &GainReport, with_cost: bool) -> String {
    let shown = &gain.rows[..gain.rows.len().min(ROWS)];
    let numbers = ["results", "before", "after", "fetched back", "saved"].map(TextColumn::number);
    let money = with_cost.then(|| TextColumn::number("USD"));
    let columns = [TextColumn::text(gain.by.name())].into_iter().chain(numbers).chain(money);
    let mut table = TextTable::new(columns);
    shown.iter().for_each(|row| table.row(cells(row, with_cost)));
    let mut text = screen::table(&table);
    if gain.rows.len() > ROWS {
        text += &format!("\n... and {} more; --json and --csv have all", gain.rows.len() - ROWS);
    }
    text
}

fn cells(row: &GainRow, with_cost: bool) -> Vec<String> {
    let mut cells = vec![
        row.name.clone(),
        number(row.results),
        number(row.before),
        number(row.after),
        number(row.expanded),
        signed_amount(row.net),
    ];
    if with_cost {
        cells.push(row.cost_saved.map_or_else(|| "-".to_owned(), dollars));
    }
    cells
}

/// One sentence for each denominator.
fn sentence(share: &SavingShare) -> String {
    let of = match share.of {
        ShareDenominator::OutputsTouched => "of the outputs touched",
        ShareDenominator::AllToolOutput => "of all tool output",
        ShareDenominator::WholeContext => "of the whole context",
        ShareDenominator::Bill => "of the bill",
    };
    let amount = |amount: f64| match share.of {
        ShareDenominator::Bill => dollars(amount),
        _ => signed_amount(amount as i64),
    };
    let unit = if share.of == ShareDenominator::Bill { "" } else { " tokens" };
    let (part, says) = match share.share {
        None => (format!("{:>7}", "?"), format!("{of}: {}.", share.note)),
        Some(part) => (
            format!("{:>6.1}%", part * 100.0),
            format!(
                "{of}: {} of {}{unit} ({}).",
                amount(share.saved),
                amount(share.before),
                share.note
            ),
        ),
    };
    screen::wrap_text(&says, &format!("{part}  "), &" ".repeat(9))
}

fn cost(gain: &GainReport) -> String {
    let Some(cost) = &gain.cost else {
        if gain.subscription_requests > 0 {
            return "No dollar figure: with a subscription, tokens have no price.".to_owned();
        }
        return "No dollar figure: no request named a model whose price is known. Set `prices` in tokenforge.yaml."
            .to_owned();
    };
    let CostSaving { before, after, saved, requests, saved_elsewhere, .. } = cost;
    let billed = match requests {
        0 => "No provider reported usage, so the bill is not known.".to_owned(),
        _ => format!(
            "{} requests cost {} instead of {}: {} saved.",
            number(*requests),
            dollars(*after),
            dollars(*before),
            dollars(*saved)
        ),
    };
    if *saved_elsewhere == 0.0 {
        return billed;
    }
    format!("{billed} The other requests saved {} at list prices.", dollars(*saved_elsewhere))
}

fn remarks(gain: &GainReport) -> Option<String> {
    let mut remarks = Vec::new();
    let observed = gain.observed;
    if observed.results > 0 {
        remarks.push(format!(
            "Measured only, in mode observe: {} tokens would have become {}.",
            number(observed.before),
            number(observed.after)
        ));
    }
    if let Some(shadow) = &gain.shadow {
        remarks.push(format!(
            "Beside it, {} shadow requests cost {} (`tokenforge shadow`): in no figure above.",
            number(shadow.requests),
            dollars(shadow.cost)
        ));
    }
    if gain.skipped_lines > 0 {
        remarks
            .push(format!("{} lines of the ledger could not be read.", number(gain.skipped_lines)));
    }
    (!remarks.is_empty()).then(|| remarks.join("\n"))
}

pub(super) fn number(number: u64) -> String {
    group_digits(usize::try_from(number).unwrap_or(usize::MAX))
}

fn signed_amount(amount: i64) -> String {
    let sign = if amount < 0 { "-" } else { "" };
    format!("{sign}{}", number(amount.unsigned_abs()))
}

/// Cents, and more digits where there are no cents.
pub(crate) fn dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    let amount = amount.abs();
    let digits = if amount >= 1.0 || amount == 0.0 { 2 } else { 4 };
    format!("{sign}${amount:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_ledger::{
        EntrySource, GroupBy, LedgerEntry, LedgerSummary, ModelPrices, ResultOutcome, TokenUsage,
    };

    fn gain(entries: &[LedgerEntry]) -> GainReport {
        let prices = ModelPrices::default();
        let mut summary = LedgerSummary::new(GroupBy::Tool, &prices);
        entries.iter().for_each(|entry| summary.add(entry));
        summary.gain()
    }

    fn entry() -> LedgerEntry {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, 1_794_744_000);
        entry.model = Some("claude-sonnet-4-5".into());
        entry.add(ResultOutcome::fresh("Bash", ["clean"], 40_000, 10_000));
        entry.add(ResultOutcome::fresh("Read", [], 10_000, 10_000));
        entry
    }

    #[test]
    fn a_person_reads_what_was_saved_and_of_what() {
        let mut entry = entry();
        entry.usage = Some(TokenUsage { input: 30_000, ..TokenUsage::default() });
        let page = page(&gain(&[entry]), true, "/data/ledger");
        assert!(
            page.starts_with(
                "30,000 tokens of tool output saved: 2 results in 1 requests, 2026-11-15."
            ),
            "{page}"
        );
        for part in [
            "Bash        1  40,000  10,000             0  30,000  $0.1062",
            "  75.0%  of the outputs touched: 30,000 of 40,000 tokens",
            "  60.0%  of all tool output: 30,000 of 50,000 tokens",
            "  54.1%  of the whole context: 35,400 of 65,400 tokens",
            "  54.1%  of the bill: $0.1062 of $0.1962",
            "1 requests cost $0.0900 instead of $0.1962: $0.1062 saved.",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
    }

    #[test]
    fn what_is_not_known_is_a_question_mark_and_a_reason() {
        let page = page(&gain(&[entry()]), false, "/data/ledger");
        assert!(
            page.contains("      ?  of the bill: not known: it takes the provider's count"),
            "{page}"
        );
        assert!(!page.contains("USD"), "{page}");
    }

    #[test]
    fn an_empty_ledger_says_what_to_do() {
        let page = page(&gain(&[]), false, "/data/ledger");
        assert!(page.contains("/data/ledger") && page.contains("tokenforge serve"), "{page}");
    }

    #[test]
    fn a_loss_is_called_one() {
        let mut entry = entry();
        entry.add(ResultOutcome::of_expansion("Bash", ["clean"], 31_000));
        let page = page(&gain(&[entry]), false, "/data/ledger");
        assert!(
            page.starts_with("1,000 tokens of tool output more than without Tokenforge"),
            "{page}"
        );
        assert!(page.contains("-2.5%  of the outputs touched: -1,000 of 40,000 tokens"), "{page}");
    }
}
