//! What was said on the command line.

/// The flags of `serve`, as they were typed. What is not given is left as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--listen ADDR`
    pub listen: Option<String>,
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

impl Overrides {
    /// The flags that were given, with their values.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let redact_secrets = self.redact_secrets.then_some("true");
        [
            ("--listen", self.listen.as_deref()),
            ("--backend-url", self.backend_url.as_deref()),
            ("--mode", self.tool_output_compression.as_deref()),
            ("--method", self.tool_output_compression_method.as_deref()),
            ("--schema-compression", self.schema_compression.as_deref()),
            ("--redact-secrets", redact_secrets),
            ("--store", self.store.as_deref()),
        ]
        .into_iter()
        .filter_map(|(flag, text)| Some((flag, text?)))
    }
}
