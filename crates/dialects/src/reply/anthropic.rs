//! Anthropic Messages.
use super::speech::Verbatim;
pub(super) struct Anthropic;
impl Anthropic {
    pub(super) fn new(_: crate::Dialect) -> Verbatim {
        Verbatim::default()
    }
}
