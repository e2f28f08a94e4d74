//! What must hold for every data file.

use super::*;
use crate::{BaseUrl, HookEntry, ShellSign, ToolRole, ToolSwitch, ToolSwitches};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;

/// As engines compare names of tools.
fn squashed(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

fn names(tools: &BTreeMap<ToolRole, Vec<String>>) -> impl Iterator<Item = (String, ToolRole)> {
    tools.iter().flat_map(|(kind, names)| names.iter().map(|name| (squashed(name), *kind)))
}

#[test]
fn every_file_of_the_folder_is_listed_and_read() {
    for text in FILES {
        let read = toml::from_str::<Agent>(text);
        assert!(read.is_ok(), "{}\n{text}", read.unwrap_err());
    }
    let common = toml::from_str::<CommonData>(COMMON);
    assert!(common.is_ok(), "{}", common.unwrap_err());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let written = files.filter(|file| file.extension().is_some_and(|ending| ending == "toml"));
    assert_eq!(written.count(), FILES.len() + 1);
    assert_eq!(all().len(), FILES.len());
}

#[test]
fn no_two_agents_have_one_id() {
    let ids: HashSet<_> = all().iter().map(|agent| &agent.id).collect();
    assert_eq!(ids.len(), all().len());
    assert_eq!(find("codex").unwrap().name, "Codex");
    assert_eq!(find("vim"), None);
}

#[test]
fn a_name_of_a_tool_has_one_meaning() {
    let own = all().iter().map(|agent| &agent.tools).chain([&common().tools]).flat_map(names);
    let mut meanings = HashMap::new();
    for (name, kind) in own {
        let other = meanings.insert(name.clone(), kind);
        assert!(other.is_none_or(|other| other == kind), "{name}: {other:?} and {kind:?}");
    }
    let mut foreign = HashMap::new();
    for (name, kind) in names(&common().mcp_tools) {
        let other = foreign.insert(name.clone(), kind);
        assert!(other.is_none_or(|other| other == kind), "{name}: {other:?} and {kind:?}");
    }
}

#[test]
fn a_shell_is_a_tool_that_runs_commands() {
    let own = all().iter().map(|agent| &agent.tools).chain([&common().tools]).flat_map(names);
    let meanings: HashMap<_, _> = own.collect();
    for agent in all() {
        let Some(shell) = &agent.shell else { continue };
        assert_eq!(meanings.get(&squashed(shell)), Some(&ToolRole::Shell), "{}", agent.id);
    }
}

#[test]
fn who_can_be_wrapped_is_set_up_or_refused_with_a_reason() {
    for agent in all() {
        let ways = usize::from(agent.setup.is_some()) + usize::from(agent.setup_refused.is_some());
        assert_eq!(ways, usize::from(agent.can_be_wrapped()), "{}", agent.id);
    }
}

#[test]
fn who_can_be_wrapped_has_a_local_shell_or_a_reason_why_not() {
    for agent in all() {
        let said = usize::from(agent.local_shell.is_some())
            + usize::from(agent.local_shell_refused.is_some());
        assert_eq!(said, usize::from(agent.can_be_wrapped()), "{}", agent.id);
        let Some(shell) = &agent.local_shell else { continue };
        assert!(agent.shell.is_some(), "{}: shell", agent.id);
        assert!(agent.user_agent.is_some(), "{}: user_agent", agent.id);
        let reads =
            |sign: &ShellSign| matches!(sign, ShellSign::Setting(_) | ShellSign::Mention(_));
        let is_read = shell.unless.iter().chain(&shell.asks_unless).any(reads);
        assert_eq!(is_read, !shell.files.is_empty(), "{}: files", agent.id);
    }
    let (claude, pi) = (find("claude").unwrap(), find("pi").unwrap());
    assert!(claude.is_called("claude-cli") && !claude.is_called("Anthropic"));
    assert!(pi.is_called("Anthropic") && !pi.is_called("python-requests"));
}

#[test]
fn what_a_file_refers_to_is_there() {
    for agent in all() {
        let needs_settings = |way: &BaseUrl| {
            matches!(way, BaseUrl::SettingArgument { .. } | BaseUrl::SettingsCopy { .. })
        };
        let setup = agent.setup.clone().unwrap_or_default();
        let is_needed = agent.base_url.iter().any(needs_settings)
            || setup.status_line
            || setup.overriding_address.is_some()
            || setup.required_login.is_some();
        assert!(!is_needed || agent.settings.is_some(), "{}: settings", agent.id);
        if let Some(hook) = &agent.hook {
            assert!(agent.user_agent.is_some(), "{}: user_agent", agent.id);
            let is_plugin = matches!(hook.entry, HookEntry::PluginFile(_));
            assert_eq!(hook.entry.plugin_source().is_some(), is_plugin, "{}", agent.id);
        }
        if let Some(client) = &agent.mcp_client {
            assert_eq!(client.structured.is_some(), client.name.is_some(), "{}", agent.id);
            let begins = |name: &String| name.starts_with(&client.name_prefix);
            assert!(client.name.as_ref().is_none_or(begins), "{}", agent.id);
        }
    }
}

#[test]
fn a_provider_s_address_is_the_gateway_s() {
    let dialects = common().dialects.iter().flat_map(|dialect| &dialect.base_url);
    for way in all().iter().flat_map(|agent| &agent.base_url).chain(dialects) {
        let values = match way {
            BaseUrl::Variable { value, .. } => vec![value],
            BaseUrl::JsonVariable { addresses, .. } => {
                addresses.iter().map(|address| &address.value).collect()
            }
            BaseUrl::FileArgument { text, .. } => vec![text],
            BaseUrl::SettingArgument { with_key, with_subscription, .. } => {
                vec![with_key, with_subscription]
            }
            BaseUrl::VariableIfSet { .. } | BaseUrl::SettingsCopy { .. } => Vec::new(),
        };
        assert!(values.iter().all(|value| value.contains("{url}")), "{way:?}");
    }
}

#[test]
fn headers_are_written_in_lower_case() {
    for agent in all() {
        let headers = agent.session_headers.iter().chain(&agent.subscription.header);
        for header in headers {
            assert_eq!(*header, header.to_ascii_lowercase(), "{}", agent.id);
        }
    }
}

#[test]
fn u2_a_client_is_known_by_what_it_calls_itself_and_its_servers_by_its_names_of_tools() {
    assert_eq!(of_client("claude-cli").unwrap().id, "claude");
    assert_eq!(of_client("opencode").unwrap().id, "opencode");
    assert_eq!(of_client("python-requests"), None);
    for (client, name, tool) in [
        (Some("claude-cli"), "mcp__files__read", Some(("files", "read"))),
        (Some("claude-cli"), "Bash", None),
        (Some("GeminiCLI"), "mcp_files_read_text", Some(("files", "read_text"))),
        // What cannot be told is not guessed.
        (Some("opencode"), "files_read", None),
        (Some("python-requests"), "mcp__files__read", Some(("files", "read"))),
        (None, "files_read", None),
    ] {
        assert_eq!(mcp_tool(client, name), tool, "{client:?} {name}");
    }
}

#[test]
fn u3_a_switch_for_a_server_says_where_the_server_is_named() {
    let named = |switch: &ToolSwitch, part: &str| match switch {
        ToolSwitch::Listed { key, name } => {
            key.iter().chain([name]).any(|word| word.contains(part))
        }
        ToolSwitch::Set { key, .. } => key.iter().any(|word| word.contains(part)),
    };
    let switches = all().iter().filter_map(|agent| agent.tool_switches.as_ref());
    let switches: Vec<_> = switches.collect();
    assert!(!switches.is_empty());
    for ToolSwitches { files, tool, server_tool, server, .. } in switches {
        assert!(!files.is_empty());
        assert!(tool.iter().all(|switch| named(switch, "{name}")));
        assert!(server.iter().all(|switch| named(switch, "{server}")));
        let parts = |switch| named(switch, "{name}") || named(switch, "{tool}");
        assert!(server_tool.iter().all(parts));
    }
}

#[test]
fn who_is_probed_can_be_given_a_base_url_and_has_a_version_that_was_tested() {
    for agent in all().iter().filter(|agent| agent.probe.is_some()) {
        assert!(agent.can_be_wrapped() && agent.tested.is_some(), "{}", agent.id);
        let probe = agent.probe.clone().unwrap();
        // A home folder of its own is no place for what leads out of it.
        let is_below = |file: &String| !file.starts_with('/') && !file.contains("..");
        let files = probe.files.keys().chain(probe.tool_server.iter().map(|server| &server.file));
        assert!(files.into_iter().all(is_below), "{}", agent.id);
    }
}

#[test]
fn w3_w4_what_is_relied_on_of_an_agent_that_is_probed_can_be_tried() {
    for agent in all() {
        let Some(probe) = &agent.probe else { continue };
        let has_command = probe.shell_arguments.values().any(|value| value.contains("{command}"));
        assert_eq!(has_command, agent.hook.is_some(), "{}: shell_arguments", agent.id);
        assert!(!has_command || agent.shell.is_some(), "{}: shell", agent.id);
        assert_eq!(probe.tool_server.is_some(), agent.mcp_servers.is_some(), "{}", agent.id);
        let names_session = !agent.session_headers.is_empty();
        assert!(probe.session_arguments.is_empty() || names_session, "{}", agent.id);
        let Some(server) = &probe.tool_server else { continue };
        let named =
            ["{program}", "{arguments}", "{command}"].map(|word| server.text.contains(word));
        assert!(matches!(named, [true, true, false] | [false, false, true]), "{}", agent.id);
        // `mcp wrap` finds the server where the agent does.
        let home = |name: &str| (name == "HOME").then(|| "/home".into());
        let listed = agent.mcp_servers.iter().flat_map(|servers| &servers.files);
        let listed: Vec<_> = listed.filter_map(|file| file.resolve(&home)).collect();
        assert!(listed.contains(&Path::new("/home").join(&server.file)), "{}", agent.id);
        let written = server.text.replace("{program}", "\"p\"");
        let written = written.replace("{arguments}", "[]").replace("{command}", "[]");
        let is_read = if server.file.ends_with(".toml") {
            toml::from_str::<toml::Value>(&written).is_ok()
        } else {
            written.trim().starts_with('{') && written.trim().ends_with('}')
        };
        assert!(is_read, "{}: {written}", agent.id);
    }
}
