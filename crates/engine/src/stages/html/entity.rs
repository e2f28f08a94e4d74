//! HTML character references: `&amp;`, `&#8217;`, `&#x2019;`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The names of U+00A0 to U+00FF, in order.
const LATIN_1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg \
    macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave \
    Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve \
    Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml \
    aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml \
    divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/// Others that pages use.
const OTHERS: &str = "amp& lt< gt> quot\" apos' ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ \
    hellip… bull• trade™ euro€ larr← uarr↑ rarr→ darr↓ harr↔ lArr⇐ rArr⇒ hArr⇔ minus− infin∞ ne≠ le≤ ge≥ asymp≈ \
    equiv≡ sum∑ prod∏ radic√ part∂ int∫ forall∀ exist∃ empty∅ isin∈ notin∉ cap∩ cup∪ sub⊂ sup⊃ and∧ or∨ sdot⋅ \
    prime′ Prime″ lsaquo‹ rsaquo› dagger† Dagger‡ permil‰ oeligœ OEligŒ fnofƒ circˆ tilde˜ check✓ cross✗ star☆ \
    starf★ phone☎ hearts♥ spades♠ clubs♣ diams♦ loz◊ Alpha\u{391} Beta\u{392} Gamma\u{393} Delta\u{394} \
    Theta\u{398} Lambda\u{39b} Pi\u{3a0} Sigma\u{3a3} Phi\u{3a6} Omega\u{3a9} alpha\u{3b1} beta\u{3b2} gamma\u{3b3} \
    delta\u{3b4} epsilon\u{3b5} eta\u{3b7} theta\u{3b8} lambda\u{3bb} mu\u{3bc} pi\u{3c0} rho\u{3c1} sigma\u{3c3} \
    tau\u{3c4} phi\u{3c6} chi\u{3c7} psi\u{3c8} omega\u{3c9} lbrace{ rbrace} lbrack[ rbrack] lpar( rpar) colon: comma, \
    period. excl! quest? num# dollar$ percnt% ast* plus+ equals= lowbar_ grave` sol/ bsol\\ vert| commat@ semi; \
    Tab\u{9} NewLine\u{a}";

/// No name of ours is longer, nor any number that stands for a character.
const LONGEST: usize = 8;

static NAMES: LazyLock<HashMap<&str, char>> = LazyLock::new(|| {
    let latin = LATIN_1.split_ascii_whitespace().zip('\u{a0}'..='\u{ff}');
    let split = |entry: &'static str| {
        let sign = entry.chars().next_back()?;
        Some((entry.strip_suffix(sign)?, sign))
    };
    latin.chain(OTHERS.split(' ').filter_map(split)).collect()
});

/// The characters of a text, its references resolved. One that is not known stays as it is.
pub(super) fn decode(text: &str) -> impl Iterator<Item = char> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if first == '&'
            && let Some((decoded, length)) = reference(rest)
        {
            rest = &rest[length..];
            return Some(decoded);
        }
        rest = &rest[first.len_utf8()..];
        Some(first)
    })
}

/// The reference that a text begins with, and how long it is.
fn reference(text: &str) -> Option<(char, usize)> {
    let window = text.as_bytes().get(1..text.len().min(LONGEST + 2))?;
    let end = window.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'#'))?;
    let name = text.get(1..=end).filter(|_| window[end] == b';')?;
    let decoded = match name.strip_prefix('#') {
        Some(number) => numbered(number)?,
        None => *NAMES.get(name)?,
    };
    Some((decoded, end + 2))
}

/// A character by its number; none that a terminal would obey.
fn numbered(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> String {
        decode(text).collect()
    }

    #[test]
    fn references_are_resolved_and_the_rest_stays() {
        assert_eq!(decoded("a &amp; b &lt;p&gt; &copy;&#8217;&#x2019;&yuml;"), "a & b <p> ©’’ÿ");
        assert_eq!(decoded("&lbrace;&nbsp;&Tab;|&NewLine;&œ &oelig;"), "{\u{a0}\t|\n&œ œ");
        for text in
            ["AT&T", "a&b;", "&unknown;", "&#xd800;", "&#27;", "&#99999999;", "&", "&#;", "é&"]
        {
            assert_eq!(decoded(text), text);
        }
    }
}
