//! What cold caches cost, as a person reads it.

use super::page::dollars;
use crate::output::group_digits;
use crate::screen;
use tokenforge_ledger::{CacheRewriteSums, ColdCacheReport, ColdCacheSession};
use tokenforge_replay::columns::{TextColumn, TextTable};

/// What was written to providers' caches again after pauses, and in which sessions; nothing if nothing was.
pub(super) fn section(report: &ColdCacheReport, with_cost: bool) -> Option<String> {
    let CacheRewriteSums { requests, tokens, cost, .. } = report.sums;
    if requests == 0 {
        return None;
    }
    let dearer = cost.filter(|_| with_cost).map_or_else(String::new, |cost| {
        format!(", which cost {} more than reading them", dollars(cost))
    });
    let sentence = format!(
        "Cold caches: after {} pauses {} tokens were written to the provider's cache again{dearer}.",
        number(requests),
        number(tokens)
    );
    let mut parts = vec![screen::paragraph(&sentence), table(&report.sessions, with_cost)];
    if report.left_out > 0 {
        parts.push(format!("... and {} more sessions", number(report.left_out as u64)));
    }
    Some(parts.join("\n"))
}

fn table(sessions: &[ColdCacheSession], with_cost: bool) -> String {
    let numbers = ["pauses", "longest", "tokens written again"].map(TextColumn::number);
    let money = with_cost.then(|| TextColumn::number("USD"));
    let columns = [TextColumn::text("session")].into_iter().chain(numbers).chain(money);
    let mut table = TextTable::new(columns);
    for session in sessions {
        let CacheRewriteSums { requests, tokens, longest_pause, cost } = session.sums;
        let mut cells =
            vec![name(session), number(requests), duration(longest_pause), number(tokens)];
        if with_cost {
            cells.push(cost.map_or_else(|| "-".to_owned(), dollars));
        }
        table.row(cells);
    }
    screen::table(&table)
}

/// The project or the agent, and enough of the id to find it on the dashboard.
fn name(session: &ColdCacheSession) -> String {
    let named = session.project.as_ref().or(session.client.as_ref());
    let id: String = session.id.chars().take(8).collect();
    named.map_or_else(|| id.clone(), |name| format!("{name} {id}"))
}

fn duration(seconds: u64) -> String {
    match seconds / 60 {
        minutes @ 0..120 => format!("{minutes} min"),
        minutes @ 120..2880 => format!("{} h", minutes / 60),
        minutes => format!("{} d", minutes / 1440),
    }
}

fn number(number: u64) -> String {
    group_digits(usize::try_from(number).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_33_a_person_reads_what_pauses_cost_and_in_which_session() {
        let sums = CacheRewriteSums {
            requests: 3,
            tokens: 214_000,
            longest_pause: 7_300,
            cost: Some(0.7383),
        };
        let session = ColdCacheSession {
            id: "0123456789abcdef".to_owned(),
            client: Some("claude-cli".into()),
            project: Some("shop".into()),
            latest: 0,
            sums,
        };
        let report = ColdCacheReport { sums, sessions: vec![session], left_out: 2 };
        let text = section(&report, true).unwrap();
        for part in [
            "after 3 pauses 214,000 tokens were written to the provider's cache again,",
            "which cost $0.7383 more than reading them",
            "shop 01234567       3      2 h               214,000  $0.7383",
            "... and 2 more sessions",
        ] {
            assert!(text.replace('\n', " ").contains(part), "{part}\n{text}");
        }
        assert!(!section(&report, false).unwrap().contains('$'));
        assert_eq!(section(&ColdCacheReport::default(), true), None);
    }
}
