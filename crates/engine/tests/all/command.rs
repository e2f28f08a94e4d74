//! What a command line is read as.

use tokenforge_engine::command::{CommandLine, PipeEffect};
use tokenforge_engine::tool::ToolKind;

/// `program subcommand args | filter ! shape shared`, or `-` where no single command printed.
fn main_of(line: &str) -> String {
    let Some(command) = CommandLine::parse(line) else { return "unread".into() };
    let Some(main) = command.main() else { return "-".into() };
    let mut text = main.command.program.clone();
    for word in main.command.subcommand.iter().chain(&main.command.args) {
        text += &format!(" {word}");
    }
    for filter in main.filters {
        text += &format!(" | {}", filter.program);
    }
    text + match main.effect {
        PipeEffect::Whole => "",
        PipeEffect::Selected => " ! selected",
        PipeEffect::Changed => " ! changed",
    } + if main.shared { " shared" } else { "" }
}

fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(main_of(line), *expected, "{line}");
    }
}

#[test]
fn f16_a_command_is_never_found_inside_a_word() {
    check(&[
        ("git commit -am 'fix status page'", "git commit -am fix status page"),
        ("echo \"cargo test\"", "echo cargo test"),
        ("git log --grep='git status'", "git log --grep=git status"),
        ("grep -rn 'npm install' docs", "grep -rn npm install docs"),
        (
            "git commit -m \"$(cat <<'EOF'\nDon't run cargo test\nEOF\n)\"",
            "git commit -m $(cat <<'EOF'\nDon't run cargo test\nEOF\n)",
        ),
    ]);
}

#[test]
fn wrappers_are_taken_off() {
    check(&[
        ("sudo -u root apt-get install -y jq", "apt-get install -y jq"),
        ("env A=1 B=2 make test", "make test"),
        ("RUST_LOG=debug RUST_BACKTRACE=1 cargo run", "cargo run"),
        ("timeout 60 cargo test", "cargo test"),
        ("timeout -k 5 60s cargo test", "cargo test"),
        ("time nice -n 10 nohup make", "make"),
        ("stdbuf -oL pytest -q", "pytest -q"),
        ("npx --yes -p typescript tsc --noEmit", "tsc --noEmit"),
        ("npx @biomejs/biome@1.9 check .", "biome check ."),
        ("pnpm exec eslint .", "eslint ."),
        ("pnpm dlx vitest run", "vitest run"),
        ("yarn jest --ci", "jest --ci"),
        ("yarn dlx prettier --check .", "prettier --check ."),
        ("bunx tsc", "tsc"),
        ("uv run --with x pytest -x", "pytest -x"),
        ("uv run python -m pytest tests", "pytest tests"),
        ("poetry run mypy src", "mypy src"),
        ("bundle exec rspec spec", "rspec spec"),
        ("/home/user/venv/bin/python3.12 -m pytest -q", "pytest -q"),
        ("python -u -m pip install x", "pip install x"),
        ("python3 -c 'import x'", "python -c import x"),
        ("docker exec -it -u root web npm test", "npm test"),
        ("docker compose -f a.yml exec -T web pytest", "pytest"),
        ("kubectl -n prod exec pod-1 -c app -- ls -la", "ls -la"),
        ("bash -lc 'cd x && cargo test 2>&1 | tail -5'", "cargo test | tail"),
        ("ssh -p 22 host 'docker ps; true'", "docker ps"),
        ("find . -name '*.rs' -exec grep -l foo {} +", "grep -l foo {}"),
        ("find . -name '*.rs' | xargs -n 1 grep foo | head", "grep foo | head"),
        ("./node_modules/.bin/eslint src", "eslint src"),
        ("./gradlew build", "gradle build"),
        ("env", "env"),
        ("command -v cargo", "command -v cargo"),
    ]);
}

#[test]
fn the_subcommand_is_found_behind_global_options() {
    check(&[
        ("git -C dir --no-pager log --oneline", "git log --oneline"),
        ("git -c core.pager=cat diff", "git diff"),
        ("cargo +nightly test --all", "cargo test --all"),
        ("kubectl -n ns --context=c get pods", "kubectl get pods"),
        ("npm --prefix web test", "npm test"),
        ("docker compose -f x.yml --profile dev up -d", "docker compose up -d"),
        ("docker-compose -p x logs web", "docker compose logs web"),
        ("aws --profile p ec2 describe-instances", "aws ec2 describe-instances"),
        ("ls src", "ls src"),
    ]);
    let git = CommandLine::parse("git -C dir stash -q list").unwrap();
    let main = git.main().unwrap();
    assert_eq!(main.command.subcommand.as_deref(), Some("stash"));
    assert!(main.command.is("git stash list") && !main.command.is("git status"));
}

#[test]
fn the_command_that_printed_is_found_in_a_chain() {
    check(&[
        ("cd x && cargo test 2>&1 | tail -20", "cargo test | tail"),
        ("mkdir -p out && export A=1; cargo build", "cargo build"),
        ("git add . && git commit -m x", "git commit -m x"),
        ("cargo build > log 2>&1; cargo test", "cargo test"),
        ("(cd a && make) 2>&1 | head -5", "make | head"),
        ("A=$(git rev-parse HEAD) && git show $A", "git show $A"),
        ("git status; git diff", "-"),
        ("cargo build && cargo test", "-"),
        ("cat > f.txt <<EOF\ngit status\nEOF\nls", "ls"),
        ("cargo test # git status", "cargo test"),
        ("# just a comment", "unread"),
        ("X=1", "unread"),
        ("", "unread"),
    ]);
    let command = CommandLine::parse("cd x; git status; git diff | head").unwrap();
    let all: Vec<_> = command.all().map(|main| main.command.subcommand.clone().unwrap()).collect();
    assert_eq!(all, ["status", "diff"]);
}

#[test]
fn output_of_others_among_it_is_announced() {
    check(&[
        ("echo start; cargo test", "cargo test shared"),
        ("git log 2>/dev/null || echo none", "git log shared"),
        ("for i in 1 2; do cargo test; done", "cargo test shared"),
        ("echo a; pwd", "-"),
        ("echo a", "echo a"),
    ]);
}

#[test]
fn what_a_pipe_leaves_of_the_lines_is_known() {
    check(&[
        ("cargo test | tee log | cat", "cargo test | tee | cat"),
        (
            "cargo test 2>&1 | grep -E 'error|warning' | head -3",
            "cargo test | grep | head ! selected",
        ),
        ("cargo test | grep -c ok", "cargo test | grep ! changed"),
        ("kubectl get pods -o json | jq .items", "kubectl get pods -o json | jq ! changed"),
        ("find . | sort | head", "find . | sort | head ! changed"),
        ("ls | wc -l", "ls | wc ! changed"),
        ("echo '{}' | python run.py", "python run.py"),
        ("curl -s x | python3 -m json.tool", "curl -s x | json.tool ! changed"),
        ("grep foo x", "grep foo x"),
    ]);
}

#[test]
fn reads_of_files_are_known() {
    let reads = |line: &str| CommandLine::parse(line).unwrap().reads_file();
    for line in [
        "cat src/main.rs",
        "cat < src/main.rs",
        "cd x && cat -n a.py",
        "sed -n '1,50p' src/lib.rs",
        "sed -n -e 10,20p a.c",
        "head -n 20 a.rs",
        "head -50 a.rs | tail -10",
        "tail -n +5 a.rs",
        "nl -ba a.rs | sed -n 1,20p",
        "bat -n a.rs",
        "cat a; echo ---; cat b",
        "ls && cat a.rs",
        "find . -name '*.toml' | xargs cat",
        "git show HEAD~1:src/main.rs",
        "awk 'NR>=10 && NR<=20' a.rs",
        "bash -lc 'cat a.rs'",
        "Get-Content a.ps1",
    ] {
        assert!(reads(line), "{line}");
    }
    for line in [
        "cargo test | head -20",
        "cat build.log",
        "tail -100 /var/log/syslog",
        "cat a.rs | grep foo",
        "cat a.rs | wc -l",
        "cat <<EOF\nx\nEOF",
        "cat > a.rs <<EOF\nx\nEOF",
        "sed -i s/a/b/ a.rs",
        "git show HEAD",
        "git diff",
        "grep x a.rs",
        "echo cat a.rs",
    ] {
        assert!(!reads(line), "{line}");
    }
}

#[test]
fn commands_are_read_from_the_arguments_of_every_agent() {
    let cases = [
        (r#"{"command":"cargo test","description":"Run"}"#, "cargo"),
        (r#"{"cmd":"cargo test"}"#, "cargo"),
        (r#"{"command":["bash","-lc","cd x && cargo test"],"workdir":"/x"}"#, "cargo"),
        (r#"{"command":["cargo","test"]}"#, "cargo"),
        (r#"{"commands":["cargo test"]}"#, "cargo"),
        (r#"{"action":{"type":"exec","command":["ls","-l"]}}"#, "ls"),
        ("const r = await tools.exec_command({cmd: \"ls -l\"}); text(r.output);", "ls"),
        ("git status", "git"),
    ];
    for (arguments, program) in cases {
        let command = CommandLine::from_arguments(ToolKind::Shell, arguments).unwrap();
        assert_eq!(command.main().unwrap().command.program, program, "{arguments}");
    }
    assert_eq!(CommandLine::from_arguments(ToolKind::Read, r#"{"command":"ls"}"#), None);
    assert_eq!(
        CommandLine::from_arguments(ToolKind::Shell, r#"{"commands":["ls", "case x in"]}"#),
        None
    );
}

#[test]
fn hostile_lines_are_refused_or_read_without_harm() {
    for unit in [
        "(",
        "$(",
        "`",
        "'",
        "\"",
        "{ ",
        "|",
        ";",
        "&&",
        "a|",
        "(a;",
        "<<E\n",
        "bash -c '",
        "\\",
        "é",
        "${",
        "if ",
        "time ",
        "sudo ",
    ] {
        for count in [1, 7, 500, 5000] {
            let line = unit.repeat(count);
            if let Some(command) = CommandLine::parse(&line) {
                let _ = (command.main().is_some(), command.reads_file(), command.all().count());
            }
        }
    }
    assert_eq!(CommandLine::parse(&"a ".repeat(1 << 20)), None);
}
