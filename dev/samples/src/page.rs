//! Web pages, well written and badly: tags in any order, cut anywhere, with what pages hide.

use fastrand::Rng;

const PIECES: &[&str] = &[
    "<p>",
    "</p>",
    "<div class=\"a b\">",
    "</div>",
    "<span>",
    "</span>",
    "<h1>",
    "</h1>",
    "<h3 id='x'>",
    "</h3>",
    "<ul>",
    "</ul>",
    "<ol start=7>",
    "</ol>",
    "<li>",
    "</li>",
    "<a href=\"/x?a=1&amp;b=2\">",
    "<a href='#top'>",
    "</a>",
    "<table>",
    "</table>",
    "<tr>",
    "</tr>",
    "<td>",
    "<td colspan=3 rowspan=\"2\">",
    "<th>",
    "</td>",
    "<pre>",
    "</pre>",
    "<code>",
    "</code>",
    "<blockquote>",
    "</blockquote>",
    "<br/>",
    "<hr>",
    "<img src=a.png alt='a picture'>",
    "<input type=text value=typed>",
    "<select><option>one<option>two</select>",
    "<textarea>a <b> c</textarea>",
    "<script>if (a < b) { x('</p>') }</script>",
    "<style>p { color: red }</style>",
    "<svg><title>t</title><path d='M0'/></svg>",
    "<div hidden>",
    "<span style=\"display: none\">",
    "<!-- a comment -->",
    "<!doctype html>",
    "<title>A title</title>",
    "<sup>",
    "</sup>",
    "<my-element>",
    "</my-element>",
    "<a title=\"open",
    "<",
    ">",
    "&",
    "&lt;p&gt;",
    "&nbsp;",
    "&#8217;",
    "&#x0;",
    "&unknown;",
    "\n",
    "  ",
    "\t",
    "some words",
    "日本語",
    "a < b > c",
    "[Forge left out 3 lines]",
    "\n[Forge x]\n",
    "```\n",
    "| a |",
];

/// A page or a piece of one, the same for the same seed.
pub fn page(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut out = String::new();
    if rng.bool() {
        out.push_str("Address: https://example.com/\n");
    }
    if rng.bool() {
        out.push_str("<!DOCTYPE html>\n<html><body>\n");
    }
    for _ in 0..rng.usize(..120) {
        out.push_str(PIECES[rng.usize(..PIECES.len())]);
        if rng.u8(..3) == 0 {
            out.push_str("words of a page ");
        }
    }
    out
}
