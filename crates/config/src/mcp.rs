//! One tool server on its own: as the admin API takes and shows it, and as it is kept in a file.

use crate::error::{ConfigError, SettingFault, SettingOrigin};
use crate::raw::{BackendEntry, NamedEntry, is_prefix};
use crate::secret::{MASK, Secret};
use crate::settings::{McpBackend, McpTarget};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

impl McpBackend {
    /// Reads a server from an object with the keys that it has in the file.
    ///
    /// # Errors
    /// A prefix, a key or a value that is not allowed.
    ///
    /// ```
    /// use serde_json::json;
    /// use tokenforge_config::McpBackend;
    ///
    /// let backend = McpBackend::from_json("fs", &json!({"command": "mcp-server", "env": {"TOKEN": "t"}}))?;
    /// assert_eq!(backend.to_json()["env"]["TOKEN"], "***");
    /// assert_eq!(McpBackend::from_json("fs", &backend.to_stored_json())?, backend);
    /// assert!(McpBackend::from_json("a__b", &json!({"command": "mcp-server"})).is_err());
    /// # Ok::<(), tokenforge_config::ConfigError>(())
    /// ```
    pub fn from_json(prefix: &str, tree: &Value) -> Result<Self, ConfigError> {
        // By value, as settings are read: read from a reference, all their types would be compiled once more.
        let read: Result<BackendEntry, _> = serde_path_to_error::deserialize(tree.clone());
        read.map_err(|error| {
            let path = error.path().to_string();
            let path = if path == "." { String::new() } else { format!(".{path}") };
            SettingFault::new(format!("mcp.backends.{prefix}{path}"), error.inner().to_string())
        })
        .and_then(|backend| backend.into_settings(prefix))
        .map_err(|fault| fault.at(SettingOrigin::Patch))
    }

    /// This server with what an object says in place of what it has. `null` is the default, and a secret that is
    /// masked stays.
    ///
    /// # Errors
    /// A key or a value that is not allowed.
    pub fn patched(&self, prefix: &str, patch: &Value) -> Result<Self, ConfigError> {
        let Value::Object(changes) = patch else {
            let fault = SettingFault::new(format!("mcp.backends.{prefix}"), "expected an object");
            return Err(fault.at(SettingOrigin::Patch));
        };
        let mut tree = self.to_stored_json();
        let old = self.to_stored_json();
        for (key, value) in changes {
            tree[key] = unmasked(value, &old[key]);
        }
        Self::from_json(prefix, &tree)
    }

    /// As it is written in the file, with secrets as `***`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::to_value(BackendEntry::of(self)).unwrap_or_default()
    }

    /// As it is kept: with its secrets. For a file that only its owner reads.
    #[must_use]
    pub fn to_stored_json(&self) -> Value {
        let mut tree = self.to_json();
        let exposed = |map: &BTreeMap<String, Secret>| {
            let pair = |(name, value): (&String, &Secret)| (name.clone(), value.expose().into());
            Value::Object(map.iter().map(pair).collect::<Map<_, _>>())
        };
        match &self.target {
            McpTarget::Http { url, headers } => {
                tree["url"] = url.to_string().into();
                tree["headers"] = exposed(headers);
            }
            McpTarget::Command { env, .. } => tree["env"] = exposed(env),
        }
        tree
    }

    /// Can tools be named with this prefix?
    #[must_use]
    pub fn is_prefix(text: &str) -> bool {
        is_prefix(text)
    }
}

/// What is masked is what it was.
fn unmasked(new: &Value, old: &Value) -> Value {
    match new {
        Value::String(text) if text == MASK || text.ends_with(&format!("?{MASK}")) => old.clone(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), unmasked(value, &old[name])))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn m14_a_change_keeps_what_it_does_not_name_and_what_is_masked() {
        let old = json!({"url": "https://x/mcp?key=k", "headers": {"Authorization": "Bearer s"}});
        let old = McpBackend::from_json("x", &old).unwrap();
        let shown = old.to_json();
        assert!(!shown.to_string().contains("Bearer") && !shown.to_string().contains("key=k"));
        let patch = json!({"url": shown["url"], "headers": {"Authorization": "***", "X-New": "n"}, "enabled": false});
        let new = old.patched("x", &patch).unwrap();
        assert!(!new.enabled);
        let stored = new.to_stored_json();
        assert_eq!(stored["url"], "https://x/mcp?key=k");
        assert_eq!(stored["headers"], json!({"Authorization": "Bearer s", "X-New": "n"}));
    }

    #[test]
    fn what_is_wrong_is_named_and_no_secret_is_repeated() {
        let wrong = |tree: Value| McpBackend::from_json("x", &tree).unwrap_err().to_string();
        assert!(wrong(json!({})).contains("needs `url`"));
        assert!(wrong(json!({"url": "ftp://x", "timeout": "1s"})).contains("mcp.backends.x.url"));
        assert!(wrong(json!({"url": "http://u:secret@x"})).find("secret").is_none());
        assert!(wrong(json!({"command": "a", "comand": "b"})).contains("comand"));
        assert!(
            wrong(json!({"command": "a", "env": {"T": "***"}})).contains("mcp.backends.x.env.T")
        );
    }
}
