//! Terminal sequences removed: colours, cursor moves and titles, which a terminal acts on and does not show.

use super::kinds::Cosmetic;
use crate::terminal;

pub(super) static STAGE: Cosmetic = Cosmetic::always("terminal", terminal::strip);
