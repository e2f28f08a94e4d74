//! The plugins that come with Tokenforge, each in a module of its name.
//!
//! | plugin | what it does |
//! |---|---|
//! | `stc` | JSON answers as STC, for readers who ask for it |
//! | `toon` | JSON answers as TOON, for readers who ask for it |
//! | `pii-filter` | e-mail addresses, telephone numbers, cards, bank accounts and IP addresses, replaced |
//! | `secrets-detector` | keys, tokens and passwords, replaced or refused |
//! | `header-inject` | headers set or removed, on the way there and back |
//! | `ip-allow` | answers to certain networks only |
//!
//! [`register`] makes them known to a [`Registry`], which makes them from their settings.
//!
//! ```
//! use serde_json::json;
//! use tokenforge_plugin::Registry;
//!
//! let mut registry = Registry::default();
//! tokenforge_plugin::builtin::register(&mut registry)?;
//! assert_eq!(registry.build("stc", &json!({"max_bytes": 65536}))?.name(), "stc");
//! let error = registry.build("toon", &json!({"max_byte": 1})).err().unwrap();
//! assert_eq!(error.to_string(), "plugin `toon`: unknown key `max_byte`; it takes `max_bytes`");
//! # Ok::<(), tokenforge_plugin::ConfigError>(())
//! ```

mod encoding;
mod header_inject;
mod ip_allow;
mod pii_filter;
mod redactor;
mod secrets_detector;
mod stc;
#[cfg(test)]
mod testing;
mod toon;

pub use encoding::DefaultFormat;

use crate::{ConfigError, Registry};

/// Those that are on unless settings turn them off: they do nothing until a reader asks.
pub const ENABLED_BY_DEFAULT: &[&str] = &[stc::NAME, toon::NAME];

/// Makes every plugin known.
///
/// # Errors
/// Fails if another plugin has one of the names.
pub fn register(registry: &mut Registry) -> Result<(), ConfigError> {
    registry.register(stc::factory())?;
    registry.register(toon::factory())?;
    registry.register(pii_filter::factory())?;
    registry.register(secrets_detector::factory())?;
    registry.register(header_inject::factory())?;
    registry.register(ip_allow::factory())?;
    Ok(())
}
