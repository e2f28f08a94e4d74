//! New settings never open a door that was shut.

use super::{Serving, question};
use crate::kit::Folder;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokenforge_mock::Mock;

const KEY: &str = "a-long-key-of-ours";

/// A gateway that asks for keys and a token and redacts, and its settings file.
fn guarded(mock: &Mock) -> (Folder, String, Serving) {
    let folder = Folder::new();
    let settings = format!(
        "keys:\n  team: {KEY}\n  ops: another-key-of-ours\nadmin_token: a-long-token-of-ours\n\
         redact_secrets: true\nplugins:\n  - name: pii-filter\nupstreams:\n  backend: {}\n",
        mock.url()
    );
    let file = folder.file("tokenforge.yaml", &settings);
    let serving = Serving::with(&["--listen", "127.0.0.1:0", "--config", &file], &[]);
    (folder, settings, serving)
}

#[test]
fn d67_settings_that_say_nothing_or_open_a_door_are_refused() {
    let mock = Mock::start();
    let (folder, settings, mut serving) = guarded(&mock);
    let without = |line: &str| {
        assert!(settings.contains(line), "{line}");
        settings.replace(line, "")
    };
    let keys = format!("keys:\n  team: {KEY}\n  ops: another-key-of-ours\n");
    for (wrong, told) in [
        (String::new(), "is empty"),
        ("\n\n".to_owned(), "is empty"),
        ("# keys:\n#   team: x\n---\n".to_owned(), "is empty"),
        (without(&keys), "`keys`"),
        (settings[..40].to_owned(), "the new settings are not used"),
        (without("admin_token: a-long-token-of-ours\n"), "`admin_token`"),
        (without("redact_secrets: true\n"), "`redact_secrets`"),
        (format!("{settings}pipes:\n  tool_output:\n    redact_secrets: false\n"), "tool_output"),
        (without("plugins:\n  - name: pii-filter\n"), "`plugins`"),
    ] {
        folder.file("tokenforge.yaml", &wrong);
        serving.wait_for("the new settings are not used");
        assert!(serving.logged.contains(told), "{wrong}: {}", serving.logged);
        serving.logged.clear();
        assert_eq!(serving.send(&question(false)).status, 401, "{wrong}");
        assert_eq!(serving.send(&question(false).header("x-forge-key", KEY)).status, 200);
    }
    // One key of two may go: that shuts a door.
    folder.file("tokenforge.yaml", without("  ops: another-key-of-ours\n"));
    serving.wait_for("the new settings are used");
    assert_eq!(serving.send(&question(false).header("x-forge-key", KEY)).status, 200);
    let other = question(false).header("x-forge-key", "another-key-of-ours");
    assert_eq!(serving.send(&other).status, 401);
}

/// Ends the requests when the rounds are over, or failed.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn d67_no_client_gets_in_while_the_file_is_written_over() {
    let mock = Mock::start();
    let (folder, settings, mut serving) = guarded(&mock);
    let source = folder.file("source.yaml", &settings);
    let (is_over, let_in, asked) =
        (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let address = serving.address;
    std::thread::scope(|scope| {
        let _ending = Ending(&is_over);
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let answer = super::Open::asking(address, &question(false)).answer();
                asked.fetch_add(1, Ordering::SeqCst);
                let_in.fetch_add(usize::from(answer.status != 401), Ordering::SeqCst);
            }
        });
        for round in 0..20 {
            // As a shell does it: the file is empty, then half of it is there, then all.
            let file = fs::File::create(folder.path("tokenforge.yaml")).unwrap();
            if round % 2 == 0 {
                serving.wait_for("the new settings are not used");
            }
            drop(file);
            fs::copy(&source, folder.path("tokenforge.yaml")).unwrap();
            serving.signal("-HUP");
            serving.wait_for("the new settings are used");
        }
    });
    assert!(asked.load(Ordering::SeqCst) > 20);
    assert_eq!(let_in.load(Ordering::SeqCst), 0, "of {asked:?}");
    assert!(mock.requests().is_empty());
}
