//! Is a table always cheaper than the same rows as objects? The measurement behind `spec/stc.md`.

use serde_json::Value;
use tokenforge_formats::stc::{Spelling, encode};
use tokenforge_formats::{Json, MAX_OUTPUT, stc};
use tokenforge_tokens::Counter;

/// Tabular arrays seen, in how many the table was cheaper, and the tokens both ways.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) arrays: usize,
    pub(crate) cheaper: usize,
    pub(crate) as_objects: usize,
    pub(crate) as_tables: usize,
}

impl Tables {
    /// Adds the tabular arrays of a document, nested ones too.
    pub(crate) fn add(&mut self, value: &Value) {
        match value {
            Value::Object(members) => members.values().for_each(|member| self.add(member)),
            Value::Array(elements) => {
                elements.iter().for_each(|element| self.add(element));
                if is_tabular(elements) {
                    self.add_array(value, elements);
                }
            }
            _ => {}
        }
    }

    fn add_array(&mut self, array: &Value, elements: &[Value]) {
        let rows: Vec<String> = elements.iter().map(dense).collect();
        let counter = Counter::default();
        let as_objects = counter.count(&format!("[{}]", rows.join(",")));
        let as_table = counter.count(&dense(array));
        self.arrays += 1;
        self.cheaper += usize::from(as_table < as_objects);
        self.as_objects += as_objects;
        self.as_tables += as_table;
    }
}

/// Two or more objects with the same keys in the same order.
fn is_tabular(elements: &[Value]) -> bool {
    let keys = |value: &Value| -> Option<Vec<String>> {
        value.as_object().map(|object| object.keys().cloned().collect())
    };
    let first = elements.first().and_then(keys).filter(|keys| !keys.is_empty());
    first.is_some() && elements.len() > 1 && elements.iter().all(|element| keys(element) == first)
}

fn dense(value: &Value) -> String {
    let text = value.to_string();
    let encoded = Json::parse(&text).map(|json| encode(&json, Spelling::Dense)).unwrap_or_default();
    debug_assert_eq!(stc::decode(&encoded, MAX_OUTPUT).as_deref(), Ok(&*text));
    encoded
}
