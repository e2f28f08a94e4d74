//! The rows for a spreadsheet.

use tokenforge_ledger::{Gain, Row};

/// One line a row, under a line of names.
pub(super) fn table(gain: &Gain) -> String {
    let mut lines = vec![format!(
        "{},results,before,after,saved,expanded,net,repeated_results,repeated_before,repeated_after,cost_saved_usd",
        gain.by.name()
    )];
    lines.extend(gain.rows.iter().map(line));
    lines.join("\n")
}

fn line(row: &Row) -> String {
    let Row { name, results, before, after, saved, expanded, net, repeated, cost_saved } = row;
    let cost = cost_saved.map(|cost| cost.to_string()).unwrap_or_default();
    format!(
        "{},{results},{before},{after},{saved},{expanded},{net},{},{},{},{cost}",
        quote_field(name),
        repeated.results,
        repeated.before,
        repeated.after
    )
}

/// A name that others chose: quoted where it must be, and no formula for a spreadsheet.
fn quote_field(name: &str) -> String {
    let is_formula = name.starts_with(['=', '+', '-', '@']);
    let name = if is_formula { format!("'{name}") } else { name.to_owned() };
    if name.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", name.replace('"', "\"\""));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::quote_field;

    #[test]
    fn a_name_stays_one_cell_and_is_no_formula() {
        assert_eq!(quote_field("Bash"), "Bash");
        assert_eq!(quote_field("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quote_field("=HYPERLINK(1)"), "'=HYPERLINK(1)");
    }
}
