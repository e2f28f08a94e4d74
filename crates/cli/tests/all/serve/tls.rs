//! `serve --tls-cert --tls-key`: what is printed, what is refused, and certificates that are replaced while it runs.

use super::{Serving, question};
use crate::kit::{Folder, run_with};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tokenforge_mock::Mock;

/// A certificate and its key, in a folder.
fn certificate(folder: &Folder, name: &str) -> (String, String) {
    let [shown, key] =
        ["pem", "key"].map(|ending| folder.path(&format!("{name}.{ending}")).display().to_string());
    let options = "req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=localhost \
                   -addext subjectAltName=DNS:localhost";
    let mut arguments: Vec<&str> = options.split_whitespace().collect();
    arguments.extend(["-keyout", &key, "-out", &shown]);
    let made = Command::new("openssl").args(arguments).output();
    let made = made.expect("the tests need a program: apt-get install openssl");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    (shown, key)
}

/// Does OpenSSL's client, which trusts this certificate alone, get an answer?
fn answers_to(serving: &Serving, trusted: &str) -> bool {
    let address = serving.address().to_string();
    let arguments =
        ["s_client", "-connect", &address, "-servername", "localhost", "-CAfile", trusted];
    let client = Command::new("openssl")
        .args(arguments)
        .args(["-verify_return_error", "-quiet", "-ign_eof"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut client = client.unwrap();
    let head = "GET /_forge/healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    // Who does not trust the server is gone before it could ask.
    let _ = std::io::Write::write_all(&mut client.stdin.take().unwrap(), head.as_bytes());
    let answer = client.wait_with_output().unwrap().stdout;
    String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 200")
}

fn replace(from: (&str, &str), to: (&str, &str)) {
    // As certificate managers do it: one file after the other, each replaced at once.
    for (from, to) in [(from.0, to.0), (from.1, to.1)] {
        let beside = Path::new(to).with_extension("new");
        fs::copy(from, &beside).unwrap();
        fs::rename(beside, to).unwrap();
    }
}

#[test]
fn d54_a_gateway_with_a_certificate_says_https_and_takes_the_next_one_without_a_restart() {
    let (mock, folder) = (Mock::start(), Folder::new());
    let (own, own_key) = certificate(&folder, "own");
    let (next, next_key) = certificate(&folder, "next");
    let (old, _) =
        (folder.path("old").display().to_string(), fs::copy(&own, folder.path("old")).unwrap());
    let files = ["--tls-cert", &own, "--tls-key", &own_key];
    let mut serving = Serving::before(&mock, &files);
    assert!(serving.line.starts_with("listening on https://127.0.0.1:"), "{}", serving.line);
    assert!(answers_to(&serving, &old) && !answers_to(&serving, &next));
    // Its own commands, and agents on this machine.
    assert_eq!(serving.send(&question(false)).status, 200);
    replace((&next, &next_key), (&own, &own_key));
    serving.wait_for("the new TLS certificate is used");
    assert!(answers_to(&serving, &next) && !answers_to(&serving, &old));
    fs::write(&own_key, "half").unwrap();
    serving.wait_for("the new TLS certificate is not used");
    assert!(serving.logged.contains("holds no private key"), "{}", serving.logged);
    assert!(answers_to(&serving, &next));
}

#[test]
fn d54_files_that_do_not_go_together_are_refused_at_the_start() {
    let folder = Folder::new();
    let (own, own_key) = certificate(&folder, "own");
    let (_, other_key) = certificate(&folder, "other");
    let gone = folder.path("gone").display().to_string();
    for (arguments, told) in [
        (
            vec!["--tls-cert", &own, "--tls-key", &other_key],
            "does not belong to the first certificate",
        ),
        (vec!["--tls-cert", &gone, "--tls-key", &own_key], "cannot read the TLS certificate"),
        (vec!["--tls-cert", &own], "tls.key"),
        (vec!["--tls-key", &own_key], "is required by `tls.key`"),
    ] {
        let run = run_with(&[&["serve", "--listen", "127.0.0.1:0"], &arguments[..]].concat(), "");
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{arguments:?}");
        assert!(run.stderr.contains(told), "{told}: {}", run.stderr);
    }
}

#[test]
fn d54_beyond_this_machine_a_certificate_is_no_key() {
    let folder = Folder::new();
    let (own, own_key) = certificate(&folder, "own");
    let public = ["serve", "--listen", "0.0.0.0:0", "--tls-cert", &own, "--tls-key", &own_key];
    let run = run_with(&public, "");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("set `keys`, or `allow_public: true`"), "{}", run.stderr);
}
