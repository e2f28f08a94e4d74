//! What a model costs.

use super::word::{Dollars, Written};
use crate::settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Dollars per million tokens. What is not said of the cache costs what other input costs.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct Price {
    input: Written<Dollars>,
    output: Written<Dollars>,
    cache_read: Option<Written<Dollars>>,
    cache_write: Option<Written<Dollars>>,
    cache_write_1h: Option<Written<Dollars>>,
}

impl Price {
    pub(crate) fn meant(self) -> settings::Price {
        let input = self.input.0;
        let cache_write = self.cache_write.map_or(input, |price| price.0);
        let usual_1h = settings::Price::usual_write_1h(input, cache_write);
        settings::Price {
            input,
            output: self.output.0,
            cache_read: self.cache_read.map_or(input, |price| price.0),
            cache_write,
            cache_write_1h: self.cache_write_1h.map_or(usual_1h, |price| price.0),
        }
    }

    pub(crate) fn of(meant: &settings::Price) -> Self {
        Price {
            input: Written(meant.input),
            output: Written(meant.output),
            cache_read: Some(Written(meant.cache_read)),
            cache_write: Some(Written(meant.cache_write)),
            cache_write_1h: Some(Written(meant.cache_write_1h)),
        }
    }
}
