//! `toon`: JSON answers as TOON, for who asks with `X-Prefer-Format: toon` or `Accept: text/toon`, if that has fewer
//! tokens.

use crate::encoding::{Config, Encoding};
use tokenforge_formats::Form;
use tokenforge_plugin::Factory;

pub(crate) const NAME: &str = "toon";

pub(crate) fn factory() -> impl Factory {
    tokenforge_plugin::factory(NAME, |config: Config| Ok(Encoding::new(NAME, Form::Toon, &config)))
}
