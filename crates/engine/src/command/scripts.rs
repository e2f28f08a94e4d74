//! Scripts: programs that an agent may have written, whose output means what they say and nothing else.

use super::CommandLine;
use super::programs::PROGRAMS;
use super::simple::SimpleCommand;

/// Marks of success that a line may print itself, as in `./probe && echo "✓ web1"`.
const MARKS: &[char] = &['✓', '✔', '√', '✅', '☑'];

impl CommandLine {
    /// Does the line run a script: a file for an interpreter, a text in the line (`-c`, `-e`, a here-document), a program built
    /// for this run, or an `echo` of marks? A file may have been written earlier in the conversation, or before it began, so no
    /// file of a script is taken for a tool.
    ///
    /// ```
    /// # use tokenforge_engine::command::CommandLine;
    /// let runs_script = |line: &str| CommandLine::parse(line).unwrap().runs_script();
    /// assert!(runs_script("python3 check.py") && runs_script("./deploy.sh --prod") && runs_script("node -e 'probe()'"));
    /// assert!(!runs_script("python3 -m pytest") && !runs_script("node --test") && !runs_script("make test"));
    /// ```
    #[must_use]
    pub fn runs_script(&self) -> bool {
        self.pipelines.iter().flat_map(|pipeline| &pipeline.stages).any(is_script)
    }
}

fn is_script(command: &SimpleCommand) -> bool {
    let scripts = &PROGRAMS.scripts;
    let program = command.program.as_str();
    if matches!(program, "echo" | "printf") {
        return command.args.iter().any(|text| text.contains(MARKS));
    }
    if scripts.has_ending(program) || command.is_one_of(&scripts.runs) {
        return true;
    }
    let is_interpreter = scripts.interpreters.iter().any(|interpreter| interpreter == program);
    let is_tool = || {
        scripts.options.iter().any(|option| command.has_option(option))
            || command.words().nth(1).is_some_and(is_file_of_tool)
    };
    is_interpreter && (command.args.iter().any(|arg| takes_text(arg)) || !is_tool())
}

/// Whether an option says that the script itself follows: `-c`, `-e`, `-ne`, `--eval`.
fn takes_text(option: &str) -> bool {
    option == "--eval"
        || !option.starts_with("--") && option.starts_with('-') && option.ends_with(['c', 'e'])
}

/// Whether an interpreter's file belongs to a tool: a framework's own entry point, or an installed program.
fn is_file_of_tool(file: &str) -> bool {
    let mut folders = file.rsplit(['/', '\\']);
    let name = folders.next().unwrap_or(file);
    PROGRAMS.scripts.entry_points.iter().any(|entry| entry == name)
        || folders.any(|folder| matches!(folder, "bin" | ".bin"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f18_scripts_are_told_from_tools() {
        let runs_script = |line: &str| CommandLine::parse(line).unwrap().runs_script();
        for line in [
            "python - <<'PY'\nprint(1)\nPY",
            "python3 -c 'print(1)'",
            "cat > a.py <<'PY'\nprint(1)\nPY\npython a.py",
            "cd web && npx tsx scripts/seed.ts | tail -5",
            "uv run seed.py",
            "bash <<'SH'\necho 1\nSH",
            "bash scripts/deploy.sh",
            "./check.sh",
            "docker exec web php probe.php",
            "go run ./cmd/seed",
            "cargo run --example probe",
            "ruby -e 'puts 1'",
            "for h in a b; do ./probe $h && echo \"✓ $h\"; done",
            "make && node verify",
            "python3 -c \"open('/usr/bin/env')\"",
        ] {
            assert!(runs_script(line), "{line}");
        }
        for line in [
            "make test",
            "npm test; echo \"exit $?\"",
            "python -m pytest -q",
            "python manage.py test",
            "php artisan test",
            "php vendor/bin/phpunit",
            "node --test test/",
            "node node_modules/.bin/jest",
            "bash -c 'cargo test'",
            "go test ./...",
        ] {
            assert!(!runs_script(line), "{line}");
        }
    }
}
