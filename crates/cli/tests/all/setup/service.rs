//! The gateway as a service of the user.

use super::user::User;
use std::process::Command;

const UNIT: &str = "home/.config/systemd/user/tokenforge.service";
const LIST: &str = "home/Library/LaunchAgents/tokenforge.gateway.plist";

#[test]
fn with_systemd_it_is_a_unit_that_starts_this_program_with_this_users_folders() {
    let mut user = User::new()
        .with("HTTPS_PROXY", "http://proxy:1")
        .with("FORGE_ADMIN_TOKEN", "not-for-files");
    let gateway = user.serve();
    let before = user.home();
    let dry = user.said(&["service", "install", "--dry-run"]);
    assert!(dry.contains("+Restart=always"), "{dry}");
    assert_eq!((user.home(), user.calls()), (before.clone(), vec![]));

    let run = user.run(&["service", "install"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("loginctl enable-linger"), "{}", run.stdout);
    assert!(run.stderr.contains("FORGE_ADMIN_TOKEN is set in this shell"), "{}", run.stderr);
    let unit = user.read(UNIT);
    let data = user.folder.path("data").display().to_string();
    for line in [
        format!("ExecStart=\"{}\" serve", env!("CARGO_BIN_EXE_tokenforge")),
        format!("WorkingDirectory={data}"),
        format!("Environment=\"FORGE_DATA_DIR={data}\""),
        format!("Environment=\"FORGE_STORE=disk:{data}\""),
        format!("Environment=\"FORGE_LISTEN={}\"", gateway.url.trim_start_matches("http://")),
        "Environment=\"HTTPS_PROXY=http://proxy:1\"".to_owned(),
        "NoNewPrivileges=yes".to_owned(),
        "Restart=always".to_owned(),
    ] {
        assert!(unit.lines().any(|found| found == line), "{line}\n{unit}");
    }
    assert!(!unit.contains("not-for-files"), "{unit}");
    // What would keep it from its own folder.
    assert!(!unit.contains("ProtectHome") && !unit.contains("ReadOnlyPaths"), "{unit}");
    let status = user.said(&["service", "status"]);
    assert!(status.starts_with("service: active, enabled, "), "{status}");
    assert!(status.contains(&format!("answers at {}\n", gateway.url)), "{status}");

    drop(gateway);
    let silent = user.run(&["service", "status"]);
    assert_eq!(silent.code, 1, "{}", silent.stdout);
    assert!(silent.stderr.contains("no gateway answers at "), "{}", silent.stderr);
    user.said(&["service", "remove"]);
    assert_eq!(user.home(), before);
    assert_eq!(
        user.calls(),
        [
            "systemctl --user daemon-reload",
            "systemctl --user enable --now tokenforge.service",
            "systemctl --user disable --now tokenforge.service",
            "systemctl --user daemon-reload",
        ]
    );
    assert!(user.said(&["service", "remove"]).starts_with("nothing to remove"));
}

#[test]
fn systemd_finds_nothing_wrong_with_the_unit() {
    let mut user = User::new();
    let _gateway = user.serve();
    user.said(&["service", "install"]);
    let runtime = user.folder.path("data");
    let mut verify = Command::new("systemd-analyze");
    verify
        .args(["--user", "--man=no", "verify"])
        .arg(user.folder.path(UNIT))
        .env("XDG_RUNTIME_DIR", runtime);
    match verify.output() {
        Ok(said) => {
            let said = String::from_utf8_lossy(&said.stderr).into_owned();
            assert_eq!(said, "", "systemd-analyze finds fault");
        }
        Err(error) => println!("skipped: systemd-analyze: {error}"),
    }
}

#[test]
fn a_unit_that_says_something_else_now_is_started_again() {
    let mut user = User::new();
    let _gateway = user.serve();
    user.said(&["service", "install"]);
    user.said(&["service", "install"]);
    assert_eq!(user.calls().len(), 4, "{:?}", user.calls());
    let user = user.with("NO_PROXY", "localhost");
    user.said(&["service", "install"]);
    assert_eq!(user.calls().last().unwrap(), "systemctl --user restart tokenforge.service");
}

#[test]
fn the_unit_is_where_the_manager_looks_whatever_the_shell_says() {
    let user = User::new();
    let (mine, managers) = (user.folder.path("home/mine"), user.folder.path("home/managers"));
    let user = user.with("XDG_CONFIG_HOME", mine.display().to_string());
    assert!(
        user.said(&["service", "install", "--dry-run"]).contains("/home/.config/systemd/user/")
    );
    user.file("environment", &format!("LANG=C\nXDG_CONFIG_HOME={}\n", managers.display()));
    let dry = user.said(&["service", "install", "--dry-run"]);
    assert!(dry.contains("/home/managers/systemd/user/tokenforge.service"), "{dry}");
}

#[test]
fn with_launchd_a_service_that_takes_a_while_to_end_is_started_again_once_it_has() {
    let mut user = User::new();
    let _gateway = user.serve();
    user.said(&["service", "install", "--manager", "launchd"]);
    user.file("slow", "");
    let user = user.with("NO_PROXY", "localhost");
    user.said(&["service", "install", "--manager", "launchd"]);
    let calls = user.calls();
    let [_, stop, start] = &calls[..] else { panic!("{calls:?}") };
    assert!(stop.contains(" bootout ") && start.contains(" bootstrap "), "{calls:?}");
    assert!(!user.folder.path("slow").exists() && !user.folder.path("ends").exists());
}

#[test]
fn a_foreign_unit_is_left_as_it_is() {
    let user = User::new();
    user.file(UNIT, "[Service]\nExecStart=/bin/true\n");
    let error = user.fails(&["service", "install"]);
    assert!(error.contains("is not ours"), "{error}");
    assert!(user.said(&["service", "remove"]).starts_with("nothing to remove"));
    assert_eq!(user.read(UNIT), "[Service]\nExecStart=/bin/true\n");
}

#[test]
fn what_service_installed_stays_when_setup_is_undone() {
    let mut user = User::new();
    let _gateway = user.serve();
    user.said(&["service", "install"]);
    let with_service = user.home();
    user.said(&["setup", "claude", "--yes"]);
    user.said(&["setup", "--undo", "--yes"]);
    assert_eq!(user.home(), with_service);
    assert!(user.calls().iter().all(|call| !call.contains("disable")), "{:?}", user.calls());
}

#[test]
fn with_launchd_it_is_an_agent_that_is_kept_alive() {
    let mut user = User::new();
    let _gateway = user.serve();
    let before = user.home();
    user.said(&["service", "install", "--manager", "launchd"]);
    let list = user.read(LIST);
    let program = format!("<string>{}</string>", env!("CARGO_BIN_EXE_tokenforge"));
    assert!(list.contains(&program) && list.contains("<key>KeepAlive</key><true/>"), "{list}");
    let status = user.said(&["service", "status", "--manager", "launchd"]);
    assert!(status.starts_with("service: running, "), "{status}");
    user.said(&["service", "remove", "--manager", "launchd"]);
    assert_eq!(user.home(), before);
    let calls = user.calls();
    let [start, stop] = &calls[..] else { panic!("{calls:?}") };
    assert!(start.starts_with("launchctl bootstrap gui/") && start.ends_with(".plist"), "{start}");
    assert!(
        stop.starts_with("launchctl bootout gui/") && stop.ends_with("/tokenforge.gateway"),
        "{stop}"
    );
}
