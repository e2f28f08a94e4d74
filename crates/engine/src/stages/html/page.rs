//! HTML rendering: the elements of a page, opened and closed as browsers do where end tags are left out, written as Markdown.

use super::element::Element;
use super::entity;
use super::table::Table;
use super::tokenizer::{Tag, Token, Tokens};
use super::writer::TextWriter;
use tokenforge_tokens::interrupt::tick;

/// Elements inside more others than this are part of their text.
const MOST_OPEN: usize = 128;

/// What a reader sees of a page, and what they do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPage {
    /// The page as Markdown.
    pub text: String,
    /// The scripts in it.
    pub scripts: CodeTally,
    /// The style sheets in it.
    pub styles: CodeTally,
}

/// How much of a kind of code was left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CodeTally {
    /// How many elements.
    pub count: usize,
    /// The bytes in them.
    pub bytes: usize,
}

impl CodeTally {
    fn add(&mut self, code: &str) {
        self.count += 1;
        self.bytes += code.len();
    }
}

/// The page as a reader sees it; `None` if there is nothing to see, or that is no shorter.
///
/// ```
/// # use tokenforge_engine::internals::html::render;
/// let html = "<h1>Fruit</h1><ul class=big><li>apple<li>a <a href='/pear'>pear</a></ul><script>x()</script>";
/// assert_eq!(render(html).unwrap().text, "# Fruit\n\n- apple\n- a [pear](/pear)\n");
/// ```
#[must_use]
pub fn render(html: &str) -> Option<RenderedPage> {
    let mut page = Page::new(html.len());
    for token in Tokens::new(html) {
        match token {
            Token::Text(text) if page.hidden.is_none() => page.writer.text(text),
            Token::Text(_) => {}
            Token::Raw(element, text) => page.raw(element, text),
            Token::Start(tag) => page.start(tag),
            Token::End(name) => page.end(name),
        }
    }
    page.close_to(0);
    let Page { writer, scripts, styles, .. } = page;
    let text = writer.finish().filter(|text| !text.trim().is_empty())?;
    Some(RenderedPage { text, scripts, styles })
}

/// An element that has not ended.
struct OpenElement<'t> {
    tag: Tag<'t>,
    /// The number of the next item, in a list that numbers them.
    next_number: usize,
}

/// A page on its way through its tokens.
struct Page<'t> {
    writer: TextWriter,
    open: Vec<OpenElement<'t>>,
    /// How many more there would be.
    deeper: usize,
    /// The open element that is not shown, with all that is in it.
    hidden: Option<usize>,
    tables: Vec<Table>,
    scripts: CodeTally,
    styles: CodeTally,
}

impl<'t> Page<'t> {
    fn new(limit: usize) -> Self {
        Page {
            writer: TextWriter::new(limit),
            open: Vec::new(),
            deeper: 0,
            hidden: None,
            tables: Vec::new(),
            scripts: CodeTally::default(),
            styles: CodeTally::default(),
        }
    }

    fn start(&mut self, tag: Tag<'t>) {
        self.end_implied(tag.element);
        if tag.element.is_raw() {
            return;
        }
        if tag.element.is_void() {
            if self.hidden.is_none() && !tag.is_hidden() {
                self.void(tag);
            }
            return;
        }
        if self.open.len() == MOST_OPEN {
            self.deeper += 1;
            return;
        }
        let is_hidden = tag.element == Element::Hidden || tag.is_hidden();
        if self.hidden.is_none() {
            if is_hidden {
                self.hidden = Some(self.open.len());
            } else {
                self.begin(tag);
            }
        }
        let next_number = tag.attribute("start").and_then(|start| start.parse().ok()).unwrap_or(1);
        self.open.push(OpenElement { tag, next_number });
    }

    /// Ends the elements whose end tags may be left out before this one.
    fn end_implied(&mut self, element: Element) {
        let (is_ended, is_boundary) = element.implied_ends();
        for at in (0..self.open.len()).rev() {
            tick(1);
            let open = self.open[at].tag.element;
            if is_ended(open) {
                return self.close_to(at);
            }
            if is_boundary(open) {
                return;
            }
        }
    }

    /// Ends the innermost element of this name. In a cell none ends that stands outside of the table.
    fn end(&mut self, name: &str) {
        if let Some(deeper) = self.deeper.checked_sub(1) {
            self.deeper = deeper;
            return;
        }
        use Element::{Cell, Row, RowGroup, Table};
        let is_part = matches!(Element::of(name), Table | RowGroup | Row | Cell);
        for at in (0..self.open.len()).rev() {
            tick(1);
            let open = self.open[at].tag;
            if open.name.eq_ignore_ascii_case(name) {
                return self.close_to(at);
            }
            if open.element == Table || (open.element == Cell && !is_part) {
                return;
            }
        }
    }

    fn close_to(&mut self, length: usize) {
        while self.open.len() > length
            && let Some(element) = self.open.pop()
        {
            match self.hidden {
                None => self.finish(element.tag),
                Some(hidden) if hidden == self.open.len() => self.hidden = None,
                Some(_) => {}
            }
        }
    }

    /// What comes before the content of an element.
    fn begin(&mut self, tag: Tag<'t>) {
        use Element::*;
        match tag.element {
            Block => self.writer.line(),
            Paragraph | Definitions => self.writer.paragraph(),
            Heading(_) => {
                self.lay_out();
                self.writer.paragraph();
                self.writer.mark();
            }
            List { .. } => {
                self.lay_out();
                if self.is_in_item() { self.writer.next_line() } else { self.writer.paragraph() }
            }
            Item => {
                let bullet = self.bullet();
                let indent = " ".repeat(bullet.len());
                self.writer.indent(Some(bullet), &indent);
            }
            Term => self.writer.line(),
            Definition => self.writer.indent(None, "  "),
            Quote => {
                self.lay_out();
                self.writer.paragraph();
                self.writer.indent(None, "> ");
            }
            Preformatted => {
                self.lay_out();
                self.writer.start_verbatim();
            }
            Table => {
                self.lay_out();
                self.writer.paragraph();
                self.tables.push(super::table::Table::default());
            }
            RowGroup => self.writer.line(),
            Row => {
                self.writer.line();
                if let Some(table) = self.tables.last_mut() {
                    table.start_row();
                }
            }
            Cell => self.cell(tag),
            Code | Link | Superscript | Subscript => self.writer.mark(),
            Choice => {
                self.writer.space();
                self.writer.mark();
            }
            Control => self.writer.space(),
            _ => {}
        }
    }

    /// What comes behind the content of an element.
    fn finish(&mut self, tag: Tag<'t>) {
        use Element::*;
        let around = |before: &str, behind: &str| Some((before.to_owned(), behind.to_owned()));
        match tag.element {
            Block | Term | RowGroup => self.writer.line(),
            Paragraph | Definitions => self.writer.paragraph(),
            Heading(level) => {
                self.writer.wrap(|_| around(&format!("{} ", "#".repeat(level.into())), ""));
                self.writer.paragraph();
            }
            List { .. } if self.is_in_item() => self.writer.next_line(),
            List { .. } => self.writer.paragraph(),
            Item | Definition => self.writer.outdent(),
            Quote => {
                self.writer.outdent();
                self.writer.paragraph();
            }
            Preformatted => self.writer.end_verbatim(),
            Table => {
                self.tables.pop();
                self.writer.end_row();
                self.writer.paragraph();
            }
            Row => self.writer.end_row(),
            Code => self
                .writer
                .wrap(|code| if code.contains(['\n', '`']) { None } else { around("`", "`") }),
            Link => self.link(tag),
            Superscript => self.writer.wrap(|_| around("^", "")),
            Subscript => self.writer.wrap(|_| around("_", "")),
            Choice => self.writer.wrap(|_| around("", ";")),
            Control => self.writer.space(),
            _ => {}
        }
    }

    /// A row in which something stands that is more than a line is no row of data.
    fn lay_out(&mut self) {
        self.writer.is_one_line = false;
        if let Some(table) = self.tables.last_mut() {
            table.is_layout = true;
        }
    }

    fn is_in_item(&self) -> bool {
        self.open.iter().any(|open| open.tag.element == Element::Item)
    }

    fn cell(&mut self, tag: Tag<'t>) {
        let Some(table) = self.tables.last_mut() else { return self.writer.space() };
        let span = |name| tag.attribute(name).and_then(|span| span.parse().ok()).unwrap_or(1);
        let separators = table.start_cell(span("colspan"), span("rowspan"));
        if table.is_layout {
            self.writer.line();
        } else {
            self.writer.separate_cells(separators);
            self.writer.is_one_line = true;
        }
    }

    /// The bullet or the number of the next item of the innermost list.
    fn bullet(&mut self) -> String {
        let lists = self.open.iter_mut().rev();
        let mut lists = lists.filter(|open| matches!(open.tag.element, Element::List { .. }));
        match lists.next() {
            Some(list) if list.tag.element == (Element::List { is_ordered: true }) => {
                let number = list.next_number;
                list.next_number = number.saturating_add(1);
                format!("{number}. ")
            }
            _ => "- ".to_owned(),
        }
    }

    /// A link as `[text](address)`. An address inside of the page leads nowhere from here.
    fn link(&mut self, tag: Tag<'t>) {
        if self.writer.is_empty_since_mark()
            && let Some(label) = tag.words("aria-label").or_else(|| tag.words("title"))
        {
            self.writer.text(label);
        }
        let address = tag.attribute("href").and_then(address);
        self.writer.wrap(|text| match address? {
            address if address == text => None,
            // A card: headings and paragraphs that lead somewhere together.
            address if text.contains('\n') => Some((String::new(), format!(" ({address})"))),
            address => Some(("[".to_owned(), format!("]({address})"))),
        });
    }

    fn void(&mut self, tag: Tag<'t>) {
        let says = |name, word: &str| {
            tag.attribute(name).is_some_and(|value| value.eq_ignore_ascii_case(word))
        };
        match tag.element {
            Element::LineBreak => self.writer.line(),
            Element::Rule => {
                self.writer.paragraph();
                self.writer.word("---");
                self.writer.paragraph();
            }
            Element::Image => {
                if let Some(text) = tag.words("alt") {
                    self.bracketed("![", text);
                }
            }
            Element::Input if says("type", "checkbox") || says("type", "radio") => {
                self.bracketed("[", if tag.attribute("checked").is_some() { "x" } else { "_" });
            }
            Element::Input if !says("type", "hidden") && !says("type", "password") => {
                if let Some(text) = tag.words("value").or_else(|| tag.words("placeholder")) {
                    self.bracketed("[", text);
                }
            }
            Element::Meta if says("name", "description") => {
                if let Some(text) = tag.words("content") {
                    self.headline("Description: ", text);
                }
            }
            _ => {}
        }
    }

    fn bracketed(&mut self, open: &str, text: &str) {
        self.writer.space();
        self.writer.word(open);
        self.writer.text(text);
        self.writer.word("]");
        self.writer.space();
    }

    /// A line about the page.
    fn headline(&mut self, name: &str, text: &str) {
        self.writer.line();
        self.writer.word(name);
        self.writer.text(text.trim());
        self.writer.paragraph();
    }

    /// The content of an element without tags.
    fn raw(&mut self, element: Element, text: &str) {
        match element {
            Element::Script => self.scripts.add(text),
            Element::Style => self.styles.add(text),
            Element::Title if self.hidden.is_none() => self.headline("Title: ", text),
            Element::TextArea if self.hidden.is_none() => self.writer.text(text),
            _ => {}
        }
    }
}

/// Where a link leads; `None` if it leads nowhere.
fn address(href: &str) -> Option<String> {
    let address: String = entity::decode(href.trim()).filter(|c| !c.is_whitespace()).collect();
    let leads_nowhere =
        |start: &str| address.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    let is_nowhere = address.is_empty()
        || ["#", "javascript:", "data:"].iter().any(|start| leads_nowhere(start));
    (!is_nowhere).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shows(html: &str, text: &str) {
        // What is longer than its page is not shown; these are short.
        let padded = format!("{html}<!--{}-->", " ".repeat(200));
        assert_eq!(render(&padded).unwrap().text, text, "{html}");
    }

    #[test]
    fn blocks_are_lines_and_paragraphs_have_a_blank_line_between() {
        shows("<div>a</div><div>b<p>c\n  d<p>e</div>f", "a\nb\n\nc d\n\ne\n\nf\n");
        shows("<h2>A <i>b</i></h2>text<br>more<hr>end", "## A b\n\ntext\nmore\n\n---\n\nend\n");
        shows("<span>a</span><span>b</span> <b> c </b>d", "ab c d\n");
    }

    #[test]
    fn links_have_their_addresses() {
        shows("<a href='/a?b=1&amp;c'> one </a>two", "[one](/a?b=1&c) two\n");
        shows("<a href='#top'>up</a> <a href='JavaScript:x()'>do</a> <a>no</a>", "up do no\n");
        shows("<a href='https://a.org/'>https://a.org/</a>", "https://a.org/\n");
        shows("<a href=/x><h3>A</h3><p>b</p></a>", "### A\n\nb (/x)\n");
        shows("<a href=/x aria-label=Home><svg><path/><title>z</title></svg></a>", "[Home](/x)\n");
        shows("<a href=/1>one<a href=/2>two</a>", "[one](/1)[two](/2)\n");
        shows("<a href=/x></a><a href=/y><img alt='A cat'></a>", "[![A cat]](/y)\n");
    }

    #[test]
    fn lists_are_indented_and_numbered() {
        let html = "<p>x</p><ol start=3><li>a<li><p>b</p><ul><li>c</li><li></li></ul></ol>d";
        shows(html, "x\n\n3. a\n4. b\n   - c\n\nd\n");
        shows("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\n  b\nc\n  d\n");
        shows("a<blockquote><p>b</p>c<br>d</blockquote>e", "a\n\n> b\n\n> c\n> d\n\ne\n");
    }

    #[test]
    fn tables_are_rows_of_cells() {
        let html = "<table><tr><th>a<th><th>c</tr><tr><td rowspan=2>1<td>2<td><p>3</p><p>4</p></td></tr>\
            <tr><td>5<td></tr><tr><td colspan=2>6<td>7</table>x";
        shows(html, "a | | c\n1 | 2 | 3 4\n| 5\n6 | | 7\n\nx\n");
        let layout =
            "<table><tr><td><h1>A</h1><ul><li>b</ul></td><td><table><tr><td>c<td>d</table></table>";
        shows(layout, "# A\n\n- b\n\nc | d\n");
    }

    #[test]
    fn code_keeps_its_blanks() {
        let html = "a<pre class=x>\n  if <b>x</b> &lt; 1:\n\n    <a href=/y>y</a>\n</pre>b <code>c d</code>";
        shows(html, "a\n\n```\n  if x < 1:\n\n    y\n```\n\nb `c d`\n");
        shows("a<pre>\n</pre>b", "a\n\nb\n");
        shows("10<sup>6</sup> H<sub>2</sub>O", "10^6 H_2O\n");
    }

    #[test]
    fn what_is_not_shown_is_left_out() {
        let html = "<title>T &amp; u</title><meta name=Description content='d'><script>a<b</script>\
            <style>x</style><p hidden>b</p><div style='color:red; display: none'>c<div>d</div></div>\
            <svg><text>e</text></svg><!-- f --><template><p>g</p></template><p>shown</p>";
        shows(html, "Title: T & u\n\nDescription: d\n\nshown\n");
        let page = render(html).unwrap();
        assert_eq!((page.scripts.count, page.styles.bytes), (1, 1));
    }

    #[test]
    fn fields_show_what_stands_in_them() {
        let html = "<form><input type=hidden value=x><input placeholder='Search …'><input type=checkbox checked> all\
            <select><option>one<option>two</select><textarea>a <b></textarea><button>Go</button></form>";
        shows(html, "[Search …] [x] all\none; two;\na <b> Go\n");
    }

    #[test]
    fn a_page_that_is_written_badly_is_still_read() {
        shows("<div hidden><p>a</div>b</div></p>c", "bc\n");
        shows("<table><tr><td>a</div></span></p></td><td>b</table>", "a | b\n");
        shows("a<p class='x", "a\n");
        shows("<li>a<li>b", "- a\n- b\n");
        assert_eq!(render("<p></p><script>x</script>"), None);
    }

    #[test]
    fn nesting_is_bounded() {
        for tag in ["div", "ul><li", "blockquote", "a href=x", "table><tr><td", "sup", "pre"] {
            let html = format!("{}x{}y", format!("<{tag}>").repeat(5000), "</div>".repeat(6000));
            assert!(render(&html).is_none_or(|page| page.text.len() <= html.len()));
        }
    }
}
