//! The TLS identity of the listener (rustls): a certificate and its key from files, which may be replaced while it runs.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{Error, InconsistentKeys, ServerConfig};
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// The protocols that are offered (ALPN), the better one first: those that are spoken without TLS too.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// A longer file holds something else than a certificate and those above it.
const LARGEST: u64 = 1 << 20;

/// What the listener shows of itself. Connections that are open keep what they began with.
pub struct TlsIdentity {
    certificate: PathBuf,
    key: PathBuf,
    held: RwLock<HeldIdentity>,
}

#[derive(Clone)]
struct HeldIdentity {
    config: Arc<ServerConfig>,
    /// What the files said; kept in memory alone.
    fingerprint: u64,
}

/// Why there is no identity.
#[derive(Debug, thiserror::Error)]
pub enum TlsIdentityError {
    /// A file cannot be read.
    #[error("cannot read the {what} {}: {cause}", .path.display())]
    Unreadable {
        /// The certificate or its key.
        what: &'static str,
        /// Where it should be.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// It holds something else.
    #[error("{} holds no {expected}", .path.display())]
    Missing {
        /// What it should hold.
        expected: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// The private key has a passphrase, and a server cannot ask for one.
    #[error("the private key in {} is encrypted; write one without a passphrase: openssl pkey -in {} -out KEY", .path.display(), .path.display())]
    Encrypted {
        /// The file.
        path: PathBuf,
    },
    /// Two files that do not go together.
    #[error("the private key in {} does not belong to the first certificate in {}", .key.display(), .certificate.display())]
    Mismatch {
        /// The file of the key.
        key: PathBuf,
        /// The file of the certificate.
        certificate: PathBuf,
    },
    /// They can be read, and not be used.
    #[error("the certificate {} cannot be used: {cause}", .certificate.display())]
    Unusable {
        /// The file of the certificate.
        certificate: PathBuf,
        /// Why.
        cause: Error,
    },
}

impl TlsIdentity {
    /// Reads a chain of certificates, the server's own first, and its key, both in PEM. Blocks.
    ///
    /// # Errors
    /// A file is missing, holds something else or an encrypted key, or the two do not belong together.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsIdentityError> {
        let held = RwLock::new(read(certificate, key)?);
        Ok(TlsIdentity { certificate: certificate.to_owned(), key: key.to_owned(), held })
    }

    /// Reads the files again; whether they say something else. What cannot be used changes nothing. Blocks.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn reload(&self) -> Result<bool, TlsIdentityError> {
        let new = read(&self.certificate, &self.key)?;
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let is_other = held.fingerprint != new.fingerprint;
        if is_other {
            *held = new;
        }
        Ok(is_other)
    }

    /// Both files.
    #[must_use]
    pub fn files(&self) -> [&Path; 2] {
        [&self.certificate, &self.key]
    }

    /// For the next connection.
    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        self.held.read().unwrap_or_else(PoisonError::into_inner).config.clone()
    }
}

fn read(certificate: &Path, key: &Path) -> Result<HeldIdentity, TlsIdentityError> {
    let shown = read_bounded(certificate, "TLS certificate")?;
    let secret = read_bounded(key, "TLS key")?;
    let missing =
        |path: &Path, expected| TlsIdentityError::Missing { path: path.to_owned(), expected };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&shown).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    let chain =
        chain.ok_or_else(|| missing(certificate, "certificate in PEM (BEGIN CERTIFICATE)"))?;
    if is_encrypted(&secret) {
        return Err(TlsIdentityError::Encrypted { path: key.to_owned() });
    }
    let own = PrivateKeyDer::from_pem_slice(&secret);
    let own = own.map_err(|_| missing(key, "private key in PEM (BEGIN PRIVATE KEY)"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, own));
    let mut config = config.map_err(|cause| match cause {
        Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            TlsIdentityError::Mismatch { key: key.to_owned(), certificate: certificate.to_owned() }
        }
        cause => TlsIdentityError::Unusable { certificate: certificate.to_owned(), cause },
    })?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    let mut hasher = DefaultHasher::new();
    (&shown, &secret).hash(&mut hasher);
    Ok(HeldIdentity { config: Arc::new(config), fingerprint: hasher.finish() })
}

fn read_bounded(path: &Path, what: &'static str) -> Result<Vec<u8>, TlsIdentityError> {
    let reading = || {
        // Before it is opened: a pipe in its place would hold up the start for ever.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        let mut bytes = Vec::new();
        // A chain that is cut off in the middle would be another chain.
        if fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)? as u64 > LARGEST {
            return Err(io::Error::other(format!("it has more than {LARGEST} bytes")));
        }
        Ok(bytes)
    };
    reading().map_err(|cause| TlsIdentityError::Unreadable { what, path: path.to_owned(), cause })
}

/// PKCS #8 says it in its label, OpenSSL's older form in a header.
fn is_encrypted(pem: &[u8]) -> bool {
    let text = String::from_utf8_lossy(pem);
    text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
}
