//! The two eras of the protocol: with a handshake and sessions, and without.

/// How the protocol is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Era {
    /// `initialize` first, then a session.
    Legacy,
    /// Every request says all there is to know.
    Modern,
}

/// The version of the modern era.
pub const MODERN: &str = "2026-07-28";

/// The versions of the legacy era, the newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Where a request of the modern era says which version it is.
pub const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Where it says whose it is.
pub const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
/// Where it says what the client can do.
pub const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// Where a server of the modern era says who it is.
pub(crate) const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";
/// Where what is said on a stream that a client listens to says which request opened it.
pub(crate) const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// The legacy version to speak with a client that asks for this one.
#[must_use]
pub(crate) fn agreed(asked: &str) -> &'static str {
    LEGACY.iter().find(|version| **version == asked).copied().unwrap_or(LEGACY[0])
}

/// Every version that is spoken, as a JSON list.
#[must_use]
pub(crate) fn versions() -> String {
    let all: Vec<&str> = std::iter::once(MODERN).chain(LEGACY).collect();
    serde_json::json!(all).to_string()
}
