//! The HTML report: what was found in a history, as one page that needs nothing else: no script, no font, no network.

mod chart;

use crate::account::{ReplayAccount, ReplayedSession};
use crate::history::ReplayHistory;
use crate::table::{
    dearer, declaration_note, expansions, how_charged, old_results, stability, summary_line,
};
use crate::usage::UsageCharge;
use crate::words::{dollars, group_digits, percent_saved, printable_name};
use chart::{ChartRow, chart, key};
use std::fmt::Write;

/// How many rows a table has.
const ROWS: usize = 50;

/// How many bars a chart has.
const BARS: usize = 12;

const STYLE: &str = include_str!("page/style.css");

/// What was found, as a page. `about` says how it was replayed.
#[must_use]
pub fn html(history: &ReplayHistory, about: &str) -> String {
    let total = &history.total;
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Tokenforge replay</title><style>{STYLE}</style></head><body><main>\
         <h1>What Tokenforge would have saved</h1><p class=\"quiet\">{}. {}</p>",
        escape_html(&summary_line(history)),
        escape_html(about)
    );
    page += &cards(total);
    page += &format!("<p>{}</p>", escape_html(&how_charged(total)));
    let class = if total.prefix_stability >= 1.0 { "" } else { " class=\"bad\"" };
    page += &format!("<p{class}>{}</p>", escape_html(&stability(total)));
    page += &format!("<p>{}</p>", escape_html(&old_results(total)));
    page += &format!("<p>{}</p>", escape_html(&expansions(total)));
    page += &bill(total);
    page += &tools(total);
    page += &stages(total);
    page += &declarations(history);
    page += &sessions(history);
    page += &unchanged_results(total);
    page += &problems(history);
    page + "</main></body></html>\n"
}

/// A text with what HTML would read as its own replaced.
fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

fn cards(total: &ReplayAccount) -> String {
    let (before, after) = (total.before.cost.total(), total.after.cost.total());
    let results = &total.results;
    let tokens = percent_saved(results.tokens_in as f64, results.tokens_out as f64);
    let stability = format!("{:.3}", total.prefix_stability);
    let card = |value: &str, what: &str| {
        format!("<div class=\"card\"><b>{}</b>{}</div>", escape_html(value), escape_html(what))
    };
    let all = [
        card(&percent_saved(before, after), "of the bill"),
        card(&dollars(before - after), &format!("of {}", dollars(before))),
        card(&tokens, "of the tool results' tokens"),
        card(&stability, "prefix stability"),
    ];
    format!("<div class=\"cards\">{}</div>", all.concat())
}

fn bill(total: &ReplayAccount) -> String {
    let row = |label: &str, cost: &UsageCharge| ChartRow {
        label: label.to_owned(),
        bars: vec![
            (cost.cache_read, "read"),
            (cost.cache_write, "write"),
            (cost.input, "input"),
            (cost.output, "output"),
        ],
        value: dollars(cost.total()),
    };
    let rows = [row("before", &total.before.cost), row("after", &total.after.cost)];
    let colours = [
        ("read", "cache reads"),
        ("write", "cache writes"),
        ("input", "other input"),
        ("output", "output"),
    ];
    format!("<h2>The bill</h2>{}{}", key(&colours), chart("The bill before and after", &rows))
}

fn tools(total: &ReplayAccount) -> String {
    let mut tools: Vec<_> = total.tools.iter().collect();
    tools.sort_by_key(|(_, results)| std::cmp::Reverse(results.tokens_in));
    let row = |(tool, results): &(&String, &crate::account::ResultSums)| {
        let gone = results.tokens_in.saturating_sub(results.tokens_out);
        let (before, after) = (results.tokens_in as f64, results.tokens_out as f64);
        ChartRow {
            label: printable_name(tool).chars().take(28).collect(),
            bars: vec![(after, "out"), (gone as f64, "in")],
            value: format!(
                "{} less, {}",
                percent_saved(before, after),
                dollars(results.cost_saved)
            ),
        }
    };
    let rows: Vec<ChartRow> = tools.iter().take(BARS).map(row).collect();
    let colours = [("out", "tokens that are sent"), ("in", "tokens that are saved")];
    let cells = tools.iter().take(ROWS).map(|(tool, results)| {
        vec![
            printable_name(tool),
            group_digits(results.count as f64),
            group_digits(results.changed as f64),
            group_digits(results.tokens_in as f64),
            group_digits(results.tokens_out as f64),
            percent_saved(results.tokens_in as f64, results.tokens_out as f64),
            dollars(results.cost_saved),
        ]
    });
    let head = ["tool", "results", "changed", "tokens in", "tokens out", "saved", "of the bill"];
    let chart = chart("Tokens of tool results, by tool", &rows);
    let table = table(&head, cells);
    format!(
        "<h2>By tool</h2>{}{chart}<details><summary>As a table</summary>{table}</details>",
        key(&colours)
    )
}

fn stages(total: &ReplayAccount) -> String {
    let mut stages: Vec<_> = total.stages.iter().collect();
    stages.sort_by_key(|(_, stage)| std::cmp::Reverse(stage.tokens_saved));
    let row = |(stage, sum): &(&String, &crate::account::StageSavings)| ChartRow {
        label: (*stage).clone(),
        bars: vec![(sum.tokens_saved as f64, "out")],
        value: format!(
            "{} tokens, {}",
            group_digits(sum.tokens_saved as f64),
            dollars(sum.cost_saved)
        ),
    };
    let rows: Vec<ChartRow> = stages.iter().map(row).collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("<h2>By stage</h2>{}", chart("Tokens saved, by stage", &rows))
    }
}

fn declarations(history: &ReplayHistory) -> String {
    let total = &history.total;
    let note = escape_html(&declaration_note(total, history.sessions.len()));
    let cells = total.declarations.never_called().into_iter().take(ROWS).map(|tool| {
        vec![
            printable_name(&tool.name),
            tool.client.clone(),
            tool.server.as_deref().map(printable_name).unwrap_or_default(),
            group_digits(tool.sessions as f64),
            group_digits(tool.tokens as f64),
            dollars(tool.cost),
        ]
    });
    let head = ["never called", "agent", "tool server", "sessions", "tokens each", "of the bill"];
    let table = if total.declarations.never_called().is_empty() {
        String::new()
    } else {
        table(&head, cells)
    };
    format!("<h2>Tool declarations</h2><p>{note}</p>{table}")
}

fn sessions(history: &ReplayHistory) -> String {
    let mut sessions: Vec<&ReplayedSession> = history.sessions.iter().collect();
    sessions.sort_by(|a, b| b.account.cost_saved().total_cmp(&a.account.cost_saved()));
    let worse = dearer(history);
    let negative = match worse.len() {
        0 => "<p>No session costs more than it did.</p>".to_owned(),
        count => format!(
            "<p class=\"bad\">{count} of {} sessions cost more than they did:</p>{}",
            sessions.len(),
            session_table(&worse)
        ),
    };
    format!(
        "<h2>Sessions</h2>{negative}<p class=\"quiet\">Most saved first, at most {ROWS}.</p>{}",
        session_table(&sessions)
    )
}

fn session_table(sessions: &[&ReplayedSession]) -> String {
    let cells = sessions.iter().take(ROWS).map(|session| {
        let account = &session.account;
        let (before, after) = (account.before.cost.total(), account.after.cost.total());
        vec![
            printable_name(&session.name),
            session.client.name().to_owned(),
            session.model.as_deref().map(printable_name).unwrap_or_default(),
            group_digits(account.requests as f64),
            group_digits(account.results.tokens_in as f64),
            group_digits(account.results.tokens_out as f64),
            dollars(before),
            dollars(after),
            percent_saved(before, after),
        ]
    });
    let head = [
        "session",
        "client",
        "model",
        "requests",
        "tool tokens in",
        "out",
        "bill",
        "after",
        "saved",
    ];
    table(&head, cells)
}

fn unchanged_results(total: &ReplayAccount) -> String {
    let cells = total.kept.iter().map(|kept| {
        vec![printable_name(&kept.tool), group_digits(kept.tokens as f64), kept.reason.to_owned()]
    });
    let table = table(&["tool", "tokens", "why"], cells);
    if total.kept.is_empty() {
        String::new()
    } else {
        format!("<h2>The longest results that go on as they came</h2>{table}")
    }
}

fn problems(history: &ReplayHistory) -> String {
    if history.problems.is_empty() {
        return String::new();
    }
    let cells = history.problems.iter().take(ROWS).map(|problem| {
        let line = problem.line.map(|line| line.to_string()).unwrap_or_default();
        vec![problem.file.clone(), line, problem.reason.clone()]
    });
    format!("<h2>Not read</h2>{}", table(&["file", "line", "why"], cells))
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = String::from("<div class=\"scroll\"><table><thead><tr>");
    for cell in head {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape_html(cell));
    }
    out += "</tr></thead><tbody>";
    for row in rows {
        out += "<tr>";
        for cell in row {
            let _ = write!(out, "<td>{}</td>", escape_html(&cell));
        }
        out += "</tr>";
    }
    out + "</tbody></table></div>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::ResultSums;

    #[test]
    fn the_page_needs_nothing_else_and_shows_names_as_they_are() {
        let mut total = ReplayAccount::new();
        let results =
            ResultSums { count: 1, tokens_in: 10, tokens_out: 4, ..ResultSums::default() };
        total.tools.insert("<script>alert(1)</script>".to_owned(), results);
        let history = ReplayHistory { total, sessions: Vec::new(), problems: Vec::new() };
        let page = html(&history, "Mode standard.");
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script"));
        assert!(page.contains("<svg") && page.contains("prefers-color-scheme: dark"));
        for outside in ["http:", "https:", "@import", "url(", " src="] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}
