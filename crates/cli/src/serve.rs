//! `tokenforge serve`: the gateway.

mod log;
mod reload;
mod signals;
mod tls;

pub(crate) use signals::{stop, stop_or_hangup};

use crate::engine::TENANT;
use crate::hook::{self, HookEngine};
use crate::listen::listen;
use crate::settings::{self, SettingsSource};
use crate::{data, ledger, output, values};
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use serde_json::json;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;
use std::sync::Arc;
use tokenforge_config::{Origins, Overrides, Settings, StoreSettings, StoreUrl};
use tokenforge_engine::DictionaryMethod;
use tokenforge_engine::Mode;
use tokenforge_gateway::{AwsCredentialSource, Gateway, TlsIdentity, draw_token};
use tokenforge_store::{MemoryStore, Store, StoreLocation};

const EXAMPLES: &str = "\
Examples:
  tokenforge serve
  tokenforge serve --port 9000 --mode lossless
  ANTHROPIC_BASE_URL=http://127.0.0.1:8787 claude      an agent that uses it";

/// Run the gateway between agents and model providers
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// The address and port to listen on [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,

    /// The port to listen on, on this machine: short for --listen 127.0.0.1:PORT
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    port: Option<u16>,

    /// Speak TLS with this certificate chain (PEM), and --tls-key; replaced files are used without a restart
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tls_cert: Option<String>,

    /// The private key of that certificate (PEM, not encrypted)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tls_key: Option<String>,

    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// Send all requests here [default: each to its provider]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    backend_url: Option<String>,

    /// How much to do to tool results [default: standard]
    #[arg(long, value_name = "MODE", alias = "tool-output-compression", value_parser = values::modes())]
    mode: Option<Mode>,

    /// The dictionary for mode aggressive [default: lzw]
    #[arg(long, value_name = "METHOD", alias = "tool-output-compression-method")]
    #[arg(value_parser = values::methods())]
    method: Option<DictionaryMethod>,

    /// What to do to descriptions in tool schemas [default: disabled]
    #[arg(long, value_name = "HOW", value_parser = values::schema_compressions())]
    schema_compression: Option<String>,

    /// Remove secrets from whole requests, and refuse requests that cannot be checked
    #[arg(long)]
    redact_secrets: bool,

    /// Where to keep originals: memory:, disk:PATH or redis://HOST [default: memory:]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// Print {"url", "mode", "dashboard"} once it listens
    #[arg(long)]
    json: bool,
}

impl ServeArgs {
    fn source(&self) -> SettingsSource {
        let flags = Overrides {
            listen: self.listen.clone().or(self.port.map(|port| format!("127.0.0.1:{port}"))),
            tls_cert: self.tls_cert.clone(),
            tls_key: self.tls_key.clone(),
            backend_url: self.backend_url.clone(),
            tool_output_compression: self.mode.map(|mode| mode.to_string()),
            tool_output_compression_method: self.method.map(|method| method.name().to_owned()),
            schema_compression: self.schema_compression.clone(),
            redact_secrets: self.redact_secrets,
            store: self.store.clone(),
        };
        SettingsSource { file: settings::file(self.config.as_deref()), flags }
    }
}

pub(crate) fn run(arguments: &ServeArgs) -> anyhow::Result<()> {
    let source = arguments.source();
    let (settings, origins) = source.load_with_origins()?;
    let settings = with_data(settings);
    refuse_public(&settings)?;
    let identity = tls::load(&settings)?;
    let level = log::start(&settings.monitoring);
    let store = open(&settings.store)?;
    // Accepts connections and hears signals; the gateway has threads of its own for everything else.
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?
        .block_on(serve(settings, identity, origins, store, source, level, arguments.json))
}

async fn serve(
    settings: Settings,
    identity: Option<Arc<TlsIdentity>>,
    origins: Origins,
    store: Arc<dyn Store>,
    source: SettingsSource,
    level: log::LogLevel,
    as_json: bool,
) -> anyhow::Result<()> {
    let address = settings.listen;
    let listener = listen(address, "tokenforge serve").await?;
    let address = listener.local_addr().context("cannot listen")?;
    let mode = settings.tool_output.mode;
    let gateway = Gateway::new(settings, store)?;
    gateway.set_origins(origins);
    admit_operator(&gateway);
    admit_command(&gateway);
    admit_aws(&gateway);
    tokio::spawn(log::follow(level, gateway.clone()));
    let _watching = reload::watch(gateway.clone(), source)?;
    let _renewing = identity.clone().map(tls::watch).transpose()?;
    let _hooks = answer_hooks(&gateway);
    // Both lines at once, because a program that reads the first one may not wait for the second.
    let dashboard = dashboard(&gateway, stdout().is_terminal());
    let url = format!("{}://{address}", if identity.is_some() { "https" } else { "http" });
    let said = if as_json {
        let dashboard = format!("{url}/_forge/ui/");
        json!({"url": url, "mode": mode.name(), "dashboard": dashboard}).to_string()
    } else {
        format!("listening on {url} ({mode})\ndashboard: {url}{dashboard}")
    };
    // A failure is ignored, because the gateway works without a reader of these lines.
    let _ = output::print(&said);
    let served = match identity {
        Some(identity) => tokenforge_gateway::serve_tls(gateway, listener, identity, stop()?).await,
        None => tokenforge_gateway::serve(gateway, listener, stop()?).await,
    };
    served.context("cannot start threads")
}

/// Where the dashboard is: on a terminal, with a code that signs a browser in once. A log keeps what a terminal forgets.
fn dashboard(gateway: &Gateway, is_terminal: bool) -> String {
    let link = is_terminal.then(|| gateway.sign_in_link()).flatten();
    match link {
        Some((path, lifetime)) => {
            let minutes = lifetime.as_secs() / 60;
            format!(
                "{path} (signs you in once, within {minutes} minutes; later: tokenforge dashboard)"
            )
        }
        None => "/_forge/ui/".to_owned(),
    }
}

/// Gives a gateway the tokens of the data folder, which are drawn at the first start. Where the settings name an admin
/// token the one of the folder opens nothing, but the gateway still proves with it whose it is.
pub(crate) fn admit_operator(gateway: &Gateway) {
    let draw = |file: anyhow::Result<PathBuf>| {
        file.and_then(|file| draw_token(&file).with_context(|| format!("{}", file.display())))
    };
    let drawn = draw(data::client_token_file());
    if let Err(error) = &drawn {
        tracing::warn!(
            "no client token could be created, so only programs of this user on Linux reach tools: {error:#}"
        );
    }
    gateway.set_client_token(drawn.map_err(|error| format!("{error:#}")));
    let drawn = draw(data::admin_token_file());
    if let (Err(error), None) = (&drawn, gateway.settings().admin_token) {
        tracing::warn!(
            "no admin token could be created, so nothing can be changed over HTTP: {error:#}"
        );
    }
    gateway.set_admin_token(drawn.map_err(|error| format!("{error:#}")));
}

/// Lets models be told of `tokenforge expand`, if that reads the store of this gateway: the one on disk, in the folder
/// where the command looks.
pub(crate) fn admit_command(gateway: &Gateway) {
    let StoreUrl::Disk(stored) = gateway.settings().store.url else { return };
    let same = |read: PathBuf| Some(read.canonicalize().ok()? == stored.canonicalize().ok()?);
    if data::folder().ok().and_then(same) == Some(true) {
        gateway.set_command_tenant(TENANT);
    }
}

/// Lets requests be signed again that were signed with the AWS credentials of this user.
pub(crate) fn admit_aws(gateway: &Gateway) {
    gateway.set_aws_credentials(AwsCredentialSource::from_env());
}

/// Answers the hooks of agents on this machine, by the settings of the moment. Without it they do the work themselves.
fn answer_hooks(gateway: &Arc<Gateway>) -> Option<hook::server::HookServer> {
    let gateway = gateway.clone();
    let answer =
        move |question: &hook::HookQuestion| HookEngine::new(&gateway.settings()).answer(question);
    match data::hook_folder().and_then(|folder| hook::server::open(&folder, answer)) {
        Ok(service) => Some(service),
        Err(error) => {
            tracing::info!("this gateway does not answer agents' hooks: {error:#}");
            None
        }
    }
}

/// A gateway that anybody can reach must ask who it is, or be told that it need not.
fn refuse_public(settings: &Settings) -> anyhow::Result<()> {
    let is_open = settings.keys.is_empty() && !settings.allow_public;
    if is_open && !settings.listen.ip().is_loopback() {
        bail!(
            "{} can be reached from other machines: set `keys`, or `allow_public: true` to let anyone use it",
            settings.listen
        );
    }
    Ok(())
}

/// With the user's own places for what outlives a gateway: tool servers that are added while it runs, and what it saved.
pub(crate) fn with_data(mut settings: Settings) -> Settings {
    settings.mcp.file = settings.mcp.file.or_else(|| data::mcp_file().ok());
    settings.ledger.path = ledger::folder(&settings.ledger).ok();
    settings
}

/// The store that settings name.
pub(crate) fn open(settings: &StoreSettings) -> anyhow::Result<Arc<dyn Store>> {
    let url = match &settings.url {
        StoreUrl::Memory => "memory:".to_owned(),
        StoreUrl::Disk(folder) => format!("disk:{}", folder.display()),
        StoreUrl::Redis(url) => url.expose().to_owned(),
    };
    let location: StoreLocation = url.parse()?;
    let bounds = bounds(settings, &location);
    Ok(match location {
        // It forgets all that it has, but for the key: references stay the same after a restart.
        StoreLocation::Memory => Arc::new(MemoryStore::new(bounds).with_key(data::reference_key)),
        location => location.open(bounds)?,
    })
}

fn bounds(settings: &StoreSettings, location: &StoreLocation) -> tokenforge_store::StoreOptions {
    let usual = location.default_settings();
    tokenforge_store::StoreOptions {
        max_bytes: settings.max_bytes.map_or(usual.max_bytes, |bytes| bytes as u64),
        original_lifetime: settings.original_ttl,
        result_lifetime: settings.compressed_ttl,
        ..usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_config::Secret;

    #[test]
    fn d60_the_sign_in_link_is_printed_to_a_terminal_only() {
        let gateway = Gateway::new(Settings::default(), open(&StoreSettings::default()).unwrap());
        let gateway = gateway.unwrap();
        assert_eq!(dashboard(&gateway, true), "/_forge/ui/", "there is no token");
        gateway.set_admin_token(Ok(Secret::new("a-token-of-the-operator")));
        assert_eq!(dashboard(&gateway, false), "/_forge/ui/");
        let shown = dashboard(&gateway, true);
        assert!(shown.starts_with("/_forge/ui/#/sign-in/"), "{shown}");
        assert!(shown.contains("tokenforge dashboard"), "{shown}");
    }

    #[test]
    fn a_disk_has_more_room_than_memory_unless_max_bytes_is_set() {
        let room = |url: &str, max_bytes| {
            let settings = StoreSettings { max_bytes, ..StoreSettings::default() };
            bounds(&settings, &url.parse().expect("a location")).max_bytes
        };
        assert_eq!(room("memory:", None), 64 << 20);
        assert_eq!(room("disk:/var/lib/tokenforge", None), 1 << 30);
        assert_eq!(room("memory:", Some(7)), 7);
        assert_eq!(room("disk:/var/lib/tokenforge", Some(7)), 7);
    }
}
