//! `header-inject`: headers set or removed on the way to the upstream, and on the way back.

use crate::{BoxFuture, Context, Error, Factory, Flow, Phase, Phases, Plugin, is_hop_by_hop};
use http::header::{HeaderMap, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The name in settings.
pub(crate) const NAME: &str = "header-inject";

/// What `header-inject` can be told.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
struct HeaderInjectSettings {
    /// What changes in requests, before they go upstream.
    request: Changes,
    /// What changes in responses, before they go to the client.
    response: Changes,
}

/// What changes.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
struct Changes {
    /// Headers to set, and to what. What they were before is gone.
    set: BTreeMap<String, String>,
    /// Headers to remove.
    remove: Vec<String>,
}

/// Makes the plugin from its settings.
pub(crate) fn factory() -> impl Factory {
    crate::factory(NAME, |settings: HeaderInjectSettings| {
        Ok(HeaderInject {
            request: Edits::new("request", settings.request)?,
            response: Edits::new("response", settings.response)?,
        })
    })
}

struct HeaderInject {
    request: Edits,
    response: Edits,
}

#[derive(Default)]
struct Edits {
    set: Vec<(HeaderName, HeaderValue)>,
    remove: Vec<HeaderName>,
}

impl Edits {
    fn new(of: &str, changes: Changes) -> Result<Self, Error> {
        let mut edits = Self::default();
        for (name, value) in changes.set {
            let field = format!("{of}.set.{name}");
            let mut value: HeaderValue = value
                .parse()
                .map_err(|_| format!("{field}: not a value that a header can have"))?;
            // It may be a key, and is kept out of whatever prints headers.
            value.set_sensitive(true);
            edits.set.push((allowed(&name, &field)?, value));
        }
        for name in changes.remove {
            edits.remove.push(allowed(&name, &format!("{of}.remove: {name}"))?);
        }
        Ok(edits)
    }

    fn is_empty(&self) -> bool {
        self.set.is_empty() && self.remove.is_empty()
    }

    fn apply(&self, headers: &mut HeaderMap) {
        for name in &self.remove {
            headers.remove(name);
        }
        for (name, value) in &self.set {
            headers.insert(name, value.clone());
        }
    }
}

fn allowed(name: &str, field: &str) -> Result<HeaderName, Error> {
    let name: HeaderName =
        name.parse().map_err(|_| format!("{field}: not a name that a header can have"))?;
    if is_hop_by_hop(&name) {
        Err(format!("{field}: this header belongs to the connection and cannot be changed").into())
    } else {
        Ok(name)
    }
}

impl Plugin for HeaderInject {
    fn name(&self) -> &str {
        NAME
    }

    fn phases(&self) -> Phases {
        let mut phases = Phases::NONE;
        if !self.request.is_empty() {
            phases = phases | Phase::PreUpstream;
        }
        if !self.response.is_empty() {
            phases = phases | Phase::PostUpstream | Phase::OnError;
        }
        phases
    }

    fn call<'a>(&'a self, mut context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            match context.phase() {
                Phase::PreUpstream => self.request.apply(context.request_headers_mut()?),
                _ => self.response.apply(context.response_headers_mut()?),
            }
            Ok(Flow::Continue)
        })
    }
}

#[cfg(test)]
mod tests;
