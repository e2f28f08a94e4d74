//! A JSON API that agents reach through the gateway.

use super::word::{HeaderText, One, Web, Written};
use crate::error::Fault;
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
pub(crate) struct Route {
    url: Written<Web>,
    headers: Option<BTreeMap<String, Written<HeaderText>>>,
    format: Option<Written<One<Format>>>,
}

impl Route {
    pub(crate) fn meant(self, path: &str) -> Result<settings::Route, Fault> {
        check(path)?;
        let mut headers = BTreeMap::new();
        for (name, value) in self.headers.unwrap_or_default() {
            if name.parse::<HeaderName>().is_err() {
                let key = format!("routes.{path}.headers.{name}");
                return Err(Fault::new(key, "expected the name of a header"));
            }
            headers.insert(name, value.0);
        }
        let format = self.format.map(|format| format.0).unwrap_or_default();
        Ok(settings::Route { url: self.url.0, headers, format })
    }

    pub(crate) fn of(meant: &settings::Route) -> Self {
        let headers =
            meant.headers.iter().map(|(name, value)| (name.clone(), Written(value.clone())));
        Route {
            url: Written(meant.url.clone()),
            headers: Some(headers.collect()),
            format: Some(Written(meant.format)),
        }
    }
}

/// Can requests come in under this path?
fn check(path: &str) -> Result<(), Fault> {
    let wrong = |problem: String| Err(Fault::new(format!("routes.{path}"), problem));
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
