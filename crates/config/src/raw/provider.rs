//! A model that may be asked to shorten a tool result.

use super::word::{Key, One, Text, Web, Written};
use crate::error::Fault;
use crate::settings::{self, Auth, Choice, ProviderKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An entry of `providers`. Its name says the kind, unless `kind` does.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct Provider {
    kind: Option<Written<One<ProviderKind>>>,
    auth: Option<Written<One<Auth>>>,
    endpoint: Option<Written<Web>>,
    api_key: Option<Written<Key>>,
    model: Option<Written<Text>>,
}

impl Provider {
    pub(crate) fn meant(self, name: &str) -> Result<settings::Provider, Fault> {
        let kind = match self.kind {
            Some(Written(kind)) => kind,
            None => ProviderKind::parse(name).map_err(|unknown| {
                let problem =
                    format!("is required, because the name does not say it: {}", unknown.allowed);
                Fault::new(format!("providers.{name}.kind"), problem)
            })?,
        };
        let implied = if self.api_key.is_some() { Auth::ApiKey } else { Auth::Oauth };
        let auth = self.auth.map_or(implied, |auth| auth.0);
        if auth == Auth::ApiKey && self.api_key.is_none() {
            let problem = "is required with `auth: api_key`; `auth: oauth` uses the client's own";
            return Err(Fault::new(format!("providers.{name}.api_key"), problem));
        }
        Ok(settings::Provider {
            kind,
            auth,
            endpoint: self.endpoint.map(|endpoint| endpoint.0),
            api_key: self.api_key.map(|key| key.0),
            model: self.model.map(|model| model.0),
        })
    }

    pub(crate) fn of(meant: &settings::Provider) -> Self {
        Provider {
            kind: Some(Written(meant.kind)),
            auth: Some(Written(meant.auth)),
            endpoint: meant.endpoint.clone().map(Written),
            api_key: meant.api_key.clone().map(Written),
            model: meant.model.clone().map(Written),
        }
    }
}
