//! An agent that was set up: through the gateway, without it, and as before.

use super::user::User;
use crate::kit::finish;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::thread;

/// An agent that says how it was started.
const SAYS: &str = r#"echo "url=$ANTHROPIC_BASE_URL"; printf '%s|' "$@"; exit 7"#;

/// A user with a shell file that has no line end, and with settings of Claude Code.
fn user() -> User {
    let user = User::new();
    user.program("bin/claude", SAYS);
    user.file("home/.bashrc", "alias ll='ls -l'");
    user.file("home/.profile", ". ~/.bashrc\n");
    user.file("home/.claude/settings.json", "{\n    // mine\n    \"model\" : \"opus\",\n}\n");
    user
}

#[test]
fn setup_says_what_it_changes_changes_it_once_and_undo_restores_every_byte() {
    let mut user = user();
    let _gateway = user.serve();
    let before = user.home();
    let dry = user.said(&["setup", "claude", "--dry-run"]);
    assert!(
        dry.contains("+# >>> tokenforge setup >>>") && dry.contains("+Restart=always"),
        "{dry}"
    );
    assert!(dry.ends_with("nothing was changed: this is what would be\n"), "{dry}");
    assert_eq!((user.home(), user.calls()), (before.clone(), vec![]));

    let done = user.said(&["setup", "claude", "--statusline", "--yes"]);
    for says in [
        "/home/.bashrc, lines 2 to 5\n",
        "/home/.config/systemd/user/tokenforge.service\n",
        "loginctl enable-linger",
        "/data/shims/claude\n",
        "/home/.claude/settings.json, line 2\n",
        "the gateway answers at http://127.0.0.1:",
        "undo it with: tokenforge setup claude --undo\n",
    ] {
        assert!(done.contains(says), "{says}\n{done}");
    }
    assert_eq!(
        user.calls(),
        ["systemctl --user daemon-reload", "systemctl --user enable --now tokenforge.service"]
    );
    let after = user.home();
    let again = user.said(&["setup", "claude", "--statusline", "--yes"]);
    assert!(again.starts_with("nothing to change"), "{again}");
    assert_eq!((user.home(), user.calls().len()), (after, 2));

    let undone = user.said(&["setup", "--undo", "--yes"]);
    assert!(undone.contains("/.bashrc, byte for byte"), "{undone}");
    assert!(undone.contains("/settings.json, byte for byte"), "{undone}");
    assert_eq!(user.home(), before);
    assert!(!user.folder.path("data/shims").exists());
    assert_eq!(
        user.calls()[2..],
        ["systemctl --user disable --now tokenforge.service", "systemctl --user daemon-reload"]
    );
    assert!(user.said(&["setup", "--undo", "--yes"]).starts_with("nothing to undo"));
}

#[test]
fn in_a_new_terminal_the_agent_goes_through_the_gateway_with_its_arguments_and_exit_code() {
    let mut user = user();
    let gateway = user.serve();
    user.said(&["setup", "claude", "--yes"]);
    let run = user.types("claude -p 'two words' --help -- --dry-run");
    let url = format!("url={}/p/project\n", gateway.url);
    assert_eq!((run.code, run.stderr.as_str()), (7, ""), "{}", run.stdout);
    assert_eq!(run.stdout, format!("{url}-p|two words|--help|--|--dry-run|"));
    // An agent that an agent starts goes the same way.
    let run = user.types(&format!("ANTHROPIC_BASE_URL={}/p/other claude", gateway.url));
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (&*format!("{url}|"), ""));
    let doctor = user.types(&format!("{} doctor", env!("CARGO_BIN_EXE_tokenforge"))).stdout;
    let doctor = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(doctor.contains("claude goes through the gateway, by "), "{doctor}");
    assert!(doctor.contains("/bin/claude (`tokenforge wrap claude`)"), "{doctor}");
}

#[test]
fn without_a_gateway_the_agent_goes_to_its_provider_and_a_line_says_so() {
    let mut user = user();
    let gateway = user.serve();
    user.said(&["setup", "claude", "--yes"]);
    drop(gateway);
    let run = user.types("claude -p hello");
    assert_eq!((run.code, run.stdout.as_str()), (7, "url=\n-p|hello|"));
    assert!(
        run.stderr.starts_with("tokenforge: the gateway at http://127.0.0.1:"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.ends_with("; claude runs without it\n"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn an_address_of_the_users_own_is_kept_unless_the_gateway_asks_it_too() {
    let mut user = user().with("ANTHROPIC_BASE_URL", "https://llm.example.com/team");
    let gateway = user.serve();
    user.said(&["setup", "claude", "--yes"]);
    let run = user.types("claude");
    assert_eq!(run.stdout, "url=https://llm.example.com/team\n|");
    assert!(
        run.stderr.contains("your settings send requests to https://llm.example.com"),
        "{}",
        run.stderr
    );
    // Settings that the gateway was not started with are not what it does.
    user.file("config/tokenforge.yaml", "upstreams:\n  anthropic: https://llm.example.com\n");
    let run = user.types("claude");
    assert_eq!(run.stdout, "url=https://llm.example.com/team\n|");
    assert!(run.stderr.contains("runs with other `upstreams`"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    drop(gateway);
    let gateway = user.serve();
    let run = user.types("claude");
    assert_eq!(run.stdout, format!("url={}/p/project/team\n|", gateway.url), "{}", run.stderr);
    // Nor is what only this shell sets.
    let run = user.types("FORGE_UPSTREAMS_OPENAI=https://other.example.com claude");
    assert_eq!(run.stdout, "url=https://llm.example.com/team\n|");
    let run = user.types("unset ANTHROPIC_BASE_URL; FORGE_UPSTREAMS_OPENAI=https://h claude");
    assert_eq!(run.stdout, format!("url={}/p/project\n|", gateway.url), "{}", run.stderr);
}

/// The agent goes to its provider, and a line says why.
fn goes_past_a_stranger(user: &User, url: &str) {
    let run = user.types("claude");
    let why = format!(
        "tokenforge: what answers at {url} is not your gateway: it is another program, or another user's gateway"
    );
    assert_eq!((run.code, run.stdout.as_str()), (7, "url=\n|"), "{}", run.stderr);
    assert_eq!(run.stderr, format!("{why}; claude runs without it\n"));
    let status = user.run(&["service", "status"]);
    assert_eq!((status.code, status.stderr), (1, format!("{why}\n")));
    assert_eq!(user.run(&["statusline"]).stdout, "tokenforge: gateway not running\n");
}

#[test]
fn another_users_gateway_on_the_port_does_not_get_the_agents_login() {
    let mut other = User::new();
    let theirs = other.serve();
    let mut user = user();
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    user.set_listen(&theirs.url);
    goes_past_a_stranger(&user, &theirs.url);
    // Nor with a token of one's own, which it does not know.
    drop(user.serve());
    assert_ne!(user.read("data/admin_token"), other.read("data/admin_token"));
    user.set_listen(&theirs.url);
    goes_past_a_stranger(&user, &theirs.url);
}

#[test]
fn a_program_that_says_it_is_a_gateway_or_asks_the_gateway_elsewhere_gets_no_login() {
    let mut user = user();
    let gateway = user.serve();
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    let address = gateway.url.trim_start_matches("http://").to_owned();
    for passes_on in [false, true] {
        let impostor = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", impostor.local_addr().unwrap());
        let address = address.clone();
        thread::spawn(move || {
            for client in impostor.incoming() {
                let (mut client, mut asked) = (client.unwrap(), String::new());
                while asked.matches("\r\n\r\n").count() < 2 {
                    let mut piece = [0; 1024];
                    let read = client.read(&mut piece).unwrap();
                    asked += std::str::from_utf8(&piece[..read]).unwrap();
                }
                let mut said =
                    b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nx-forge-version: 9\r\n\r\n"
                        .to_vec();
                if passes_on {
                    let host = client.local_addr().unwrap().to_string();
                    let mut real = TcpStream::connect(&address).unwrap();
                    real.write_all(asked.replace(&host, &address).as_bytes()).unwrap();
                    said.clear();
                    real.read_to_end(&mut said).unwrap();
                    assert!(String::from_utf8_lossy(&said).contains("x-forge-proof"));
                }
                client.write_all(&said).unwrap();
            }
        });
        user.set_listen(&url);
        goes_past_a_stranger(&user, &url);
    }
}

#[test]
fn n4_a_shared_admin_token_is_named_with_its_mode_and_remedy() {
    let mut user = user();
    let gateway = user.serve();
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    let token = user.folder.path("data/admin_token");
    fs::set_permissions(&token, fs::Permissions::from_mode(0o644)).unwrap();
    let run = user.types("claude -p hello");
    assert_eq!((run.code, run.stdout.as_str()), (7, "url=\n-p|hello|"));
    let remedy = format!("chmod 600 {}", token.display());
    for says in [&*gateway.url, "mode 644", &remedy, "; claude runs without it"] {
        assert!(run.stderr.contains(says), "{says}\n{}", run.stderr);
    }
    assert!(!run.stderr.contains("is not your gateway"), "{}", run.stderr);
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(user.types("claude").stdout, format!("url={}/p/project\n|", gateway.url));
}

#[test]
fn n5_undo_removes_the_folders_that_setup_made() {
    let user = user().with("FORGE_DATA_DIR", "");
    let before = user.home();
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    assert!(user.folder.path("home/.local/share/tokenforge/shims/claude").exists());
    user.said(&["setup", "--undo", "--yes"]);
    assert_eq!(user.home(), before);
    // A folder with something of the user's in it stays.
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    user.file("home/.local/share/mine", "");
    user.said(&["setup", "--undo", "--yes"]);
    assert!(user.folder.path("home/.local/share/mine").exists());
    assert!(!user.folder.path("home/.local/share/tokenforge").exists());
}

#[test]
fn the_agent_takes_the_place_of_the_shim() {
    let mut user = user();
    user.program("bin/claude", "echo $$");
    let _gateway = user.serve();
    user.said(&["setup", "claude", "--yes"]);
    let child = user.command(user.folder.path("data/shims/claude")).spawn().unwrap();
    let id = child.id();
    let run = finish(child, "");
    assert_eq!(run.stdout.trim(), id.to_string(), "{}", run.stderr);
}

#[test]
fn a_foreign_shim_that_leads_back_to_ours_is_passed_over() {
    let user = user();
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    for start in ["exec claude", "claude"] {
        let path = format!("{}:{}", user.folder.path("data/shims").display(), user.path());
        user.program("others/claude", &format!("PATH='{path}' {start} \"$@\""));
        let others = user.folder.path("others");
        let run = user.types(&format!(
            "PATH={}:{}:{} claude x",
            user.folder.path("data/shims").display(),
            others.display(),
            user.path()
        ));
        assert_eq!((run.code, run.stdout.as_str()), (7, "url=\nx|"), "{start}: {}", run.stderr);
    }
}

#[test]
fn if_tokenforge_is_taken_away_the_agent_still_starts() {
    let user = user();
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    let shim = user.read("data/shims/claude");
    let gone = shim.replace(env!("CARGO_BIN_EXE_tokenforge"), "/nowhere/tokenforge");
    user.program("data/shims/claude", gone.trim_start_matches("#!/bin/sh\n"));
    let run = user.types("claude -p x");
    assert_eq!((run.code, run.stdout.as_str()), (7, "url=\n-p|x|"));
    assert_eq!(run.stderr, "tokenforge: /nowhere/tokenforge is gone; claude runs without it\n");
    // However the PATH spells the folder, and wherever the shim lies.
    user.program("copy/claude", gone.trim_start_matches("#!/bin/sh\n"));
    for folder in ["../data/./shims", "../copy", "../copy:../data//shims"] {
        let run = user.types(&format!("PATH={folder}:{} claude x", user.path()));
        assert_eq!((run.code, run.stdout.as_str()), (7, "url=\nx|"), "{folder}: {}", run.stderr);
    }
    // Another tool's shim that leads back to ours does so once.
    let path = format!("{}:{}", user.folder.path("data/shims").display(), user.path());
    user.program("bin/claude", &format!("PATH='{path}' exec claude"));
    let back = user.types("claude");
    assert_eq!(back.code, 127, "{}", back.stderr);
    assert!(back.stderr.contains("there is no claude on your PATH but this: "), "{}", back.stderr);
    let none = user.types("rm ../bin/claude; claude");
    assert_eq!(none.code, 127, "{}", none.stderr);
}

#[test]
fn in_a_login_shell_that_puts_another_folder_first_the_shim_still_comes_before_it() {
    let mut user = user();
    let before = user.home();
    user.program("home/.local/bin/claude", SAYS);
    // As in /etc/skel of Debian.
    let profile = r#"if [ -n "$BASH_VERSION" ]; then
    if [ -f "$HOME/.bashrc" ]; then
	. "$HOME/.bashrc"
    fi
fi
if [ -d "$HOME/.local/bin" ] ; then
    PATH="$HOME/.local/bin:$PATH"
fi
"#;
    user.file("home/.profile", profile);
    let gateway = user.serve();
    user.said(&["setup", "claude", "--yes"]);
    let mut shell = user.command("/bin/bash");
    shell.args(["--login", "-i", "-c", "claude x"]);
    let run = finish(shell.spawn().unwrap(), "");
    let url = format!("url={}/p/project\n", gateway.url);
    assert_eq!((run.code, run.stdout), (7, format!("{url}x|")), "{}", run.stderr);
    user.said(&["setup", "--undo", "--yes"]);
    assert_eq!(user.read("home/.profile"), profile);
    user.file("home/.profile", ". ~/.bashrc\n");
    fs::remove_dir_all(user.folder.path("home/.local")).unwrap();
    assert_eq!(user.home(), before);
}

#[test]
fn settings_that_cannot_be_read_are_refused_and_nothing_is_changed() {
    let user = user();
    user.file("home/.claude/settings.json", "{\"model\": \n");
    let before = user.home();
    for words in [&["setup", "claude", "--yes"][..], &["setup", "claude", "--statusline", "--yes"]]
    {
        let error = user.fails(words);
        assert!(error.contains("settings.json: line 2, column 1:"), "{error}");
        assert_eq!((user.home(), user.calls()), (before.clone(), vec![]));
        assert!(!user.folder.path("data/shims").exists());
    }
}

#[test]
fn a_service_that_does_not_start_leaves_nothing_behind() {
    let user = user();
    user.file("no-start", "");
    let before = user.home();
    let error = user.fails(&["setup", "claude", "--yes"]);
    assert!(
        error.contains("enable --now tokenforge.service` failed: Unit failed to load"),
        "{error}"
    );
    assert_eq!(user.home(), before);
    assert!(!user.folder.path("data/shims").exists());
}

#[test]
fn without_a_service_manager_it_says_what_to_do_instead() {
    let user = user();
    user.file("no-manager", "");
    let before = user.home();
    let error = user.fails(&["setup", "claude", "--yes"]);
    for says in ["no service manager answers here", "--no-service", "wsl.conf", "tokenforge wrap"] {
        assert!(error.contains(says), "{says}: {error}");
    }
    assert_eq!(user.home(), before);
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    user.said(&["setup", "claude", "--undo", "--yes"]);
    assert_eq!(user.home(), before);
}

#[test]
fn agents_that_cannot_be_set_up_are_refused_with_a_reason() {
    let user = user();
    for (agent, why) in [
        ("copilot", "GitHub's own models"),
        ("cline", "from a file"),
        ("qwen", "its key could go to the wrong one"),
        ("aider", "uses no tools"),
        ("vim", "known are claude, codex, gemini, opencode, pi"),
    ] {
        let error = user.fails(&["setup", agent, "--yes"]);
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(user.run(&["setup"]).code, 2);
    assert_eq!(user.run(&["setup", "codex", "--statusline"]).code, 2);
}

#[test]
fn other_agents_are_told_in_their_own_way_and_one_can_be_undone_alone() {
    let mut user = user();
    user.program("bin/codex", r#"[ "$1" = login ] || printf '%s|' "$@""#);
    user.program("bin/opencode", r#"echo "$OPENCODE_CONFIG_CONTENT""#);
    user.program("bin/pi", r#"cat "$2""#);
    user.program("bin/gemini", r#"echo "url=$GOOGLE_GEMINI_BASE_URL""#);
    let gateway = user.serve();
    let url = format!("{}/p/project", gateway.url);
    user.said(&["setup", "codex", "opencode", "pi", "gemini", "--yes"]);
    assert_eq!(user.types("codex exec").stdout, format!("-c|openai_base_url=\"{url}/v1\"|exec|"));
    assert!(user.types("opencode").stdout.contains(&format!("\"baseURL\":\"{url}/v1\"")));
    assert!(user.types("pi").stdout.contains(&format!("baseUrl: \"{url}/v1\"")));
    // Without an API key Gemini goes its own way.
    let gemini = user.types("gemini");
    assert_eq!(gemini.stdout, "url=\n");
    assert!(gemini.stderr.contains("only with an API key"), "{}", gemini.stderr);
    user.file(
        "home/.gemini/settings.json",
        r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}}"#,
    );
    assert_eq!(user.types("gemini").stdout, format!("url={url}\n"));
    // An address in opencode's own settings is one that the gateway does not know.
    user.file(
        "project/opencode.json",
        r#"{"provider": {"openai": {"options": {"baseURL": "https://h"}}}}"#,
    );
    let opencode = user.types("opencode");
    assert_eq!(opencode.stdout, "\n");
    assert!(opencode.stderr.contains("provider.openai.options.baseURL"), "{}", opencode.stderr);

    user.said(&["setup", "codex", "--undo", "--yes"]);
    assert_eq!(user.types("codex exec").stdout, "exec|");
    assert!(user.read("home/.bashrc").contains("tokenforge setup"), "others still need it");
    assert!(user.calls().iter().all(|call| !call.contains("disable")), "and the service");
    user.said(&["setup", "opencode", "pi", "gemini", "--undo", "--yes"]);
    assert_eq!(user.read("home/.bashrc"), "alias ll='ls -l'");
    assert!(!user.folder.path("home/.config/systemd").exists());
}

#[test]
fn of_a_shell_file_that_was_changed_since_only_our_lines_go() {
    let user = user();
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    let text = user.read("home/.bashrc");
    user.file("home/.bashrc", &format!("{text}export EDITOR=vi\n"));
    let undone = user.said(&["setup", "claude", "--undo", "--yes"]);
    assert!(undone.contains("was changed since: only what is ours was taken out"), "{undone}");
    assert_eq!(user.read("home/.bashrc"), "alias ll='ls -l'\nexport EDITOR=vi\n");
}

#[test]
fn a_shell_that_is_not_known_is_told_what_to_put_where() {
    let user = user().with("SHELL", "/usr/bin/nu");
    let done = user.said(&["setup", "claude", "--no-service", "--yes"]);
    assert!(done.contains("/data/shims first on your PATH"), "{done}");
}

#[test]
fn what_would_come_before_the_shim_is_said() {
    let user = user();
    user.file("home/.bashrc", "alias claude=~/.claude/local/claude\n");
    user.file("home/.claude/settings.json", r#"{"env": {"ANTHROPIC_BASE_URL": "https://h"}}"#);
    let run = user.run(&["setup", "claude", "--no-service", "--yes"]);
    assert!(
        run.stderr.contains(".bashrc, line 1: the alias `claude` takes precedence"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("`env.ANTHROPIC_BASE_URL` is https://h"), "{}", run.stderr);
}

#[test]
fn other_shells_put_the_shims_first_too() {
    for (shell, file) in
        [("zsh", ".zshrc"), ("fish", ".config/fish/config.fish"), ("sh", ".profile")]
    {
        let user = user().with("SHELL", format!("/usr/bin/{shell}"));
        let before = user.home();
        user.said(&["setup", "claude", "--no-service", "--yes"]);
        let text = user.read(&format!("home/{file}"));
        assert!(text.contains("/data/shims'"), "{shell}: {text}");
        let program = ["/bin", "/usr/bin"].map(|folder| format!("{folder}/{shell}"));
        if let Some(program) = program.iter().find(|path| fs::exists(path).unwrap()) {
            let source =
                format!(". '{}'\ncommand -v claude", user.folder.path("home").join(file).display());
            // Files that a shell makes for itself, as fish does, are not compared.
            let mut shell_command = user.command(program);
            for own in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
                shell_command.env(own, user.folder.path("of the shell"));
            }
            let said = finish(shell_command.args(["-c", &source]).spawn().unwrap(), "");
            assert!(said.stdout.ends_with("/data/shims/claude\n"), "{shell}: {said:?}");
        }
        user.said(&["setup", "--undo", "--yes"]);
        assert_eq!(user.home(), before, "{shell}");
    }
}

#[test]
fn codex_is_asked_once_for_each_login_how_it_is_logged_in() {
    let mut user = user();
    user.program(
        "bin/codex",
        r#"if [ "$1" = login ]; then echo "$*" >> ../asked; echo "Logged in using ChatGPT"; else echo "$2"; fi"#,
    );
    user.file("home/.codex/auth.json", "{}");
    let gateway = user.serve();
    user.said(&["setup", "codex", "--yes"]);
    let address = format!("openai_base_url=\"{}/p/project/backend-api/codex\"\n", gateway.url);
    for _ in 0..2 {
        assert_eq!(user.types("codex").stdout, address);
    }
    assert_eq!(user.read("asked"), "login status\n");
    user.file("home/.codex/auth.json", "{\"another\": 1}");
    assert_eq!(user.types("codex").stdout, address);
    assert_eq!(user.read("asked"), "login status\nlogin status\n");
}

#[test]
fn decision_38_an_agent_whose_shell_finds_the_command_says_so_in_its_address() {
    let mut user = user();
    user.program("bin/pi", r#"cat "$2""#);
    let gateway = user.serve();
    user.said(&["setup", "pi", "claude", "--yes"]);
    assert!(user.types("pi").stdout.contains(&format!("baseUrl: \"{}/p/project\"", gateway.url)));
    std::os::unix::fs::symlink(
        env!("CARGO_BIN_EXE_tokenforge"),
        user.folder.path("bin/tokenforge"),
    )
    .unwrap();
    let url = format!("{}/p/project/shell/pi", gateway.url);
    assert!(user.types("pi").stdout.contains(&format!("baseUrl: \"{url}\"")));
    // Claude Code asks its user, until a rule allows the command.
    let claude = format!("url={}/p/project\n|", gateway.url);
    assert_eq!(user.types("claude").stdout, claude);
    user.file(
        "project/.claude/settings.local.json",
        r#"{"permissions": {"allow": ["Bash(tokenforge expand:*)"]}}"#,
    );
    let claude = format!("url={}/p/project/shell/claude\n|", gateway.url);
    assert_eq!(user.types("claude").stdout, claude);
}
