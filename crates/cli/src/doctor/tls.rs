//! Can the listener speak TLS, if it is to?

use super::finding::Finding;
use tokenforge_config::Settings;
use tokenforge_gateway::TlsIdentity;

const CHECK: &str = "tls";

/// Nothing where no certificate is named.
pub(super) fn check(settings: &Settings) -> Vec<Finding> {
    let (Some(certificate), Some(key)) = (&settings.tls.cert, &settings.tls.key) else {
        return Vec::new();
    };
    vec![match TlsIdentity::load(certificate, key) {
        Ok(_) => Finding::ok(CHECK, format!("the listener speaks TLS with {}", certificate.display())),
        Err(error) => Finding::broken(CHECK, error.to_string())
            .remedied_by("`tls.cert` and `tls.key` in tokenforge.yaml, or --tls-cert and --tls-key, name the two files"),
    }]
}
