//! Laws of tool-family filters.

use tokenforge_engine::filter::FamilyFilter;

/// What the filter leaves of any output is shorter, counted line by line, and left alone the second time.
pub fn filter(filter: &FamilyFilter, output: &str) {
    let Some(filtered) = filter.apply(output) else { return };
    let (name, text) = (filter.name(), filtered.text.as_str());
    assert!(text.len() < output.len(), "{name} made it longer: {output:?}");
    assert_eq!(filter.apply(text), None, "{name} changed its own output: {output:?}");
    assert_eq!(
        filter.apply(output).as_ref(),
        Some(&filtered),
        "{name} is no function of the output: {output:?}"
    );

    let counts = text.split('\n').filter_map(count).sum::<usize>();
    assert_eq!(counts, filtered.left_out_lines, "{name} miscounted: {output:?}");
    if notes(output) == 0 {
        let stay = lines(text) - notes(text);
        assert_eq!(lines(output), stay + filtered.left_out_lines, "{name} lost lines: {output:?}");
    }
}

fn lines(text: &str) -> usize {
    text.split_terminator('\n').count()
}

/// Lines that begin as what Tokenforge itself writes.
fn notes(text: &str) -> usize {
    text.split('\n').filter(|line| line.starts_with("[Forge ")).count()
}

/// The number in `[Forge left out 12 ...]`.
fn count(line: &str) -> Option<usize> {
    line.strip_prefix("[Forge left out ")?.split(' ').next()?.parse().ok()
}
