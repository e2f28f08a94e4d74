//! The tool servers of the gateway: of one that runs, else those that it would have at its next start.

use crate::data;
use crate::gateway::{GatewayClient, GatewayError, url};
use crate::settings::{self, SettingsSource};
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokenforge_config::{McpBackend, Overrides, Settings};
use tokenforge_mcp::BackendRegistry;
use tokenforge_redact::Scanner;

/// Which gateway is meant.
#[derive(Args)]
pub(super) struct GatewayOptions {
    /// The gateway's address [default: what the settings say, else http://127.0.0.1:8787]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    gateway: Option<String>,

    /// The gateway's admin token [default: FORGE_ADMIN_TOKEN, the settings, or the data folder]
    #[arg(long, value_name = "TOKEN")]
    admin_token: Option<String>,

    /// Do not ask a gateway; use the files it reads when it starts
    #[arg(long, conflicts_with = "gateway")]
    offline: bool,

    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

/// Who has the servers.
pub(super) enum BackendSource {
    /// A gateway that runs, and what it says about its servers, if we may know.
    Running(GatewayClient, anyhow::Result<Vec<Value>>),
    /// None does: the files that it reads at its start, and how that is known.
    Files(Box<BackendDefinitions>, String),
}

impl GatewayOptions {
    /// Asks the gateway; where none answers, and none was named, the files are meant.
    pub(super) async fn find_backends(&self) -> anyhow::Result<BackendSource> {
        let definitions = self.definitions()?;
        if self.offline {
            return Ok(BackendSource::Files(
                Box::new(definitions),
                "no gateway was asked".to_owned(),
            ));
        }
        let gateway = self.gateway(&definitions.settings)?;
        let backends = gateway.backends().await;
        match backends.as_ref().err().map(anyhow::Error::downcast_ref) {
            None | Some(Some(GatewayError::Refused(_))) => {
                Ok(BackendSource::Running(gateway, backends))
            }
            Some(Some(GatewayError::Absent(why))) => {
                let no_gateway = format!("no gateway answers at {}", gateway.url);
                match self.gateway {
                    None => Ok(BackendSource::Files(Box::new(definitions), no_gateway)),
                    Some(_) => bail!("{no_gateway}: {why}"),
                }
            }
            Some(None) => backends.map(|backends| BackendSource::Running(gateway, Ok(backends))),
        }
    }

    pub(super) fn definitions(&self) -> anyhow::Result<BackendDefinitions> {
        BackendDefinitions::read(self.config.as_deref())
    }

    fn gateway(&self, settings: &Settings) -> anyhow::Result<GatewayClient> {
        GatewayClient::of_operator(self.gateway.as_deref(), self.admin_token.clone(), settings)
    }

    /// Was a gateway named?
    pub(super) fn is_named(&self) -> bool {
        self.gateway.is_some()
    }
}

/// What a gateway reads at its start.
pub(super) struct BackendDefinitions {
    pub(super) settings: Settings,
    registry: BackendRegistry,
    /// Where servers are kept that the settings do not have.
    file: PathBuf,
}

impl BackendDefinitions {
    pub(super) fn read(config: Option<&Path>) -> anyhow::Result<Self> {
        let source = SettingsSource { file: settings::file(config), flags: Overrides::default() };
        let settings = source.load()?;
        let file = match &settings.mcp.file {
            Some(file) => file.clone(),
            None => data::mcp_file()?,
        };
        let registry = BackendRegistry::open(Some(file.clone()))
            .with_context(|| format!("cannot read {}", file.display()))?;
        Ok(BackendDefinitions { settings, registry, file })
    }

    /// All servers.
    pub(super) fn all(&self) -> BTreeMap<String, McpBackend> {
        self.registry.over(&self.settings.mcp.backends)
    }

    /// All servers as a gateway would say, without their secrets.
    pub(super) fn listing(&self) -> Vec<Value> {
        let shown = |(prefix, backend): (String, McpBackend)| {
            let mut shown = json!({ "prefix": prefix });
            for (key, value) in backend.to_json().as_object().into_iter().flatten() {
                shown[key] = value.clone();
            }
            shown
        };
        let all = Value::Array(self.all().into_iter().map(shown).collect());
        // Keys stand where none should, too: in the arguments of a program.
        let all = match Scanner::builtin().redact(&all.to_string()) {
            Some(redacted) => serde_json::from_str(&redacted.text).unwrap_or_default(),
            None => all,
        };
        match all {
            Value::Array(all) => all,
            _ => Vec::new(),
        }
    }

    /// A further server.
    pub(super) fn add(&mut self, name: &str, definition: &Value) -> anyhow::Result<()> {
        let backend = McpBackend::from_json(name, definition)?;
        if self.all().contains_key(name) {
            bail!("there is a tool server with the prefix `{name}` already");
        }
        Ok(self.registry.put(name, Some(backend))?)
    }

    /// A server less.
    pub(super) fn remove(&mut self, name: &str) -> anyhow::Result<()> {
        Ok(self.registry.put(name, None)?)
    }

    /// Is a running gateway's file of servers the one that is written here? Where it is another, nothing is: a gateway
    /// must not be able to say which file of the user's is written.
    pub(super) async fn expect_file_of(&self, gateway: &GatewayClient) -> anyhow::Result<()> {
        let theirs = gateway.servers_file().await?;
        if theirs.as_ref().is_some_and(|theirs| is_same(theirs, &self.file)) {
            return Ok(());
        }
        let theirs = theirs.map_or("no file".to_owned(), |file| file.display().to_string());
        bail!(
            "the gateway at {} keeps its tool servers in {theirs}, and this would write {}: run it as the user who \
             runs the gateway, with the same FORGE_DATA_DIR and settings file",
            gateway.url,
            self.file.display()
        )
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn gateway_url(&self) -> String {
        url(self.settings.listen)
    }
}

/// Do both paths lead to one file, which need not be there yet?
fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    one == other || whole(one).is_some_and(|one| whole(other) == Some(one))
}

/// Why there is no server of this name.
pub(super) fn unknown(name: &str, names: &[&str]) -> anyhow::Error {
    let known = match names {
        [] => "there is none".to_owned(),
        names => format!("there are {}", names.join(", ")),
    };
    anyhow::anyhow!("there is no tool server `{name}`; {known}")
}

/// The names of servers, as a gateway says them.
pub(super) fn names(backends: &[Value]) -> Vec<&str> {
    backends.iter().filter_map(|backend| backend["prefix"].as_str()).collect()
}
