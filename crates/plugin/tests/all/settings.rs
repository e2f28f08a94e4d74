//! H13: a plugin as a stranger would write it, made from settings.

use crate::kit::{chain_of, exchange, termination};
use http::{HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokenforge_plugin::{
    BoxFuture, ConfigError, Context, Error, ErrorPolicy, Factory, Flow, Phase, Phases, Plugin,
    Registry, factory,
};

/// What `stamp` can be told.
#[derive(Deserialize, JsonSchema)]
struct StampSettings {
    /// The header to add.
    header: String,
    /// Its value.
    #[serde(default = "stamped")]
    value: String,
}

fn stamped() -> String {
    "stamped".to_owned()
}

/// Adds a header to every request.
struct Stamp {
    header: HeaderName,
    value: HeaderValue,
}

impl Stamp {
    fn new(settings: StampSettings) -> Result<Self, Error> {
        Ok(Self { header: settings.header.parse()?, value: settings.value.parse()? })
    }
}

impl Plugin for Stamp {
    fn name(&self) -> &str {
        "stamp"
    }

    fn phases(&self) -> Phases {
        Phase::PreUpstream.into()
    }

    fn call<'a>(&'a self, mut context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            context.request_headers_mut()?.insert(&self.header, self.value.clone());
            Ok(Flow::Continue)
        })
    }
}

fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.register(factory("stamp", Stamp::new)).unwrap();
    registry
}

fn refused(name: &str, config: Value) -> ConfigError {
    registry().build(name, &config).err().unwrap()
}

#[tokio::test]
async fn a_plugin_is_made_from_its_settings_and_runs() {
    let stamp = registry().build("stamp", &json!({"header": "x-stamp"})).unwrap();
    let chain = chain_of(stamp, ErrorPolicy::Closed);
    let mut exchange = exchange();
    assert!(termination(chain.run(Phase::PreUpstream, &mut exchange).await).is_none());
    assert_eq!(exchange.request().headers["x-stamp"], "stamped");
}

#[test]
fn h13_an_unknown_key_is_refused_by_name_though_the_plugin_did_not_care() {
    let error = refused("stamp", json!({"header": "x-stamp", "vlaue": "sk-secret"}));
    assert_eq!(
        error.to_string(),
        "plugin `stamp`: unknown key `vlaue`; it takes `header`, `value`"
    );
}

#[test]
fn h13_a_plugin_without_settings_takes_no_key() {
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}
    let mut registry = Registry::default();
    let build = |_: Nothing| Stamp::new(StampSettings { header: "a".into(), value: "b".into() });
    registry.register(factory("bare", build)).unwrap();
    assert!(registry.build("bare", &Value::Null).is_ok());
    let error = registry.build("bare", &json!({"any": 1})).err().unwrap();
    assert_eq!(error.to_string(), "plugin `bare`: unknown key `any`; it takes none");
}

#[test]
fn keys_are_left_to_the_plugin_where_its_schema_takes_others() {
    struct OpenFactory(Value);
    impl Factory for OpenFactory {
        fn name(&self) -> &str {
            "open"
        }
        fn schema(&self) -> Value {
            self.0.clone()
        }
        fn build(&self, _: &Value) -> Result<Arc<dyn Plugin>, Error> {
            Err("reached".into())
        }
    }
    for schema in [
        json!(true),
        json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "properties": {}, "oneOf": [{"properties": {"any": {}}}]}),
    ] {
        let mut registry = Registry::default();
        registry.register(OpenFactory(schema)).unwrap();
        let error = registry.build("open", &json!({"any": "thing"})).err().unwrap();
        assert_eq!(error.to_string(), "plugin `open`: reached");
    }
}

#[test]
fn a_bad_value_is_refused_and_not_repeated() {
    let cases = [
        (json!({}), "missing field `header`"),
        (json!({"header": 7}), "expected a string"),
        (json!({"header": "not a header"}), "invalid HTTP header name"),
        (json!("sk-secret"), "invalid type: string \"***\""),
    ];
    for (config, expected) in cases {
        let message = refused("stamp", config).to_string();
        assert!(message.starts_with("plugin `stamp`: "), "{message}");
        assert!(message.contains(expected) && !message.contains("sk-secret"), "{message}");
    }
}

#[test]
fn an_unknown_plugin_is_refused_with_the_names_there_are() {
    let error = refused("stmap", Value::Null);
    assert_eq!(error.to_string(), "no plugin is called `stmap`; there is `stamp`");
}

#[test]
fn a_name_is_taken_once() {
    let error = registry().register(factory("stamp", Stamp::new)).unwrap_err();
    assert!(matches!(error, ConfigError::NameTaken { name } if name == "stamp"));
}

#[test]
fn the_schema_describes_every_setting() {
    let registry = registry();
    let stamp = registry.factories().next().unwrap();
    let schema = stamp.schema();
    assert_eq!(stamp.name(), "stamp");
    assert_eq!(schema["properties"]["header"]["description"], "The header to add.");
    assert_eq!(schema["properties"]["value"]["default"], "stamped");
    assert_eq!(schema["required"], json!(["header"]));
}
