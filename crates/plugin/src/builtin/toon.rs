//! `toon`: JSON answers as TOON, for who asks with `X-Prefer-Format: toon` or `Accept: text/toon`, if that has fewer
//! tokens.

use crate::Factory;
use crate::builtin::encoding::{Config, Encoding};
use tokenforge_formats::Form;

pub(crate) const NAME: &str = "toon";

pub(crate) fn factory() -> impl Factory {
    crate::factory(NAME, |config: Config| Ok(Encoding::new(NAME, Form::Toon, &config)))
}
