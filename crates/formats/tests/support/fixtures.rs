//! The conformance cases of TOON 4.1.1, found in the published crate that carries them.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// Cases in both directions together.
pub(crate) const ALL_CASES: usize = 538;

/// Non-strict decode cases that 4.4 turned into errors.
pub(crate) const ERRORS_SINCE_4_4: [&str; 7] = [
    "falls through to a key-value line on a header delimiter mismatch",
    "falls through to a key-value line when whitespace precedes the bracket segment",
    "skips an entry-depth line without a colon in non-strict mode",
    "treats bracket segment without a length as literal key (non-strict)",
    "treats extra brackets after valid array segment as literal key (non-strict)",
    "treats non-integer bracket content as literal key (non-strict)",
    "treats text between bracket segment and colon as literal key (non-strict)",
];

/// One conformance case.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) input: Value,
    pub(crate) expected: Value,
    pub(crate) should_error: bool,
    /// `null` when the case has none.
    pub(crate) options: Value,
}

/// Reads the cases of a direction, `decode` or `encode`, in the order of file names.
pub(crate) fn cases(direction: &str) -> Vec<Case> {
    let folder = package_folder("serde_toon").join("tests/spec/fixtures").join(direction);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a folder entry").path()).collect();
    files.sort();
    files.iter().flat_map(read).collect()
}

fn read(file: &PathBuf) -> Vec<Case> {
    let text = std::fs::read_to_string(file).expect("a readable fixture file");
    let fixture: Value = serde_json::from_str(&text).expect("fixtures are JSON");
    let tests = fixture["tests"].as_array().expect("a list of tests");
    let file = file.file_name().expect("a file").to_string_lossy();
    tests
        .iter()
        .map(|test| Case {
            file: file.to_string(),
            name: test["name"].as_str().expect("a name").to_owned(),
            input: test["input"].clone(),
            expected: test["expected"].clone(),
            should_error: test["shouldError"].as_bool().unwrap_or(false),
            options: test.get("options").cloned().unwrap_or(Value::Null),
        })
        .collect()
}

/// Where cargo keeps the source of a dependency.
fn package_folder(name: &str) -> PathBuf {
    // For all platforms cargo would want packages that were never downloaded here.
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let metadata =
        cargo(&["metadata", "--format-version", "1", "--offline", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let package = packages.iter().find(|package| package["name"] == name);
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    PathBuf::from(manifest.unwrap_or_else(|| panic!("{name} is a dependency"))).with_file_name("")
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
