//! The terminal report: what was found in a history, as a person reads it.

use crate::account::{OldResultSums, ReplayAccount, ReplayedSession};
use crate::columns::{TextColumn, TextTable, wrap_paragraph};
use crate::history::ReplayHistory;
use crate::words::{dollars, group_digits, percent_saved, printable_name};
use std::collections::BTreeMap;

/// What was found, as text: `rows` of each table at most, in lines of at most `width` columns.
#[must_use]
pub fn text(history: &ReplayHistory, rows: usize, width: usize) -> String {
    let total = &history.total;
    let mut notes = vec![how_charged(total)];
    notes.extend(already(total));
    notes.extend([stability(total), old_results(total), expansions(total)]);
    let notes: Vec<String> = notes.iter().map(|note| wrap_paragraph(note, width, "", "")).collect();
    let mut parts = vec![
        wrap_paragraph(&summary_line(history), width, "", ""),
        bill(total, width),
        notes.join("\n"),
    ];
    parts.push(tools(total, rows, width));
    parts.extend(stages(total, rows, width));
    parts.push(declarations(total, history.sessions.len(), rows, width));
    parts.extend(sessions(history, rows, width));
    parts.extend(larger(total, width));
    parts.extend(unchanged_results(total, rows, width));
    parts.extend(problems(history, rows, width));
    parts.join("\n\n") + "\n"
}

/// How much was found.
pub(crate) fn summary_line(history: &ReplayHistory) -> String {
    let mut clients: BTreeMap<&str, usize> = BTreeMap::new();
    for session in &history.sessions {
        *clients.entry(session.client.name()).or_default() += 1;
    }
    let clients: Vec<String> =
        clients.iter().map(|(client, count)| format!("{client} {count}")).collect();
    let total = &history.total;
    format!(
        "{} sessions ({}), {} requests, {} tool results",
        group_digits(history.sessions.len() as f64),
        clients.join(", "),
        group_digits(total.requests as f64),
        group_digits(total.results.count as f64)
    )
}

/// What the bill rests on.
pub(crate) fn how_charged(total: &ReplayAccount) -> String {
    let ReplayAccount { requests, logged, .. } = *total;
    let from = match requests.saturating_sub(logged) {
        0 => "Bill: the usage that was logged.".to_owned(),
        _ if logged == 0 => {
            "Bill: no usage was logged; modelled as a provider with a prompt cache charges."
                .to_owned()
        }
        modelled => format!(
            "Bill: the usage that was logged for {} of {} requests; {} are modelled.",
            group_digits(logged as f64),
            group_digits(requests as f64),
            group_digits(modelled as f64)
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
            group_digits(count as f64)
        ),
    };
    let assumed = match total.without_tools {
        0 => String::new(),
        count => format!(
            " {} sessions have no list of tools in their log: taken for it are the tools that were called, and for its size what the first request was charged beyond its messages.",
            group_digits(count as f64)
        ),
    };
    from + &unpriced + &cut + &assumed
}

/// How much of it Tokenforge wrote already.
pub(crate) fn already(total: &ReplayAccount) -> Option<String> {
    let (already, all) = (total.already, total.results.count);
    (already > 0).then(|| {
        format!(
            "{} of {} tool results have Tokenforge's own notation already: they are left as they are, and save nothing here.",
            group_digits(already as f64),
            group_digits(all as f64)
        )
    })
}

/// Whether what was sent stays as it was sent.
pub(crate) fn stability(total: &ReplayAccount) -> String {
    let stability = total.prefix_stability;
    let meaning = if stability >= 1.0 {
        "what was sent once is sent the same again"
    } else {
        "A DEFECT: what was sent changed later, so the cached part was lost; please report it"
    };
    format!("Prefix stability {stability:.3}: {meaning}.")
}

/// What leaving old results out at cold caches comes to.
pub(crate) fn old_results(total: &ReplayAccount) -> String {
    let Some(OldResultSums { known, cold, left_out, tokens, saved }) = total.old_results else {
        return "Old results stay, by the settings.".to_owned();
    };
    if known == 0 {
        return "Old results stay: no log has times or usage that say when the provider's cache was cold.".to_owned();
    }
    let start = format!(
        "Old results: the provider's cache was cold in {} of {} requests of which that is known",
        group_digits(cold as f64),
        group_digits(known as f64)
    );
    if left_out == 0 {
        return format!("{start}; there was nothing to leave out.");
    }
    let after = total.after.cost.total();
    format!(
        "{start}. {} results became references there ({} tokens less): the bill is {} with that, and {} without it.",
        group_digits(left_out as f64),
        group_digits(tokens as f64),
        dollars(after),
        dollars(after + saved.cost.total())
    )
}

/// What fetching back would cost.
pub(crate) fn expansions(total: &ReplayAccount) -> String {
    let (all, saved) = (&total.expansions, total.cost_saved());
    if all.references == 0 {
        return "Nothing was left out, so there is nothing to fetch back.".to_owned();
    }
    let start = format!(
        "Something was left out of {} results ({} tokens), and can be fetched back. All of them once would cost {}",
        group_digits(all.references as f64),
        group_digits(all.tokens as f64),
        dollars(all.cost_of_all)
    );
    let all_of_them = match saved / all.cost_of_all.max(f64::MIN_POSITIVE) {
        _ if saved <= 0.0 => format!("{start}."),
        part if part >= 1.0 => format!("{start}, less than the {} saved.", dollars(saved)),
        part => format!("{start}: with more than {:.0} % of them nothing is saved.", 100.0 * part),
    };
    let fetched = format!(
        " {} had to be, since a later answer has what only they have; the {} for that are in the bill.",
        group_digits(all.fetched as f64),
        dollars(all.cost_of_fetched)
    );
    all_of_them + if all.fetched > 0 { &fetched } else { "" }
}

fn bill(total: &ReplayAccount, width: usize) -> String {
    let (before, after) = (&total.before, &total.after);
    let results = &total.results;
    let mut table = TextTable::new([
        TextColumn::text(""),
        TextColumn::number("before"),
        TextColumn::number("after"),
        TextColumn::number("saved"),
    ]);
    let mut row = |what: &str, before: f64, after: f64, show: fn(f64) -> String| {
        table.row([what.to_owned(), show(before), show(after), percent_saved(before, after)]);
    };
    row("tool results, tokens", results.tokens_in as f64, results.tokens_out as f64, group_digits);
    row("all input, tokens", before.tokens.total_input(), after.tokens.total_input(), group_digits);
    row("bill", before.cost.total(), after.cost.total(), dollars);
    row("  cache reads", before.cost.cache_read, after.cost.cache_read, dollars);
    row("  cache writes", before.cost.cache_write, after.cost.cache_write, dollars);
    row("  other input", before.cost.input, after.cost.input, dollars);
    row("  output", before.cost.output, after.cost.output, dollars);
    table.text(width)
}

fn tools(total: &ReplayAccount, rows: usize, width: usize) -> String {
    let mut tools: Vec<_> = total.tools.iter().collect();
    tools.sort_by_key(|(_, results)| std::cmp::Reverse(results.tokens_in));
    let mut table = TextTable::new([
        TextColumn::text("tool"),
        TextColumn::number("results"),
        TextColumn::number("changed"),
        TextColumn::number("tokens"),
        TextColumn::number("after"),
        TextColumn::number("saved"),
        TextColumn::number("of the bill"),
    ]);
    for (tool, results) in tools.iter().take(rows) {
        table.row([
            printable_name(tool),
            group_digits(results.count as f64),
            group_digits(results.changed as f64),
            group_digits(results.tokens_in as f64),
            group_digits(results.tokens_out as f64),
            percent_saved(results.tokens_in as f64, results.tokens_out as f64),
            dollars(results.cost_saved),
        ]);
    }
    table.text(width) + &more(tools.len(), rows)
}

fn stages(total: &ReplayAccount, rows: usize, width: usize) -> Option<String> {
    let mut stages: Vec<_> = total.stages.iter().collect();
    stages.sort_by_key(|(_, stage)| std::cmp::Reverse(stage.tokens_saved));
    let mut table = TextTable::new([
        TextColumn::text("stage"),
        TextColumn::number("results"),
        TextColumn::number("tokens saved"),
        TextColumn::number("of the bill"),
    ]);
    for (stage, sum) in stages.iter().take(rows) {
        let (results, tokens) =
            (group_digits(sum.results as f64), group_digits(sum.tokens_saved as f64));
        table.row([(*stage).to_string(), results, tokens, dollars(sum.cost_saved)]);
    }
    (!stages.is_empty()).then(|| table.text(width) + &more(stages.len(), rows))
}

/// Tools that were declared and never called, where the logs say what was declared.
fn declarations(total: &ReplayAccount, sessions: usize, rows: usize, width: usize) -> String {
    let note = wrap_paragraph(&declaration_note(total, sessions), width, "", "");
    let unused = total.declarations.never_called();
    if unused.is_empty() {
        return note;
    }
    let texts = ["never called", "agent", "tool server"].map(TextColumn::text);
    let numbers = ["sessions", "tokens each", "of the bill"].map(TextColumn::number);
    let mut table = TextTable::new(texts.into_iter().chain(numbers));
    for tool in unused.iter().take(rows) {
        table.row([
            printable_name(&tool.name),
            tool.client.clone(),
            tool.server.as_deref().map(printable_name).unwrap_or_default(),
            group_digits(tool.sessions as f64),
            group_digits(tool.tokens as f64),
            dollars(tool.cost),
        ]);
    }
    format!("{note}\n{}{}", table.text(width), more(unused.len(), rows))
}

/// The cost of tool declarations, or that it is unknown.
pub(crate) fn declaration_note(total: &ReplayAccount, sessions: usize) -> String {
    let sums = &total.declarations;
    let digits = |tokens: usize| group_digits(tokens as f64);
    if sums.sessions == 0 {
        return "Tool declarations: no log has a list of tools, so what was declared and never called is not known."
            .to_owned();
    }
    let bill = total.before.cost.total().max(f64::MIN_POSITIVE);
    let of_bill =
        |cost: f64| format!("{}, {:.1} % of the bill", dollars(cost), 100.0 * cost / bill);
    format!(
        "Tool declarations, recorded for {} of {} sessions: {} of {} tokens were of tools that the session never called \
         ({}). `schema_compression` would take away {} tokens with minify, {} with compact ({}).",
        digits(sums.sessions),
        digits(sessions),
        digits(sums.unused_tokens),
        digits(sums.tokens),
        of_bill(sums.unused_cost),
        digits(sums.minify.tokens),
        digits(sums.compact.tokens),
        of_bill(sums.compact.cost),
    )
}

fn sessions(history: &ReplayHistory, rows: usize, width: usize) -> Vec<String> {
    let mut sessions: Vec<&ReplayedSession> = history.sessions.iter().collect();
    sessions.sort_by(|a, b| b.account.cost_saved().total_cmp(&a.account.cost_saved()));
    let most = format!("Sessions, most saved first:\n{}", session_table(&sessions, rows, width));
    let worse = dearer(history);
    if worse.is_empty() {
        return vec![most, "No session costs more than it did.".to_owned()];
    }
    let count =
        format!("{} of {} sessions cost MORE, the worst first:", worse.len(), sessions.len());
    vec![most, format!("{count}\n{}", session_table(&worse, rows, width))]
}

fn session_table(sessions: &[&ReplayedSession], rows: usize, width: usize) -> String {
    let mut table = TextTable::new([
        TextColumn::text("session"),
        TextColumn::number("requests"),
        TextColumn::number("tool tokens"),
        TextColumn::number("after"),
        TextColumn::number("bill"),
        TextColumn::number("after"),
        TextColumn::number("saved"),
    ]);
    let is_mixed = sessions.windows(2).any(|pair| pair[0].client != pair[1].client);
    for ReplayedSession { name: named, client, account, .. } in sessions.iter().take(rows) {
        let (before, after) = (account.before.cost.total(), account.after.cost.total());
        let client = if is_mixed { format!("{client}: ") } else { String::new() };
        table.row([
            client + &printable_name(named),
            group_digits(account.requests as f64),
            group_digits(account.results.tokens_in as f64),
            group_digits(account.results.tokens_out as f64),
            dollars(before),
            dollars(after),
            percent_saved(before, after),
        ]);
    }
    table.text(width) + &more(sessions.len(), rows)
}

/// The sessions that cost more than they did, the worst first.
pub(crate) fn dearer(history: &ReplayHistory) -> Vec<&ReplayedSession> {
    let mut worse: Vec<&ReplayedSession> =
        history.sessions.iter().filter(|session| session.is_dearer()).collect();
    worse.sort_by(|a, b| b.account.cost_ratio().total_cmp(&a.account.cost_ratio()));
    worse
}

fn larger(total: &ReplayAccount, width: usize) -> Option<String> {
    let count = group_digits(total.results.larger as f64);
    let note =
        format!("{count} results have more tokens than before: a secret in them was replaced.");
    (total.results.larger > 0).then(|| wrap_paragraph(&note, width, "", ""))
}

fn unchanged_results(total: &ReplayAccount, rows: usize, width: usize) -> Option<String> {
    let mut table = TextTable::new([
        TextColumn::number("tokens"),
        TextColumn::text("tool"),
        TextColumn::text("longest results left as they were, because"),
    ]);
    for kept in total.kept.iter().take(rows) {
        table.row([
            group_digits(kept.tokens as f64),
            printable_name(&kept.tool),
            kept.reason.to_string(),
        ]);
    }
    (!total.kept.is_empty()).then(|| table.text(width))
}

fn problems(history: &ReplayHistory, rows: usize, width: usize) -> Option<String> {
    let mut lines = vec!["Not read:".to_owned()];
    for problem in history.problems.iter().take(rows) {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let file: String = problem.file.chars().filter(|char| !char.is_control()).collect();
        let says = format!("{file}{line}: {}", problem.reason);
        lines.push(wrap_paragraph(&says, width, "  ", "    "));
    }
    let text = lines.join("\n") + &more(history.problems.len(), rows);
    (!history.problems.is_empty()).then_some(text)
}

/// Says how many rows are not shown.
fn more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        left => format!("\n... and {left} more; --rows {all} shows all"),
    }
}
