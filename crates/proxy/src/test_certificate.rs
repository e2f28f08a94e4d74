//! Certificates for tests, made with OpenSSL.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What `localhost` shows of itself, and its key, in a folder.
pub(crate) fn write_certificate(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
    let (shown, key) = (folder.join(format!("{name}.pem")), folder.join(format!("{name}.key")));
    let options = "req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=localhost \
                   -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE";
    let mut arguments: Vec<_> = options.split_whitespace().map(Into::into).collect();
    arguments.extend(["-keyout".into(), key.clone().into_os_string()]);
    arguments.extend(["-out".into(), shown.clone().into_os_string()]);
    openssl(&arguments);
    (shown, key)
}

/// Runs OpenSSL.
pub(crate) fn openssl(arguments: &[std::ffi::OsString]) {
    let made = Command::new("openssl").args(arguments).output();
    let made = made.expect("the tests need a program: apt-get install openssl");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}
