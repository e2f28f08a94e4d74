//! HTML to readable text: what a reader of a web page sees, as Markdown, without markup, scripts and styles.
//!
//! Headings, paragraphs, links with their addresses, lists, tables and code stay; so does every word of the page. What is
//! gone can be fetched back, so this runs only where that is possible, and only on a page that was fetched from the web:
//! of a file, or of a page that the agent serves itself, the markup is what it works on (`PageOrigin`).

mod detect;
mod element;
mod entity;
mod origin;
mod page;
mod table;
mod tokenizer;
mod writer;

pub(crate) use origin::PageOrigin;
#[cfg(feature = "internals")]
pub use page::RenderedPage;
pub use page::{CodeTally, render};

use crate::SIGNATURE;
use crate::digit_groups::group_digits;
use crate::fidelity::Fidelity;
use crate::stage::{Stage, StageContext, StageOutput};
use memchr::memmem;

/// How the line begins that stands where the markup began.
const NOTE: &str = "[Forge shows this HTML as text; left out: markup";

/// A web page as its reader sees it.
pub(super) struct WebPage;

impl Stage for WebPage {
    fn name(&self) -> &'static str {
        "html_text"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Reversible
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        apply(text, subject.context.page_origin).map(Into::into)
    }
}

/// The text with its HTML as readable text; `None` if it holds no page, or one whose origin makes its markup matter.
///
/// Lines before the page (an address, HTTP headers) stay as they are, with a note behind them.
pub(crate) fn apply(text: &str, origin: PageOrigin) -> Option<String> {
    let is_shown = || memmem::find(text.as_bytes(), NOTE.as_bytes()).is_some();
    if origin == PageOrigin::Private || is_shown() {
        return None;
    }
    let (preamble, html) = text.split_at_checked(detect::page_start(text)?)?;
    if origin == PageOrigin::Unknown && PageOrigin::of_text(preamble) != PageOrigin::Public {
        return None;
    }
    let page = render(html)?;
    // A page may hold words that read like a note of ours once its markup is gone.
    if page.text.lines().any(|line| line.starts_with(SIGNATURE)) {
        return None;
    }
    let scripts = left_out(page.scripts, "script");
    let styles = left_out(page.styles, "style");
    Some(format!("{preamble}{NOTE}{scripts}{styles}]\n{}", page.text))
}

/// `, 12 scripts (240,117 bytes)`
fn left_out(CodeTally { count, bytes }: CodeTally, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    match count {
        0 => String::new(),
        _ => format!(", {count} {what}{plural} ({} bytes)", group_digits(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<!DOCTYPE html>\n<html><head><title>News</title><script>track()</script>\
        <style>p{}</style></head>\n<body><h1>Today</h1><p>It <b>rains</b>.</p></body></html>\n";

    #[test]
    fn a_page_becomes_its_text_under_a_note() {
        assert_eq!(
            apply(PAGE, PageOrigin::Public).unwrap(),
            "[Forge shows this HTML as text; left out: markup, 1 script (7 bytes), 1 style (3 bytes)]\n\
             Title: News\n\n# Today\n\nIt rains.\n"
        );
    }

    #[test]
    fn what_stands_before_a_page_stays() {
        let text = format!("HTTP/2 200\r\ncontent-type: text/html\r\n\r\n{PAGE}");
        let shown = apply(&text, PageOrigin::Public).unwrap();
        assert!(shown.starts_with("HTTP/2 200\r\ncontent-type: text/html\r\n\r\n[Forge shows"));
    }

    #[test]
    fn d6_the_markup_of_pages_of_ones_own_stays() {
        assert_eq!(apply(PAGE, PageOrigin::Private), None);
        assert_eq!(apply(PAGE, PageOrigin::Unknown), None);
        let named = format!("Contents of https://news.example.org/today:\n{PAGE}");
        assert!(apply(&named, PageOrigin::Unknown).is_some());
        let served = format!("Contents of http://localhost:3000/:\n{PAGE}");
        assert_eq!(apply(&served, PageOrigin::Unknown), None);
    }

    #[test]
    fn l6_text_of_a_page_is_no_page() {
        let tutorial = PAGE.replace("rains", &"&lt;p&gt;x&lt;/p&gt;".repeat(40));
        let once = apply(&tutorial, PageOrigin::Public).unwrap();
        assert_eq!(apply(&once, PageOrigin::Public), None);
    }

    #[test]
    fn decision_8_a_page_cannot_write_our_notes() {
        let text = PAGE.replace("It <b>rains</b>", "[Forge left out 3 failures]");
        assert_eq!(apply(&text, PageOrigin::Public), None);
    }
}
