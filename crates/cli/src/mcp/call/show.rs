//! An answer for a person, and for a program.

use super::forms::{AnswerForm, AnswerForms, FormName};
use crate::output::{group_digits, printable};
use crate::screen;
use serde_json::{Value, json};
use tokenforge_replay::columns::{Column, Table, shortened};

/// How much of each form a person is shown.
const LINES: usize = 8;

/// A table of the forms, and the beginning of each.
pub(super) fn page(server: &str, tool: &str, answered: &AnswerForms) -> String {
    let mut lines = vec![format!("{server}: {tool}")];
    lines.extend(
        answered.others.iter().map(|other| format!("besides its text: {}", printable(other))),
    );
    let before = answered.forms.first().map_or(0, |original| original.tokens);
    let numbers = ["tokens", "bytes", "saved"].map(Column::number);
    let mut table = Table::new([Column::text("  form")].into_iter().chain(numbers));
    answered.forms.iter().for_each(|formed| table.row(row(formed, answered.chosen, before)));
    lines.push(screen::table(&table));
    lines.push(format!("* what an agent gets by default: {}", answered.chosen.name()));
    let shown = answered.forms.iter().filter(|formed| {
        // What is sent is one of the others, as a rule.
        formed.form != FormName::Sent || answered.chosen == FormName::Sent
    });
    for formed in shown {
        if let Some(text) = &formed.text {
            lines.push(format!("\n--- {}", formed.form.name()));
            lines.push(beginning(text, formed.form.name()));
        }
    }
    lines.join("\n")
}

/// The same for programs, whole.
pub(super) fn document(server: &str, tool: &str, answered: &AnswerForms) -> Value {
    let form = |formed: &AnswerForm| match &formed.text {
        Some(text) => json!({
            "form": formed.form.name(), "tokens": formed.tokens, "bytes": text.len(), "text": text,
        }),
        None => json!({"form": formed.form.name(), "tokens": null, "bytes": null, "text": null}),
    };
    json!({
        "server": server,
        "tool": tool,
        "is_error": answered.is_error,
        "chosen": answered.chosen.name(),
        "forms": answered.forms.iter().map(form).collect::<Vec<_>>(),
        "others": answered.others,
    })
}

fn row(formed: &AnswerForm, chosen: FormName, before: usize) -> [String; 4] {
    let mark = if formed.form == chosen { '*' } else { ' ' };
    let name = format!("{mark} {}", formed.form.name());
    let Some(text) = &formed.text else {
        let none = || "-".to_owned();
        return [format!("{name} (cannot hold it)"), none(), none(), none()];
    };
    let saved = match before {
        0 => 0,
        before => 100 - (formed.tokens * 100).div_ceil(before) as i64,
    };
    [name, group_digits(formed.tokens), group_digits(text.len()), format!("{saved} %")]
}

/// The first lines of a text, and how much more there is.
fn beginning(text: &str, form: &str) -> String {
    let width = screen::width();
    let mut lines: Vec<String> = text.lines().take(LINES).map(|line| cut(line, width)).collect();
    let more = text.lines().count().saturating_sub(LINES);
    let is_cut = text.lines().take(LINES).any(|line| line.chars().count() > width);
    if more > 0 || is_cut {
        let more = if more > 0 { format!("{more} more lines; ") } else { String::new() };
        lines.push(format!("({more}--format {form} prints all of it)"));
    }
    lines.join("\n")
}

fn cut(line: &str, width: usize) -> String {
    shortened(&printable(&line.replace('\t', "    ")), width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_for_people_at_whole_characters() {
        let width = screen::width();
        let text = format!("{}\n{}", "é".repeat(width + 1), "x\n".repeat(LINES));
        let shown = beginning(&text, "json");
        assert!(shown.starts_with(&format!("{}…\nx\n", "é".repeat(width - 1))));
        assert!(shown.ends_with("(1 more lines; --format json prints all of it)"), "{shown}");
        assert_eq!(beginning("a\nb", "json"), "a\nb");
    }
}
