//! From tokens to pipelines: groups, loops and branches are flattened into what can print.

use super::lexer::{Redirect, ShellToken, ShellWord};

/// No line of an agent holds more; what does is not read.
const MAX_COMMANDS: usize = 256;
const MAX_DEPTH: usize = 16;

/// Simple commands joined by pipes.
#[derive(Debug, Clone, Default)]
pub(super) struct RawPipeline {
    pub(super) stages: Vec<RawCommand>,
    /// Does it stand in a loop?
    pub(super) repeats: bool,
}

/// The words of one simple command, and where its streams go.
#[derive(Debug, Clone, Default)]
pub(super) struct RawCommand {
    pub(super) words: Vec<ShellWord>,
    pub(super) has_input: bool,
    pub(super) is_redirected: bool,
}

/// Reads the pipelines in the order in which they stand, or gives up on what it does not understand.
pub(super) fn pipelines(tokens: Vec<ShellToken>) -> Option<Vec<RawPipeline>> {
    let mut parser = Parser { tokens: tokens.into_iter().peekable(), commands: 0, depth: 0 };
    let pipelines = parser.list(ListEnd::Text)?;
    parser.tokens.next().is_none().then_some(pipelines)
}

/// What ends a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListEnd {
    Text,
    Bracket,
    /// A word that stands where a command would: `}`, `fi`, `done`.
    Keyword(&'static str),
}

enum PipeStage {
    Simple(RawCommand),
    Group(Vec<RawPipeline>),
}

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<ShellToken>>,
    commands: usize,
    depth: usize,
}

impl Parser {
    fn list(&mut self, end: ListEnd) -> Option<Vec<RawPipeline>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut list = Vec::new();
        loop {
            while self.tokens.next_if_eq(&ShellToken::Separator).is_some() {}
            match self.tokens.peek() {
                None if end == ListEnd::Text => break,
                None => return None,
                Some(ShellToken::Close) if end == ListEnd::Bracket => {
                    self.tokens.next();
                    break;
                }
                Some(token) => {
                    if let ListEnd::Keyword(keyword) = end
                        && is_keyword(token, keyword)
                    {
                        self.tokens.next();
                        break;
                    }
                }
            }
            list.extend(self.pipeline()?);
        }
        self.depth -= 1;
        Some(list)
    }

    /// Reads one pipeline. A group in it stands for the pipelines inside: what is piped into it feeds them, what
    /// follows filters each.
    fn pipeline(&mut self) -> Option<Vec<RawPipeline>> {
        let mut pipelines = vec![RawPipeline::default()];
        loop {
            match self.stage()? {
                PipeStage::Simple(command) => {
                    for pipeline in &mut pipelines {
                        self.commands += 1;
                        pipeline.stages.push(command.clone());
                    }
                }
                PipeStage::Group(inside) => pipelines = inside,
            }
            if self.commands > MAX_COMMANDS {
                return None;
            }
            if self.tokens.next_if_eq(&ShellToken::Pipe).is_none() {
                return Some(pipelines);
            }
            while self.tokens.next_if_eq(&ShellToken::Separator).is_some() {}
        }
    }

    fn stage(&mut self) -> Option<PipeStage> {
        loop {
            let keyword = match self.tokens.peek() {
                Some(ShellToken::Open) => {
                    self.tokens.next();
                    return self.group(ListEnd::Bracket, false);
                }
                Some(ShellToken::Word(word)) if !word.quoted => word.text.as_str(),
                _ => return self.simple(),
            };
            let (end, repeats) = match keyword {
                "!" | "then" | "else" | "elif" | "do" => {
                    self.tokens.next();
                    continue;
                }
                "{" => (ListEnd::Keyword("}"), false),
                "if" => (ListEnd::Keyword("fi"), false),
                "while" | "until" => (ListEnd::Keyword("done"), true),
                "for" | "select" => {
                    while self.tokens.next_if(|token| *token != ShellToken::Separator).is_some() {}
                    return self.group(ListEnd::Keyword("done"), true);
                }
                "case" | "function" => return None,
                _ => return self.simple(),
            };
            self.tokens.next();
            return self.group(end, repeats);
        }
    }

    fn group(&mut self, end: ListEnd, repeats: bool) -> Option<PipeStage> {
        let mut pipelines = self.list(end)?;
        let mut after = RawCommand::default();
        while let Some(ShellToken::Redirect(redirect)) = self.tokens.peek() {
            after.redirect(*redirect);
            self.tokens.next();
        }
        for pipeline in &mut pipelines {
            pipeline.repeats |= repeats;
            if let Some(last) = pipeline.stages.last_mut() {
                last.is_redirected |= after.is_redirected;
            }
        }
        Some(PipeStage::Group(pipelines))
    }

    fn simple(&mut self) -> Option<PipeStage> {
        let mut command = RawCommand::default();
        loop {
            match self.tokens.peek() {
                Some(ShellToken::Word(_) | ShellToken::Redirect(_)) => match self.tokens.next() {
                    Some(ShellToken::Word(word)) => command.words.push(word),
                    Some(ShellToken::Redirect(redirect)) => command.redirect(redirect),
                    _ => return None,
                },
                // A function is being defined.
                Some(ShellToken::Open) => return None,
                _ => return Some(PipeStage::Simple(command)),
            }
        }
    }
}

impl RawCommand {
    fn redirect(&mut self, redirect: Redirect) {
        match redirect {
            Redirect::Input => self.has_input = true,
            Redirect::Output => self.is_redirected = true,
            Redirect::Text | Redirect::Elsewhere => {}
        }
    }
}

fn is_keyword(token: &ShellToken, keyword: &str) -> bool {
    matches!(token, ShellToken::Word(word) if !word.quoted && word.text == keyword)
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokens;
    use super::*;

    /// `a b | c ; d` for two pipelines; `>` for redirected output, `*` in a loop.
    fn spell_pipelines(line: &str) -> Option<String> {
        let spell = |pipeline: &RawPipeline| {
            let stage = |command: &RawCommand| {
                let words: Vec<&str> =
                    command.words.iter().map(|word| word.text.as_str()).collect();
                words.join(" ") + if command.is_redirected { " >" } else { "" }
            };
            let stages: Vec<String> = pipeline.stages.iter().map(stage).collect();
            stages.join(" | ") + if pipeline.repeats { " *" } else { "" }
        };
        let pipelines = pipelines(tokens(line)?)?;
        Some(pipelines.iter().map(spell).collect::<Vec<_>>().join(" ; "))
    }

    #[test]
    fn chains_and_pipes_are_split() {
        assert_eq!(spell_pipelines("a && b | c || d;\n e &").unwrap(), "a ; b | c ; d ; e");
        assert_eq!(spell_pipelines("a |\n b").unwrap(), "a | b");
    }

    #[test]
    fn a_filter_behind_a_group_filters_all_of_it() {
        assert_eq!(spell_pipelines("(a; b x) 2>&1 | tail").unwrap(), "a | tail ; b x | tail");
        assert_eq!(spell_pipelines("{ a; b; } > f; c").unwrap(), "a > ; b > ; c");
        assert_eq!(spell_pipelines("a | (b; c)").unwrap(), "b ; c");
    }

    #[test]
    fn branches_and_loops_are_flattened() {
        assert_eq!(spell_pipelines("if a; then b; else c; fi").unwrap(), "a ; b ; c");
        assert_eq!(
            spell_pipelines("for f in x y; do a $f | b; done | c").unwrap(),
            "a $f | b | c *"
        );
        assert_eq!(spell_pipelines("a | while read x; do b; done").unwrap(), "read x * ; b *");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for line in ["case x in a) b;; esac", "f() { a; }", "a)", "(a", "{ a", "if a", "echo (a)"] {
            assert_eq!(spell_pipelines(line), None, "{line}");
        }
        assert_eq!(spell_pipelines(&"(".repeat(1000)), None);
        assert_eq!(spell_pipelines(&"a|".repeat(1000)), None);
    }
}
