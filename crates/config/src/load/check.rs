//! What single values cannot show: whether settings go together.

use crate::error::Fault;
use crate::settings::{Settings, Strategy};

/// Do these settings go together?
pub(crate) fn check(settings: &Settings) -> Result<(), Fault> {
    exposure(settings)?;
    keys(settings)?;
    strategy(settings)?;
    let tool_output = &settings.tool_output;
    if tool_output.min_bytes >= tool_output.max_bytes {
        let (min, max) = (tool_output.min_bytes, tool_output.max_bytes);
        let problem = format!("must be below max_bytes: {min} is not below {max}");
        return Err(Fault::new("pipes.tool_output.min_bytes", problem));
    }
    if tool_output.json_formats.is_empty() {
        let problem = "at least one of json, toon, stc, table is needed";
        return Err(Fault::new("pipes.tool_output.json_formats", problem));
    }
    Ok(())
}

/// Who can reach the gateway can spend the keys that pass through it.
fn exposure(settings: &Settings) -> Result<(), Fault> {
    let Settings { listen, keys, allow_public, .. } = settings;
    if listen.ip().is_loopback() || !keys.is_empty() || *allow_public {
        return Ok(());
    }
    let problem = format!(
        "{listen} can be reached from other machines: set `keys`, or say `allow_public: true`"
    );
    Err(Fault::new("listen", problem))
}

/// A key that two tenants share would let one see what is the other's.
fn keys(settings: &Settings) -> Result<(), Fault> {
    let keys = &settings.keys;
    for (index, key) in keys.iter().enumerate() {
        if let Some(other) = keys[..index].iter().find(|other| other.key == key.key) {
            let problem = format!("has the same key as {}", other.name);
            return Err(Fault::new(format!("keys.{}", key.name), problem));
        }
    }
    Ok(())
}

fn strategy(settings: &Settings) -> Result<(), Fault> {
    let tool_output = &settings.tool_output;
    if let Some(name) = &tool_output.provider
        && !settings.providers.contains_key(name)
    {
        let known: Vec<&str> = settings.providers.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let problem = format!("`{name}` is not in `providers`, which has {known}");
        return Err(Fault::new("pipes.tool_output.provider", problem));
    }
    match tool_output.strategy {
        Strategy::Passthrough | Strategy::Simple => Ok(()),
        Strategy::Api if tool_output.api.endpoint.is_some() => Ok(()),
        Strategy::Api => {
            Err(Fault::new("pipes.tool_output.api.endpoint", "is needed by the strategy api"))
        }
        Strategy::ExternalProvider => match settings.asked_provider() {
            None => {
                let problem = "is needed by the strategy external_provider: a name in `providers`";
                Err(Fault::new("pipes.tool_output.provider", problem))
            }
            Some(provider) if provider.model.is_none() => {
                let name = tool_output.provider.as_deref().unwrap_or("NAME");
                let problem = "is needed by the strategy external_provider";
                Err(Fault::new(format!("providers.{name}.model"), problem))
            }
            Some(_) => Ok(()),
        },
    }
}
