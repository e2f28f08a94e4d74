//! What really runs: wrappers taken off, one name a program, the subcommand found.

use super::grammar::RawCommand;
use super::lexer::ShellWord;
use super::programs::{PROGRAMS, Runner};

/// More wrappers (`sudo env nice ...`) than a real command line has.
const MAX_WRAPPERS: usize = 16;

/// One program and its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimpleCommand {
    /// The name of the program: no path, no version, wrappers such as `sudo` and `npx` taken off.
    pub program: String,
    /// `log` in `git -C dir log`: the first word that is no option, where the program has subcommands.
    pub subcommand: Option<String>,
    /// What follows the subcommand, or else the program.
    pub args: Vec<String>,
    /// Is standard output sent to a file?
    pub is_redirected: bool,
    /// Is standard input a file?
    pub has_input: bool,
    /// Do further arguments come from standard input or from a search (`xargs`, `find -exec`)?
    pub is_fed: bool,
}

/// What the words of a command turn out to be.
#[derive(Debug)]
pub(super) enum ResolvedCommand {
    /// Only assignments, or wrappers without end.
    Nothing,
    Command(SimpleCommand),
    /// A line for another shell: `bash -c '...'`.
    Script(String),
}

impl SimpleCommand {
    /// Does the command start with these words, options aside? `git log`, `docker compose up`, `npm run test`.
    ///
    /// ```
    /// use tokenforge_engine::command::CommandLine;
    ///
    /// let command = CommandLine::parse("npm --prefix web run test -- --watch").unwrap();
    /// assert!(command.main().unwrap().command.is("npm run test"));
    /// ```
    #[must_use]
    pub fn is(&self, words: &str) -> bool {
        let mut own = self.words();
        words.split(' ').all(|word| own.next() == Some(word))
    }

    /// The program, its subcommand and what else is no option.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let operands = self.args.iter().map(String::as_str).filter(|arg| !is_option(arg));
        std::iter::once(self.program.as_str()).chain(self.subcommand.as_deref()).chain(operands)
    }

    /// Is this option given, alone or as `--option=value`?
    #[must_use]
    pub fn has_option(&self, option: &str) -> bool {
        self.args.iter().any(|arg| {
            arg.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    }

    /// Is the command, with or without its subcommand, one of these names?
    pub(super) fn is_one_of(&self, names: &[String]) -> bool {
        names.iter().any(|name| {
            *name == self.program
                || self.subcommand.as_ref().is_some_and(|subcommand| {
                    name.split_once(' ') == Some((self.program.as_str(), subcommand.as_str()))
                })
        })
    }
}

/// Takes the wrappers off a command.
pub(super) fn resolve(raw: &RawCommand) -> ResolvedCommand {
    let words: Vec<&ShellWord> = raw.words.iter().collect();
    let mut rest: &[&ShellWord] = &words;
    let mut is_fed = false;
    for _ in 0..MAX_WRAPPERS {
        rest = skip(rest, is_assignment);
        let Some((first, arguments)) = rest.split_first() else { break };
        let name = PROGRAMS.name(&first.text);
        if let Some(script) = shell_script(name, arguments) {
            return ResolvedCommand::Script(script);
        }
        if let Some((runner, inner)) = run_by(name, arguments)
            && !inner.is_empty()
        {
            if runner.script {
                let line: Vec<&str> = inner.iter().map(|word| word.text.as_str()).collect();
                return ResolvedCommand::Script(line.join(" "));
            }
            is_fed |= runner.input;
            rest = inner;
        } else if let Some(inner) = find_exec_command(name, arguments) {
            is_fed = true;
            rest = inner;
        } else {
            let (is_redirected, has_input) = (raw.is_redirected, raw.has_input);
            let command = command_of(name, arguments);
            return ResolvedCommand::Command(SimpleCommand {
                is_redirected,
                has_input,
                is_fed,
                ..command
            });
        }
    }
    ResolvedCommand::Nothing
}

fn command_of(name: &str, arguments: &[&ShellWord]) -> SimpleCommand {
    let mut words = name.split(' ');
    let program = words.next().unwrap_or(name);
    let mut rest = arguments;
    let mut subcommand = words.next();
    if let (None, Some((word, behind))) = (subcommand, subcommand_of(program, rest)) {
        subcommand = Some(word);
        rest = behind;
    }
    // Groups such as `docker compose` have options of their own before what they do.
    if let Some(group) = subcommand
        && let Some(options) = PROGRAMS.subcommands.get(&format!("{program} {group}"))
    {
        rest = skip_options(rest, &options.values);
    }
    SimpleCommand {
        program: program.to_owned(),
        subcommand: subcommand.map(str::to_owned),
        args: rest.iter().map(|word| word.text.clone()).collect(),
        ..SimpleCommand::default()
    }
}

/// The subcommand behind the options of the program, and what follows it.
fn subcommand_of<'a, 'w>(
    program: &str,
    arguments: &'a [&'w ShellWord],
) -> Option<(&'w str, &'a [&'w ShellWord])> {
    let options = PROGRAMS.subcommands.get(program)?;
    let rest = skip_options(arguments, &options.values);
    let (word, behind) = rest.split_first()?;
    Some((&word.text, behind))
}

/// If this command runs another: how, and the words of the other.
fn run_by<'a, 'w>(
    name: &str,
    arguments: &'a [&'w ShellWord],
) -> Option<(&'static Runner, &'a [&'w ShellWord])> {
    static MODULE: std::sync::LazyLock<Runner> = std::sync::LazyLock::new(Runner::default);
    if name == "python" {
        let at = arguments.iter().position(|word| word.text == "-m" || !is_option(&word.text))?;
        return (arguments[at].text == "-m").then(|| (&*MODULE, &arguments[at + 1..]));
    }
    let (runner, rest) = match PROGRAMS.runners.get(name) {
        Some(runner) => (runner, arguments),
        None => {
            let (word, behind) = subcommand_of(name, arguments)?;
            if PROGRAMS.bins.managers.iter().any(|manager| manager == name)
                && PROGRAMS.bins.names.iter().any(|bin| bin == word)
            {
                return Some((&*MODULE, &arguments[arguments.len() - behind.len() - 1..]));
            }
            let path = format!("{name} {word}");
            match PROGRAMS.runners.get(&path) {
                Some(runner) => (runner, behind),
                None => {
                    let (word, behind) = subcommand_of(&path, behind)?;
                    (PROGRAMS.runners.get(&format!("{path} {word}"))?, behind)
                }
            }
        }
    };
    if rest.first().is_some_and(|word| runner.stops.contains(&word.text)) {
        return None;
    }
    let rest = skip(skip_options(rest, &runner.values), is_assignment);
    let rest = rest.get(runner.operands..)?;
    Some((runner, if runner.operands > 0 { skip_options(rest, &runner.values) } else { rest }))
}

/// The script behind `bash -c` and its like.
fn shell_script(name: &str, arguments: &[&ShellWord]) -> Option<String> {
    let shells = &PROGRAMS.shells;
    if !shells.names.iter().any(|shell| shell == name) {
        return None;
    }
    let mut words = arguments.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        let is_cluster = word.len() <= 5
            && word.ends_with('c')
            && word
                .strip_prefix('-')
                .is_some_and(|flags| flags.bytes().all(|b| b.is_ascii_lowercase()));
        if is_cluster || shells.scripts.iter().any(|script| script == word) {
            return words.next().map(str::to_owned);
        }
        if !is_option(word) {
            return None;
        }
        if word == "-o" {
            words.next();
        }
    }
    None
}

/// The command that `find -exec` runs.
fn find_exec_command<'a, 'w>(
    name: &str,
    arguments: &'a [&'w ShellWord],
) -> Option<&'a [&'w ShellWord]> {
    if !matches!(name, "find" | "fd") {
        return None;
    }
    let runs =
        |word: &&ShellWord| matches!(word.text.as_str(), "-exec" | "-execdir" | "-x" | "--exec");
    let at = arguments.iter().position(runs)?;
    let inner = &arguments[at + 1..];
    let ends = |word: &&ShellWord| matches!(word.text.as_str(), ";" | "+");
    let inner = &inner[..inner.iter().position(ends).unwrap_or(inner.len())];
    (!inner.is_empty()).then_some(inner)
}

fn skip<'a, 'w>(
    words: &'a [&'w ShellWord],
    unwanted: impl Fn(&ShellWord) -> bool,
) -> &'a [&'w ShellWord] {
    let count = words.iter().take_while(|word| unwanted(word)).count();
    &words[count..]
}

/// Skips options with their values, a toolchain (`+nightly`), and the `--` that ends options.
fn skip_options<'a, 'w>(mut words: &'a [&'w ShellWord], values: &[String]) -> &'a [&'w ShellWord] {
    while let Some((first, rest)) = words.split_first() {
        if first.text == "--" {
            return rest;
        }
        let is_toolchain = first.text.len() > 1 && first.text.starts_with('+');
        if !is_option(&first.text) && !is_toolchain {
            break;
        }
        let takes_next = values.contains(&first.text);
        words = if takes_next { rest.get(1..).unwrap_or_default() } else { rest };
    }
    words
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// `NAME=value` before a command.
fn is_assignment(word: &ShellWord) -> bool {
    let Some((name, _)) = word.text.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
