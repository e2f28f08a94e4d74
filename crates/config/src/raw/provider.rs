//! A model that may be asked to shorten a tool result.

use super::section::NamedEntry;
use super::value_type::{HttpUrl, NonEmptyText, OneOf, Parsed, SecretKey};
use crate::error::SettingFault;
use crate::settings::{self, Auth, Choice, ProviderKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An entry of `providers`. Its name says the kind, unless `kind` does.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct ProviderEntry {
    kind: Option<Parsed<OneOf<ProviderKind>>>,
    auth: Option<Parsed<OneOf<Auth>>>,
    endpoint: Option<Parsed<HttpUrl>>,
    api_key: Option<Parsed<SecretKey>>,
    model: Option<Parsed<NonEmptyText>>,
}

impl NamedEntry for ProviderEntry {
    type Value = settings::Provider;

    fn into_settings(self, name: &str) -> Result<settings::Provider, SettingFault> {
        let kind = match self.kind {
            Some(Parsed(kind)) => kind,
            None => ProviderKind::parse(name).map_err(|unknown| {
                let problem =
                    format!("is required, because the name does not say it: {}", unknown.allowed);
                SettingFault::new(format!("providers.{name}.kind"), problem)
            })?,
        };
        let implied = if self.api_key.is_some() { Auth::ApiKey } else { Auth::Oauth };
        let auth = self.auth.map_or(implied, |auth| auth.0);
        if auth == Auth::ApiKey && self.api_key.is_none() {
            let problem = "is required with `auth: api_key`; `auth: oauth` uses the client's own";
            return Err(SettingFault::new(format!("providers.{name}.api_key"), problem));
        }
        Ok(settings::Provider {
            kind,
            auth,
            endpoint: self.endpoint.map(|endpoint| endpoint.0),
            api_key: self.api_key.map(|key| key.0),
            model: self.model.map(|model| model.0),
        })
    }

    fn of(value: &settings::Provider) -> Self {
        ProviderEntry {
            kind: Some(Parsed(value.kind)),
            auth: Some(Parsed(value.auth)),
            endpoint: value.endpoint.clone().map(Parsed),
            api_key: value.api_key.clone().map(Parsed),
            model: value.model.clone().map(Parsed),
        }
    }
}
