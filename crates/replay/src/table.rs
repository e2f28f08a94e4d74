//! What was found in a history, as a person reads it in a terminal.

use crate::account::{Account, Session};
use crate::history::History;
use crate::words::{dollars, grouped, name, saved};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// What was found, as text: `rows` of each table at most.
#[must_use]
pub fn text(history: &History, rows: usize) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(history, rows, &mut out);
    out
}

fn write(history: &History, rows: usize, out: &mut String) -> fmt::Result {
    let total = &history.total;
    writeln!(out, "{}\n", found(history))?;
    write_bill(total, out)?;
    writeln!(out, "\n{}", how_charged(total))?;
    if let Some(already) = already(total) {
        writeln!(out, "{already}")?;
    }
    writeln!(out, "{}", stability(total))?;
    writeln!(out, "{}", expansions(total))?;
    write_tools(total, rows, out)?;
    write_stages(total, rows, out)?;
    write_sessions(history, rows, out)?;
    write_kept(total, rows, out)?;
    write_problems(history, rows, out)
}

/// How much was found.
pub(crate) fn found(history: &History) -> String {
    let mut clients: BTreeMap<&str, usize> = BTreeMap::new();
    for session in &history.sessions {
        *clients.entry(session.client.name()).or_default() += 1;
    }
    let clients: Vec<String> =
        clients.iter().map(|(client, count)| format!("{client} {count}")).collect();
    let total = &history.total;
    format!(
        "{} sessions ({}), {} requests, {} tool results",
        grouped(history.sessions.len() as f64),
        clients.join(", "),
        grouped(total.requests as f64),
        grouped(total.results.count as f64)
    )
}

/// What the bill rests on.
pub(crate) fn how_charged(total: &Account) -> String {
    let Account { requests, logged, .. } = *total;
    let from = match requests.saturating_sub(logged) {
        0 => "Bill: the usage that was logged.".to_owned(),
        _ if logged == 0 => {
            "Bill: no usage was logged; modelled as a provider with a prompt cache charges."
                .to_owned()
        }
        modelled => format!(
            "Bill: the usage that was logged for {} of {} requests; {} are modelled.",
            grouped(logged as f64),
            grouped(requests as f64),
            grouped(modelled as f64)
        ),
    };
    let cut = match total.cut {
        0 => String::new(),
        cut => {
            format!(" {cut} conversations are longer than any model reads, and were taken apart.")
        }
    };
    let unpriced = match total.unpriced {
        0 => String::new(),
        count => format!(
            " {} requests went to models whose price is not known, and are charged as a common one's.",
            grouped(count as f64)
        ),
    };
    let assumed = match total.without_tools {
        0 => String::new(),
        count => format!(
            " {} sessions have no list of tools in their log: taken for it are the tools that were called, and for its size what the first request was charged beyond its messages.",
            grouped(count as f64)
        ),
    };
    from + &unpriced + &cut + &assumed
}

/// How much of it Tokenforge wrote already.
pub(crate) fn already(total: &Account) -> Option<String> {
    let (already, all) = (total.already, total.results.count);
    (already > 0).then(|| {
        format!(
            "{} of {} tool results have Tokenforge's own notation already: they are left as they are, and save nothing here.",
            grouped(already as f64),
            grouped(all as f64)
        )
    })
}

/// Whether what was sent stays as it was sent.
pub(crate) fn stability(total: &Account) -> String {
    let stability = total.prefix_stability;
    let meaning = match stability >= 1.0 {
        true => "what was sent once is sent the same again",
        false => {
            "A DEFECT: what was sent changed later, so the cached part was lost; please report it"
        }
    };
    format!("Prefix stability {stability:.3}: {meaning}.")
}

/// What fetching back would cost.
pub(crate) fn expansions(total: &Account) -> String {
    let (all, saved) = (&total.expansions, total.cost_saved());
    if all.references == 0 {
        return "Nothing was left out, so there is nothing to fetch back.".to_owned();
    }
    let start = format!(
        "Something was left out of {} results ({} tokens), and can be fetched back. All of them once would cost {}",
        grouped(all.references as f64),
        grouped(all.tokens as f64),
        dollars(all.cost_of_all)
    );
    match saved / all.cost_of_all.max(f64::MIN_POSITIVE) {
        _ if saved <= 0.0 => format!("{start}."),
        part if part >= 1.0 => format!("{start}, less than the {} saved.", dollars(saved)),
        part => format!("{start}: with more than {:.0} % of them nothing is saved.", 100.0 * part),
    }
}

fn write_bill(total: &Account, out: &mut String) -> fmt::Result {
    let (before, after) = (&total.before, &total.after);
    let Account { results, .. } = total;
    writeln!(out, "{:<22} {:>16} {:>16} {:>9}", "", "before", "after", "saved")?;
    let (tokens_in, tokens_out) = (results.tokens_in as f64, results.tokens_out as f64);
    let mut row = |what: &str, before: f64, after: f64, show: fn(f64) -> String| {
        let saved = saved(before, after);
        writeln!(out, "{what:<22} {:>16} {:>16} {saved:>9}", show(before), show(after))
    };
    row("tool results, tokens", tokens_in, tokens_out, grouped)?;
    row("all input, tokens", before.tokens.total_input(), after.tokens.total_input(), grouped)?;
    row("bill", before.cost.total(), after.cost.total(), dollars)?;
    row("  cache reads", before.cost.cache_read, after.cost.cache_read, dollars)?;
    row("  cache writes", before.cost.cache_write, after.cost.cache_write, dollars)?;
    row("  other input", before.cost.input, after.cost.input, dollars)?;
    row("  output", before.cost.output, after.cost.output, dollars)
}

fn write_tools(total: &Account, rows: usize, out: &mut String) -> fmt::Result {
    let mut tools: Vec<_> = total.tools.iter().collect();
    tools.sort_by_key(|(_, results)| std::cmp::Reverse(results.tokens_in));
    writeln!(
        out,
        "\n| {:<41} | results | changed | tokens in | tokens out |  saved | of the bill |",
        "tool"
    )?;
    writeln!(
        out,
        "|{:-<43}|--------:|--------:|----------:|-----------:|-------:|------------:|",
        ""
    )?;
    for (tool, results) in tools.iter().take(rows) {
        writeln!(
            out,
            "| {:<41} | {:>7} | {:>7} | {:>9} | {:>10} | {:>6} | {:>11} |",
            name(tool),
            results.count,
            results.changed,
            results.tokens_in,
            results.tokens_out,
            saved(results.tokens_in as f64, results.tokens_out as f64),
            dollars(results.cost_saved)
        )?;
    }
    more(tools.len(), rows, out)
}

fn write_stages(total: &Account, rows: usize, out: &mut String) -> fmt::Result {
    let mut stages: Vec<_> = total.stages.iter().collect();
    stages.sort_by_key(|(_, stage)| std::cmp::Reverse(stage.tokens_saved));
    if stages.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| {:<24} | results | tokens saved | of the bill |", "stage")?;
    writeln!(out, "|{:-<26}|--------:|-------------:|------------:|", "")?;
    for (stage, sum) in stages.iter().take(rows) {
        let (results, cost) = (sum.results, dollars(sum.cost_saved));
        writeln!(out, "| {stage:<24} | {results:>7} | {:>12} | {cost:>11} |", sum.tokens_saved)?;
    }
    more(stages.len(), rows, out)
}

fn write_sessions(history: &History, rows: usize, out: &mut String) -> fmt::Result {
    let mut sessions: Vec<&Session> = history.sessions.iter().collect();
    sessions.sort_by(|a, b| b.account.cost_saved().total_cmp(&a.account.cost_saved()));
    writeln!(
        out,
        "\n| {:<41} | client      | requests | tool tokens in | tokens out |      bill |     after |  saved |",
        "session, most saved first"
    )?;
    writeln!(
        out,
        "|{:-<43}|-------------|---------:|---------------:|-----------:|----------:|----------:|-------:|",
        ""
    )?;
    sessions.iter().take(rows).try_for_each(|session| write_session(session, out))?;
    more(sessions.len(), rows, out)?;
    let worse = dearer(history);
    if worse.is_empty() {
        return writeln!(out, "\nNo session costs more than it did.");
    }
    writeln!(out, "\n{} of {} sessions cost MORE, the worst first:", worse.len(), sessions.len())?;
    worse.iter().take(rows).try_for_each(|session| write_session(session, out))?;
    more(worse.len(), rows, out)
}

/// The sessions that cost more than they did, the worst first.
pub(crate) fn dearer(history: &History) -> Vec<&Session> {
    let mut worse: Vec<&Session> =
        history.sessions.iter().filter(|session| session.is_dearer()).collect();
    worse.sort_by(|a, b| b.account.cost_ratio().total_cmp(&a.account.cost_ratio()));
    worse
}

fn write_session(session: &Session, out: &mut String) -> fmt::Result {
    let Session { client, account, .. } = session;
    let (before, after) = (account.before.cost.total(), account.after.cost.total());
    writeln!(
        out,
        "| {:<41} | {client:<11} | {:>8} | {:>14} | {:>10} | {:>9} | {:>9} | {:>6} |",
        name(&session.name),
        account.requests,
        account.results.tokens_in,
        account.results.tokens_out,
        dollars(before),
        dollars(after),
        saved(before, after)
    )
}

fn write_kept(total: &Account, rows: usize, out: &mut String) -> fmt::Result {
    if total.results.larger > 0 {
        let count = grouped(total.results.larger as f64);
        writeln!(
            out,
            "\n{count} results have more tokens than before: a secret in them was replaced."
        )?;
    }
    if total.kept.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nThe longest results that go on as they came:")?;
    for kept in total.kept.iter().take(rows) {
        writeln!(out, "  {:>9} tokens  {:<41}  {}", kept.tokens, name(&kept.tool), kept.reason)?;
    }
    Ok(())
}

fn write_problems(history: &History, rows: usize, out: &mut String) -> fmt::Result {
    if history.problems.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nNot read:")?;
    for problem in history.problems.iter().take(rows) {
        let line = problem.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let file: String = problem.file.chars().filter(|char| !char.is_control()).collect();
        writeln!(out, "  {file}{line}: {}", problem.reason)?;
    }
    more(history.problems.len(), rows, out)
}

/// Says how many rows are not shown.
fn more(all: usize, shown: usize, out: &mut String) -> fmt::Result {
    match all.saturating_sub(shown) {
        0 => Ok(()),
        left => writeln!(out, "  and {left} more"),
    }
}
