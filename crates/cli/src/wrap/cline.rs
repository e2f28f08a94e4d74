//! Cline keeps the address of its provider in a file, and is told of another file by a variable.

use super::provider::BaseAddress;
use anyhow::{Context, bail};
use http::Uri;
use serde_json::Value;
use std::path::Path;

/// A copy of the user's settings in which `url` takes the place of the provider, and where that is.
pub(super) fn settings(path: &Path, url: &str) -> anyhow::Result<(Uri, String)> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("Cline has no provider yet ({})", path.display()))?;
    let (base, settings) =
        redirect_settings(&text, url).with_context(|| path.display().to_string())?;
    Ok((base, settings.to_string()))
}

fn redirect_settings(text: &str, url: &str) -> anyhow::Result<(Uri, Value)> {
    let mut settings: Value = serde_json::from_str(text).context("expected JSON")?;
    let name = settings["lastUsedProvider"].as_str().unwrap_or_default().to_owned();
    let path = ["providers", &name, "settings", "baseUrl"];
    let address = path.iter().try_fold(&mut settings, |at, name| at.get_mut(name));
    let base = address.as_deref().and_then(Value::as_str).and_then(BaseAddress::parse);
    let Some((address, base)) = address.zip(base) else {
        bail!(
            "Cline's provider `{name}` has no address that can be changed: `cline auth -b URL` sets one"
        );
    };
    *address = format!("{url}{}", base.path).into();
    Ok((base.origin, settings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_of_the_provider_in_use_changes() {
        let text = r#"{"lastUsedProvider": "a", "providers": {
            "a": {"settings": {"apiKey": "k", "baseUrl": "https://h/v1"}}, "b": {"settings": {"baseUrl": "https://i"}}}}"#;
        let (base, settings) = redirect_settings(text, "http://g").unwrap();
        assert_eq!(base, "https://h");
        assert_eq!(settings["providers"]["a"]["settings"]["baseUrl"], "http://g/v1");
        assert_eq!(settings["providers"]["a"]["settings"]["apiKey"], "k");
        assert_eq!(settings["providers"]["b"]["settings"]["baseUrl"], "https://i");
        for wrong in ["[]", "{}", r#"{"lastUsedProvider": "a", "providers": {"a": {}}}"#] {
            assert!(redirect_settings(wrong, "http://g").is_err(), "{wrong}");
        }
    }
}
