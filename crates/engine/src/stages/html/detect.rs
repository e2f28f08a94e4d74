//! HTML detection: does a text hold a page, and where does that begin?

use super::element::Element;
use super::tokenizer::{Token, Tokens};
use crate::lines::LineOffsets;
use memchr::memchr_iter;

/// A page begins within so many bytes, behind an address or the headers of an answer.
const LONGEST_PREAMBLE: usize = 4096;
/// Fewer signs than this are no page.
const LEAST_SIGNS: usize = 8;
/// A piece of a page has at least so many tags of HTML, ...
const LEAST_TAGS: usize = 16;
/// ... of which so many stand for something that a reader sees as such: a paragraph, an item, a cell, a link, ...
const LEAST_STRUCTURE: usize = 4;
/// ... and its markup is one part in so many of it.
const LEAST_MARKUP: usize = 4;
/// One tag in so many may be none of HTML; more are those of XML.
const UNKNOWN_TAGS: usize = 8;

/// Where the page in a text begins: a document, or a piece of one that a client cut out.
pub(super) fn page_start(text: &str) -> Option<usize> {
    memchr_iter(b'<', text.as_bytes()).nth(LEAST_SIGNS)?;
    document_start(text).or_else(|| fragment_start(text))
}

/// Where a line begins with `<!DOCTYPE html` or `<html`. In Markdown that may be a sample between fences.
fn document_start(text: &str) -> Option<usize> {
    let mut is_blank = true;
    for (start, line) in LineOffsets::new(text).take_while(|(start, _)| *start < LONGEST_PREAMBLE) {
        let trimmed = line.trim_ascii_start();
        if begins_document(trimmed) && (is_blank || trimmed.len() == line.len()) {
            return Some(start);
        }
        if is_fence(line) {
            return None;
        }
        is_blank &= trimmed.is_empty();
    }
    None
}

fn begins_document(line: &str) -> bool {
    let begins =
        |with: &str| line.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins("<!doctype html") || begins("<html")
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_ascii_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// The beginning of the first line with a tag, in a text that is mostly tags of HTML.
fn fragment_start(text: &str) -> Option<usize> {
    let mut tally = TagTally::default();
    let mut tokens = Tokens::new(text);
    let mut first = None;
    loop {
        let at = tokens.offset();
        let Some(token) = tokens.next() else { break };
        tally.add(token);
        if tally.known == 1 && first.is_none() {
            first = Some(at);
        }
    }
    let first = first.filter(|first| tally.is_page(text.len()) && *first < LONGEST_PREAMBLE)?;
    if LineOffsets::new(text).any(|(_, line)| is_fence(line)) {
        return None;
    }
    Some(text.get(..first)?.rfind('\n').map_or(0, |end| end + 1))
}

/// What the tags of a text are.
#[derive(Default)]
struct TagTally {
    known: usize,
    unknown: usize,
    structure: usize,
    text_bytes: usize,
}

impl TagTally {
    fn add(&mut self, token: Token<'_>) {
        let element = match token {
            Token::Text(text) => {
                self.text_bytes += text.len();
                return;
            }
            Token::Raw(..) => return,
            Token::Start(tag) => tag.element,
            Token::End(name) => Element::of(name),
        };
        match element {
            Element::Unknown => self.unknown += 1,
            _ => self.known += 1,
        }
        use Element::{Block, Cell, Heading, Item, Link, Paragraph};
        let is_structure = matches!(element, Block | Paragraph | Heading(_) | Item | Cell | Link);
        self.structure += usize::from(is_structure);
    }

    fn is_page(&self, bytes: usize) -> bool {
        self.known >= LEAST_TAGS
            && self.structure >= LEAST_STRUCTURE
            && self.unknown * UNKNOWN_TAGS <= self.known
            && bytes.saturating_sub(self.text_bytes) * LEAST_MARKUP >= bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "<body><div><p>a</p><p>b</p></div></body></html>";

    #[test]
    fn a_document_begins_where_it_says_so() {
        for (text, start) in [
            (format!("<!DOCTYPE html><html>{BODY}"), Some(0)),
            (format!("\n  <!doctype HTML>\n<html>{BODY}"), Some(1)),
            (format!("Address: https://a.org\n====\n<html lang=en>{BODY}"), Some(28)),
            (format!("See:\n```html\n<!DOCTYPE html><html>{BODY}\n```\n"), None),
            (format!("code:\n\n    <!DOCTYPE html><html>{BODY}\n"), None),
            ("<!DOCTYPE html><p>short".to_owned(), None),
        ] {
            assert_eq!(page_start(&text), start, "{text}");
        }
    }

    #[test]
    fn a_piece_of_a_page_is_known_by_its_tags() {
        let items = "<li class=\"item\"><a href=\"/x\">one</a></li>\n".repeat(8);
        assert_eq!(page_start(&format!("Page 2 of 3\n{items}")), Some(12));
        let xml = "<item><pubDate>now</pubDate><a>x</a><guid>1</guid></item>\n".repeat(8);
        assert_eq!(page_start(&xml), None);
        let prose = format!("{}{items}", "Words of a text that are no markup. ".repeat(60));
        assert_eq!(page_start(&prose), None);
        assert_eq!(page_start(&format!("{items}\n```\n{items}")), None);
        let generic = "fn a(x: Vec<b>, y: Option<p>) -> Vec<u8> { f::<i>() }\n".repeat(20);
        assert_eq!(page_start(&generic), None);
    }
}
