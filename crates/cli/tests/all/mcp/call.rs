//! `tokenforge mcp call`: a tool's answer in every form.

use super::shell::{Shell, program, rows, variable};
use crate::kit::{out, tokens};
use serde_json::Value;

/// The answer of `rows`, as programs see it.
fn check(said: &str, server: &str) {
    let said: Value = serde_json::from_str(said).unwrap();
    assert_eq!((&said["server"], &said["tool"]), (&server.into(), &"rows".into()));
    assert_eq!(said["is_error"], false);
    let forms = said["forms"].as_array().unwrap();
    let named: Vec<_> = forms.iter().map(|form| form["form"].as_str().unwrap()).collect();
    assert_eq!(named, ["original", "json", "toon", "stc", "sent"]);
    let texts: Vec<_> = forms.iter().map(|form| form["text"].as_str().unwrap()).collect();
    assert_eq!(texts[0], rows());
    for text in &texts[1..4] {
        assert_eq!(out("decode", text), texts[1], "every form holds the same");
    }
    let counted: Vec<_> =
        forms.iter().map(|form| form["tokens"].as_u64().unwrap() as usize).collect();
    assert_eq!(counted, tokens(&texts));
    assert_eq!(counted.iter().min(), Some(&counted[4]), "the cheapest is sent");
    let chosen = named.iter().position(|name| said["chosen"] == *name).unwrap();
    assert_eq!(texts[chosen], texts[4]);
}

#[test]
fn a1_a_tool_is_called_with_a_gateway_and_without_and_its_answer_shown_in_every_form() {
    let mut shell = Shell::new();
    shell.add_server("shop");
    check(&shell.mcp(&["call", "shop", "rows", "--json"]), "shop");
    let _gateway = shell.serve();
    check(&shell.mcp(&["call", "shop", "rows", "--json"]), "shop");
}

#[test]
fn a_server_with_an_address_is_asked_without_being_added() {
    // A gateway that leaves results alone is a server like any other.
    let mut far = Shell::new().with("FORGE_TOOL_OUTPUT_COMPRESSION", "disabled");
    far.add_server("shop");
    let gateway = far.serve();
    let url = format!("{}/mcp/shop", gateway.url);
    check(&Shell::new().mcp(&["call", "rows", "--url", &url, "--json"]), "server");
}

#[test]
fn m17_an_unregistered_server_is_started_from_its_command() {
    let shell = Shell::new();
    let env = variable();
    let ask = |words: &[&str]| {
        shell.mcp(&[&["call"], words, &["--env", &env, "--"], &program()[..]].concat())
    };
    check(&ask(&["rows", "--json"]), "sh");
    let page = ask(&["rows"]);
    let stars: Vec<_> = page.lines().filter(|line| line.starts_with("* ")).collect();
    assert!(stars.len() == 2 && stars[1].contains("what an agent gets"), "{page}");
    for name in ["original", "json", "toon", "stc"] {
        assert!(page.contains(&format!("\n--- {name}\n")), "{page}");
    }
    assert!(page.contains("more lines; --format original prints all of it"), "{page}");
    assert_eq!(ask(&["rows", "--format", "original"]), rows());
    assert!(ask(&["rows", "--format", "toon"]).starts_with("[60]{id,name,state}:"));
}

#[test]
fn arguments_are_typed_as_the_tool_expects_them() {
    let shell = Shell::new();
    shell.add_server("shop");
    let echo = |words: &[&str]| {
        shell.mcp(&[&["call", "shop", "echo"], words, &["--format", "original"]].concat())
    };
    assert_eq!(echo(&["id=7", "n=7", "text=two words"]), r#"{"id":"7","n":7,"text":"two words"}"#);
    assert_eq!(echo(&[r#"{"n": 1.50}"#]), r#"{"n": 1.50}"#);
    let words = ["mcp", "call", "shop", "echo", "-", "--format", "original"];
    assert_eq!(shell.run_on(&words, "{\"a\": 1}\n").stdout, r#"{"a": 1}"#);
    assert!(shell.fail(&["call", "shop", "echo", "{"]).contains("the arguments are not JSON"));
}

#[test]
fn what_goes_wrong_is_said_with_what_would_be_right() {
    let shell = Shell::new();
    shell.add_server("shop");
    let all = "rows, echo, fails, never";
    for (words, said) in [
        (&["call", "shp", "rows"][..], "there is no tool server `shp`; there are shop".to_owned()),
        (&["call", "shop", "row"], format!("`shop` has no tool `row`; it has {all}")),
        (&["call", "shop"], format!("which tool of `shop`? It has {all}")),
        (&["call", "shop", "never", "--timeout", "1s"], "`shop` did not answer within 1 s".into()),
        (&["call", "x", "--", "/nowhere/at-all"], "cannot be asked: ".to_owned()),
        (&["call", "x", "--", "false"], "cannot be asked: ".to_owned()),
        (&["call", "x", "--url", "http://127.0.0.1:1/mcp"], "cannot be asked: ".to_owned()),
    ] {
        let failure = shell.fail(words);
        assert!(failure.contains(&said), "{words:?}: {failure}");
    }
    let run = shell.run(&["mcp", "call", "shop", "fails", "--format", "original"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "no such row"));
    assert_eq!(run.stderr, "tokenforge: the tool `fails` reported an error\n");
}

#[test]
fn a_gateway_s_key_is_shown_to_it() {
    let mut shell = Shell::new();
    shell.add_server("shop");
    let settings = "keys:\n  me: private-words-of-a-user\n";
    std::fs::create_dir(shell.folder.path("config")).unwrap();
    shell.folder.file("config/tokenforge.yaml", settings);
    let gateway = shell.serve();
    check(&shell.mcp(&["call", "shop", "rows", "--json"]), "shop");
    let named = ["call", "shop", "rows", "--json", "--gateway", &gateway.url];
    assert!(shell.fail(&named).contains("cannot be asked"));
    check(&shell.mcp(&[&named[..], &["--key", "private-words-of-a-user"]].concat()), "shop");
}
