//! `tokenforge mcp add`, `list` and `remove`, with a gateway and without.

use super::shell::Shell;
use serde_json::json;
use std::fs;

const KEY: &str = "private-words-of-a-user";

#[test]
fn m14_without_a_gateway_the_next_start_knows_what_was_added_and_removed() {
    let mut shell = Shell::new();
    let said =
        shell.mcp(&["add", "time", "--env", &format!("K={KEY}"), "--", "uvx", "time-server"]);
    let file = shell.folder.path("data/mcp.json");
    let at = file.display();
    assert_eq!(
        said,
        format!(
            "no gateway answers at http://127.0.0.1:1: added time to {at}, which the gateway reads when it starts\n"
        )
    );
    assert!(fs::read_to_string(&file).unwrap().contains(KEY), "it is kept");
    shell.mcp(&[
        "add",
        "web",
        "--url",
        "https://x.example/mcp?k=1",
        "--header",
        &format!("A: {KEY}"),
    ]);
    let list = shell.list();
    assert_eq!(list["file"], at.to_string());
    assert_eq!(list["backends"][0]["env"], json!({"K": "***"}));
    assert_eq!(list["backends"][1]["url"], "https://x.example/mcp?***");
    assert_eq!(list["backends"][1]["headers"], json!({"A": "***"}));
    let said = shell.mcp(&["remove", "web"]);
    assert!(said.starts_with("no gateway answers") && said.contains("removed web in"), "{said}");
    let gateway = shell.serve();
    let list = shell.list();
    assert_eq!(list["gateway"], gateway.url);
    assert_eq!(list["backends"].as_array().unwrap().len(), 1);
    assert_eq!(list["backends"][0]["prefix"], "time");
}

#[test]
fn m14_a_gateway_that_runs_has_a_server_at_once_and_keeps_it() {
    let mut shell = Shell::new();
    let gateway = shell.serve();
    assert_eq!(shell.add_server("a"), format!("added a to the gateway at {}\n", gateway.url));
    shell.mcp(&["add", "b", "--", "sh", "--token", "ghp_0123456789abcdefghijklmnopqrstuvwxyz"]);
    let table = shell.mcp(&["list"]);
    assert!(
        table.starts_with(&format!(
            "the gateway at {} has:\nname  state    where\na     enabled  sh -c",
            gateway.url
        )),
        "{table}"
    );
    assert!(!table.contains("ghp_0123456789"), "{table}");
    assert_eq!(
        shell.mcp(&["remove", "a"]),
        format!("removed a from the gateway at {}\n", gateway.url)
    );
    drop(gateway);
    let table = shell.mcp(&["list"]);
    assert!(
        table.starts_with("no gateway answers at") && table.contains("\nb     enabled  sh --token"),
        "{table}"
    );
    assert!(!table.contains("ghp_0123456789"), "{table}");
    let mut named = Shell::new();
    let gateway = named.serve();
    named.listen = "127.0.0.1:1".to_owned();
    named.mcp(&["add", "c", "--gateway", &gateway.url, "--", "true"]);
    assert!(named.mcp(&["list", "--gateway", &gateway.url]).contains("\nc  "));
    assert!(named.mcp(&["list", "--offline"]).contains("\nc  "), "the gateway kept it");
}

#[test]
fn m16_the_admin_token_is_asked_for() {
    let mut shell = Shell::new().with("FORGE_ADMIN_TOKEN", KEY);
    let gateway = shell.serve();
    shell.mcp(&["add", "a", "--", "true"]);
    let mut stranger = Shell::new();
    stranger.listen.clone_from(&shell.listen);
    for words in [&["list"][..], &["add", "b", "--", "true"], &["remove", "a"]] {
        let said = stranger.fail(words);
        assert!(said.contains("needs its admin token: set FORGE_ADMIN_TOKEN"), "{said}");
    }
    let said = stranger.mcp(&["list", "--admin-token", KEY]);
    assert!(said.contains("\na  "), "{said}");
    let said = stranger.mcp(&["list", "--admin-token", KEY, "--gateway", &gateway.url]);
    assert!(said.contains("\na  "), "{said}");
}

#[test]
fn mistakes_are_said_and_nothing_is_lost() {
    let shell = Shell::new();
    shell.mcp(&["add", "a", "--", "true"]);
    assert!(shell.fail(&["add", "a", "--", "true"]).contains("`a` already"));
    assert!(
        shell.fail(&["add", "b"]).contains("Give its address with --url, or its program after --")
    );
    assert!(shell.fail(&["add", "stats", "--", "true"]).contains("choose another name"));
    assert!(shell.fail(&["add", "b__c", "--", "true"]).contains("a prefix is"));
    assert!(shell.fail(&["remove", "b"]).contains("there is no tool server `b`; there are a"));
    let absent = shell.fail(&["list", "--gateway", "http://127.0.0.1:1"]);
    assert!(absent.contains("no gateway answers at http://127.0.0.1:1"), "{absent}");
    let wrong = shell.fail(&["add", "b", "--url", "http://x", "--header", KEY]);
    assert!(wrong.contains("expected 'Name: value'") && !wrong.contains(KEY), "{wrong}");
    let file = shell.folder.path("data/mcp.json");
    fs::write(&file, "{\"backends\": ").unwrap();
    let said = shell.fail(&["add", "b", "--", "true"]);
    assert!(said.contains("mcp.json"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"backends\": ");
}
