//! Settings as they are meant: every value is checked and has its type.

mod choice;
mod ledger;
mod limits;
mod mcp;
mod monitoring;
mod plugin;
mod provider;
mod route;
mod shadow;
mod store;
mod tls;
mod tool_output;
mod upstreams;

pub use choice::{Choice, UnknownChoice};
pub use ledger::LedgerSettings;
pub use limits::Limits;
pub use mcp::{Mcp, McpBackend, McpClient, McpTarget, McpTool, Structured, ToolList};
pub use monitoring::{LogLevel, Monitoring};
pub use plugin::{OnError, PluginConfig, PluginSettings};
pub use provider::{Auth, Price, Provider, ProviderKind};
pub use route::Route;
pub use shadow::ShadowSettings;
pub use store::{KeptResults, StoreSettings, StoreUrl};
pub use tls::TlsSettings;
pub use tool_output::{
    Api, ExpandBy, ExpandInjection, Fallback, JsonForm, ModelClassSetting, OldResults, Strategy,
    ToolOutput,
};
pub use upstreams::{AwsSigning, Upstreams};

use crate::Secret;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use tokenforge_engine::prompt::PromptSettings;

/// Everything that can be set. The default is what runs without a file, a variable or a flag.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Where the gateway listens.
    pub listen: SocketAddr,
    /// What it speaks TLS with, if it does.
    pub tls: TlsSettings,
    /// May it listen beyond this machine without asking for a key?
    pub allow_public: bool,
    /// The keys that clients must show; without any, none is asked for.
    pub keys: Vec<GatewayKey>,
    /// What the admin API asks for, in place of the token that is drawn into the data folder.
    pub admin_token: Option<Secret>,
    /// Names that clients may call the gateway by, beside those of this machine: `host` or `host:port`.
    pub allow_hosts: Vec<String>,
    /// Websites whose pages may use the gateway, as `https://host`.
    pub allow_origins: Vec<String>,
    /// Where requests go.
    pub upstreams: Upstreams,
    /// JSON APIs that agents reach through the gateway, by the path they have here.
    pub routes: BTreeMap<String, Route>,
    /// The plugins that requests and answers meet.
    pub plugins: Vec<PluginSettings>,
    /// What is done to tool results.
    pub tool_output: ToolOutput,
    /// Who may be asked by the strategy `external_provider`, by name.
    pub providers: BTreeMap<String, Provider>,
    /// What is done to tool schemas.
    pub schema_compression: SchemaCompression,
    /// Are secrets removed from every request to a provider and from what tool servers say, and what cannot be checked refused?
    pub redact_secrets: bool,
    /// JSON in prompt context.
    pub toon: PromptSettings,
    /// Where originals and remembered results are kept.
    pub store: StoreSettings,
    /// What can be seen from outside.
    pub monitoring: Monitoring,
    /// Where savings are written down.
    pub ledger: LedgerSettings,
    /// What is measured beside live traffic.
    pub shadow: ShadowSettings,
    /// Bounds on work, memory and waiting.
    pub limits: Limits,
    /// Tool servers behind `/mcp`.
    pub mcp: Mcp,
    /// Prices in place of the built-in ones, by the beginning of a model's name.
    pub prices: BTreeMap<String, Price>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8787)),
            tls: TlsSettings::default(),
            allow_public: false,
            keys: Vec::new(),
            admin_token: None,
            allow_hosts: Vec::new(),
            allow_origins: Vec::new(),
            upstreams: Upstreams::default(),
            routes: BTreeMap::new(),
            plugins: Vec::new(),
            tool_output: ToolOutput::default(),
            providers: BTreeMap::new(),
            schema_compression: SchemaCompression::default(),
            redact_secrets: false,
            toon: PromptSettings::default(),
            store: StoreSettings::default(),
            monitoring: Monitoring::default(),
            ledger: LedgerSettings::default(),
            shadow: ShadowSettings::default(),
            limits: Limits::default(),
            mcp: Mcp::default(),
            prices: BTreeMap::new(),
        }
    }
}

/// How many bytes of tool results are kept in memory where one person uses the gateway, on that person's machine.
const CONTENT_BYTES: usize = 16 << 20;

impl Settings {
    /// How many bytes of tool results are kept in memory for the dashboard: what is set, else 16 MiB if the gateway
    /// listens on this machine only and has no `keys` and no other names (`allow_hosts`), and nothing where others may send
    /// texts of theirs.
    #[must_use]
    pub fn content_bytes(&self) -> usize {
        let usual = if self.is_personal() { CONTENT_BYTES } else { 0 };
        self.monitoring.content_bytes.unwrap_or(usual)
    }

    /// Does one person use the gateway, on that person's machine? It listens there only, has no keys, and no other names.
    #[must_use]
    pub fn is_personal(&self) -> bool {
        self.listen.ip().is_loopback() && self.allow_hosts.is_empty() && self.keys.is_empty()
    }
}

/// A key that a client may show, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayKey {
    /// The tenant.
    pub name: String,
    /// What the client sends.
    pub key: Secret,
}

/// What is done to tool schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SchemaCompression {
    /// Nothing.
    #[default]
    Disabled,
    /// Superfluous white space in descriptions is left out.
    Minify,
    /// That, and keywords that no provider reads.
    Compact,
}

impl Choice for SchemaCompression {
    const ALL: &'static [Self] = &[Self::Disabled, Self::Minify, Self::Compact];

    fn name(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Minify => "minify",
            Self::Compact => "compact",
        }
    }
}
