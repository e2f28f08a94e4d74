//! The service as a unit of systemd, in the user's own manager.
//!
//! Its hardening is what a user's manager can give everywhere. What needs a mount namespace (`ProtectSystem`,
//! `ReadWritePaths`, `PrivateTmp`) is not in it: in a user's manager that takes unprivileged user namespaces, which Ubuntu
//! since 24.04 and others refuse, and then the service does not start at all. It would also shut tool servers, which the
//! gateway starts, out of the very files that they are for. `MemoryDenyWriteExecute` would do the same to those that run
//! in node. The unit for a whole machine (packaging/systemd) has all of these.

use super::command::{output_of, run};
use super::environment::ServiceEnvironment;
use std::fmt::Write;
use std::path::PathBuf;

/// The name of the unit.
pub(super) const NAME: &str = "tokenforge.service";

/// The unit that starts this program.
pub(super) fn text(head: &str, program: &str, environment: &ServiceEnvironment) -> String {
    let mut variables = String::new();
    for (name, value) in &environment.variables {
        let _ = writeln!(variables, "Environment={}", quote_word(&format!("{name}={value}")));
    }
    format!(
        "# {head}
[Unit]
Description=Tokenforge: the gateway between agents and their model providers
# However often it fails: whatever stands in its way may be gone later.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={program} serve
ExecReload=/bin/kill -HUP $MAINPID
WorkingDirectory={folder}
{variables}Restart=always
RestartSec=1
# What is under way may end, as long as the gateway itself waits for it.
TimeoutStopSec=45s
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native

[Install]
WantedBy=default.target
",
        program = quote_word(program),
        folder = environment.folder.replace('%', "%%"),
    )
}

/// Tells systemd of the unit, starts it, and has it started from now on.
pub(super) fn start(is_changed: bool) -> anyhow::Result<()> {
    user(&["daemon-reload"])?;
    user(&["enable", "--now", NAME])?;
    if is_changed {
        user(&["restart", NAME])?;
    }
    Ok(())
}

/// Stops it for good.
pub(super) fn stop() -> anyhow::Result<()> {
    user(&["disable", "--now", NAME])
}

/// Tells systemd that the file is gone.
pub(super) fn forget() -> anyhow::Result<()> {
    user(&["daemon-reload"])
}

fn user(words: &[&str]) -> anyhow::Result<()> {
    run("systemctl", &[&["--user"], words].concat()).map(drop)
}

/// The folder for settings where the user's manager looks for units: not the shell's, which may be another.
pub(super) fn config_folder() -> Option<PathBuf> {
    named_in(&output_of("systemctl", &["--user", "show-environment"]))
}

/// The folder for settings in a manager's environment. It quotes for a shell what has spaces or the like in it.
fn named_in(environment: &str) -> Option<PathBuf> {
    let value = environment.lines().find_map(|line| line.strip_prefix("XDG_CONFIG_HOME="))?;
    let quoted = value.strip_prefix("$'").and_then(|value| value.strip_suffix('\''));
    let value = match quoted {
        Some(quoted) => quoted.replace(r"\'", "'").replace(r"\\", r"\"),
        None => value.to_owned(),
    };
    Some(PathBuf::from(value)).filter(|folder| folder.is_absolute())
}

/// A word, as systemd reads it. A dollar is one: it stands for no variable in the first word of a command, nor in
/// `Environment=`.
fn quote_word(word: &str) -> String {
    let word = word.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{word}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_variables_are_read_as_they_are() {
        let environment = ServiceEnvironment {
            folder: "/home/a b/100%".to_owned(),
            variables: vec![("HTTPS_PROXY", r#"http://u:p%20\"$@h"#.to_owned())],
        };
        let unit = text("head", "/opt/a b/$x/tokenforge", &environment);
        for line in [
            "# head",
            r#"ExecStart="/opt/a b/$x/tokenforge" serve"#,
            "WorkingDirectory=/home/a b/100%%",
            r#"Environment="HTTPS_PROXY=http://u:p%%20\\\"$@h""#,
            "Restart=always",
            "WantedBy=default.target",
        ] {
            assert!(unit.lines().any(|found| found == line), "{line}\n{unit}");
        }
    }

    #[test]
    fn the_folder_for_settings_is_the_managers() {
        let of =
            |environment: &str| named_in(environment).map(|folder| folder.display().to_string());
        assert_eq!(of("HOME=/h\nXDG_CONFIG_HOME=/c\nLANG=C").as_deref(), Some("/c"));
        assert_eq!(of(r"XDG_CONFIG_HOME=$'/a b/it\'s'").as_deref(), Some("/a b/it's"));
        assert_eq!(of("HOME=/h\nXDG_CONFIG_HOME="), None);
    }
}
