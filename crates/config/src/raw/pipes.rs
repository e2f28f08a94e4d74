//! The section `pipes`: in the file around `tool_output`, and nowhere else.

use super::section::Field;
use super::setting_list::ToolOutputSection;
use crate::error::SettingFault;
use crate::settings::ToolOutput;
use crate::table::Setting;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done to a request on its way.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct PipesSection {
    tool_output: Option<ToolOutputSection>,
}

impl PipesSection {
    /// The settings in it.
    pub(crate) const SETTINGS: &'static [Setting] = ToolOutputSection::SETTINGS;
}

impl Field for PipesSection {
    type Value = ToolOutput;

    fn put(self, place: &mut ToolOutput) -> Result<(), SettingFault> {
        self.tool_output.map_or(Ok(()), |tool_output| tool_output.put(place))
    }

    fn of(value: &ToolOutput) -> Option<Self> {
        Some(PipesSection { tool_output: Field::of(value) })
    }
}
