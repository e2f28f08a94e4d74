//! The admin token in the data folder, and `tokenforge dashboard`, as processes.

use crate::kit::ServedGateway;
use crate::mcp::shell::Shell;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::thread::{self, JoinHandle};
use tokenforge_mock::client::{Answer, Ask, Open};

fn send(gateway: &ServedGateway, ask: Ask) -> Answer {
    let address = gateway.url.trim_start_matches("http://").to_owned();
    Open::asking(address.parse().unwrap(), &ask.header("host", &address)).answer()
}

/// A harmless change of the settings.
fn change(gateway: &ServedGateway, token: &str) -> Answer {
    let ask = Ask::new("PATCH", "/_forge/api/config").body(r#"{"toon": {"log_stats": true}}"#);
    send(gateway, ask.header("authorization", &format!("Bearer {token}")))
}

fn token(shell: &Shell) -> String {
    fs::read_to_string(shell.folder.path("data/admin_token")).unwrap().trim().to_owned()
}

#[test]
fn d60_the_first_start_draws_a_token_that_only_its_owner_reads_and_a_restart_keeps_it() {
    let mut shell = Shell::new();
    let gateway = shell.serve();
    let drawn = token(&shell);
    assert!(drawn.len() >= 32, "{drawn}");
    let mode = fs::metadata(shell.folder.path("data/admin_token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(change(&gateway, "guessed").status, 401);
    assert_eq!(change(&gateway, &drawn).status, 200);
    drop(gateway);
    let again = shell.serve();
    assert_eq!(token(&shell), drawn);
    assert_eq!(change(&again, &drawn).status, 200);
    let other = Shell::new().serve();
    assert_eq!(change(&other, &drawn).status, 401, "every installation has its own");
}

#[test]
fn g65_the_first_start_draws_a_client_token_that_only_its_owner_reads() {
    let mut shell = Shell::new();
    let gateway = shell.serve();
    let file = shell.folder.path("data/client_token");
    let drawn = fs::read_to_string(&file).unwrap().trim().to_owned();
    assert_ne!(drawn, token(&shell));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let through_proxy = || Ask::post("/mcp", hello).header("x-forwarded-for", "203.0.113.7");
    assert_eq!(send(&gateway, through_proxy()).status, 403);
    let shown = send(&gateway, through_proxy().header("x-forge-token", &drawn));
    assert_eq!(shown.status, 200);
}

#[test]
fn g64_gain_asks_a_gateway_with_keys_as_its_operator() {
    let mut shell = Shell::new();
    fs::create_dir(shell.folder.path("config")).unwrap();
    shell.folder.file("config/tokenforge.yaml", "keys:\n  me: a-long-key-of-ours\n");
    let gateway = shell.serve();
    assert_eq!(send(&gateway, Ask::new("GET", "/_forge/api/gain")).status, 401);
    let run = shell.run(&["gain", "--gateway", &gateway.url, "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn d60_without_a_data_folder_nothing_can_be_changed_and_the_error_says_why() {
    let mut shell = Shell::new();
    // A file stands where the folder would be.
    fs::write(shell.folder.path("data"), "").unwrap();
    let gateway = shell.serve();
    let refused = change(&gateway, "");
    assert_eq!(refused.status, 403);
    let said = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(said.contains("admin_token") && said.contains("data"), "{said}");
    assert_eq!(send(&gateway, Ask::new("GET", "/_forge/api/stats")).status, 200);
}

#[test]
fn d60_dashboard_prints_a_link_that_signs_one_browser_in() {
    let mut shell = Shell::new();
    let gateway = shell.serve();
    let run = shell.run(&["dashboard"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let start = format!("{}/_forge/ui/#/sign-in/", gateway.url);
    let code = run.stdout.trim().strip_prefix(&start).expect("a link").to_owned();
    let redeem = |code: &str| {
        let ask = Ask::post("/_forge/api/session", json!({ "code": code }).to_string());
        send(&gateway, ask.header("origin", &gateway.url))
    };
    assert_eq!(redeem(&code).status, 200);
    assert_eq!(redeem(&code).status, 403);
    let named = shell.run(&["dashboard", "--json", "--gateway", &gateway.url]);
    let named: Value = serde_json::from_str(&named.stdout).unwrap();
    assert!(named["link"].as_str().unwrap().starts_with(&start), "{named}");
    assert_eq!(named["expires_in"], 300);
    drop(gateway);
    let absent = shell.run(&["dashboard"]);
    assert_eq!(absent.code, 1);
    assert!(absent.stderr.contains("tokenforge serve"), "{}", absent.stderr);
}

#[test]
fn d60_another_user_gets_no_link_and_adds_no_tool_server() {
    let mut shell = Shell::new();
    let gateway = shell.serve();
    let mut stranger = Shell::new();
    stranger.listen.clone_from(&shell.listen);
    let refused = stranger.run(&["dashboard"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("needs its admin token"), "{}", refused.stderr);
    let said = stranger.fail(&["add", "x", "--", "true"]);
    assert!(said.contains("run it as the user who runs the gateway"), "{said}");
    assert!(!stranger.folder.path("data/mcp.json").exists(), "nothing was written");
    let added = stranger.fail(&["add", "x", "--gateway", &gateway.url, "--", "true"]);
    assert!(added.contains("run it as the user who runs the gateway"), "{added}");
    assert_eq!(shell.list()["backends"], json!([]));
}

/// A listener that says to be a gateway, and its address. It hears one connection.
fn false_gateway() -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let body = json!({"path": "/forged", "expires_in": 60, "backends": []}).to_string();
        let head = "HTTP/1.1 200 OK\r\nx-forge-version: 9\r\ncontent-type: application/json";
        let (length, mut heard) = (body.len(), Vec::new());
        let mut block = [0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut block) {
            heard.extend_from_slice(&block[..read]);
            if heard.ends_with(b"\r\n\r\n") {
                let _ = write!(
                    stream,
                    "{head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                let _ = stream.shutdown(Shutdown::Write);
            }
        }
        String::from_utf8(heard).unwrap()
    });
    (address, heard)
}

#[test]
fn n6_a_false_gateway_is_shown_no_admin_token() {
    let mut shell = Shell::new();
    drop(shell.serve());
    let drawn = token(&shell);
    for words in [&["dashboard"][..], &["mcp", "list"], &["mcp", "call", "a", "b"]] {
        let (address, heard) = false_gateway();
        shell.listen = address;
        let run = shell.run(words);
        assert_eq!(run.code, 1, "{words:?}: {}", run.stdout);
        assert!(run.stderr.contains("does not prove to be your gateway"), "{}", run.stderr);
        assert!(!heard.join().unwrap().contains(&drawn), "{words:?} showed the token");
        // Nor is a token of the settings, which a user cannot have meant for this program.
        let (address, heard) = false_gateway();
        shell.listen = address;
        shell.run_with(words, &[("FORGE_ADMIN_TOKEN", "of-the-settings")]);
        assert!(!heard.join().unwrap().contains("of-the-settings"), "{words:?} showed the token");
    }
    // One that is named with its token is the user's own choice.
    let (address, heard) = false_gateway();
    let url = format!("http://{address}");
    shell.run(&["dashboard", "--gateway", &url, "--admin-token", "of-that-gateway"]);
    assert!(heard.join().unwrap().contains("of-that-gateway"));
}
