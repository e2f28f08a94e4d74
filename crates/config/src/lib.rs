//! Settings as they are written in tokenforge.yaml, the environment and flags, and as they are meant.
//!
//! [`Settings::load`] reads them: the default, then the file, the environment and the flags, each over the one before.
//! What it returns is checked as a whole; every key that does not exist and every value that is not allowed is a
//! [`ConfigError`] that says where it stands and what would be right. [`SETTINGS`] lists every setting once: variables, documentation
//! and the schema follow from it.
//!
//! ```
//! use tokenforge_config::{ConfigFile, Overrides, Settings};
//!
//! let file = ConfigFile { name: "tokenforge.yaml", text: "pipes:\n  tool_output:\n    mod: safe\n" };
//! let error = Settings::load(Some(file), &|_| None, &Overrides::default()).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "tokenforge.yaml:3:5: pipes.tool_output.mod: there is no such setting; did you mean `mode`?"
//! );
//! ```
//!
//! Nothing here reads a file, the environment or the clock: the caller does.

mod downgrade;
mod error;
mod load;
mod mcp;
mod origin;
mod overview;
mod patch;
mod raw;
mod reference;
mod secret;
mod settings;
mod show;
mod table;

pub use error::{ConfigError, ConfigErrors, SettingOrigin};
pub use load::{ConfigFile, Environment, Overrides};
pub use origin::Origins;
pub use overview::overview;
pub use reference::{default, schema, settings_table, unknown_variables};
pub use secret::{MASK, Secret};
pub use settings::{
    Api, Auth, AwsSigning, Choice, ExpandBy, ExpandInjection, Fallback, GatewayKey, JsonForm,
    KeptResults, LedgerSettings, Limits, LogLevel, Mcp, McpBackend, McpClient, McpTarget, McpTool,
    ModelClassSetting, Monitoring, OldResults, OnError, PluginConfig, PluginSettings, Price,
    Provider, ProviderKind, Route, SchemaCompression, Settings, ShadowSettings, StoreSettings,
    StoreUrl, Strategy, Structured, TlsSettings, ToolList, ToolOutput, UnknownChoice, Upstreams,
};
pub use table::{SETTINGS, Setting, TakesEffect};
