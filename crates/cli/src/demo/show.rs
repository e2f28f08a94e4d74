//! The demo's figures as a page for people.

use super::figures::{Billed, Expanded, Figures, Output, Row};
use super::tool_calls::Called;
use crate::output::group_digits;
use crate::screen::{self, TextStyler};
use tokenforge_ledger::{Of, Share};
use tokenforge_replay::columns::{padded, shortened};

/// Longer words for an output are cut.
const WORDS: usize = 50;

pub(super) fn page(figures: &Figures) -> String {
    let intro = format!(
        "A recorded agent session of {} turns, sent through a gateway at {} to a model provider that is part of this \
         program: no key, no network.",
        figures.turns, figures.gateway
    );
    let outputs = figures.outputs.iter().map(|it| row(&words(it), it.before, it.after));
    let mut parts = vec![
        screen::paragraph(&intro),
        table("tokens of each tool output", outputs),
        table("by tool", figures.tools.iter().map(sum)),
        table("by stage", figures.stages.iter().map(sum)),
        table("saved", figures.shares.iter().map(share)),
    ];
    let mut notes = vec![bill(&figures.bill), stability(figures.prefix_stability)];
    notes.extend(figures.expansion.iter().map(expansion));
    notes.push(tools(&figures.mcp));
    let notes: Vec<String> = notes.iter().map(|note| screen::paragraph(note)).collect();
    parts.push(notes.join("\n"));
    parts.push(format!("Dashboard: {}", figures.dashboard));
    parts.join("\n\n")
}

/// The tables stand below each other: their columns have the same widths.
fn table(title: &str, rows: impl Iterator<Item = [String; 4]>) -> String {
    let line = |[name, before, after, saved]: [String; 4]| {
        let name = padded(&shortened(&name, WORDS), WORDS);
        format!("{name} {before:>10} {after:>10} {saved:>7}")
    };
    let heading = line([title, "before", "after", "saved"].map(str::to_owned));
    let heading = TextStyler::stdout().bold(heading).to_string();
    [heading].into_iter().chain(rows.map(line)).collect::<Vec<_>>().join("\n")
}

fn row(name: &str, before: usize, after: usize) -> [String; 4] {
    let saved = percent(before as f64, after as f64);
    [name.to_owned(), group_digits(before), group_digits(after), saved]
}

/// A call as a line: a command, a file, or the tool's name.
fn words(output: &Output) -> String {
    let named = ["command", "file_path"].iter().find_map(|name| output.arguments[name].as_str());
    match named {
        Some(named) => format!("{}: {named}", output.tool),
        None => output.tool.clone(),
    }
}

fn sum(sum: &Row) -> [String; 4] {
    row(&format!("{} ({})", sum.name, sum.results), sum.before, sum.after)
}

fn share(share: &Share) -> [String; 4] {
    let (before, after) = (share.before, share.before - share.saved);
    match share.of {
        Of::Bill => {
            let dollars = |dollars: f64| format!("${dollars:.4}");
            let saved = percent(before, after);
            ["of the bill".to_owned(), dollars(before), dollars(after), saved]
        }
        Of::AllToolOutput => row("of all tool output", before as usize, after as usize),
        of => row(&format!("of the {}", of.name()), before as usize, after as usize),
    }
}

fn bill(bill: &Billed) -> String {
    let [plain_read, read] = bill.read.map(group_digits);
    let [plain_written, written] = bill.written.map(group_digits);
    format!(
        "The bill covers {read} tokens read from the provider's cache, {written} written to it, and the output; without \
         Tokenforge {plain_read} and {plain_written}. `gain` and the dashboard show the same figures."
    )
}

fn stability(stability: f64) -> String {
    format!(
        "Measured at the provider: {stability:.3} of each request is the beginning of the next, byte for byte (1.000: \
         its cache stays warm)."
    )
}

fn expansion(expanded: &Expanded) -> String {
    let Expanded { turn, arguments, tokens } = expanded;
    let asked = arguments.as_object().into_iter().flatten().filter(|(name, _)| *name != "id");
    let asked: Vec<_> = asked.map(|(name, value)| format!("{name} {value}")).collect();
    let asked = if asked.is_empty() { String::new() } else { format!(" ({})", asked.join(", ")) };
    format!(
        "In turn {turn} the model fetched back what was left out{asked}: {} tokens, answered by the gateway. The agent \
         saw nothing of it; it is in the bill.",
        group_digits(*tokens)
    )
}

fn tools(called: &[Called]) -> String {
    let each = called.iter().map(|Called { tool, before, after, format }| {
        format!("{tool} {before} -> {after} tokens ({format})")
    });
    format!("Tools behind /mcp: {}", each.collect::<Vec<_>>().join(", "))
}

fn percent(before: f64, after: f64) -> String {
    if before <= 0.0 {
        return "-".to_owned();
    }
    format!("{:.0} %", 100.0 * (before - after) / before)
}
