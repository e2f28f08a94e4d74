//! What an operator sees and changes.

use super::{Hub, NotSaved};
use crate::backend::Backend;
use crate::era::Era;
use crate::failure::Failure;
use crate::list::{ListKind, ListPage, promises};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use tokenforge_config::McpBackend;

/// How many pages of a list are read.
const PAGES: usize = 100;

/// What is changed is kept in the file, which blocks.
impl Hub {
    /// All servers, without their secrets.
    #[must_use]
    pub fn list(&self) -> Vec<Value> {
        self.backends.load().values().map(|backend| self.shown(backend)).collect()
    }

    /// One server, without its secrets.
    #[must_use]
    pub fn show(&self, prefix: &str) -> Option<Value> {
        self.backends.load().get(prefix).map(|backend| self.shown(backend))
    }

    /// How a server is defined.
    #[must_use]
    pub fn definition(&self, prefix: &str) -> Option<McpBackend> {
        self.backends.load().get(prefix).map(|backend| backend.definition.clone())
    }

    /// Reads the file of servers again, which another process may have written.
    ///
    /// # Errors
    /// It cannot be read; then nothing changes.
    pub fn reload(&self) -> std::io::Result<()> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner).reload()?;
        self.assemble();
        self.lists_changed(None);
        Ok(())
    }

    /// A server as it is from now on; `None`: it is gone.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn put(&self, prefix: &str, definition: Option<McpBackend>) -> Result<(), NotSaved> {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.put(prefix, definition)?;
        drop(registry);
        self.changed(prefix);
        Ok(())
    }

    fn changed(&self, prefix: &str) {
        self.assemble();
        self.lists_changed(Some(prefix));
    }

    /// Greets a server anew and tells clients to list its tools again; `None`: there is none.
    pub async fn refresh(&self, prefix: &str) -> Option<Result<Vec<Value>, Failure>> {
        let backend = self.backends.load().get(prefix).cloned()?;
        backend.reset();
        let tools = self.tools(prefix).await;
        self.lists_changed(Some(prefix));
        tools
    }

    /// The tools of a server with their schemas, and what is known of each; `None`: there is no such server.
    pub async fn tools(&self, prefix: &str) -> Option<Result<Vec<Value>, Failure>> {
        let backend = self.backends.load().get(prefix).cloned()?;
        Some(self.listed(&backend).await)
    }

    async fn listed(&self, backend: &Arc<Backend>) -> Result<Vec<Value>, Failure> {
        let tenant: Arc<str> = "operator".into();
        let link = self.link(backend, &tenant, Era::Legacy, None).await?;
        let mut figures: HashMap<String, Value> = HashMap::new();
        for row in self.stats.of(&backend.prefix) {
            let name = row["tool"].as_str().unwrap_or_default().to_owned();
            figures.insert(name, row);
        }
        let (mut tools, mut params) = (Vec::new(), json!({}));
        for _ in 0..PAGES {
            let answer = link.ask_ourselves(ListKind::Tools.method(), &params.to_string()).await?;
            let message = answer.view();
            let page = ListPage::of(&message, ListKind::Tools).ok_or(Failure::Garbage)?;
            backend.remember_tools(promises(&message));
            for item in &page.items {
                let mut tool: Value =
                    serde_json::from_str(item.raw()).map_err(|_| Failure::Garbage)?;
                let name = tool["name"].as_str().unwrap_or_default().to_owned();
                if let (Some(figures), true) = (figures.remove(&name), tool.is_object()) {
                    tool["figures"] = figures;
                }
                tools.push(tool);
            }
            match page.next {
                Some(next) => params = json!({ "cursor": next }),
                None => break,
            }
        }
        Ok(tools)
    }

    fn shown(&self, backend: &Backend) -> Value {
        let mut shown =
            json!({"prefix": &*backend.prefix, "conversations": backend.conversations()});
        let definition = backend.definition.to_json();
        for (key, value) in definition.as_object().into_iter().flatten() {
            shown[key] = value.clone();
        }
        shown
    }
}
