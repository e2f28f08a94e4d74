//! Unused declarations as a person reads them: tools that were declared and never called, and their price.

use super::page::{dollars, number};
use crate::screen;
use tokenforge_ledger::{DeclarationReport, DeclaringServer, UnusedTool};
use tokenforge_replay::columns::{TextColumn, TextTable};

/// The cost of tool declarations, and the most expensive unused ones: `rows` of each table at most.
pub(crate) fn unused_tools(report: &DeclarationReport, rows: usize) -> String {
    let mut parts = vec![screen::paragraph(&summary(report))];
    if !report.unused.is_empty() {
        parts.push(tools(&report.unused, rows));
        let servers: Vec<&DeclaringServer> =
            report.servers.iter().filter(|server| server.unused > 0).collect();
        parts.push(by_server(&servers, rows));
    }
    parts.join("\n\n")
}

fn summary(report: &DeclarationReport) -> String {
    let (tools, unused) = report
        .servers
        .iter()
        .fold((0, 0), |(tools, unused), server| (tools + server.tools, unused + server.unused));
    let cost = |cost: Option<f64>| cost.map(|cost| format!(", {}", dollars(cost)));
    let mut said = match unused {
        0 => format!("Each of {} declared tools was called.", number(tools)),
        _ => format!(
            "{} of {} declared tools were never called: {} of {} tokens of declarations in {} requests{}.",
            number(unused),
            number(tools),
            number(report.unused_tokens),
            number(report.tokens),
            number(report.requests),
            cost(report.unused_cost).unwrap_or_default(),
        ),
    };
    if report.shortened > 0 {
        said += &format!(
            " Schema compression took {} tokens away{}.",
            number(report.shortened),
            cost(report.shortened_cost).unwrap_or_default()
        );
    }
    if report.unnamed > 0 {
        said += &format!(
            " What {} requests declare is not known: the names are no longer in the ledger.",
            number(report.unnamed)
        );
    }
    said
}

fn tools(unused: &[UnusedTool], rows: usize) -> String {
    let numbers = ["tokens each", "requests", "USD"].map(TextColumn::number);
    let texts = ["never called", "agent"].map(TextColumn::text);
    let mut table = TextTable::new(texts.into_iter().chain(numbers));
    for tool in unused.iter().take(rows) {
        table.row([
            tool.tool.clone(),
            tool.client.clone(),
            number(tool.declaration),
            number(tool.requests),
            money(tool.cost),
        ]);
    }
    let more = match unused.len().saturating_sub(rows) {
        0 => "\n`tokenforge tools disable NAME...` switches them off.".to_owned(),
        more => format!(
            "\n... and {more} more; `tokenforge tools list` has all, `tokenforge tools disable NAME...` switches them off"
        ),
    };
    screen::table(&table) + &screen::paragraph(&more)
}

fn by_server(servers: &[&DeclaringServer], rows: usize) -> String {
    let numbers = ["tools", "never called", "tokens", "USD"].map(TextColumn::number);
    let texts = ["agent", "tool server"].map(TextColumn::text);
    let mut table = TextTable::new(texts.into_iter().chain(numbers));
    for server in servers.iter().take(rows) {
        table.row([
            server.client.clone(),
            server.server.clone().unwrap_or_else(|| "(none, or not known)".to_owned()),
            number(server.tools),
            number(server.unused),
            number(server.unused_tokens),
            money(server.unused_cost),
        ]);
    }
    screen::table(&table)
}

fn money(cost: Option<f64>) -> String {
    cost.map_or_else(|| "-".to_owned(), dollars)
}
