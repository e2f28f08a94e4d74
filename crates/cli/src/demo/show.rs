//! The demo's figures as a page for people.

use super::figures::{Billed, Expanded, Figures, Output, Row};
use super::tool_calls::Called;
use crate::output::grouped;
use tokenforge_ledger::{Of, Share};

/// Longer words for an output are cut.
const WORDS: usize = 50;

pub(super) fn page(figures: &Figures) -> String {
    let mut lines = vec![
        format!("A recorded agent session of {} turns, through the gateway at", figures.turns),
        format!("{} to a provider that is part of", figures.gateway),
        "this program: no key, no network.".to_owned(),
        String::new(),
        heading("tokens of each tool output"),
    ];
    lines.extend(figures.outputs.iter().map(|it| row(&words(it), it.before, it.after)));
    lines.push(String::new());
    lines.push(heading("by tool"));
    lines.extend(figures.tools.iter().map(sum));
    lines.push(String::new());
    lines.push(heading("by stage"));
    lines.extend(figures.stages.iter().map(sum));
    lines.push(String::new());
    lines.push(heading("saved"));
    lines.extend(figures.shares.iter().map(share));
    lines.push(String::new());
    lines.extend(bill(&figures.bill, figures.prefix_stability));
    lines.extend(figures.expansion.iter().flat_map(expansion));
    lines.push(tools(&figures.mcp));
    lines.push(String::new());
    lines.push(format!("Dashboard: {}", figures.dashboard));
    lines.join("\n")
}

fn heading(title: &str) -> String {
    format!("{title:<WORDS$} {:>10} {:>10} {:>7}", "before", "after", "saved")
}

fn row(name: &str, before: usize, after: usize) -> String {
    let name: String = name.chars().take(WORDS).collect();
    let saved = percent(before as f64, after as f64);
    format!("{name:<WORDS$} {:>10} {:>10} {saved:>7}", grouped(before), grouped(after))
}

/// A call as a line: a command, a file, or the tool's name.
fn words(output: &Output) -> String {
    let named = ["command", "file_path"].iter().find_map(|name| output.arguments[name].as_str());
    match named {
        Some(named) => format!("{}: {named}", output.tool),
        None => output.tool.clone(),
    }
}

fn sum(sum: &Row) -> String {
    row(&format!("{} ({})", sum.name, sum.results), sum.before, sum.after)
}

fn share(share: &Share) -> String {
    let (before, after) = (share.before, share.before - share.saved);
    match share.of {
        Of::Bill => {
            let (name, saved) = ("of the bill", percent(before, after));
            let [before, after] = [before, after].map(|dollars| format!("${dollars:.4}"));
            format!("{name:<WORDS$} {before:>10} {after:>10} {saved:>7}")
        }
        Of::AllToolOutput => row("of all tool output", before as usize, after as usize),
        of => row(&format!("of the {}", of.name()), before as usize, after as usize),
    }
}

fn bill(bill: &Billed, stability: f64) -> Vec<String> {
    let [plain_read, read] = bill.read.map(grouped);
    let [plain_written, written] = bill.written.map(grouped);
    vec![
        format!(
            "The bill is for {read} tokens read from the provider's cache, {written} written to it, and the"
        ),
        format!(
            "output; without Tokenforge {plain_read} and {plain_written}. `gain` and the dashboard say the same."
        ),
        format!(
            "Measured at the provider: {stability:.3} of each request is the beginning of the next, byte for byte"
        ),
        "(1.000: its cache stays warm).".to_owned(),
    ]
}

fn expansion(expanded: &Expanded) -> Vec<String> {
    let Expanded { turn, arguments, tokens } = expanded;
    let asked = arguments.as_object().into_iter().flatten().filter(|(name, _)| *name != "id");
    let asked: Vec<_> = asked.map(|(name, value)| format!("{name} {value}")).collect();
    let asked = if asked.is_empty() { String::new() } else { format!(" ({})", asked.join(", ")) };
    vec![
        format!(
            "In turn {turn} the model asked for what was left out{asked}: {} tokens, answered by the",
            grouped(*tokens)
        ),
        "gateway. The agent saw nothing of it; it is in the bill.".to_owned(),
    ]
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
