//! Bars, drawn as SVG.

use super::escape_html;
use std::fmt::Write;

const WIDTH: f64 = 900.0;
const LABEL: f64 = 210.0;
const VALUE: f64 = 200.0;
const ROW: f64 = 30.0;

/// A row: what it is, its bars end to end (length and colour), and what is said beside them.
pub(super) struct ChartRow {
    pub(super) label: String,
    pub(super) bars: Vec<(f64, &'static str)>,
    pub(super) value: String,
}

/// Rows of bars on one scale, with a sentence for who cannot see them.
pub(super) fn chart(title: &str, rows: &[ChartRow]) -> String {
    let length = |row: &ChartRow| row.bars.iter().map(|(length, _)| length.max(0.0)).sum::<f64>();
    let longest = rows.iter().map(length).fold(f64::MIN_POSITIVE, f64::max);
    let scale = (WIDTH - LABEL - VALUE) / longest;
    let height = ROW * rows.len() as f64 + 6.0;
    let mut svg = format!(
        "<div class=\"scroll\"><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escape_html(title)
    );
    for (number, row) in rows.iter().enumerate() {
        let top = ROW * number as f64 + 6.0;
        let base = top + 15.0;
        let _ = write!(svg, "<text x=\"0\" y=\"{base}\">{}</text>", escape_html(&row.label));
        let mut at = LABEL;
        for (length, colour) in &row.bars {
            let width = length.max(0.0) * scale;
            let _ = write!(
                svg,
                "<rect x=\"{at:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"20\" fill=\"var(--{colour})\"/>"
            );
            at += width;
        }
        let (at, value) = (at + 8.0, escape_html(&row.value));
        let _ = write!(svg, "<text class=\"value\" x=\"{at:.1}\" y=\"{base}\">{value}</text>");
    }
    svg + "</svg></div>"
}

/// What the colours mean.
pub(super) fn key(colours: &[(&str, &str)]) -> String {
    let one = |(colour, meaning): &(&str, &str)| {
        format!("<span><i style=\"background:var(--{colour})\"></i>{}</span>", escape_html(meaning))
    };
    format!("<p class=\"key\">{}</p>", colours.iter().map(one).collect::<String>())
}
