//! A server that speaks TLS only to those who know its certificate.
//!
//! The authorities are those of the machine, which the environment of a process can replace: so the store is in a child,
//! which is this test program, asked for the ignored test below.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(feature = "tls")]

mod kit;

use kit::server::{TestServer, free_port, open};
use std::path::Path;
use std::process::{Command, Output};
use tokenforge_store::{EntryKind, StoreOptions};

const URL: &str = "TOKENFORGE_STORE_TEST_URL";

#[test]
#[ignore = "a child of the test below"]
fn child_puts_and_gets() {
    let Ok(url) = std::env::var(URL) else { return };
    let store = open(&url, StoreOptions::DISK);
    match store.put(EntryKind::Original, "t", "id", b"bytes") {
        Ok(()) => {
            println!("\nfound {:?}", store.get(EntryKind::Original, "t", "id").unwrap().unwrap())
        }
        Err(error) => println!("\nrefused: {error}"),
    }
}

#[test]
fn a_server_is_reached_over_tls_if_its_certificate_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for name in ["server", "other"] {
        make_certificate(&path(&format!("{name}.key")), &path(&format!("{name}.pem")));
    }
    let port = free_port().to_string();
    let (certificate, key) = (path("server.pem"), path("server.key"));
    let server = TestServer::start(&[
        "--tls-port",
        &port,
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
        "--tls-auth-clients",
        "no",
    ]);
    let url = format!("rediss://localhost:{port}/0");

    let known = child(&url, folder.path().join("server.pem").as_path());
    assert!(known.contains("found [98, 121, 116, 101, 115]"), "{known}");
    let size: usize = redis::cmd("DBSIZE").query(&mut server.connection()).unwrap();
    assert_eq!(size, 3, "the entry, the note of the store's age and its epoch");

    let unknown = child(&url, folder.path().join("other.pem").as_path());
    assert!(unknown.contains("refused: the store at rediss://localhost"), "{unknown}");
    assert!(unknown.contains("certificate"), "{unknown}");
}

/// What a child says that trusts this certificate alone.
fn child(url: &str, trusted: &Path) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "child_puts_and_gets"])
        .env(URL, url)
        .env("SSL_CERT_FILE", trusted)
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap();
    text(&output)
}

fn make_certificate(key: &str, certificate: &str) {
    let options = "req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=localhost \
                   -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE";
    let output = Command::new("openssl")
        .args(options.split_whitespace())
        .args(["-keyout", key, "-out", certificate])
        .output()
        .expect("the tests need a program: apt-get install openssl");
    assert!(output.status.success(), "{}", text(&output));
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}
