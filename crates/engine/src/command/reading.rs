//! Which commands show the text of a file.

use super::programs::PROGRAMS;
use super::{MainCommand, PipeEffect, SimpleCommand};

/// Does this command print files as they are, through filters that leave lines as they are?
pub(super) fn reads_file(main: &MainCommand) -> bool {
    let keeps_text = main.effect == PipeEffect::Whole || main.filters.iter().all(keeps_lines);
    let reads =
        || shows_file(main.command) || shows_blob(main.command) || shows_context(main.command);
    keeps_text && reads()
}

/// Does this command print some lines of a file: from one on, up to one, so many, or those around what it looks for?
pub(super) fn reads_part(main: &MainCommand) -> bool {
    const OPTIONS: [&str; 5] = ["-totalcount", "-tail", "-first", "-last", "-skip"];
    let is_part = |stage: &SimpleCommand| {
        let mut args = stage.args.iter().map(|arg| arg.to_ascii_lowercase());
        match stage.program.as_str() {
            "head" | "tail" | "sed" | "awk" | "gawk" | "mawk" => true,
            "bat" => args.any(|arg| arg.starts_with("-r") || arg.starts_with("--line-range")),
            // Elsewhere `-r` is no range: `grep -r`.
            _ => shows_lines_around(stage) || args.any(|arg| OPTIONS.contains(&arg.as_str())),
        }
    };
    reads_file(main) && std::iter::once(main.command).chain(main.filters).any(is_part)
}

/// Does the command, or a filter behind it, put a number before every line?
pub(super) fn numbers_lines(main: &MainCommand) -> bool {
    std::iter::once(main.command).chain(main.filters).any(|stage| {
        let args = || stage.args.iter().map(String::as_str);
        let has_letter = |arg: &str| {
            let letters = arg.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            letters.is_some_and(|letters| letters.contains(['n', 'b']))
        };
        // Into a pipe bat writes no numbers unless it is asked to.
        let asks_bat = |arg: &str| {
            arg == "-n"
                || arg.starts_with("--number")
                || arg.contains("style") && !arg.contains("plain")
        };
        match stage.program.as_str() {
            "nl" => true,
            "bat" | "batcat" => args().any(asks_bat),
            "cat" => args().any(|arg| arg.starts_with("--number") || has_letter(arg)),
            program if is_awk(program) => {
                args().any(|arg| arg.split("print").skip(1).any(|printed| printed.contains("NR")))
            }
            "grep" | "rg" => args().any(|arg| arg == "--line-number" || has_letter(arg)),
            _ => false,
        }
    })
}

fn is_awk(program: &str) -> bool {
    matches!(program, "awk" | "gawk" | "mawk")
}

/// `NR>=10 && NR<=50`, `/from/,/to/`: does a script of awk pick lines, and no more?
fn picks_lines(script: &str) -> bool {
    let is_range = script.starts_with('/') && script.contains(",/") && !script.contains('{');
    script.starts_with("NR") || script.starts_with("FNR") || is_range
}

fn keeps_lines(stage: &SimpleCommand) -> bool {
    matches!(stage.program.as_str(), "nl" | "sed")
        || (is_awk(&stage.program) && stage.args.first().is_some_and(|script| picks_lines(script)))
        || shows_lines_around(stage)
        || PROGRAMS.filters.passing.contains(&stage.program)
}

fn shows_file(command: &SimpleCommand) -> bool {
    let Some(options) = PROGRAMS.readers.options.get(&command.program.to_ascii_lowercase()) else {
        return false;
    };
    let has_option =
        |options: &[&str]| command.args.iter().any(|arg| options.contains(&arg.as_str()));
    let mut operands = operands(&command.args, options);
    match command.program.as_str() {
        // Even with substitutions, most of what it prints is the file's.
        "sed" if command.args.iter().any(|arg| is_in_place(arg)) => return false,
        "sed" if !has_option(&["-e", "-f", "-ne"]) => drop(operands.next()),
        program if is_awk(program) && !operands.next().is_some_and(picks_lines) => return false,
        _ => {}
    }
    command.is_fed || command.has_input || operands.any(|file| !is_log(file))
}

/// `grep -A 3 pattern files`, where the files are no logs: what stands around a match is the code that an edit is made from.
fn shows_context(command: &SimpleCommand) -> bool {
    let has_pattern = |arg: &String| {
        ["-e", "-f", "--regexp", "--file"].iter().any(|option| arg.starts_with(option))
    };
    let pattern = usize::from(!command.args.iter().any(has_pattern));
    let is_subcommand = usize::from(command.program == "git");
    let mut files = operands(&command.args, &PROGRAMS.searchers.values)
        .skip(pattern + is_subcommand)
        .peekable();
    shows_lines_around(command) && (files.peek().is_none() || files.any(|file| !is_log(file)))
}

/// Does a search print the lines around what it finds?
fn shows_lines_around(command: &SimpleCommand) -> bool {
    command.is_one_of(&PROGRAMS.searchers.names)
        && command.args.iter().any(|arg| asks_for_context(arg))
}

/// `-A3`, `-rnC`, `-5`, `--context=2`.
fn asks_for_context(arg: &str) -> bool {
    if let Some(long) = arg.strip_prefix("--") {
        let name = long.split('=').next().unwrap_or_default();
        return matches!(name, "context" | "after-context" | "before-context");
    }
    let Some(letters) = arg.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
        return false;
    };
    // What follows a letter that takes a value is that value.
    let flags = letters.chars().take_while(|letter| !"efmgtTdDj".contains(*letter));
    letters.bytes().all(|byte| byte.is_ascii_digit())
        || flags.into_iter().any(|letter| matches!(letter, 'A' | 'B' | 'C'))
}

/// `git show REVISION:path` and `git cat-file`.
fn shows_blob(command: &SimpleCommand) -> bool {
    let names_path = |arg: &String| {
        !arg.starts_with('-') && arg.split_once(':').is_some_and(|(_, path)| !path.is_empty())
    };
    command.is("git cat-file") || (command.is("git show") && command.args.iter().any(names_path))
}

/// Arguments that are neither options nor the values of these.
fn operands<'a>(args: &'a [String], options: &'a [String]) -> impl Iterator<Item = &'a str> {
    let mut is_value = false;
    args.iter().map(String::as_str).filter(move |arg| {
        let is_option = arg.len() > 1 && arg.starts_with('-');
        let was_value =
            std::mem::replace(&mut is_value, options.iter().any(|option| option == arg));
        !is_option && !was_value
    })
}

fn is_in_place(arg: &str) -> bool {
    arg.starts_with("-i") || arg.starts_with("--in-place")
}

pub(crate) fn is_log(file: &str) -> bool {
    let is_elsewhere =
        ["/proc/", "/dev/", "/sys/", "/var/log/"].iter().any(|root| file.starts_with(root));
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    file == "-"
        || is_elsewhere
        // A log that was rotated, or of a server that names it so.
        || name.contains(".log.")
        || name.ends_with("_log")
        || PROGRAMS.readers.logs.iter().any(|end| file.ends_with(end.as_str()))
}
