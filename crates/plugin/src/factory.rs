//! How a plugin is made from its settings.

use crate::plugin::{Error, Plugin};
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::marker::PhantomData;
use std::sync::Arc;

/// Makes plugins of one kind.
pub trait Factory: Send + Sync {
    /// The name by which settings ask for it.
    fn name(&self) -> &str;

    /// The JSON Schema of its settings. A key that `properties` does not list is refused before
    /// [`build`](Self::build), unless the schema allows others.
    fn schema(&self) -> Value;

    /// Makes a plugin.
    ///
    /// # Errors
    /// What is wrong with the settings, without repeating values, which may be secret.
    fn build(&self, config: &Value) -> Result<Arc<dyn Plugin>, Error>;
}

/// A factory whose settings are a type. Give that type `#[serde(deny_unknown_fields)]`, and the types inside it too.
pub fn factory<C, P>(
    name: &'static str,
    build: impl Fn(C) -> Result<P, Error> + Send + Sync,
) -> impl Factory
where
    C: DeserializeOwned + JsonSchema,
    P: Plugin + 'static,
{
    Typed { name, build, config: PhantomData }
}

struct Typed<C, F> {
    name: &'static str,
    build: F,
    config: PhantomData<fn(C)>,
}

impl<C, P, F> Factory for Typed<C, F>
where
    C: DeserializeOwned + JsonSchema,
    P: Plugin + 'static,
    F: Fn(C) -> Result<P, Error> + Send + Sync,
{
    fn name(&self) -> &str {
        self.name
    }

    fn schema(&self) -> Value {
        SchemaGenerator::default().into_root_schema_for::<C>().into()
    }

    fn build(&self, config: &Value) -> Result<Arc<dyn Plugin>, Error> {
        let typed = C::deserialize(config).map_err(|error| masked(&error.to_string(), config))?;
        Ok(Arc::new((self.build)(typed)?))
    }
}

/// The message without the texts that it quotes from the settings: a value in the wrong place may be a secret.
fn masked(message: &str, config: &Value) -> String {
    let mut message = message.to_owned();
    let mut values = vec![config];
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) => message = message.replace(&format!("{text:?}"), "\"***\""),
            Value::Array(items) => values.extend(items),
            Value::Object(members) => values.extend(members.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_keeps_what_it_says_and_loses_what_it_quotes() {
        let config = json!({"headers": ["Authorization: \"key\""], "count": 3});
        let message = r#"invalid type: string "Authorization: \"key\"", expected a map"#;
        assert_eq!(masked(message, &config), r#"invalid type: string "***", expected a map"#);
    }
}
