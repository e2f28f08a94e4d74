//! How each client is told where its model provider is. Only the one that is started here: its environment, its
//! arguments, or a file of ours that goes with it.

use super::provider::Provider;
use std::collections::BTreeSet;
use std::path::Path;

/// A client, and all the ways in which it must be told.
#[derive(Debug)]
pub(crate) struct Client {
    /// Its program.
    pub(crate) name: &'static str,
    pub(super) ways: &'static [Way],
}

/// A way to tell a client an address. `{url}` stands for the gateway's.
#[derive(Debug)]
pub(super) enum Way {
    /// A variable. If it is set already, the gateway asks whom it names, and the client keeps its path.
    Variable { name: &'static str, value: &'static str, provider: Provider },
    /// A variable that is changed if it is set. If it is not, the client does not ask anybody whom we could be.
    IfSet { name: &'static str, why: &'static str },
    /// A variable that has settings in JSON, to which addresses are added.
    Json { name: &'static str, addresses: &'static [Address] },
    /// An argument, and the path of a file with this text after it.
    File { argument: &'static str, suffix: &'static str, text: &'static str },
    /// Arguments before those of the user; others for who is logged in with ChatGPT.
    Codex { key: &'static [&'static str], chatgpt: &'static [&'static str] },
    /// A variable that names a file, which is a copy of the user's with other addresses in it.
    Cline { name: &'static str },
}

impl Way {
    /// Whose requests go there, if they are one provider's.
    pub(super) fn provider(&self) -> Option<Provider> {
        match self {
            Way::Variable { provider, .. } => Some(*provider),
            Way::Codex { .. } => Some(Provider::OpenAi),
            _ => None,
        }
    }
}

/// An address in settings.
#[derive(Debug)]
pub(super) struct Address {
    /// The names that lead to it.
    pub(super) path: &'static [&'static str],
    pub(super) value: &'static str,
    pub(super) provider: Provider,
}

/// Every client that is known.
pub(crate) const CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        ways: &[Way::Variable {
            name: "ANTHROPIC_BASE_URL",
            value: "{url}",
            provider: Provider::Anthropic,
        }],
    },
    Client {
        name: "codex",
        ways: &[Way::Codex {
            key: &["-c", "openai_base_url=\"{url}/v1\""],
            chatgpt: &["-c", "openai_base_url=\"{url}/backend-api/codex\""],
        }],
    },
    Client {
        name: "gemini",
        ways: &[Way::Variable {
            name: "GOOGLE_GEMINI_BASE_URL",
            value: "{url}",
            provider: Provider::Gemini,
        }],
    },
    Client {
        name: "opencode",
        ways: &[Way::Json {
            name: "OPENCODE_CONFIG_CONTENT",
            addresses: &[
                Address {
                    path: &["provider", "anthropic", "options", "baseURL"],
                    value: "{url}/v1",
                    provider: Provider::Anthropic,
                },
                Address {
                    path: &["provider", "openai", "options", "baseURL"],
                    value: "{url}/v1",
                    provider: Provider::OpenAi,
                },
                Address {
                    path: &["provider", "google", "options", "baseURL"],
                    value: "{url}/v1beta",
                    provider: Provider::Gemini,
                },
            ],
        }],
    },
    Client {
        name: "copilot",
        ways: &[Way::IfSet {
            name: "COPILOT_PROVIDER_BASE_URL",
            why: "without COPILOT_PROVIDER_BASE_URL, Copilot asks GitHub's own models, which are reached no other way",
        }],
    },
    Client {
        name: "qwen",
        ways: &[Way::Variable {
            name: "OPENAI_BASE_URL",
            value: "{url}/v1",
            provider: Provider::OpenAi,
        }],
    },
    Client { name: "cline", ways: &[Way::Cline { name: "CLINE_PROVIDER_SETTINGS_PATH" }] },
    Client {
        name: "pi",
        ways: &[Way::File {
            argument: "--extension",
            suffix: ".js",
            text: r#"export default function (pi) {
  pi.registerProvider("anthropic", { baseUrl: "{url}" });
  pi.registerProvider("openai", { baseUrl: "{url}/v1" });
  pi.registerProvider("google", { baseUrl: "{url}/v1beta" });
}
"#,
        }],
    },
    Client {
        name: "aider",
        ways: &[
            Way::Variable {
                name: "OPENAI_API_BASE",
                value: "{url}/v1",
                provider: Provider::OpenAi,
            },
            Way::Variable {
                name: "ANTHROPIC_BASE_URL",
                value: "{url}",
                provider: Provider::Anthropic,
            },
        ],
    },
];

/// What a program that is not known listens to, if it is said whose requests it makes.
const DIALECTS: &[Client] = &[
    Client {
        name: "anthropic",
        ways: &[Way::Variable {
            name: "ANTHROPIC_BASE_URL",
            value: "{url}",
            provider: Provider::Anthropic,
        }],
    },
    Client {
        name: "openai",
        ways: &[
            Way::Variable {
                name: "OPENAI_BASE_URL",
                value: "{url}/v1",
                provider: Provider::OpenAi,
            },
            Way::Variable {
                name: "OPENAI_API_BASE",
                value: "{url}/v1",
                provider: Provider::OpenAi,
            },
        ],
    },
    Client {
        name: "gemini",
        ways: &[Way::Variable {
            name: "GOOGLE_GEMINI_BASE_URL",
            value: "{url}",
            provider: Provider::Gemini,
        }],
    },
];

/// The variables that tell clients an address, each once.
pub(crate) fn base_variables() -> BTreeSet<&'static str> {
    let ways = CLIENTS.iter().chain(DIALECTS).flat_map(|client| client.ways);
    ways.filter_map(|way| match way {
        Way::Variable { name, .. } | Way::IfSet { name, .. } => Some(*name),
        _ => None,
    })
    .collect()
}

/// The client whose program this is, by its name or a path to it.
pub(super) fn of_program(program: &str) -> Option<&'static Client> {
    let stem = Path::new(program).file_stem()?;
    CLIENTS.iter().find(|client| stem == client.name)
}

/// What a program listens to that makes such requests.
pub(super) fn of_dialect(dialect: &str) -> Option<&'static Client> {
    DIALECTS.iter().find(|client| client.name == dialect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_known_by_its_name_and_by_a_path_to_it() {
        assert_eq!(of_program("claude").unwrap().name, "claude");
        assert_eq!(of_program("./node_modules/.bin/codex").unwrap().name, "codex");
        assert!(of_program("vim").is_none() && of_program("").is_none());
    }

    #[test]
    fn every_client_is_told_the_address() {
        for client in CLIENTS.iter().chain(DIALECTS) {
            assert!(!client.ways.is_empty(), "{}", client.name);
        }
    }
}
