//! Words: quotes and escapes are taken off, expansions stay as they are written.

use super::{Lexer, MAX_DEPTH, ShellToken, ShellWord};

impl Lexer<'_> {
    /// Reads up to the next blank or operator that is not quoted.
    pub(super) fn word(&mut self) -> Option<ShellWord> {
        let mut word = ShellWord { text: String::new(), quoted: false };
        loop {
            let start = self.at;
            match self.peek(0) {
                None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'|' | b'&' | b';' | b'(' | b')') => {
                    break;
                }
                Some(b'<' | b'>') => {
                    if self.peek(1) != Some(b'(') || !word.text.is_empty() {
                        break;
                    }
                    self.at += 2;
                    self.skip_substitution()?;
                    word.text.push_str(&self.line[start..self.at]);
                }
                Some(b'\'') => {
                    word.quoted = true;
                    self.single_quoted(&mut word.text);
                }
                Some(b'"') => {
                    word.quoted = true;
                    self.double_quoted(&mut word.text)?;
                }
                Some(b'\\') => {
                    word.quoted = true;
                    self.read_escape(&mut word.text);
                }
                Some(b'$') if self.peek(1) == Some(b'\'') => {
                    word.quoted = true;
                    self.at += 2;
                    self.skip_escaped_until(b'\'');
                    word.text.push_str(&self.line[start..self.at]);
                }
                Some(b'$' | b'`') => self.expansion(&mut word.text)?,
                Some(_) => {
                    self.at += 1;
                    while self.peek(0).is_some_and(is_plain) {
                        self.at += 1;
                    }
                    word.text.push_str(&self.line[start..self.at]);
                }
            }
        }
        Some(word)
    }

    fn single_quoted(&mut self, text: &mut String) {
        self.at += 1;
        let end = self.find(b'\'').unwrap_or(self.bytes.len());
        text.push_str(&self.line[self.at..end]);
        self.at = (end + 1).min(self.bytes.len());
    }

    fn double_quoted(&mut self, text: &mut String) -> Option<()> {
        self.at += 1;
        loop {
            let start = self.at;
            match self.peek(0) {
                None => return Some(()),
                Some(b'"') => {
                    self.at += 1;
                    return Some(());
                }
                Some(b'\\') if matches!(self.peek(1), Some(b'"' | b'\\' | b'$' | b'`' | b'\n')) => {
                    self.read_escape(text);
                }
                Some(b'$' | b'`') => self.expansion(text)?,
                Some(_) => {
                    self.at += 1;
                    let rest = &self.bytes[self.at..];
                    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | b'$' | b'`');
                    self.at += rest.iter().position(is_special).unwrap_or(rest.len());
                    text.push_str(&self.line[start..self.at]);
                }
            }
        }
    }

    /// Reads a backslash and the character it protects.
    fn read_escape(&mut self, text: &mut String) {
        self.at += 1;
        let Some(character) = self.line[self.at..].chars().next() else { return };
        self.at += character.len_utf8();
        if character != '\n' {
            text.push(character);
        }
    }

    /// Keeps `$name`, `${...}`, `$(...)`, `$((...))` and `` `...` `` as they are written.
    fn expansion(&mut self, text: &mut String) -> Option<()> {
        let start = self.at;
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"$((") {
            self.at += 1;
            self.skip_balanced(b'(', b')');
        } else if rest.starts_with(b"$(") {
            self.at += 2;
            self.skip_substitution()?;
        } else if rest.starts_with(b"${") {
            self.at += 1;
            self.skip_balanced(b'{', b'}');
        } else if rest.starts_with(b"`") {
            self.at += 1;
            self.skip_escaped_until(b'`');
        } else {
            self.at += 1;
        }
        text.push_str(&self.line[start..self.at]);
        Some(())
    }

    /// Reads the commands of a substitution behind its opening bracket, and the closing one.
    fn skip_substitution(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut open = 1;
        while open > 0 {
            match self.token()? {
                Some(ShellToken::Open) => open += 1,
                Some(ShellToken::Close) => open -= 1,
                Some(_) => {}
                None => break,
            }
        }
        self.depth -= 1;
        Some(())
    }

    fn skip_balanced(&mut self, opening: u8, closing: u8) {
        let mut open = 0;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == opening {
                open += 1;
            } else if byte == closing {
                open -= 1;
                if open == 0 {
                    return;
                }
            }
        }
    }

    /// Skips to behind the next such byte that no backslash protects.
    fn skip_escaped_until(&mut self, end: u8) {
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == end {
                return;
            }
            if byte == b'\\' {
                let protected = self.line[self.at..].chars().next();
                self.at += protected.map_or(0, char::len_utf8);
            }
        }
    }
}

/// Bytes that can only be part of a word, multi-byte characters among them.
fn is_plain(byte: u8) -> bool {
    !matches!(
        byte,
        b' ' | b'\t'
            | b'\r'
            | b'\n'
            | b'|'
            | b'&'
            | b';'
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'\''
            | b'"'
            | b'\\'
            | b'$'
            | b'`'
    )
}
