//! TLS of the gateway's own listener.

use std::path::PathBuf;

/// The files that the listener speaks TLS with; both or none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// A chain of certificates in PEM, the server's own first.
    pub cert: Option<PathBuf>,
    /// Its private key in PEM, not encrypted.
    pub key: Option<PathBuf>,
}
