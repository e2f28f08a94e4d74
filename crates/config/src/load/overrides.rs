//! What was said on the command line.

/// The flags of `serve`, as they were typed. What is not given is left as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--listen ADDR`
    pub listen: Option<String>,
    /// `--tls-cert FILE`
    pub tls_cert: Option<String>,
    /// `--tls-key FILE`
    pub tls_key: Option<String>,
    /// `--backend-url URL`
    pub backend_url: Option<String>,
    /// `--mode MODE`
    pub tool_output_compression: Option<String>,
    /// `--method METHOD`
    pub tool_output_compression_method: Option<String>,
    /// `--schema-compression MODE`
    pub schema_compression: Option<String>,
    /// `--redact-secrets`
    pub redact_secrets: bool,
    /// `--store URL`
    pub store: Option<String>,
}
