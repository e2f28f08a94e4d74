//! What tokens cost, by model.

use std::collections::BTreeMap;
use tokenforge_config::Price;

/// Dollars per million tokens, by the beginning of a model's name: input, output, cache read, cache write. From the
/// providers' public lists; settings go before them.
const BUILT_IN: &[(&str, [f64; 4])] = &[
    ("claude-opus", [5.0, 25.0, 0.5, 6.25]),
    ("claude-sonnet", [3.0, 15.0, 0.3, 3.75]),
    ("claude-haiku", [1.0, 5.0, 0.1, 1.25]),
    ("claude", [3.0, 15.0, 0.3, 3.75]),
    ("gpt-5-mini", [0.25, 2.0, 0.025, 0.25]),
    ("gpt-5", [1.25, 10.0, 0.125, 1.25]),
    ("gpt-4o", [2.5, 10.0, 1.25, 2.5]),
    ("gpt", [1.25, 10.0, 0.125, 1.25]),
    ("gemini-2.5-flash", [0.3, 2.5, 0.03, 0.3]),
    ("gemini", [1.25, 10.0, 0.125, 1.25]),
];

/// Prices by the beginning of a model's name.
#[derive(Debug, Clone)]
pub struct Prices(BTreeMap<String, Price>);

impl Default for Prices {
    fn default() -> Self {
        Prices::new(&BTreeMap::new())
    }
}

impl Prices {
    /// The built-in prices, with those of the settings before them.
    #[must_use]
    pub fn new(settings: &BTreeMap<String, Price>) -> Self {
        let built_in = BUILT_IN.iter().map(|(name, [input, output, cache_read, cache_write])| {
            let (input, output) = (*input, *output);
            let (cache_read, cache_write) = (*cache_read, *cache_write);
            ((*name).to_owned(), Price { input, output, cache_read, cache_write })
        });
        let mut prices: BTreeMap<String, Price> = built_in.collect();
        prices.extend(settings.iter().map(|(name, price)| (name.clone(), *price)));
        Prices(prices)
    }

    /// The price of a model, if anybody knows it.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<Price> {
        let model = model.rsplit(['/', '.']).find(|part| part.contains('-')).unwrap_or(model);
        let fits = |(name, _): &(&String, &Price)| model.starts_with(name.as_str());
        self.0.iter().filter(fits).max_by_key(|(name, _)| name.len()).map(|(_, price)| *price)
    }
}
