//! Examples of each dialect as data: `tests/dialects/NAME.json`, which every dialect has.
//!
//! | member | value |
//! |---|---|
//! | `list` | the member in which the conversation stands |
//! | `call_and_result` | messages with one call and its result: `$ID`, `$TEXT`, `$N` |
//! | `conversation` | a body: `ls`, then `ls` and `cat`, whose results come in another order, then `ps` |
//! | `own_call` | the call of `expand_context` as an element of the model's turn: `$ID` |
//! | `calls_by_name` | where calls have no ids: name and arguments of the two in the second turn |
//! | `said` | a message of the `user` and of the `model` |
//! | `pairing` | the rule by which calls are answered, of `pairing.rs` |
//! | `expand_tool` | the declaration of that tool: `$NAME`, `$DESCRIPTION`, `$SCHEMA` |

use serde_json::Value;
use std::path::Path;
use tokenforge_providers::Dialect;

/// The examples of one dialect.
pub(crate) struct Example(Value);

impl Example {
    /// Reads the examples of a dialect.
    pub(crate) fn read(dialect: Dialect) -> Self {
        let file = format!("tests/dialects/{}.json", dialect.name());
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file));
        Example(
            serde_json::from_str(&text.unwrap_or_else(|error| panic!("{file}: {error}"))).unwrap(),
        )
    }

    /// A member as it is; null where there is none.
    pub(crate) fn get(&self, member: &str) -> &Value {
        &self.0[member]
    }

    /// A member that is a text.
    pub(crate) fn text(&self, member: &str) -> &str {
        self.0[member].as_str().unwrap()
    }

    /// A member with values in place of their names.
    pub(crate) fn filled(&self, member: &str, values: &[(&str, Value)]) -> Value {
        fill(&self.0[member], values)
    }
}

fn fill(template: &Value, values: &[(&str, Value)]) -> Value {
    match template {
        Value::String(text) => {
            let named = values.iter().find(|(name, _)| name == text);
            named.map_or_else(|| template.clone(), |(_, value)| value.clone())
        }
        Value::Array(elements) => elements.iter().map(|element| fill(element, values)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), fill(value, values))).collect()
        }
        _ => template.clone(),
    }
}
