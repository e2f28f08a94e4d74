//! The laws of tool outputs and schemas over random texts. The same seeds every time, so that a failure can be repeated.

use tokenforge_laws::{compress, effort};
use tokenforge_samples::{Nasty, delimited, nasty, page, tools};

#[test]
fn f15_only_descriptions_change_in_random_tools() {
    let count = effort(20_000, 200_000);
    let changed = (0..count).filter(|seed| compress::schema(&tools(*seed))).count() as u64;
    assert!(changed * 2 > count, "only {changed} had something to minify");
}

#[test]
fn f15_compacting_random_tools_takes_away_three_keywords_and_nothing_else() {
    let count = effort(20_000, 200_000);
    let changed = (0..count).filter(|seed| compress::compact_schema(&tools(*seed))).count() as u64;
    assert!(changed * 40 > count, "only {changed} had a keyword to leave out");
}

#[test]
fn references_are_found_in_random_texts() {
    (0..20_000).for_each(|seed| compress::reference(&nasty(seed, Nasty::default())));
}

#[test]
fn expansions_of_random_texts_are_bounded() {
    for seed in 0..5_000 {
        let text = nasty(seed, Nasty::default()).replace(',', "\n");
        compress::expansion(
            &text,
            &format!("{}-{}", seed % 7, seed % 11),
            ["[0-9a]+", "[*]", "[0-9].a"][seed as usize % 3],
            seed as usize % 4,
        );
    }
}

#[test]
fn l3_l6_rows_of_every_dialect_come_back() {
    let written = (0..20_000).filter(|seed| compress::csv(&delimited(*seed))).count();
    assert!(written > 2_000, "only {written} were written as an array");
}

#[test]
fn l2_l6_pages_are_shown_shorter_and_once() {
    let shown = (0..5_000).filter(|seed| compress::html(&page(*seed))).count();
    assert!(shown > 500, "only {shown} were shown as text");
}
