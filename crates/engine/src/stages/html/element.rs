//! HTML elements by what a reader sees of them.

/// What an element is to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// Stands on lines of its own.
    Block,
    /// A block that any other block ends.
    Paragraph,
    /// `h1` to `h6`.
    Heading(u8),
    /// `ul`, `ol`.
    List { is_ordered: bool },
    /// `li`.
    Item,
    /// `dl`.
    Definitions,
    /// `dt`.
    Term,
    /// `dd`.
    Definition,
    /// `option`: one of several words.
    Choice,
    /// `button`: a word set apart in its line.
    Control,
    /// `blockquote`.
    Quote,
    /// `pre`: its blanks count.
    Preformatted,
    /// `code` and its like.
    Code,
    /// `a`.
    Link,
    /// `sup`.
    Superscript,
    /// `sub`.
    Subscript,
    /// `table`.
    Table,
    /// `thead`, `tbody`, `tfoot`.
    RowGroup,
    /// `tr`.
    Row,
    /// `td`, `th`.
    Cell,
    /// `br`.
    LineBreak,
    /// `hr`.
    Rule,
    /// `img`.
    Image,
    /// `input`.
    Input,
    /// `meta`.
    Meta,
    /// Shows nothing and has no end tag.
    Void,
    /// `title`: raw text, the name of the page.
    Title,
    /// `textarea`: raw text.
    TextArea,
    /// `script`: raw text that is not shown.
    Script,
    /// `style`: raw text that is not shown.
    Style,
    /// Raw text that is not shown: fallbacks.
    RawFallback,
    /// Not shown, with all that is in it: pictures drawn in tags, fallbacks, templates.
    Hidden,
    /// Part of a line.
    Inline,
    /// Not of HTML: part of a line too.
    Unknown,
}

/// The longest name of an element.
const LONGEST_NAME: usize = 14;

/// Is an open element meant?
type ElementTest = fn(Element) -> bool;

impl Element {
    /// The element of a name, however that is spelled.
    pub(super) fn of(name: &str) -> Self {
        let mut lower = [0; LONGEST_NAME];
        let Some(lower) = lower.get_mut(..name.len()) else { return Element::Unknown };
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        match &*lower {
            b"address" | b"article" | b"aside" | b"body" | b"caption" | b"center" | b"details"
            | b"dialog" | b"div" | b"fieldset" | b"figcaption" | b"figure" | b"footer"
            | b"form" | b"head" | b"header" | b"hgroup" | b"html" | b"legend" | b"main"
            | b"nav" | b"noscript" | b"search" | b"section" | b"select" | b"optgroup"
            | b"summary" => Element::Block,
            b"p" => Element::Paragraph,
            [b'h', level @ b'1'..=b'6'] => Element::Heading(level - b'0'),
            b"ul" | b"menu" | b"dir" => Element::List { is_ordered: false },
            b"ol" => Element::List { is_ordered: true },
            b"li" => Element::Item,
            b"dl" => Element::Definitions,
            b"dt" => Element::Term,
            b"dd" => Element::Definition,
            b"option" => Element::Choice,
            b"button" => Element::Control,
            b"blockquote" => Element::Quote,
            b"pre" | b"listing" => Element::Preformatted,
            b"code" | b"kbd" | b"samp" | b"tt" => Element::Code,
            b"a" => Element::Link,
            b"sup" => Element::Superscript,
            b"sub" => Element::Subscript,
            b"table" => Element::Table,
            b"thead" | b"tbody" | b"tfoot" => Element::RowGroup,
            b"tr" => Element::Row,
            b"td" | b"th" => Element::Cell,
            b"br" => Element::LineBreak,
            b"hr" => Element::Rule,
            b"img" => Element::Image,
            b"input" => Element::Input,
            b"meta" => Element::Meta,
            b"area" | b"base" | b"basefont" | b"bgsound" | b"col" | b"embed" | b"frame"
            | b"keygen" | b"link" | b"param" | b"source" | b"track" | b"wbr" => Element::Void,
            b"title" => Element::Title,
            b"textarea" => Element::TextArea,
            b"script" => Element::Script,
            b"style" => Element::Style,
            b"iframe" | b"noembed" | b"noframes" | b"xmp" => Element::RawFallback,
            b"svg" | b"template" | b"video" | b"audio" | b"canvas" | b"object" | b"datalist"
            | b"map" | b"annotation" | b"annotation-xml" => Element::Hidden,
            b"abbr" | b"acronym" | b"b" | b"bdi" | b"bdo" | b"big" | b"cite" | b"colgroup"
            | b"data" | b"del" | b"dfn" | b"em" | b"font" | b"i" | b"ins" | b"label" | b"mark"
            | b"math" | b"meter" | b"nobr" | b"output" | b"picture" | b"progress" | b"q"
            | b"rp" | b"rt" | b"ruby" | b"s" | b"slot" | b"small" | b"span" | b"strike"
            | b"strong" | b"time" | b"u" | b"var" => Element::Inline,
            _ => Element::Unknown,
        }
    }

    /// Has it no content?
    pub(super) fn is_void(self) -> bool {
        use Element::{Image, Input, LineBreak, Meta, Rule, Void};
        matches!(self, LineBreak | Rule | Image | Input | Meta | Void)
    }

    /// Are there no tags in its content?
    pub(super) fn is_raw(self) -> bool {
        use Element::{RawFallback, Script, Style, TextArea, Title};
        matches!(self, Title | TextArea | Script | Style | RawFallback)
    }

    /// Does it end a paragraph that is open?
    pub(super) fn ends_paragraph(self) -> bool {
        use Element::*;
        matches!(
            self,
            Block
                | Paragraph
                | Heading(_)
                | List { .. }
                | Item
                | Definitions
                | Term
                | Definition
                | Quote
                | Preformatted
                | Table
                | Rule
        )
    }

    /// The elements that its start ends where their end tags are left out, and those beyond which it ends nothing.
    pub(super) fn implied_ends(self) -> (ElementTest, ElementTest) {
        use Element::*;
        match self {
            Item => (|open| open == Item, |open| matches!(open, List { .. } | Cell)),
            Term | Definition => (
                |open| matches!(open, Term | Definition),
                |open| matches!(open, Definitions | Cell),
            ),
            Choice => (|open| open == Choice, |open| open == Block),
            Cell => (|open| open == Cell, |open| matches!(open, Row | Table)),
            Row => (|open| open == Row, |open| open == Table),
            RowGroup => (|open| open == RowGroup, |open| open == Table),
            Link => (|open| open == Link, |open| matches!(open, Cell | Table)),
            element if element.ends_paragraph() => {
                (|open| open == Paragraph, |open| matches!(open, Cell | Table))
            }
            _ => (|_| false, |_| true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_may_be_long() {
        assert_eq!(Element::of("H2"), Element::Heading(2));
        assert_eq!(Element::of("annotation-xml"), Element::Hidden);
        assert_eq!(Element::of("my-custom-element"), Element::Unknown);
        assert_eq!(Element::of("h7"), Element::Unknown);
        assert_eq!(Element::of(""), Element::Unknown);
    }
}
