//! Words and operators of a shell line: quotes taken off, comments and here-documents left out.
//!
//! Every character is read once. What a substitution, `$(...)`, would run is not this line's output: it is kept as
//! text inside its word.

mod word;

/// The deepest nesting of substitutions that is read.
const MAX_DEPTH: usize = 32;

/// One word or operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellToken {
    Word(ShellWord),
    /// `|` and `|&`.
    Pipe,
    /// What stands between commands: `&&`, `||`, `;`, `&` and the end of a line.
    Separator,
    /// `(`.
    Open,
    /// `)`.
    Close,
    Redirect(Redirect),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellWord {
    pub(super) text: String,
    /// Was any of it quoted or escaped? Then it is neither a keyword nor an assignment.
    pub(super) quoted: bool,
}

/// Where a command reads from or writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redirect {
    /// Standard input comes from a file.
    Input,
    /// Standard input comes from the line itself: a string or a here-document.
    Text,
    /// Standard output goes to a file.
    Output,
    /// Only errors or a numbered stream are sent elsewhere.
    Elsewhere,
}

/// Reads a whole line, or gives up where it is nested too deeply.
pub(super) fn tokens(line: &str) -> Option<Vec<ShellToken>> {
    let mut lexer = Lexer { line, bytes: line.as_bytes(), at: 0, documents: Vec::new(), depth: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.token()? {
        tokens.push(token);
    }
    Some(tokens)
}

struct Lexer<'a> {
    line: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Here-documents whose text starts at the next line.
    documents: Vec<HereDocument>,
    depth: usize,
}

struct HereDocument {
    end: String,
    is_indented: bool,
}

impl Lexer<'_> {
    /// The next token, `Some(None)` at the end.
    fn token(&mut self) -> Option<Option<ShellToken>> {
        self.skip_blank();
        let Some(byte) = self.peek(0) else { return Some(None) };
        let token = match byte {
            b'\n' => {
                self.at += 1;
                self.skip_documents();
                ShellToken::Separator
            }
            b';' => {
                self.operator(1 + usize::from(self.peek(1) == Some(b';')), ShellToken::Separator)
            }
            b'|' => match self.peek(1) {
                Some(b'|') => self.operator(2, ShellToken::Separator),
                Some(b'&') => self.operator(2, ShellToken::Pipe),
                _ => self.operator(1, ShellToken::Pipe),
            },
            b'&' => match self.peek(1) {
                Some(b'>') => {
                    self.at += 1;
                    return self.redirect(None).map(Some);
                }
                Some(b'&') => self.operator(2, ShellToken::Separator),
                _ => self.operator(1, ShellToken::Separator),
            },
            b'(' => self.operator(1, ShellToken::Open),
            b')' => self.operator(1, ShellToken::Close),
            b'<' | b'>' if self.peek(1) != Some(b'(') => return self.redirect(None).map(Some),
            _ => return self.word_or_redirect().map(Some),
        };
        Some(Some(token))
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn operator(&mut self, length: usize, token: ShellToken) -> ShellToken {
        self.at += length;
        token
    }

    fn skip_blank(&mut self) {
        loop {
            match self.peek(0) {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.peek(1) == Some(b'\n') => self.at += 2,
                Some(b'#') => self.at = self.find(b'\n').unwrap_or(self.bytes.len()),
                _ => return,
            }
        }
    }

    fn find(&self, byte: u8) -> Option<usize> {
        memchr::memchr(byte, &self.bytes[self.at..]).map(|offset| self.at + offset)
    }

    /// Reads `>`, `>>`, `2>`, `>&2`, `<`, `<<END`, `<<<word` with the word that follows.
    fn redirect(&mut self, stream: Option<&str>) -> Option<ShellToken> {
        let rest = &self.line[self.at..];
        let is_input = rest.starts_with('<');
        let document = rest.starts_with("<<") && !rest.starts_with("<<<");
        let is_indented = rest.starts_with("<<-");
        let operators = rest.bytes().take_while(|byte| matches!(byte, b'<' | b'>')).count();
        let copies = self.peek(operators) == Some(b'&');
        let marks = usize::from(is_indented || copies || self.peek(operators) == Some(b'|'));
        self.at += operators + marks;
        while let Some(b' ' | b'\t') = self.peek(0) {
            self.at += 1;
        }
        let target = self.word()?;
        if document {
            self.documents.push(HereDocument { end: target.text, is_indented });
        }
        let redirect = match stream {
            _ if is_input && operators == 1 => Redirect::Input,
            _ if is_input => Redirect::Text,
            None | Some("1") if !copies => Redirect::Output,
            _ => Redirect::Elsewhere,
        };
        Some(ShellToken::Redirect(redirect))
    }

    fn word_or_redirect(&mut self) -> Option<ShellToken> {
        let word = self.word()?;
        let is_stream = !word.quoted && word.text.bytes().all(|byte| byte.is_ascii_digit());
        if is_stream && matches!(self.peek(0), Some(b'<' | b'>')) && self.peek(1) != Some(b'(') {
            return self.redirect(Some(&word.text));
        }
        Some(ShellToken::Word(word))
    }

    fn skip_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            while self.at < self.bytes.len() {
                let end = self.find(b'\n').unwrap_or(self.bytes.len());
                let line = self.line[self.at..end].trim_end_matches('\r');
                self.at = (end + 1).min(self.bytes.len());
                let line = if document.is_indented { line.trim_start_matches('\t') } else { line };
                if line == document.end {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words as they are, operators as single characters.
    fn spell_tokens(line: &str) -> Vec<String> {
        let spell = |token| match token {
            ShellToken::Word(word) => word.text,
            ShellToken::Pipe => "|".into(),
            ShellToken::Separator => ";".into(),
            ShellToken::Open => "(".into(),
            ShellToken::Close => ")".into(),
            ShellToken::Redirect(Redirect::Input | Redirect::Text) => "<".into(),
            ShellToken::Redirect(Redirect::Output) => ">".into(),
            ShellToken::Redirect(Redirect::Elsewhere) => "2>".into(),
        };
        tokens(line).unwrap().into_iter().map(spell).collect()
    }

    #[test]
    fn quotes_and_escapes_are_taken_off() {
        assert_eq!(
            spell_tokens(r#"a 'b c' "d \"e\" $f" g\ h ''"#),
            ["a", "b c", "d \"e\" $f", "g h", ""]
        );
        assert_eq!(spell_tokens("a'b'\"c\"é"), ["abcé"]);
        assert_eq!(spell_tokens(r"grep $'a\'b' x"), ["grep", r"$'a\'b'", "x"]);
    }

    #[test]
    fn operators_need_no_blanks() {
        assert_eq!(
            spell_tokens("a&&b||c;d|e&f|&g"),
            ["a", ";", "b", ";", "c", ";", "d", "|", "e", ";", "f", "|", "g"]
        );
        assert_eq!(spell_tokens("(a;b)|c"), ["(", "a", ";", "b", ")", "|", "c"]);
    }

    #[test]
    fn redirections_take_their_target_with_them() {
        assert_eq!(spell_tokens("a 2>&1 >/dev/null b"), ["a", "2>", ">", "b"]);
        assert_eq!(
            spell_tokens("a &> x b 2>> y c >| z d < w"),
            ["a", ">", "b", "2>", "c", ">", "d", "<"]
        );
        assert_eq!(spell_tokens("echo 2 >f"), ["echo", "2", ">"]);
        assert_eq!(spell_tokens("a <<< 'x y' b"), ["a", "<", "b"]);
    }

    #[test]
    fn what_a_substitution_runs_stays_in_its_word() {
        assert_eq!(spell_tokens("a $(b | c; d) e"), ["a", "$(b | c; d)", "e"]);
        assert_eq!(spell_tokens("a \"$(b \"c)\" 'd)')\" e"), ["a", "$(b \"c)\" 'd)')", "e"]);
        assert_eq!(
            spell_tokens("a `b | c` $((1 << 2)) ${x:-(} f"),
            ["a", "`b | c`", "$((1 << 2))", "${x:-(}", "f"]
        );
        assert_eq!(spell_tokens("diff <(a | b) <(c)"), ["diff", "<(a | b)", "<(c)"]);
    }

    #[test]
    fn here_documents_are_skipped_even_inside_a_substitution() {
        assert_eq!(
            spell_tokens("cat <<EOF | b\nit's; $(x\nEOF\nc"),
            ["cat", "<", "|", "b", ";", "c"]
        );
        assert_eq!(spell_tokens("cat <<-'E'\n\tx\n\tE\nc"), ["cat", "<", ";", "c"]);
        let commit = "git commit -m \"$(cat <<'EOF'\nDon't \"stop) here\nEOF\n)\" && git status";
        let words = spell_tokens(commit);
        assert_eq!(words[..3], ["git", "commit", "-m"]);
        assert_eq!(words[4..], [";", "git", "status"]);
    }

    #[test]
    fn comments_and_continued_lines_are_joined_away() {
        assert_eq!(spell_tokens("a # b | c\nd\\\ne \\\n f#g"), ["a", ";", "de", "f#g"]);
    }

    #[test]
    fn unfinished_text_ends_with_the_line() {
        for line in ["'a", "\"a", "a \\", "$(a", "`a", "${a", "<<E\nx", ">", "2>", "a <(b", "$((1"]
        {
            assert!(tokens(line).is_some(), "{line}");
        }
        assert!(tokens(&"$(".repeat(100)).is_none());
    }
}
