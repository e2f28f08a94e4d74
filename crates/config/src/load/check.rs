//! What single values cannot show: whether settings go together.

use crate::error::SettingFault;
use crate::settings::{AwsSigning, Settings, Strategy};

/// What is wrong with settings together.
type Check = fn(&Settings) -> Option<SettingFault>;

/// What is checked, with the settings that it is about.
const CHECKS: &[(&[&str], Check)] = &[
    (&["listen", "keys", "allow_public"], exposure),
    (&["tls.cert", "tls.key"], tls),
    (&["keys"], keys),
    (&["upstreams.aws_signing", "keys"], aws_signing),
    (&["pipes.tool_output", "providers"], strategy),
    (&["pipes.tool_output.min_bytes", "pipes.tool_output.max_bytes"], sizes),
    (&["pipes.tool_output.json_formats"], json_formats),
];

/// What does not go together in these settings, where all that it is about is known.
pub(crate) fn faults(settings: &Settings, is_known: impl Fn(&[&str]) -> bool) -> Vec<SettingFault> {
    let known = CHECKS.iter().filter(|(paths, _)| is_known(paths));
    known.filter_map(|(_, check)| check(settings)).collect()
}

/// Who can reach the gateway can spend the keys that pass through it.
fn exposure(settings: &Settings) -> Option<SettingFault> {
    let Settings { listen, keys, allow_public, .. } = settings;
    if listen.ip().is_loopback() || !keys.is_empty() || *allow_public {
        return None;
    }
    let problem = format!(
        "{listen} can be reached from other machines: set `keys`, or `allow_public: true` to let anyone use it"
    );
    Some(SettingFault::new("listen", problem))
}

/// A certificate without its key proves nothing, nor a key without its certificate.
fn tls(settings: &Settings) -> Option<SettingFault> {
    let (missing, given) = match (&settings.tls.cert, &settings.tls.key) {
        (Some(_), None) => ("tls.key", "tls.cert"),
        (None, Some(_)) => ("tls.cert", "tls.key"),
        _ => return None,
    };
    Some(SettingFault::new(missing, format!("is required by `{given}`")))
}

/// A key that two tenants share would let one see what is the other's.
fn keys(settings: &Settings) -> Option<SettingFault> {
    let keys = &settings.keys;
    keys.iter().enumerate().find_map(|(index, key)| {
        let other = keys[..index].iter().find(|other| other.key == key.key)?;
        let problem = format!("has the same key as `{}`; give each its own", other.name);
        Some(SettingFault::new(format!("keys.{}", key.name), problem))
    })
}

/// The operator's AWS account must not be open to every client that reaches the gateway.
fn aws_signing(settings: &Settings) -> Option<SettingFault> {
    let is_for_callers = settings.upstreams.aws_signing == AwsSigning::Callers;
    let problem = "`callers` needs `keys`: without them the gateway cannot tell who calls";
    (is_for_callers && settings.keys.is_empty())
        .then(|| SettingFault::new("upstreams.aws_signing", problem))
}

fn sizes(settings: &Settings) -> Option<SettingFault> {
    let (min, max) = (settings.tool_output.min_bytes, settings.tool_output.max_bytes);
    let problem = format!("must be below max_bytes: {min} is not below {max}");
    (min >= max).then(|| SettingFault::new("pipes.tool_output.min_bytes", problem))
}

fn json_formats(settings: &Settings) -> Option<SettingFault> {
    let problem = "needs at least one of json, toon, stc, table";
    let is_empty = settings.tool_output.json_formats.is_empty();
    is_empty.then(|| SettingFault::new("pipes.tool_output.json_formats", problem))
}

fn strategy(settings: &Settings) -> Option<SettingFault> {
    let tool_output = &settings.tool_output;
    if let Some(name) = &tool_output.provider
        && !settings.providers.contains_key(name)
    {
        let known: Vec<&str> = settings.providers.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let problem = format!("`{name}` is not in `providers`, which has {known}");
        return Some(SettingFault::new("pipes.tool_output.provider", problem));
    }
    match tool_output.strategy {
        Strategy::Passthrough | Strategy::Simple => None,
        Strategy::Api if tool_output.api.endpoint.is_some() => None,
        Strategy::Api => Some(SettingFault::new(
            "pipes.tool_output.api.endpoint",
            "is required by `strategy: api`",
        )),
        Strategy::ExternalProvider => match settings.asked_provider() {
            None => {
                let problem = "is required by `strategy: external_provider`: a name in `providers`";
                Some(SettingFault::new("pipes.tool_output.provider", problem))
            }
            Some(provider) if provider.model.is_none() => {
                let name = tool_output.provider.as_deref().unwrap_or("NAME");
                let problem = "is required by `strategy: external_provider`";
                Some(SettingFault::new(format!("providers.{name}.model"), problem))
            }
            Some(_) => None,
        },
    }
}
