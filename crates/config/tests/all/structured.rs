//! Settings with parts of their own: routes, plugins and tool servers.

use crate::kit::file;
use serde_json::json;
use std::time::Duration;
use tokenforge_config::{McpTarget, OnError, PluginSettings, Settings, Structured, ToolList};
use tokenforge_formats::negotiate::Format;

fn told(text: &str) -> String {
    file(text).expect_err(text).to_string()
}

#[test]
fn a_route_is_read_with_what_it_says_and_defaults() {
    let settings = file(
        "routes:\n  /github:\n    url: https://api.github.com/\n    headers: {Authorization: Bearer a b}\n    format: toon\n  \
         /plain: {url: \"http://127.0.0.1:9\"}\n",
    )
    .unwrap();
    let github = &settings.routes["/github"];
    assert_eq!(
        (github.url.to_string().as_str(), github.format),
        ("https://api.github.com/", Format::Toon)
    );
    let headers: Vec<_> =
        github.headers().map(|(name, value)| (name, value.expose().to_owned())).collect();
    assert_eq!(headers, [(http::header::AUTHORIZATION, "Bearer a b".to_owned())]);
    let plain = &settings.routes["/plain"];
    assert!(plain.headers.is_empty());
    assert_eq!(plain.format, Format::Json);
}

#[test]
fn a_route_that_cannot_be_is_refused_with_its_path() {
    for (text, expected) in [
        ("routes: {github: {url: \"http://h\"}}", "routes.github: expected a path such as /github"),
        ("routes: {/a/: {url: \"http://h\"}}", "routes./a/: expected a path"),
        ("routes: {\"/a?b\": {url: \"http://h\"}}", "expected a path"),
        ("routes: {/a: {}}", "routes./a: missing field `url`"),
        ("routes: {/a: {url: ftp://h}}", "routes./a.url: expected http:// or https://"),
        (
            "routes: {/a: {url: \"http://h\", formt: toon}}",
            "routes./a.formt: there is no such setting; did you mean `format`?",
        ),
        (
            "routes: {/a: {url: \"http://h\", format: xml}}",
            "routes./a.format: expected json, toon, stc or auto, found `xml`",
        ),
        (
            "routes: {/a: {url: \"http://h\", headers: {\"a b\": x}}}",
            "routes./a.headers.a b: expected the name of a header",
        ),
        ("routes: {/a: {url: \"http://h\", headers: {a: \"***\"}}}", "not the mask"),
        ("routes: {/mcp/x: {url: \"http://h\"}}", "what begins with /mcp is the gateway's own"),
        ("routes: {/_forge: {url: \"http://h\"}}", "the gateway's own"),
        ("routes: {/p: {url: \"http://h\"}}", "the gateway's own"),
        ("routes: [a]", "routes: invalid type: sequence"),
    ] {
        let message = told(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert!(file("routes: {/mcps: {url: \"http://h\"}, /: {url: \"http://h\"}}").is_ok());
}

#[test]
fn a_plugin_is_read_with_what_it_says_and_defaults() {
    let settings = file(
        "plugins:\n- name: stc\n- {name: pii, enabled: false, priority: -3, on_error: closed, timeout: 250ms,\n   \
         config: {max_bytes: 4096, deep: {on: true, part: 0.5, text: \"7\", list: [1, a]}}}\n",
    )
    .unwrap();
    assert_eq!(settings.plugins[0], PluginSettings::named("stc"));
    let pii = &settings.plugins[1];
    assert_eq!((pii.enabled, pii.priority, pii.on_error), (false, -3, OnError::Closed));
    assert_eq!(pii.timeout, Duration::from_millis(250));
    let expected = json!({"max_bytes": 4096, "deep": {"on": true, "part": 0.5, "text": "7", "list": [1, "a"]}});
    assert_eq!(*pii.config.expose(), expected);
}

#[test]
fn a_plugin_that_cannot_be_is_refused_with_its_place() {
    for (text, expected) in [
        (
            "plugins:\n- name: stc\n  prioriti: 3",
            "tokenforge.yaml:3:3: plugins[0].prioriti: there is no such setting; did you mean `priority`?",
        ),
        ("plugins: [{priority: 3}]", "plugins[0]: missing field `name`"),
        (
            "plugins: [{name: stc, priority: high}]",
            "plugins[0].priority: expected a whole number, found `high`",
        ),
        (
            "plugins: [{name: stc, on_error: ignore}]",
            "plugins[0].on_error: expected open or closed",
        ),
        ("plugins: {stc: {}}", "plugins: "),
    ] {
        let message = told(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn l10_what_is_shown_of_a_plugins_own_settings_has_no_text() {
    let settings = file(
        "plugins: [{name: a, config: {key: sk-canary, list: [sk-canary], count: 3, on: true}}]",
    )
    .unwrap();
    let shown = settings.to_json();
    assert_eq!(
        shown["plugins"][0]["config"],
        json!({"key": "***", "list": ["***"], "count": 3, "on": true})
    );
    assert!(settings.show().contains("count: 3"), "{}", settings.show());
    assert!(!format!("{} {settings:?}", settings.show()).contains("canary"));
}

#[test]
fn routes_and_plugins_cannot_be_changed_over_the_admin_api() {
    for patch in [json!({"routes": {}}), json!({"plugins": []})] {
        let message = Settings::default().patched(&patch).unwrap_err().to_string();
        assert!(message.contains("cannot be changed here"), "{message}");
    }
}

#[test]
fn a_tool_server_is_read_with_what_it_says_and_defaults() {
    let settings = file(
        "mcp:\n  exclude: [a*, b]\n  backends:\n    fs: {command: npx, args: [-y, \"a, b\"], env: {T: x y}}\n    \
         web: {url: \"https://h/mcp?k=1\", headers: {Authorization: Bearer t}, timeout: 9s, structured: drop}\n",
    )
    .unwrap();
    assert_eq!(settings.mcp.exclude, ["a*", "b"]);
    let McpTarget::Command { args, env, .. } = &settings.mcp.backends["fs"].target else {
        panic!()
    };
    assert_eq!((&args[1], env["T"].expose()), (&"a, b".to_owned(), "x y"));
    let web = &settings.mcp.backends["web"];
    assert_eq!((web.timeout.as_secs(), web.structured), (9, Some(Structured::Drop)));
    assert!(web.enabled);
    let shown = settings.show();
    assert!(
        !shown.contains("Bearer") && !shown.contains("k=1") && !shown.contains("x y"),
        "{shown}"
    );
}

#[test]
fn m23_the_tools_of_a_client_are_read_and_what_is_known_of_its_agent_stays() {
    let settings = file(
        "mcp:\n  tool_list: search\n  pinned_tools: [a__*]\n  clients:\n    web: {tools: [read_*, b__c]}\n    \
         claude-code: {tools: x}\n    \"*\": {tools: []}\n    other: {format: stc}\n",
    )
    .unwrap();
    assert_eq!(
        (settings.mcp.tool_list, &*settings.mcp.pinned_tools),
        (ToolList::Search, &["a__*".to_owned()][..])
    );
    let tools = |name: &str| settings.mcp.clients[name].tools.clone();
    assert_eq!(tools("web"), Some(vec!["read_*".to_owned(), "b__c".to_owned()]));
    assert_eq!((tools("*"), tools("other")), (Some(vec![]), None));
    assert_eq!(settings.mcp.clients["claude-code"].structured, Some(Structured::Drop));
    assert_eq!(file(&settings.show()), Ok(settings.clone()));
}

#[test]
fn a_tool_server_that_cannot_be_is_refused_with_its_path() {
    for (text, expected) in [
        (
            "mcp: {backends: {a__b: {command: x}}}",
            "mcp.backends.a__b: a prefix is up to 32 letters",
        ),
        ("mcp: {backends: {a: {}}}", "mcp.backends.a: needs `url`, or `command`"),
        ("mcp: {backends: {a: {url: \"http://h\", command: x}}}", "has both `url` and `command`"),
        (
            "mcp: {backends: {a: {url: ftp://h}}}",
            "mcp.backends.a.url: expected http:// or https://",
        ),
        (
            "mcp: {backends: {a: {comand: x}}}",
            "mcp.backends.a.comand: there is no such setting; did you mean `command`?",
        ),
        ("mcp: {backends: [a]}", "mcp.backends: expected keys with values, found a list"),
        ("mcp: {tool_list: some}", "mcp.tool_list: expected all or search, found `some`"),
        (
            "mcp: {clients: {a: {tool: x}}}",
            "mcp.clients.a.tool: there is no such setting; did you mean `tools`?",
        ),
        ("mcp: {format: xml}", "mcp.format: expected json, toon, stc or auto, found `xml`"),
    ] {
        let message = told(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
}
