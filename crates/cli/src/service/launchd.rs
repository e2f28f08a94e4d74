//! The service as an agent of launchd.

use super::command::{output_of, run};
use super::environment::ServiceEnvironment;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// What launchd knows it by.
pub(super) const LABEL: &str = "tokenforge.gateway";

/// How long it may take to end: somewhat longer than its `ExitTimeOut`. And how soon launchd is asked again.
const PATIENCE: Duration = Duration::from_secs(50);
const PAUSE: Duration = Duration::from_millis(200);

/// The property list that starts this program.
pub(super) fn text(head: &str, program: &str, environment: &ServiceEnvironment) -> String {
    let string = |text: &str| format!("<string>{}</string>", escape_xml(text));
    let variable =
        |(name, value): &(&str, String)| format!("\n        <key>{name}</key>{}", string(value));
    let variables: String = environment.variables.iter().map(variable).collect();
    let log = string(&format!("{}/service.log", environment.folder));
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- {head} -->
<plist version="1.0">
<dict>
    <key>Label</key>{label}
    <key>ProgramArguments</key>
    <array>
        {program}
        <string>serve</string>
    </array>
    <key>WorkingDirectory</key>{folder}
    <key>EnvironmentVariables</key>
    <dict>{variables}
    </dict>
    <key>RunAtLoad</key><true/>
    <key>KeepAlive</key><true/>
    <key>ThrottleInterval</key><integer>1</integer>
    <key>ExitTimeOut</key><integer>45</integer>
    <key>Umask</key><integer>63</integer>
    <key>StandardOutPath</key>{log}
    <key>StandardErrorPath</key>{log}
</dict>
</plist>
"#,
        label = string(LABEL),
        program = string(program),
        folder = string(&environment.folder),
    )
}

/// Loads it, and starts it with that.
pub(super) fn start(file: &Path, is_changed: bool) -> anyhow::Result<()> {
    if is_changed {
        stop();
        // While it ends, nothing of its name is taken.
        let began = Instant::now();
        while is_loaded() && began.elapsed() < PATIENCE {
            thread::sleep(PAUSE);
        }
    } else if is_loaded() {
        return Ok(());
    }
    run("launchctl", &["bootstrap", &domain(), &file.display().to_string()]).map(drop)
}

fn is_loaded() -> bool {
    run("launchctl", &["print", &service()]).is_ok()
}

/// Stops it for good. One that is not loaded is stopped already.
pub(super) fn stop() {
    output_of("launchctl", &["bootout", &service()]);
}

/// Where the user's agents live.
pub(super) fn domain() -> String {
    #[cfg(unix)]
    let user = rustix::process::getuid().as_raw();
    #[cfg(not(unix))]
    let user = 0;
    format!("gui/{user}")
}

/// The agent in there.
pub(super) fn service() -> String {
    format!("{}/{LABEL}", domain())
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_variables_are_read_as_they_are() {
        let environment = ServiceEnvironment {
            folder: "/a & b".to_owned(),
            variables: vec![("NO_PROXY", "<h>".to_owned())],
        };
        let list = text("head", "/opt/tokenforge", &environment);
        assert!(list.contains("<key>WorkingDirectory</key><string>/a &amp; b</string>"), "{list}");
        assert!(list.contains("<key>NO_PROXY</key><string>&lt;h&gt;</string>"), "{list}");
        assert!(
            list.contains("<string>/opt/tokenforge</string>\n        <string>serve</string>"),
            "{list}"
        );
        assert!(list.contains("<key>KeepAlive</key><true/>"), "{list}");
    }
}
