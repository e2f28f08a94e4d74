//! The line that Claude Code shows below its prompt.

use super::user::User;
use crate::serve::question_body;
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};
use tokenforge_mock::Mock;

const PATIENCE: Duration = Duration::from_secs(60);

const SETTINGS: &str = "home/.claude/settings.json";

/// A subscription's token: it is no API key, and only the provider may see it.
const LOGIN: &str = "Bearer sk-ant-oat01-of-a-user";

/// An agent that asks about a tool's result, logged in with a subscription.
fn agent(user: &User) {
    user.file("project/question.json", &question_body(false));
    let ask = format!(
        r#"exec curl --silent --show-error --fail -H 'anthropic-version: 2023-06-01' -H 'authorization: {LOGIN}' \
        -H 'x-claude-code-session-id: of-today' -H 'content-type: application/json' \
        --data-binary @question.json "$ANTHROPIC_BASE_URL/v1/messages" > answer.json"#
    );
    user.program("bin/claude", &ask);
}

fn line(user: &User, session: &str) -> String {
    let about = json!({"session_id": session, "cwd": "/", "model": {"id": "claude-sonnet-4-5"}});
    let run = user.run_on(&["statusline"], &about.to_string());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    run.stdout.trim_end().to_owned()
}

/// The ledger is written beside the requests: a moment later.
fn line_once_written(user: &User, session: &str) -> String {
    let started = Instant::now();
    loop {
        let shown = line(user, session);
        if shown != "tokenforge: not active in this session" {
            return shown;
        }
        assert!(started.elapsed() < PATIENCE, "waited in vain for the ledger");
    }
}

#[test]
fn a_session_with_a_subscription_goes_through_the_shim_and_is_told_in_tokens() {
    let mock = Mock::start();
    let mut user = User::new().with("FORGE_UPSTREAMS_BACKEND", mock.url());
    agent(&user);
    let gateway = user.serve();
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    assert_eq!(line(&user, "of-today"), "tokenforge: not active in this session");
    let run = user.types("claude");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let [request] = &mock.requests()[..] else { panic!("one request") };
    assert_eq!(request.header("authorization"), LOGIN);
    assert!(
        request.body.len() < fs::read(user.folder.path("project/question.json")).unwrap().len()
    );

    let shown = line_once_written(&user, "of-today");
    assert!(
        shown.contains(" % of tool tokens · ") && shown.ends_with(" tokens saved this session"),
        "{shown}"
    );
    assert!(!shown.contains('$'), "{shown}");
    let other = line(&user, "of-yesterday");
    assert_eq!(other, "tokenforge: not active in this session");
    drop(gateway);
    assert_eq!(line(&user, "of-today"), format!("{shown} · gateway not running"));
    assert_eq!(line(&user, "of-yesterday"), "tokenforge: gateway not running");
}

#[test]
fn whatever_it_is_given_it_says_something_and_succeeds() {
    let user = User::new();
    for input in ["", "{", "[]", "{\"session_id\": 1}", "\u{0}"] {
        let run = user.run_on(&["statusline"], input);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{input}");
        assert_eq!(run.stdout, "tokenforge: gateway not running\n", "{input}");
    }
    user.file("config/tokenforge.yaml", "listen: nowhere\n");
    let run = user.run_on(&["statusline"], "{}");
    assert_eq!(run.code, 0);
    let user = user.with("FORGE_LISTEN", "nowhere");
    assert!(user.run_on(&["statusline"], "{}").stdout.contains("the settings cannot be used"));
}

#[test]
fn a_status_line_of_the_users_own_stays() {
    let user = User::new();
    user.file(SETTINGS, r#"{"statusLine": {"type": "command", "command": "~/mine.sh"}}"#);
    let before = user.home();
    let error = user.fails(&["setup", "claude", "--no-service", "--statusline", "--yes"]);
    assert!(error.contains("settings.json: you already have a status line"), "{error}");
    assert_eq!(user.home(), before);
    user.said(&["setup", "claude", "--no-service", "--yes"]);
    user.said(&["setup", "--undo", "--yes"]);
    assert_eq!(user.home(), before);
}

#[test]
fn hook_and_status_line_in_one_file_come_and_go_in_any_order() {
    let add_line = &["setup", "claude", "--no-service", "--statusline", "--yes"][..];
    let (add_hook, drop_hook) =
        (&["init", "claude", "--yes"][..], &["uninit", "claude", "--yes"][..]);
    let drop_line = &["setup", "--undo", "--yes"][..];
    for settings in [None, Some("{\n  \"model\": \"opus\"\n}\n")] {
        for order in [
            [add_line, add_hook, drop_line, drop_hook],
            [add_line, add_hook, drop_hook, drop_line],
            [add_hook, add_line, drop_line, drop_hook],
            [add_hook, add_line, drop_hook, drop_line],
        ] {
            let user = User::new();
            if let Some(text) = settings {
                user.file(SETTINGS, text);
            }
            let before = user.home();
            for words in order {
                user.said(words);
            }
            assert_eq!(user.home(), before, "{settings:?} {order:?}");
        }
    }
}
