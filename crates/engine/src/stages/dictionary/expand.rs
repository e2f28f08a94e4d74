//! A dictionary read back: strict, and never more text than the caller allows.

use memchr::memmem;

use super::notation::{DictionaryNotation, ESCAPES, number, open};
use super::{DecodeError, MAX_ENTRIES};

/// Reads a dictionary and writes its text out, if that has no more than `max_output` bytes.
pub(super) fn expand_dictionary(text: &str, max_output: usize) -> Result<String, DecodeError> {
    let (style, entries) = open(text).ok_or(DecodeError::NoHeader)?;
    let (salt, _) = entries
        .strip_prefix("<<")
        .and_then(|rest| number(rest.strip_prefix(style.letter)?, ":"))
        .ok_or(DecodeError::NoEntry)?;
    let notation = DictionaryNotation::new(style, salt);
    let (entries, body) = read_entries(entries, &notation)?;
    expand(body, &entries, &notation, max_output)
}

/// The entries, and the body after them.
fn read_entries<'t>(
    mut rest: &'t str,
    notation: &DictionaryNotation,
) -> Result<(Vec<String>, &'t str), DecodeError> {
    let mut entries = Vec::new();
    while entries.len() < MAX_ENTRIES {
        let number = entries.len() + 1;
        let marker = notation.marker(number);
        let Some(quoted) = rest.strip_prefix(&marker).and_then(|rest| rest.strip_prefix(" = \""))
        else {
            break;
        };
        let (entry, after) = unquote(quoted).ok_or(DecodeError::BadEntry { number })?;
        if entry.is_empty() || memmem::find(entry.as_bytes(), notation.opening.as_bytes()).is_some()
        {
            return Err(DecodeError::BadEntry { number });
        }
        entries.push(entry);
        rest = after;
    }
    if entries.is_empty() { Err(DecodeError::NoEntry) } else { Ok((entries, rest)) }
}

/// The text of an entry that begins after its opening quote, and what follows its line.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut entry = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return Some((entry, characters.as_str().strip_prefix('\n')?)),
            '\\' => {
                let letter = characters.next()?;
                entry.push(ESCAPES.iter().find(|(_, escape)| *escape == letter)?.0);
            }
            '\n' | '\r' => return None,
            character => entry.push(character),
        }
    }
}

/// The body with every marker replaced by its entry.
fn expand(
    body: &str,
    entries: &[String],
    notation: &DictionaryNotation,
    max_output: usize,
) -> Result<String, DecodeError> {
    let mut out = String::new();
    let mut push = |piece: &str| {
        if piece.len() > max_output - out.len() {
            return Err(DecodeError::TooLarge { limit: max_output });
        }
        out.push_str(piece);
        Ok(())
    };
    let opening = memmem::Finder::new(&notation.opening);
    let mut rest = body;
    while let Some(at) = opening.find(rest.as_bytes()) {
        push(&rest[..at])?;
        let marker = &rest[at + notation.opening.len()..];
        let (entry, after) = number(marker, ">>")
            .and_then(|(number, after)| Some((entries.get(number - 1)?, after)))
            .ok_or_else(|| DecodeError::UnknownMarker { offset: body.len() - rest.len() + at })?;
        push(entry)?;
        rest = after;
    }
    push(rest)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::notation::LZW;
    use super::*;

    fn decode_text(text: &str) -> Result<String, DecodeError> {
        expand_dictionary(text, 1000)
    }

    #[test]
    fn f10_the_printed_examples_expand() {
        let lzw = "[Forge LZW Dictionary]\n<<F1:1>> = \"error: repeated dependency resolution failure\"\n<<F1:1>> in crate alpha\n";
        let text = "error: repeated dependency resolution failure in crate alpha\n";
        assert_eq!(decode_text(lzw).as_deref(), Ok(text));
        let repair =
            "[Forge RePair Dictionary]\n<<R1:1>> = \"workspace crate alpha\"\nerror in <<R1:1>>";
        assert_eq!(decode_text(repair).as_deref(), Ok("error in workspace crate alpha"));
    }

    #[test]
    fn the_body_begins_where_no_next_entry_does() {
        let text =
            "[Forge LZW Dictionary]\n<<F7:1>> = \"a\"\n<<F7:2>> = \"b\"\n<<F7:1>> = \"<<F7:2>>\n";
        assert_eq!(decode_text(text).as_deref(), Ok("a = \"b\n"));
    }

    #[test]
    fn what_is_not_as_written_is_refused() {
        use DecodeError::*;
        for (text, error) in [
            ("", NoHeader),
            ("\n[Forge LZW Dictionary]\n<<F1:1>> = \"a\"\n", NoHeader),
            ("[Forge LZW Dictionary]\r\n<<F1:1>> = \"a\"\n", NoHeader),
            ("[Forge LZW Dictionary]\n", NoEntry),
            ("[Forge LZW Dictionary]\n<<R1:1>> = \"a\"\n", NoEntry),
            ("[Forge LZW Dictionary]\n<<F0:1>> = \"a\"\n", NoEntry),
            ("[Forge LZW Dictionary]\n<<F1:2>> = \"a\"\n", NoEntry),
            ("[Forge LZW Dictionary]\n<<F1:01>> = \"a\"\n", NoEntry),
            ("[Forge LZW Dictionary]\n<<F1:1>> = \"\"\nx", BadEntry { number: 1 }),
            ("[Forge LZW Dictionary]\n<<F1:1>> = \"a\nx", BadEntry { number: 1 }),
            ("[Forge LZW Dictionary]\n<<F1:1>> = \"a\"", BadEntry { number: 1 }),
            ("[Forge LZW Dictionary]\n<<F1:1>> = \"a\"b\"\nx", BadEntry { number: 1 }),
            ("[Forge LZW Dictionary]\n<<F1:1>> = \"\\t\"\nx", BadEntry { number: 1 }),
            ("[Forge LZW Dictionary]\n<<F1:1>> = \"a\\\"\nx", BadEntry { number: 1 }),
            (
                "[Forge LZW Dictionary]\n<<F1:1>> = \"a\"\n<<F1:2>> = \"<<F1:1>>\"\nx",
                BadEntry { number: 2 },
            ),
            ("[Forge LZW Dictionary]\n<<F1:1>> = \"a\"\nx<<F1:2>>", UnknownMarker { offset: 1 }),
            ("[Forge LZW Dictionary]\n<<F1:1>> = \"a\"\n<<F1:0>>", UnknownMarker { offset: 0 }),
            ("[Forge LZW Dictionary]\n<<F1:1>> = \"a\"\n<<F1:01>>", UnknownMarker { offset: 0 }),
            (
                "[Forge LZW Dictionary]\n<<F1:1>> = \"a\"\n<<F1:1>>é<<F1:1>",
                UnknownMarker { offset: 10 },
            ),
        ] {
            assert_eq!(decode_text(text), Err(error), "{text}");
        }
    }

    #[test]
    fn no_more_entries_are_read_than_are_written() {
        let entries: String = (1..=21).map(|number| format!("<<F1:{number}>> = \"a\"\n")).collect();
        let text = format!("{}{entries}", LZW.header);
        assert_eq!(decode_text(&text), Err(DecodeError::UnknownMarker { offset: 0 }));
    }

    #[test]
    fn the_output_stays_within_the_limit() {
        let text =
            format!("{}<<F1:1>> = \"{}\"\n{}", LZW.header, "x".repeat(100), "<<F1:1>>".repeat(9));
        assert_eq!(expand_dictionary(&text, 900).map(|text| text.len()), Ok(900));
        assert_eq!(expand_dictionary(&text, 899), Err(DecodeError::TooLarge { limit: 899 }));
        assert_eq!(expand_dictionary(&text, 0), Err(DecodeError::TooLarge { limit: 0 }));
    }
}
