//! The agents that can run the hook.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::ffi::OsStr;
use tokenforge_agents::{Agent, HookSupport};

/// An agent that can run the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HookAgent {
    agent: &'static Agent,
    pub(crate) hook: &'static HookSupport,
}

impl HookAgent {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let agents = tokenforge_agents::all().iter();
        agents.filter_map(|agent| Some(HookAgent { agent, hook: agent.hook.as_ref()? }))
    }

    pub(crate) fn find(id: &str) -> Option<Self> {
        Self::all().find(|agent| agent.id() == id)
    }

    /// What commands call it.
    pub(crate) fn id(self) -> &'static str {
        &self.agent.id
    }

    /// As it calls itself before providers.
    pub(super) fn user_agent(self) -> &'static str {
        self.agent.user_agent.as_deref().unwrap_or(&self.agent.id)
    }
}

/// Reads the name of such an agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HookAgentParser;

impl TypedValueParser for HookAgentParser {
    type Value = HookAgent;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<HookAgent, clap::Error> {
        let name = PossibleValuesParser::new(values()).parse_ref(command, argument, value)?;
        HookAgent::find(&name)
            .ok_or_else(|| clap::Error::new(clap::error::ErrorKind::InvalidValue).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(values()))
    }
}

fn values() -> impl Iterator<Item = PossibleValue> {
    HookAgent::all().map(|agent| PossibleValue::new(agent.id()).help(agent.agent.name.as_str()))
}
