//! Settings as they are written in tokenforge.yaml, the environment and flags, and as they are meant.

mod secret;
mod settings;

pub use secret::{MASK, Secret};
pub use settings::{
    Api, Auth, Choice, ExpandInjection, Fallback, GatewayKey, Limits, LogFormat, LogLevel,
    Monitoring, Price, Provider, ProviderKind, SchemaCompression, Settings, StoreSettings,
    StoreUrl, Strategy, ToolOutput, UnknownChoice, Upstreams,
};
