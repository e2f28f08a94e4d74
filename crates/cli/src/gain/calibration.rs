//! What providers count for one token of ours, as a person reads it.

use super::page::number;
use crate::screen;
use tokenforge_ledger::ModelCalibration;
use tokenforge_replay::columns::{TextColumn, TextTable};

/// Which tokenizer the counts are of, and what providers counted for the same text; nothing where no request has both counts.
pub(super) fn section(calibration: &[ModelCalibration]) -> Option<String> {
    if calibration.is_empty() {
        return None;
    }
    let numbers = ["requests", "ratio", "from", "to", "used"];
    let texts = ["model", "counted with", "its own"].map(TextColumn::text);
    let mut table = TextTable::new(texts.into_iter().chain(numbers.map(TextColumn::number)));
    for row in calibration {
        table.row([
            row.model.clone(),
            row.vocabulary.clone(),
            if row.exact { "yes" } else { "no" }.to_owned(),
            number(row.requests),
            format!("{:.2}", row.ratio),
            format!("{:.2}", row.lowest),
            format!("{:.2}", row.highest),
            format!("{:.2}", row.used),
        ]);
    }
    let sentence = "Tokens above are counted with the vocabulary named here, which is the model's own or not. The ratio is \
                    the provider's count of its input by ours, of the whole text of every sixteenth request, and from its \
                    lowest to its highest; a provider also counts what it adds to a prompt. Money is by the ratio that is \
                    used, which is measured elsewhere and does not follow these.";
    Some(format!("{}\n{}", screen::paragraph(sentence), screen::table(&table)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v14_a_person_reads_whose_tokens_are_counted() {
        let row = ModelCalibration {
            model: "claude-sonnet-4-5".to_owned(),
            vocabulary: "o200k_base".to_owned(),
            exact: false,
            requests: 12,
            provider: 128_000,
            counted: 100_000,
            ratio: 1.28,
            lowest: 1.2,
            highest: 1.31,
            used: 1.18,
        };
        let text = section(&[row]).unwrap();
        let line = "claude-sonnet-4-5  o200k_base    no             12   1.28  1.20  1.31  1.18";
        assert!(text.contains(line), "{text}");
        assert_eq!(section(&[]), None);
    }
}
