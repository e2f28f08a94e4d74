//! The command line behind an output: what ran, and what of it printed.
//!
//! A line is split by a lexer that knows quotes, substitutions and here-documents, never searched as text: in
//! `git commit -m 'fix status'` nothing says `git status`. What is not understood is `None`, and an output without a
//! command is treated like any other text.
//!
//! ```
//! use tokenforge_engine::command::{CommandLine, PipeEffect};
//!
//! let command = CommandLine::parse("cd web && FOO=1 npx jest --ci 2>&1 | tail -20").unwrap();
//! let main = command.main().unwrap();
//! assert_eq!(main.command.program, "jest");
//! assert_eq!(main.filters[0].program, "tail");
//! assert_eq!((main.effect, main.shared), (PipeEffect::Whole, false));
//! ```

mod arguments;
mod grammar;
mod javascript;
mod lexer;
mod programs;
mod reading;
mod scripts;
mod simple;

pub(crate) use reading::is_log;
pub use simple::SimpleCommand;

use crate::tool::ToolKind;
use grammar::{RawCommand, RawPipeline};
use lexer::ShellWord;
use programs::PROGRAMS;
use simple::ResolvedCommand;

/// Longer lines are not read: they carry a file, not a command.
const MAX_LENGTH: usize = 64 << 10;
/// How often a line may hold another, as in `bash -c "bash -c ..."`.
const MAX_SCRIPTS: usize = 4;
const MAX_PIPELINES: usize = 256;

/// What a call ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    pipelines: Vec<Pipeline>,
}

/// Commands joined by pipes. The first one that reads nothing from the others is the source; the rest filter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pipeline {
    /// The commands, first to last.
    pub stages: Vec<SimpleCommand>,
    /// Does it stand in a loop, so that it may have run many times?
    pub repeats: bool,
}

/// What the filters of a pipe left of their source's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PipeEffect {
    /// All of them, or one end: `head`, `tail`, `tee`.
    Whole,
    /// Some of them: `grep`.
    Selected,
    /// Other lines: `wc`, `jq`, `sort`.
    Changed,
}

/// The command that an output comes from, and what may have happened to its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MainCommand<'a> {
    /// The command that printed.
    pub command: &'a SimpleCommand,
    /// What it was piped through.
    pub filters: &'a [SimpleCommand],
    /// What the filters left of its lines.
    pub effect: PipeEffect,
    /// May lines of others stand among its own (an `echo`, or the same command again in a loop)?
    pub shared: bool,
}

impl CommandLine {
    /// Finds the command in the arguments of a call, as JSON text: a string or a list of words under `command`,
    /// `cmd` and the like. The JavaScript that Codex runs is searched for the commands it starts.
    #[must_use]
    pub fn from_arguments(tool: ToolKind, arguments: &str) -> Option<Self> {
        if tool != ToolKind::Shell {
            return None;
        }
        let commands = arguments::argument_lines(arguments)?.into_iter().map(|line| match line {
            arguments::ArgumentLine::Text(text) => Self::parse(&text),
            arguments::ArgumentLine::Words(words) => Self::from_words(&words),
        });
        // Half a reading would name the wrong command.
        let commands = commands.collect::<Option<Vec<_>>>()?;
        Self::new(commands.into_iter().flat_map(|command| command.pipelines).collect())
    }

    /// Reads a command line. `None` where it is empty, too long or not understood.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        Self::new(pipelines(line, MAX_SCRIPTS)?)
    }

    /// Takes words that no shell has to split.
    #[must_use]
    pub fn from_words<S: AsRef<str>>(words: &[S]) -> Option<Self> {
        if words.iter().map(|word| word.as_ref().len()).sum::<usize>() > MAX_LENGTH {
            return None;
        }
        let words =
            words.iter().map(|word| ShellWord { text: word.as_ref().to_owned(), quoted: true });
        let command = RawCommand { words: words.collect(), ..RawCommand::default() };
        let pipeline = RawPipeline { stages: vec![command], repeats: false };
        Self::new(resolve(vec![pipeline], MAX_SCRIPTS)?)
    }

    fn new(pipelines: Vec<Pipeline>) -> Option<Self> {
        (!pipelines.is_empty()).then_some(Self { pipelines })
    }

    /// The pipelines, in the order in which they stand.
    #[must_use]
    pub fn pipelines(&self) -> &[Pipeline] {
        &self.pipelines
    }

    /// The one command that printed the output, if there is just one.
    ///
    /// Commands that print nothing (`cd`, `mkdir`) do not count, nor do those that print a line (`echo`) beside one
    /// that prints more; those make it [`shared`](MainCommand::shared).
    #[must_use]
    pub fn main(&self) -> Option<MainCommand<'_>> {
        let is_chatter = |main: &MainCommand| main.command.is_one_of(&PROGRAMS.chatter.names);
        let mut all = self.all();
        let first = all.next()?;
        let Some(second) = all.next() else { return Some(first) };
        let mut speakers = [first, second].into_iter().chain(all).filter(|main| !is_chatter(main));
        let speaker = speakers.next()?;
        speakers.next().is_none().then_some(MainCommand { shared: true, ..speaker })
    }

    /// Everything that may have printed, in order.
    pub fn all(&self) -> impl Iterator<Item = MainCommand<'_>> {
        self.pipelines.iter().filter_map(Pipeline::main)
    }

    /// Does the output hold the text of files, which has to stay as it is? True for `cat`, `sed -n 1,50p` and their
    /// like, and for `grep -C 3`, on files that are no logs, as long as nothing but such commands stands behind them in a
    /// pipe.
    #[must_use]
    pub fn reads_file(&self) -> bool {
        self.all().any(|main| reading::reads_file(&main))
    }

    /// Does a command show some lines of a file, as `sed -n 20,30p`, `head` and `grep -C 3` do?
    #[must_use]
    pub fn reads_part(&self) -> bool {
        self.all().any(|main| reading::reads_part(&main))
    }

    /// The command line in the arguments of a call as a reader would write it down, if there is just one.
    pub(crate) fn line_of(arguments: &str) -> Option<String> {
        match arguments::argument_lines(arguments)?.as_mut_slice() {
            [arguments::ArgumentLine::Text(text)] => Some(std::mem::take(text)),
            // `bash -lc` is the client's, not the model's.
            [arguments::ArgumentLine::Words(words)] => match words.as_mut_slice() {
                [_, flag, script] if matches!(flag.as_str(), "-c" | "-lc" | "-Command") => {
                    Some(std::mem::take(script))
                }
                words => Some(words.join(" ")),
            },
            _ => None,
        }
    }

    /// Does a command put numbers before the lines it prints, as `cat -n` and `nl` do?
    #[must_use]
    pub fn numbers_lines(&self) -> bool {
        self.all().any(|main| reading::numbers_lines(&main))
    }
}

impl Pipeline {
    /// What this pipeline prints, if it prints.
    fn main(&self) -> Option<MainCommand<'_>> {
        if self.stages.last()?.is_redirected {
            return None;
        }
        let source = self.source();
        let (command, filters) = self.stages.get(source..)?.split_first()?;
        if command.is_one_of(&PROGRAMS.silent.names) {
            return None;
        }
        let effect = filters.iter().filter_map(filter).max().unwrap_or(PipeEffect::Whole);
        Some(MainCommand { command, filters, effect, shared: self.repeats })
    }

    /// The last stage that is no filter: `grep` in `find . | xargs grep x | head`.
    fn source(&self) -> usize {
        let is_source = |stage: &SimpleCommand| stage.is_fed || filter(stage).is_none();
        self.stages.iter().rposition(is_source).unwrap_or(0)
    }
}

/// What a command does to lines that are piped into it, if that is what it is for.
fn filter(stage: &SimpleCommand) -> Option<PipeEffect> {
    let filters = &PROGRAMS.filters;
    [
        (&filters.passing, PipeEffect::Whole),
        (&filters.selecting, PipeEffect::Selected),
        (&filters.changing, PipeEffect::Changed),
    ]
    .into_iter()
    .find(|(names, _)| stage.is_one_of(names))
    .map(|(_, effect)| if counts(stage) { PipeEffect::Changed } else { effect })
}

/// `grep -c`, `uniq -c`: a number instead of lines. `head -c` cuts one line, as a limit on outputs does.
fn counts(stage: &SimpleCommand) -> bool {
    let is_count = |arg: &String| {
        arg == "--count" || (arg.starts_with('-') && !arg.starts_with("--") && arg.contains('c'))
    };
    matches!(stage.program.as_str(), "grep" | "rg" | "uniq") && stage.args.iter().any(is_count)
}

fn pipelines(line: &str, scripts: usize) -> Option<Vec<Pipeline>> {
    if line.len() > MAX_LENGTH {
        return None;
    }
    resolve(grammar::pipelines(lexer::tokens(line)?)?, scripts)
}

/// Takes the wrappers off every command; a script for another shell becomes part of this line.
fn resolve(raw: Vec<RawPipeline>, scripts: usize) -> Option<Vec<Pipeline>> {
    let mut resolved = Vec::new();
    for pipeline in raw {
        let repeats = pipeline.repeats;
        let mut current = vec![Pipeline { stages: Vec::new(), repeats }];
        for command in &pipeline.stages {
            match simple::resolve(command) {
                ResolvedCommand::Nothing => {}
                ResolvedCommand::Command(simple) => {
                    for pipeline in &mut current {
                        pipeline.stages.push(simple.clone());
                    }
                }
                ResolvedCommand::Script(line) => {
                    current = pipelines(&line, scripts.checked_sub(1)?)?;
                    for pipeline in &mut current {
                        pipeline.repeats |= repeats;
                        if let Some(last) = pipeline.stages.last_mut() {
                            last.is_redirected |= command.is_redirected;
                        }
                    }
                }
            }
        }
        resolved.extend(current.into_iter().filter(|pipeline| !pipeline.stages.is_empty()));
        if resolved.len() > MAX_PIPELINES {
            return None;
        }
    }
    Some(resolved)
}
