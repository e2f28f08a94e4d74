//! A JSON API that agents reach through the gateway.

use super::section::NamedEntry;
use super::value_type::{HeaderText, HttpUrl, OneOf, Parsed};
use crate::error::SettingFault;
use crate::settings;
use http::HeaderName;
use http::uri::PathAndQuery;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tokenforge_formats::negotiate::Format;

/// Paths that are the gateway's own.
const OURS: [&str; 5] = ["/_forge", "/mcp", "/p", "/v1/compress", "/v1/retrieve"];

/// An entry of `routes`, by its path.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct RouteEntry {
    url: Parsed<HttpUrl>,
    headers: Option<BTreeMap<String, Parsed<HeaderText>>>,
    format: Option<Parsed<OneOf<Format>>>,
}

impl NamedEntry for RouteEntry {
    type Value = settings::Route;

    fn into_settings(self, path: &str) -> Result<settings::Route, SettingFault> {
        check(path)?;
        let mut headers = BTreeMap::new();
        for (name, value) in self.headers.unwrap_or_default() {
            if name.parse::<HeaderName>().is_err() {
                let key = format!("routes.{path}.headers.{name}");
                return Err(SettingFault::new(key, "expected the name of a header"));
            }
            headers.insert(name, value.0);
        }
        let format = self.format.map(|format| format.0).unwrap_or_default();
        Ok(settings::Route { url: self.url.0, headers, format })
    }

    fn of(value: &settings::Route) -> Self {
        let headers =
            value.headers.iter().map(|(name, value)| (name.clone(), Parsed(value.clone())));
        RouteEntry {
            url: Parsed(value.url.clone()),
            headers: Some(headers.collect()),
            format: Some(Parsed(value.format)),
        }
    }
}

/// Can requests come in under this path?
fn check(path: &str) -> Result<(), SettingFault> {
    let wrong = |problem: String| Err(SettingFault::new(format!("routes.{path}"), problem));
    let is_path = path.starts_with('/')
        && path.parse::<PathAndQuery>().is_ok_and(|parsed| parsed.path() == path)
        && (path == "/" || !path.ends_with('/'));
    if !is_path {
        let problem = "expected a path such as /github: it begins with / and does not end with it, and has no query";
        return wrong(problem.to_owned());
    }
    let is_below = |own: &&&str| {
        path.strip_prefix(**own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match OURS.iter().find(is_below) {
        Some(own) => {
            wrong(format!("what begins with {own} is the gateway's own; choose another path"))
        }
        None => Ok(()),
    }
}
