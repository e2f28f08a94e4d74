//! Settings as they are written: every key of tokenforge.yaml, each of which may be left out.
//!
//! A file, one variable, one flag and a change at run time are all a [`Raw`]; [`Raw::apply`] puts what it says in place
//! of what is there. So the layers are applied one after the other, and nothing has to be merged.

mod keys;
mod list;
mod mcp;
mod pipes;
mod plugin;
mod price;
mod provider;
mod route;
mod section;
mod setting_list;
mod value_type;

use crate::error::SettingFault;
use crate::settings::Settings;
use section::Field;

pub(crate) use mcp::{BackendEntry, is_prefix};
pub(crate) use plugin::MappedJson;
pub(crate) use section::NamedEntry;
pub(crate) use setting_list::Raw;

impl Raw {
    /// Puts what is written here in place of what is there.
    pub(crate) fn apply(self, to: &mut Settings) -> Result<(), SettingFault> {
        self.put(to)
    }

    /// How these settings are written, with secrets masked.
    pub(crate) fn of_settings(from: &Settings) -> Self {
        Field::of(from).unwrap_or_default()
    }
}
