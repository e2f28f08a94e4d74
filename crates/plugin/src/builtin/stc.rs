//! `stc`: JSON answers as STC.
//!
//! A program asks with `Accept-Encoding: stc` and gets the spelling with spaces, if that has fewer bytes. A model's client
//! asks with `X-Prefer-Format: stc` or `Accept: application/stc+json` and gets the dense spelling, if that has fewer
//! tokens. Who says with `X-STC-Version: 2` that it reads version 2 gets that.

use crate::Factory;
use crate::builtin::encoding::{Config, Encoding};
use tokenforge_formats::Form;

pub(crate) const NAME: &str = "stc";

pub(crate) fn factory() -> impl Factory {
    crate::factory(NAME, |config: Config| Ok(Encoding::new(NAME, Form::Stc, &config)))
}
