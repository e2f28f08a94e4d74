//! Settings, shown: what is in effect, with secrets masked.

use crate::raw::{MappedJson, Raw};
use crate::settings::Settings;
use crate::table::{SETTINGS, TakesEffect};
use serde_json::{Map, Value};

impl Settings {
    /// The settings in effect as YAML, with secrets as `***`.
    #[must_use]
    pub fn show(&self) -> String {
        serde_saphyr::to_string(&Raw::of_settings(self)).unwrap_or_default()
    }

    /// Of [`show`](Self::show), the common settings and those that are not as by default.
    #[must_use]
    pub fn show_common(&self) -> String {
        let (values, defaults) = (self.to_json(), Settings::default().to_json());
        let mut shown = Value::Object(Map::new());
        for setting in SETTINGS {
            let Some(value) = at(&values, setting.path).filter(|value| !value.is_null()) else {
                continue;
            };
            let is_default = at(&defaults, setting.path) == Some(value);
            if !is_default || setting.is_common && !is_group(value) {
                set(&mut shown, setting.path, value.clone());
            }
        }
        serde_saphyr::to_string(&MappedJson { value: &shown, text: |text| text })
            .unwrap_or_default()
    }

    /// The settings in effect as JSON, with secrets as `***`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::to_value(Raw::of_settings(self)).unwrap_or_default()
    }

    /// Of [`to_json`](Self::to_json), what [`patched`](Self::patched) may change.
    #[must_use]
    pub fn changeable_json(&self) -> Value {
        let all = self.to_json();
        let mut changeable = Value::Object(Map::new());
        for setting in SETTINGS.iter().filter(|setting| setting.change == TakesEffect::AtOnce) {
            let value = at(&all, setting.path).cloned().unwrap_or_default();
            set(&mut changeable, setting.path, value);
        }
        changeable
    }
}

/// Is it a section of its own, which would be longer than all others?
fn is_group(value: &Value) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty())
}

/// What a path leads to.
pub(crate) fn at<'a>(tree: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(tree, |tree, key| tree.get(key))
}

/// Puts a value where a path leads, through objects that are made on the way.
pub(crate) fn set(tree: &mut Value, path: &str, value: Value) {
    let mut place = tree;
    for key in path.split('.') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[key];
    }
    *place = value;
}
