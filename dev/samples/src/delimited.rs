//! Delimiter-separated rows as databases and spreadsheets write them, and rows that only look so.

use fastrand::Rng;

/// What stands in cells: numbers as JSON has them and as it does not, words, signs of every notation.
const CELLS: &[&str] = &[
    "1",
    "0",
    "-0.0",
    "007",
    "1e5",
    ".5",
    "+1",
    "2026-01-02",
    "2026-01-02T10:00:00Z",
    "null",
    "true",
    "",
    " ",
    "~",
    "^",
    "*1",
    "&1",
    "open",
    "New York",
    "it's",
    "say \"so\"",
    "a,b",
    "a;b",
    "a|b",
    "a\tb",
    "a\nb",
    "\"",
    "\"\"",
    "é",
    "日本",
    "\\",
    "[Forge x]",
    "https://example.com/a?b=1,2",
];
const NAMES: &[&str] =
    &["id", "name", "city", "created at", "naïve", "", "x", "id", "\"quoted\"", "3", "a,b"];

/// A text of rows, the same for the same seed.
pub fn delimited(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let delimiter = [',', ',', '\t', ';', '|'][rng.usize(..5)];
    let line_end = if rng.u8(..4) == 0 { "\r\n" } else { "\n" };
    let quoting = rng.u8(..6);
    let columns = rng.usize(1..7);
    let tame = rng.bool();
    let cell = |rng: &mut Rng, content: &str| {
        let must = content.contains([delimiter, '"', '\n', '\r']);
        let is_number = content.parse::<f64>().is_ok();
        let quoted = match quoting {
            0 | 1 => must,
            2 => false,
            3 => !is_number,
            4 => true,
            _ => content.is_empty() || content.contains([' ', '\'']) || !content.is_ascii() || must,
        };
        if quoted && rng.u8(..200) > 0 {
            format!("\"{}\"", content.replace('"', "\"\""))
        } else {
            content.to_owned()
        }
    };
    let (names, cells) = if tame { (&NAMES[..4], &CELLS[..20]) } else { (NAMES, CELLS) };
    let row = |rng: &mut Rng, values: Vec<&str>| {
        let cells: Vec<String> = values.into_iter().map(|value| cell(rng, value)).collect();
        cells.join(&delimiter.to_string()) + line_end
    };
    let pick =
        |rng: &mut Rng, from: &[&'static str], at: usize| from[(at + rng.usize(..2)) % from.len()];
    let header = (0..columns).map(|at| names[at % names.len()]).collect();
    let mut out = row(&mut rng, header);
    let constant = rng.usize(..columns);
    let start = rng.usize(..cells.len());
    for _ in 0..rng.usize(..60) {
        let values = (0..columns).map(|at| {
            if at == constant {
                "the same long value in every row of the table"
            } else {
                pick(&mut rng, cells, start + at)
            }
        });
        let values = values.collect();
        out.push_str(&row(&mut rng, values));
    }
    if rng.u8(..4) == 0 {
        out.truncate(out.trim_end_matches(['\r', '\n']).len());
    }
    out
}
