//! How an agent is given the base URL of its model provider when it is started.

use serde::Deserialize;

/// Whose API requests are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Anthropic's.
    Anthropic,
    /// OpenAI's.
    OpenAi,
    /// Google's.
    Gemini,
}

/// A way to give an agent a base URL. `{url}` stands for the gateway's.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
pub enum BaseUrl {
    /// A variable. If it is set already, the gateway asks whom it names, and the agent keeps its path.
    Variable {
        /// Its name.
        name: String,
        /// What it is set to.
        value: String,
        /// Whose requests go there.
        provider: Provider,
    },
    /// A variable that is changed if it is set. If it is not, the agent does not ask anybody whom we could be.
    VariableIfSet {
        /// Its name.
        name: String,
        /// What is said if it is not set.
        otherwise: String,
    },
    /// A variable that has settings in JSON, to which addresses are added.
    JsonVariable {
        /// Its name.
        name: String,
        /// What is added.
        addresses: Vec<JsonAddress>,
    },
    /// An argument, and the path of a file with this text after it.
    FileArgument {
        /// The argument.
        argument: String,
        /// What the name of the file ends with.
        suffix: String,
        /// What it says.
        text: String,
    },
    /// As Codex: a setting of its [`settings`](crate::Agent::settings), overridden by an argument; the value depends on
    /// how its user is logged in.
    SettingArgument {
        /// The argument before the setting.
        argument: String,
        /// The setting.
        key: String,
        /// Its value for a user with an API key.
        with_key: String,
        /// Its value for a user with a subscription.
        with_subscription: String,
        /// Whose requests go there.
        provider: Provider,
    },
    /// As Cline: a variable that names a file, a copy of its [`settings`](crate::Agent::settings) with other addresses.
    SettingsCopy {
        /// Its name.
        name: String,
    },
}

/// An address in settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonAddress {
    /// The names that lead to it.
    pub path: Vec<String>,
    /// What it is set to.
    pub value: String,
    /// Whose requests go there.
    pub provider: Provider,
}

impl BaseUrl {
    /// Whose requests go there, if they are one provider's.
    #[must_use]
    pub fn provider(&self) -> Option<Provider> {
        match self {
            Self::Variable { provider, .. } | Self::SettingArgument { provider, .. } => {
                Some(*provider)
            }
            _ => None,
        }
    }

    /// The variable that has an address and nothing else.
    #[must_use]
    pub fn address_variable(&self) -> Option<&str> {
        match self {
            Self::Variable { name, .. } | Self::VariableIfSet { name, .. } => Some(name),
            _ => None,
        }
    }
}
