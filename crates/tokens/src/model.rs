//! Which vocabulary a model is counted with, and whether that is exact.

use crate::Vocabulary::{self, Cl100k, DeepseekV3, Glm4, Glm5, Llama3, MistralV3, O200k, Qwen2};

/// How the tokens of a model are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// The vocabulary to count with.
    pub vocabulary: Vocabulary,
    /// Whether it is the model's own. If not, call every figure an estimate.
    pub exact: bool,
    /// Tokens the provider bills for each one counted. For cost figures only: decisions compare
    /// counts of the same vocabulary, where a factor changes nothing.
    pub cost_factor: f64,
}

/// The vocabulary for a model name, as any provider spells it.
///
/// Case, routes and regions before the name (`azure/`, `us.anthropic.`, `ft:`) and whatever
/// follows it (dates, versions, tags) do not matter. A name not known is counted as o200k and
/// said to be inexact.
pub fn for_model(name: &str) -> Model {
    let name = name.to_ascii_lowercase();
    suffixes(&name)
        .find_map(|name| MODELS.iter().find(|(prefix, _)| begins(name, prefix)))
        .map_or(about(O200k), |(_, model)| *model)
}

/// The name without its route, then what follows each separator in that.
fn suffixes(name: &str) -> impl Iterator<Item = &str> {
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    let after_separators =
        name.match_indices(['.', ':']).map(|(at, separator)| &name[at + separator.len()..]);
    std::iter::once(name).chain(after_separators)
}

/// Does `name` begin with `prefix` as a whole word? `gpt-4` is not the beginning of `gpt-41`.
fn begins(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| {
        !prefix.ends_with(|c: char| c.is_ascii_alphanumeric())
            || !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
    })
}

const fn exact(vocabulary: Vocabulary) -> Model {
    Model { vocabulary, exact: true, cost_factor: 1.0 }
}

const fn about(vocabulary: Vocabulary) -> Model {
    Model { exact: false, ..exact(vocabulary) }
}

/// Claude's tokenizer is not public. It counted 1.18 times o200k on the corpus.
const CLAUDE: Model = Model { cost_factor: 1.18, ..about(O200k) };

/// The first row whose prefix fits wins, so longer prefixes come before shorter ones. No prefix
/// is a bare vendor name, for those also come before a model (`qwen.qwen3`, `mistral.mistral-large`).
const MODELS: &[(&str, Model)] = &[
    ("claude", CLAUDE),
    ("gemini", about(O200k)),
    // OpenAI
    ("gpt-oss", exact(O200k)),
    ("gpt-5", exact(O200k)),
    ("gpt-4o", exact(O200k)),
    ("gpt-4.1", exact(O200k)),
    ("gpt-4.5", exact(O200k)),
    ("chatgpt-4o", exact(O200k)),
    ("codex-mini", exact(O200k)),
    ("o1", exact(O200k)),
    ("o3", exact(O200k)),
    ("o4", exact(O200k)),
    ("gpt-4", exact(Cl100k)),
    ("gpt-3.5", exact(Cl100k)),
    ("gpt-35", exact(Cl100k)),
    ("text-embedding-3", exact(Cl100k)),
    ("text-embedding-ada-002", exact(Cl100k)),
    ("davinci-002", exact(Cl100k)),
    ("babbage-002", exact(Cl100k)),
    // DeepSeek; the distilled ones keep the tokenizer of what they were distilled into, and
    // Ollama's sizes of `deepseek-r1:` are mostly those.
    ("deepseek-r1-distill-llama", exact(Llama3)),
    ("deepseek-r1-distill-qwen", exact(Qwen2)),
    ("deepseek-r1:", about(DeepseekV3)),
    ("deepseek-r1", exact(DeepseekV3)),
    ("deepseek-v3", exact(DeepseekV3)),
    ("deepseek-v4", exact(DeepseekV3)),
    ("deepseek-chat", exact(DeepseekV3)),
    ("deepseek-reasoner", exact(DeepseekV3)),
    ("deepseek.r1", exact(DeepseekV3)),
    ("deepseek.v3", exact(DeepseekV3)),
    ("deepseek-", about(DeepseekV3)),
    // Meta; Llama 4 has its own vocabulary, split like o200k.
    ("llama-3", exact(Llama3)),
    ("llama3", exact(Llama3)),
    ("llama-v3p1", exact(Llama3)),
    ("llama-v3p2", exact(Llama3)),
    ("llama-v3p3", exact(Llama3)),
    ("meta-llama-3", exact(Llama3)),
    // Alibaba; 3.5 and later have a larger vocabulary.
    ("qwen3.", about(Qwen2)),
    ("qwen3", exact(Qwen2)),
    ("qwen2.5", exact(Qwen2)),
    ("qwen2", exact(Qwen2)),
    ("qwq", exact(Qwen2)),
    ("qwen-", about(Qwen2)),
    // Mistral: Tekken came with Nemo; names of later models do not tell which revision they use.
    ("mistral-nemo", exact(MistralV3)),
    ("open-mistral-nemo", exact(MistralV3)),
    ("mistral-", about(MistralV3)),
    ("ministral", about(MistralV3)),
    ("magistral", about(MistralV3)),
    ("devstral", about(MistralV3)),
    ("codestral", about(MistralV3)),
    ("pixtral", about(MistralV3)),
    // Zhipu
    ("glm-5", exact(Glm5)),
    ("glm-4", exact(Glm4)),
    // Of each kind of output in the corpus these two count within 2 % of o200k, and their tables take 1.5 MB.
    ("kimi-", about(O200k)),
    ("minimax-", about(O200k)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_1_the_vocabulary_is_chosen_by_model_where_known() {
        for (name, vocabulary) in [
            ("gpt-4o", O200k),
            ("openai/gpt-4o-mini-2024-07-18", O200k),
            ("azure/gpt-4.1", O200k),
            ("GPT-5.1-Codex", O200k),
            ("openai.gpt-oss-120b-1:0", O200k),
            ("gpt-oss:20b", O200k),
            ("o3-mini", O200k),
            ("ft:gpt-4o:my-org::abc123", O200k),
            ("gpt-4-0613", Cl100k),
            ("gpt-4-turbo", Cl100k),
            ("azure/gpt-35-turbo-16k", Cl100k),
            ("meta.llama3-1-70b-instruct-v1:0", Llama3),
            ("us.meta.llama3-3-70b-instruct-v1:0", Llama3),
            ("meta-llama/Llama-3.3-70B-Instruct", Llama3),
            ("accounts/fireworks/models/llama-v3p1-405b-instruct", Llama3),
            ("llama3.2:3b", Llama3),
            ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", Llama3),
            ("deepseek/deepseek-chat-v3.1:free", DeepseekV3),
            ("deepseek.v3-v1:0", DeepseekV3),
            ("qwen/qwen3-coder-480b-a35b", Qwen2),
            ("qwen2.5-coder:7b", Qwen2),
            ("mistralai/Mistral-Nemo-Instruct-2407", MistralV3),
            ("z-ai/glm-4.6", Glm4),
            ("GLM-5.1", Glm5),
        ] {
            assert_eq!(for_model(name), exact(vocabulary), "{name}");
        }
    }

    #[test]
    fn claude_is_counted_as_o200k_and_costs_more() {
        for name in [
            "claude-sonnet-4-5-20250929",
            "Claude-3-Opus",
            "anthropic/claude-3.5-sonnet:beta",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "anthropic.claude-3-haiku-20240307-v1:0",
            "publishers/anthropic/models/claude-opus-4-5@20251101",
            "openrouter/anthropic/claude-opus-4.1",
        ] {
            assert_eq!(for_model(name), CLAUDE, "{name}");
        }
        assert_eq!((CLAUDE.exact, CLAUDE.cost_factor), (false, 1.18));
    }

    #[test]
    fn what_is_not_known_is_o200k_and_says_so() {
        for name in [
            "",
            "///",
            "gemini-3-pro",
            "google/gemini-2.5-flash",
            "grok-4",
            "moonshotai/Kimi-K2-Instruct",
            "MiniMax-M2.1",
            "gpt-41",
            "gpt-4x",
            "o1x",
            "meta-llama/Llama-4-Scout",
            "llama2:7b",
            "adapter",
            "é/模型",
        ] {
            assert_eq!(for_model(name), about(O200k), "{name}");
        }
        assert_eq!(for_model("qwen3.5-plus"), about(Qwen2));
        assert_eq!(for_model("deepseek-r1:8b"), about(DeepseekV3));
    }

    #[test]
    fn no_row_is_hidden_by_an_earlier_one() {
        for (at, (prefix, _)) in MODELS.iter().enumerate() {
            let hidden_by = MODELS[..at].iter().find(|(earlier, _)| begins(prefix, earlier));
            assert_eq!(hidden_by, None, "{prefix}");
        }
    }

    #[test]
    fn only_an_inexact_model_has_a_cost_factor() {
        for (prefix, model) in MODELS {
            assert!(!model.exact || model.cost_factor == 1.0, "{prefix}");
        }
    }
}
