//! HTML tokenizer: text, tags and raw text in one pass, as browsers split a page, without a tree.

use super::element::Element;
use memchr::{memchr, memmem};
use tokenforge_tokens::interrupt::tick;

/// A piece of a page. Comments and declarations are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// Text, with its character references.
    Text(&'t str),
    /// A start tag.
    Start(Tag<'t>),
    /// An end tag, by its name.
    End(&'t str),
    /// What stands between `<script>` and `</script>`, and in other elements in which no tag is read.
    Raw(Element, &'t str),
}

/// A start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    pub(super) element: Element,
    attributes: &'t str,
}

/// The tokens of a page.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    /// The element whose content is raw and comes next.
    raw: Option<Tag<'t>>,
    /// Behind this place there is no such quote, `"` or `'`.
    no_quotes: [bool; 2],
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Tokens { text, at: 0, raw: None, no_quotes: [false; 2] }
    }

    /// Where the next token begins.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The content of an element in which no tag is read, up to its end tag or the end of the page.
    fn raw_text(&mut self, tag: Tag<'t>) -> Token<'t> {
        let rest = self.rest();
        let is_end = |at: &usize| {
            let behind = &rest.as_bytes()[at + 2..];
            let name = behind.get(..tag.name.len());
            let next = behind.get(tag.name.len());
            name.is_some_and(|name| name.eq_ignore_ascii_case(tag.name.as_bytes()))
                && next.is_none_or(|byte| !byte.is_ascii_alphanumeric())
        };
        let end = memmem::find_iter(rest.as_bytes(), "</").find(is_end).unwrap_or(rest.len());
        self.at += end;
        Token::Raw(tag.element, &rest[..end])
    }

    /// The markup at a `<`, and how long it is; `None` if that sign is text.
    fn markup(&mut self, rest: &'t str) -> Option<(Option<Token<'t>>, usize)> {
        let bytes = rest.as_bytes();
        match (bytes.get(1)?, bytes.get(2)) {
            (b'!', _) if rest.starts_with("<!--") => {
                let end = memmem::find(&bytes[4..], b"-->").map_or(rest.len(), |end| end + 7);
                Some((None, end))
            }
            (b'!' | b'?', _) => Some((None, memchr(b'>', bytes).map_or(rest.len(), |end| end + 1))),
            (b'/', Some(byte)) if byte.is_ascii_alphabetic() => {
                let end = memchr(b'>', bytes).map_or(rest.len(), |end| end + 1);
                Some((Some(Token::End(name_at(&rest[2..end]))), end))
            }
            (byte, _) if byte.is_ascii_alphabetic() => {
                let name = name_at(&rest[1..]);
                let behind = &rest[1 + name.len()..];
                let length = self.attributes_length(behind);
                let tag = Tag { name, element: Element::of(name), attributes: &behind[..length] };
                self.raw = tag.element.is_raw().then_some(tag);
                Some((Some(Token::Start(tag)), (2 + name.len() + length).min(rest.len())))
            }
            _ => None,
        }
    }

    /// How many bytes of attributes stand before the `>` that ends a tag. One in quotes does not, if the quotes end.
    fn attributes_length(&mut self, behind: &str) -> usize {
        let bytes = behind.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'>' => return at,
                b'=' => at += 1 + self.quoted_length(&bytes[at + 1..]),
                _ => at += 1,
            }
        }
        bytes.len()
    }

    /// How long the quoted value behind a `=` is. That no quote follows is found out once: a page full of single quotes
    /// is still read in one pass.
    fn quoted_length(&mut self, behind: &[u8]) -> usize {
        let blanks = behind.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let quote = match behind.get(blanks) {
            Some(quote @ (b'"' | b'\'')) => *quote,
            _ => return 0,
        };
        let is_gone = &mut self.no_quotes[usize::from(quote == b'\'')];
        if *is_gone {
            return 0;
        }
        let end = memchr(quote, &behind[blanks + 1..]);
        *is_gone = end.is_none();
        end.map_or(0, |end| blanks + end + 2)
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        if let Some(tag) = self.raw.take() {
            return Some(self.raw_text(tag));
        }
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            if rest.starts_with('<')
                && let Some((token, length)) = self.markup(rest)
            {
                self.at += length;
                tick(length);
                match token {
                    Some(token) => return Some(token),
                    None => continue,
                }
            }
            let length = memchr(b'<', &rest.as_bytes()[1..]).map_or(rest.len(), |end| end + 1);
            self.at += length;
            tick(length);
            return Some(Token::Text(&rest[..length]));
        }
    }
}

/// The name that a tag begins with.
fn name_at(text: &str) -> &str {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    &text[..text.bytes().position(|byte| is_end(&byte)).unwrap_or(text.len())]
}

impl<'t> Tag<'t> {
    /// The value of an attribute, with its character references; empty if it has none.
    pub(super) fn attribute(&self, name: &str) -> Option<&'t str> {
        Attributes(self.attributes)
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// The value of an attribute, if that has any words.
    pub(super) fn words(&self, name: &str) -> Option<&'t str> {
        self.attribute(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Is the element not shown?
    pub(super) fn is_hidden(&self) -> bool {
        let is_none = |style: &str| {
            let squeezed = style.replace(' ', "").to_ascii_lowercase();
            squeezed.contains("display:none") || squeezed.contains("visibility:hidden")
        };
        self.attribute("hidden").is_some() || self.attribute("style").is_some_and(is_none)
    }
}

/// The attributes of a tag: names and values.
struct Attributes<'t>(&'t str);

impl<'t> Iterator for Attributes<'t> {
    type Item = (&'t str, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        let is_blank = |c: char| c.is_ascii_whitespace();
        let text = self.0.trim_start_matches(|c: char| is_blank(c) || c == '/');
        // A `=` here begins a name, as browsers have it.
        let rest = text.get(1..).filter(|_| text.starts_with('=')).unwrap_or(text);
        let begun = text.len() - rest.len();
        let end = rest.find(|c: char| is_blank(c) || matches!(c, '=' | '/')).unwrap_or(rest.len());
        let (name, behind) = text.split_at(begun + end);
        if name.is_empty() {
            return None;
        }
        let Some(value) = behind.trim_start_matches(is_blank).strip_prefix('=') else {
            self.0 = behind;
            return Some((name, ""));
        };
        let value = value.trim_start_matches(is_blank);
        let quoted = match value.as_bytes().first() {
            Some(quote @ (b'"' | b'\'')) => {
                let end = memchr(*quote, &value.as_bytes()[1..]);
                end.map(|end| (&value[1..=end], &value[end + 2..]))
            }
            _ => None,
        };
        let (value, rest) =
            quoted.unwrap_or_else(|| value.split_at(value.find(is_blank).unwrap_or(value.len())));
        self.0 = rest;
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(html: &str) -> Vec<String> {
        let spell = |token| match token {
            Token::Text(text) => text.to_owned(),
            Token::Start(tag) => format!("<{}>", tag.name),
            Token::End(name) => format!("</{name}>"),
            Token::Raw(_, text) => format!("raw {text}"),
        };
        Tokens::new(html).map(spell).collect()
    }

    #[test]
    fn tags_text_and_raw_text_are_told_apart() {
        let html =
            "<!doctype html><!-- <p> --><P class=a>1 < 2<br/><script>if (a<b) '</p>'</SCRIPT >x";
        let tokens =
            ["<P>", "1 ", "< 2", "<br>", "<script>", "raw if (a<b) '</p>'", "</SCRIPT>", "x"];
        assert_eq!(spelled(html), tokens);
    }

    #[test]
    fn a_sign_in_quotes_does_not_end_a_tag() {
        assert_eq!(spelled("<a title='a > b' href=x>y"), ["<a>", "y"]);
        assert_eq!(spelled("<a title=\"open>y</a>z"), ["<a>", "y", "</a>", "z"]);
    }

    #[test]
    fn attributes_are_read_however_they_are_written() {
        let html = "<a HREF = \"x y\" data-a='1' b=2/3 hidden =c checked/>";
        let Some(Token::Start(tag)) = Tokens::new(html).next() else { panic!("no tag") };
        let value = |name| tag.attribute(name);
        assert_eq!(
            (value("href"), value("data-a"), value("b")),
            (Some("x y"), Some("1"), Some("2/3"))
        );
        assert_eq!((value("hidden"), value("checked"), value("d")), (Some("c"), Some(""), None));
    }

    #[test]
    fn a_page_may_end_anywhere() {
        let html = "<p a='b' c=\"d\">x<!-- y --><script>z</script></p>";
        for end in 0..html.len() {
            assert!(Tokens::new(&html[..end]).count() < 8);
        }
    }
}
