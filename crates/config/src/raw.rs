//! Settings as they are written: every key of tokenforge.yaml, each of which may be left out.
//!
//! A file, one variable, one flag and a change at run time are all a [`Raw`]; [`Raw::apply`] puts what it says in place
//! of what is there. So the layers are applied one after the other, and nothing has to be merged.

mod keys;
mod list;
mod mcp;
mod plugin;
mod price;
mod provider;
mod route;
mod section;
mod sections;
mod word;

use crate::error::Fault;
use crate::settings::{SchemaCompression, Settings};
use keys::Keys;
use list::List;
use mcp::Mcp;
use plugin::Plugin;
use price::Price;
use provider::Provider;
use route::Route;
use schemars::JsonSchema;
use section::{Field, put, put_optional};
use sections::{Limits, Monitoring, Store, ToolOutput, Toon, Upstreams};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use word::{Address, Flag, Host, Key, Ledger, One, Text, Word, Written};

pub(crate) use mcp::{Backend, is_prefix};
pub(crate) use plugin::Shown;

/// What is written in one place.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a file of settings")]
#[schemars(title = "tokenforge.yaml", description = "Settings of Tokenforge")]
pub(crate) struct Raw {
    listen: Option<Written<Address>>,
    allow_public: Option<Written<Flag>>,
    keys: Option<Keys>,
    admin_token: Option<Written<Key>>,
    allow_hosts: Option<List<Host>>,
    allow_origins: Option<List<Text>>,
    upstreams: Option<Upstreams>,
    routes: Option<BTreeMap<String, Route>>,
    plugins: Option<Vec<Plugin>>,
    pipes: Option<Pipes>,
    providers: Option<BTreeMap<String, Provider>>,
    schema_compression: Option<Written<One<SchemaCompression>>>,
    redact_secrets: Option<Written<Flag>>,
    toon: Option<Toon>,
    store: Option<Store>,
    monitoring: Option<Monitoring>,
    ledger: Option<Written<Ledger>>,
    limits: Option<Limits>,
    #[schemars(schema_with = "mcp::schema")]
    mcp: Option<Mcp>,
    prices: Option<BTreeMap<String, Price>>,
}

/// What is done to a request on its way.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
struct Pipes {
    tool_output: Option<ToolOutput>,
}

impl Raw {
    /// Puts what is written here in place of what is there.
    pub(crate) fn apply(self, to: &mut Settings) -> Result<(), Fault> {
        put(&mut to.listen, self.listen);
        put(&mut to.allow_public, self.allow_public);
        put(&mut to.keys, self.keys);
        put_optional(&mut to.admin_token, self.admin_token);
        let mut mcp = self.mcp.unwrap_or_default();
        put(&mut to.allow_hosts, joined(self.allow_hosts, mcp.allow_hosts.take()));
        put(&mut to.allow_origins, joined(self.allow_origins, mcp.allow_origins.take()));
        put(&mut to.schema_compression, self.schema_compression);
        put(&mut to.redact_secrets, self.redact_secrets);
        put(&mut to.ledger, self.ledger);
        self.upstreams.unwrap_or_default().apply(&mut to.upstreams);
        let pipes = self.pipes.unwrap_or_default();
        pipes.tool_output.unwrap_or_default().apply(&mut to.tool_output);
        self.toon.unwrap_or_default().apply(&mut to.toon);
        self.store.unwrap_or_default().apply(&mut to.store);
        self.monitoring.unwrap_or_default().apply(&mut to.monitoring);
        self.limits.unwrap_or_default().apply(&mut to.limits);
        for (name, provider) in self.providers.unwrap_or_default() {
            let provider = provider.meant(&name)?;
            to.providers.insert(name, provider);
        }
        mcp.apply(&mut to.mcp)?;
        for (path, route) in self.routes.unwrap_or_default() {
            let route = route.meant(&path)?;
            to.routes.insert(path, route);
        }
        if let Some(plugins) = self.plugins {
            to.plugins = plugins.into_iter().map(Plugin::meant).collect();
        }
        for (model, price) in self.prices.unwrap_or_default() {
            to.prices.insert(model, price.meant());
        }
        Ok(())
    }

    /// How these settings are written, with secrets masked.
    pub(crate) fn of(from: &Settings) -> Self {
        let named = |(name, provider): (&String, _)| (name.clone(), Provider::of(provider));
        let routed = |(path, route): (&String, _)| (path.clone(), Route::of(route));
        let priced = |(model, price): (&String, _)| (model.clone(), Price::of(price));
        Raw {
            listen: Some(Field::of(&from.listen)),
            allow_public: Some(Field::of(&from.allow_public)),
            keys: Some(Field::of(&from.keys)),
            admin_token: from.admin_token.as_ref().map(Field::of),
            allow_hosts: Some(Field::of(&from.allow_hosts)),
            allow_origins: Some(Field::of(&from.allow_origins)),
            upstreams: Some(Upstreams::of(&from.upstreams)),
            routes: Some(from.routes.iter().map(routed).collect()),
            plugins: Some(from.plugins.iter().map(Plugin::of).collect()),
            pipes: Some(Pipes { tool_output: Some(ToolOutput::of(&from.tool_output)) }),
            providers: Some(from.providers.iter().map(named).collect()),
            schema_compression: Some(Field::of(&from.schema_compression)),
            redact_secrets: Some(Field::of(&from.redact_secrets)),
            toon: Some(Toon::of(&from.toon)),
            store: Some(Store::of(&from.store)),
            monitoring: Some(Monitoring::of(&from.monitoring)),
            ledger: Some(Field::of(&from.ledger)),
            limits: Some(Limits::of(&from.limits)),
            mcp: Some(Mcp::of(&from.mcp)),
            prices: Some(from.prices.iter().map(priced).collect()),
        }
    }
}

/// What stands in a setting and in the older place that means the same.
fn joined<W: Word>(list: Option<List<W>>, alias: Option<List<W>>) -> Option<List<W>> {
    match (list, alias) {
        (Some(List(mut list)), Some(List(alias))) => {
            list.extend(alias);
            Some(List(list))
        }
        (list, alias) => list.or(alias),
    }
}
