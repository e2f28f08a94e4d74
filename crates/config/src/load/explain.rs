//! Reading a tree into [`Raw`], with errors that name the key.

use crate::error::SettingFault;
use crate::raw::Raw;
use crate::table::SETTINGS;
use serde_json::Value;

/// Reads a tree of settings.
pub(crate) fn read(tree: Value) -> Result<Raw, SettingFault> {
    refuse_lists(&tree, "")?;
    serde_path_to_error::deserialize(tree).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        fault(path, &error.inner().to_string())
    })
}

/// Serde would read a list as the members of a section, in their order; only settings can be lists.
fn refuse_lists(tree: &Value, path: &str) -> Result<(), SettingFault> {
    match tree {
        Value::Array(_)
            if SETTINGS.iter().all(|setting| setting.path != path) && !is_inner_list(path) =>
        {
            Err(SettingFault::new(path, "expected keys with values, found a list"))
        }
        Value::Object(members) => members.iter().try_for_each(|(key, member)| {
            let dot = if path.is_empty() { "" } else { "." };
            refuse_lists(member, &format!("{path}{dot}{key}"))
        }),
        _ => Ok(()),
    }
}

/// Is this a list inside of a setting?
fn is_inner_list(path: &str) -> bool {
    let Some(inner) = path.strip_prefix("mcp.") else { return false };
    let is_in = |section: &str, list: &str| {
        inner.strip_prefix(section).is_some_and(|rest| rest.ends_with(list))
    };
    matches!(inner, "include" | "exclude" | "pinned_tools" | "allow_hosts" | "allow_origins")
        || is_in("backends.", ".args")
        || is_in("clients.", ".tools")
}

/// Says which names a wrong one is near to; leaves other messages as they are.
fn fault(path: String, message: &str) -> SettingFault {
    let mut names = message.split('`').skip(1).step_by(2);
    match (message.starts_with("unknown field"), names.next()) {
        (true, Some(found)) => unknown_key(&path, found, &names.collect::<Vec<_>>()),
        _ => SettingFault::new(path, message),
    }
}

fn unknown_key(path: &str, found: &str, allowed: &[&str]) -> SettingFault {
    // The path ends in the wrong key itself, or in what it stands in.
    let around = path.strip_suffix(found).map_or(path, |path| path.trim_end_matches('.'));
    let dot = if around.is_empty() { "" } else { "." };
    let problem = match nearest(found, allowed) {
        Some(near) => format!("there is no such setting; did you mean `{near}`?"),
        None => format!("there is no such setting; this section has {}", allowed.join(", ")),
    };
    SettingFault::new(format!("{around}{dot}{found}"), problem)
}

/// The name that is written most like this one, if one is near.
pub(crate) fn nearest<'a>(found: &str, names: &[&'a str]) -> Option<&'a str> {
    let likeness = |name: &&str| strsim::normalized_damerau_levenshtein(found, name);
    let best = names.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > 0.7).then_some(best)
}
