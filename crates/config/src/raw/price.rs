//! What a model costs.

use super::section::NamedEntry;
use super::value_type::{Dollars, Parsed};
use crate::error::SettingFault;
use crate::settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Dollars per million tokens. What is not said of the cache costs what other input costs.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct PriceEntry {
    input: Parsed<Dollars>,
    output: Parsed<Dollars>,
    cache_read: Option<Parsed<Dollars>>,
    cache_write: Option<Parsed<Dollars>>,
    cache_write_1h: Option<Parsed<Dollars>>,
}

impl NamedEntry for PriceEntry {
    type Value = settings::Price;

    fn into_settings(self, _name: &str) -> Result<settings::Price, SettingFault> {
        let input = self.input.0;
        let cache_write = self.cache_write.map_or(input, |price| price.0);
        let usual_1h = settings::Price::usual_write_1h(input, cache_write);
        Ok(settings::Price {
            input,
            output: self.output.0,
            cache_read: self.cache_read.map_or(input, |price| price.0),
            cache_write,
            cache_write_1h: self.cache_write_1h.map_or(usual_1h, |price| price.0),
        })
    }

    fn of(value: &settings::Price) -> Self {
        PriceEntry {
            input: Parsed(value.input),
            output: Parsed(value.output),
            cache_read: Some(Parsed(value.cache_read)),
            cache_write: Some(Parsed(value.cache_write)),
            cache_write_1h: Some(Parsed(value.cache_write_1h)),
        }
    }
}
