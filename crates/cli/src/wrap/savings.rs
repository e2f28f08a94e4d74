//! What was saved while the agent ran, in one line: the figures of `tokenforge gain`, for this run.

use crate::gain::dollars;
use crate::output::group_digits;
use tokenforge_ledger::{GainReport, ShareDenominator};

/// What was saved, in money; in tokens where they have no price.
pub(super) fn line(gain: Option<&GainReport>, look: &str) -> String {
    let Some(gain) = gain else {
        return "no savings to report: the gateway keeps no ledger, or has stopped".to_owned();
    };
    if gain.requests == 0 {
        return "no requests went through it".to_owned();
    }
    let results = match gain.results {
        1 => "1 tool result".to_owned(),
        results => format!("{} tool results", group_digits(results as usize)),
    };
    format!(
        "{results} in {} requests: {}; {look}",
        group_digits(gain.requests as usize),
        savings_text(gain)
    )
}

/// The net figure: of the bill if it is known, else of the whole context.
fn savings_text(gain: &GainReport) -> String {
    if let Some(cost) = gain.cost.filter(|cost| cost.requests > 0) {
        let share = share(gain, ShareDenominator::Bill);
        return if cost.saved < 0.0 {
            format!("{} MORE than without Tokenforge{share}", dollars(-cost.saved))
        } else {
            format!("{} saved of {}{share}", dollars(cost.saved), dollars(cost.before))
        };
    }
    let context = gain.shares.iter().find(|share| share.of == ShareDenominator::WholeContext);
    let (tokens, of) = context.map_or((0.0, 0.0), |share| (share.saved, share.before));
    let share = share(gain, ShareDenominator::WholeContext);
    let tokens = if tokens < 0.0 {
        format!("{} tokens MORE than without Tokenforge{share}", group_digits(-tokens as usize))
    } else {
        format!(
            "{} of {} tokens saved{share}",
            group_digits(tokens as usize),
            group_digits(of as usize)
        )
    };
    let money = match gain.cost {
        Some(cost) => format!(", about {} at list prices", dollars(cost.saved_elsewhere)),
        None if gain.subscription_requests > 0 => {
            " (with a subscription, tokens have no price)".to_owned()
        }
        None => " (the price of the model is not known)".to_owned(),
    };
    tokens + &money
}

fn share(gain: &GainReport, of: ShareDenominator) -> String {
    let share = gain.shares.iter().find(|share| share.of == of).and_then(|share| share.share);
    let of = if of == ShareDenominator::Bill { "of the bill" } else { "of the context" };
    share.map(|share| format!(", {:.1} % {of}", 100.0 * share.abs())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_ledger::{
        EntrySource, GroupBy, LedgerEntry, LedgerSummary, ModelPrices, ResultOutcome, TokenUsage,
    };

    fn entry() -> LedgerEntry {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, 0);
        entry.model = Some("gpt-4.1".into());
        entry.add(ResultOutcome::fresh("Bash", ["clean"], 40_000, 10_000));
        entry.usage = Some(TokenUsage { input: 90_000, ..TokenUsage::default() });
        entry
    }

    fn line_of(entry: &LedgerEntry) -> String {
        let prices = ModelPrices::default();
        let mut summary = LedgerSummary::new(GroupBy::Tool, &prices);
        summary.add(entry);
        line(Some(&summary.gain()), "look there")
    }

    #[test]
    fn d33_the_line_is_the_net_figure_in_money_and_says_where_to_look() {
        assert_eq!(
            line_of(&entry()),
            "1 tool result in 1 requests: $0.0600 saved of $0.2400, 25.0 % of the bill; look there"
        );
        let mut dearer = entry();
        dearer.results[0].expanded = 40_000;
        assert!(
            line_of(&dearer).contains(": $0.0200 MORE than without Tokenforge, "),
            "{}",
            line_of(&dearer)
        );
    }

    #[test]
    fn d33_where_no_token_has_a_price_it_is_tokens_and_percent() {
        let mut plan = entry();
        plan.subscription = true;
        let line = line_of(&plan);
        assert!(line.contains("30,000 of 120,000 tokens saved, 25.0 % of the context"), "{line}");
        assert!(line.contains("subscription") && !line.contains('$'), "{line}");
        let mut unknown = entry();
        unknown.model = Some("unknown-model".into());
        assert!(
            line_of(&unknown).contains("price of the model is not known"),
            "{}",
            line_of(&unknown)
        );
        let mut uncounted = entry();
        uncounted.usage = None;
        assert!(
            line_of(&uncounted).contains("about $0.0600 at list prices"),
            "{}",
            line_of(&uncounted)
        );
        assert!(line_of_nothing().starts_with("no requests went through it"));
    }

    fn line_of_nothing() -> String {
        let prices = ModelPrices::default();
        line(Some(&LedgerSummary::new(GroupBy::Tool, &prices).gain()), "look there")
    }
}
