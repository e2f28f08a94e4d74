//! Which vocabulary a model is counted with, and whether that is exact.

use crate::vocabulary::names::{CL100K, DEEPSEEK_V3, GLM4, GLM5, LLAMA3, MISTRAL_V3, O200K, QWEN2};
use crate::{Vocabulary, VocabularyLeftOut};

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

/// How a model is counted, whatever this build has.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ModelRow {
    /// The name of its vocabulary.
    vocabulary: &'static str,
    exact: bool,
    cost_factor: f64,
}

/// The vocabulary for a model name, as any provider spells it.
///
/// Case, routes and regions before the name (`azure/`, `us.anthropic.`, `ft:`) and whatever
/// follows it (dates, versions, tags) do not matter. A name not known is counted as o200k and
/// said to be inexact. So is a model whose vocabulary this build leaves out: it is counted with the default one.
/// [`embedded_model`] refuses instead.
pub fn for_model(name: &str) -> Model {
    let row = row(name);
    embedded(row).unwrap_or_else(|_| Model {
        vocabulary: Vocabulary::default(),
        exact: false,
        cost_factor: row.cost_factor,
    })
}

/// The same, if the vocabulary that the model is counted with is in this build.
///
/// # Errors
/// It is left out: which feature brings it.
///
/// ```
/// use tokenforge_tokens::{embedded_model, for_model};
///
/// match embedded_model("qwen3-coder") {
///     Ok(model) => assert!(model.exact),
///     // A build without the feature `qwen2`.
///     Err(left_out) => assert!(!for_model("qwen3-coder").exact, "{left_out}"),
/// }
/// ```
pub fn embedded_model(name: &str) -> Result<Model, VocabularyLeftOut> {
    embedded(row(name))
}

fn embedded(row: ModelRow) -> Result<Model, VocabularyLeftOut> {
    let ModelRow { vocabulary, exact, cost_factor } = row;
    Ok(Model { vocabulary: Vocabulary::embedded(vocabulary)?, exact, cost_factor })
}

fn row(name: &str) -> ModelRow {
    let name = name.to_ascii_lowercase();
    suffixes(&name)
        .find_map(|name| MODELS.iter().find(|(prefix, _)| begins(name, prefix)))
        .map_or(about(O200K), |(_, row)| *row)
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

const fn exact(vocabulary: &'static str) -> ModelRow {
    ModelRow { vocabulary, exact: true, cost_factor: 1.0 }
}

const fn about(vocabulary: &'static str) -> ModelRow {
    ModelRow { exact: false, ..exact(vocabulary) }
}

/// Claude's tokenizer is not public. It counted 1.18 times o200k on the corpus.
const CLAUDE: ModelRow = ModelRow { cost_factor: 1.18, ..about(O200K) };

/// The first row whose prefix fits wins, so longer prefixes come before shorter ones. No prefix
/// is a bare vendor name, for those also come before a model (`qwen.qwen3`, `mistral.mistral-large`).
const MODELS: &[(&str, ModelRow)] = &[
    ("claude", CLAUDE),
    ("gemini", about(O200K)),
    // OpenAI
    ("gpt-oss", exact(O200K)),
    ("gpt-5", exact(O200K)),
    ("gpt-4o", exact(O200K)),
    ("gpt-4.1", exact(O200K)),
    ("gpt-4.5", exact(O200K)),
    ("chatgpt-4o", exact(O200K)),
    ("codex-mini", exact(O200K)),
    ("o1", exact(O200K)),
    ("o3", exact(O200K)),
    ("o4", exact(O200K)),
    ("gpt-4", exact(CL100K)),
    ("gpt-3.5", exact(CL100K)),
    ("gpt-35", exact(CL100K)),
    ("text-embedding-3", exact(CL100K)),
    ("text-embedding-ada-002", exact(CL100K)),
    ("davinci-002", exact(CL100K)),
    ("babbage-002", exact(CL100K)),
    // DeepSeek; the distilled ones keep the tokenizer of what they were distilled into, and
    // Ollama's sizes of `deepseek-r1:` are mostly those.
    ("deepseek-r1-distill-llama", exact(LLAMA3)),
    ("deepseek-r1-distill-qwen", exact(QWEN2)),
    ("deepseek-r1:", about(DEEPSEEK_V3)),
    ("deepseek-r1", exact(DEEPSEEK_V3)),
    ("deepseek-v3", exact(DEEPSEEK_V3)),
    ("deepseek-v4", exact(DEEPSEEK_V3)),
    ("deepseek-chat", exact(DEEPSEEK_V3)),
    ("deepseek-reasoner", exact(DEEPSEEK_V3)),
    ("deepseek.r1", exact(DEEPSEEK_V3)),
    ("deepseek.v3", exact(DEEPSEEK_V3)),
    ("deepseek-", about(DEEPSEEK_V3)),
    // Meta; Llama 4 has its own vocabulary, split like o200k.
    ("llama-3", exact(LLAMA3)),
    ("llama3", exact(LLAMA3)),
    ("llama-v3p1", exact(LLAMA3)),
    ("llama-v3p2", exact(LLAMA3)),
    ("llama-v3p3", exact(LLAMA3)),
    ("meta-llama-3", exact(LLAMA3)),
    // Alibaba; 3.5 and later have a larger vocabulary.
    ("qwen3.", about(QWEN2)),
    ("qwen3", exact(QWEN2)),
    ("qwen2.5", exact(QWEN2)),
    ("qwen2", exact(QWEN2)),
    ("qwq", exact(QWEN2)),
    ("qwen-", about(QWEN2)),
    // Mistral: Tekken came with Nemo; names of later models do not tell which revision they use.
    ("mistral-nemo", exact(MISTRAL_V3)),
    ("open-mistral-nemo", exact(MISTRAL_V3)),
    ("mistral-", about(MISTRAL_V3)),
    ("ministral", about(MISTRAL_V3)),
    ("magistral", about(MISTRAL_V3)),
    ("devstral", about(MISTRAL_V3)),
    ("codestral", about(MISTRAL_V3)),
    ("pixtral", about(MISTRAL_V3)),
    // Zhipu
    ("glm-5", exact(GLM5)),
    ("glm-4", exact(GLM4)),
    // Of each kind of output in the corpus these two count within 2 % of o200k, and their tables take 1.5 MB.
    ("kimi-", about(O200K)),
    ("minimax-", about(O200K)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_1_the_vocabulary_is_chosen_by_model_where_known() {
        for (name, vocabulary) in [
            ("gpt-4o", O200K),
            ("openai/gpt-4o-mini-2024-07-18", O200K),
            ("azure/gpt-4.1", O200K),
            ("GPT-5.1-Codex", O200K),
            ("openai.gpt-oss-120b-1:0", O200K),
            ("gpt-oss:20b", O200K),
            ("o3-mini", O200K),
            ("ft:gpt-4o:my-org::abc123", O200K),
            ("gpt-4-0613", CL100K),
            ("gpt-4-turbo", CL100K),
            ("azure/gpt-35-turbo-16k", CL100K),
            ("meta.llama3-1-70b-instruct-v1:0", LLAMA3),
            ("us.meta.llama3-3-70b-instruct-v1:0", LLAMA3),
            ("meta-llama/Llama-3.3-70B-Instruct", LLAMA3),
            ("accounts/fireworks/models/llama-v3p1-405b-instruct", LLAMA3),
            ("llama3.2:3b", LLAMA3),
            ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", LLAMA3),
            ("deepseek/deepseek-chat-v3.1:free", DEEPSEEK_V3),
            ("deepseek.v3-v1:0", DEEPSEEK_V3),
            ("qwen/qwen3-coder-480b-a35b", QWEN2),
            ("qwen2.5-coder:7b", QWEN2),
            ("mistralai/Mistral-Nemo-Instruct-2407", MISTRAL_V3),
            ("z-ai/glm-4.6", GLM4),
            ("GLM-5.1", GLM5),
        ] {
            assert_eq!(row(name), exact(vocabulary), "{name}");
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
            assert_eq!(row(name), CLAUDE, "{name}");
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
            assert_eq!(row(name), about(O200K), "{name}");
        }
        assert_eq!(row("qwen3.5-plus"), about(QWEN2));
        assert_eq!(row("deepseek-r1:8b"), about(DEEPSEEK_V3));
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

    #[test]
    fn decision_1_a_model_whose_vocabulary_is_left_out_is_refused_or_said_to_be_inexact() {
        for (prefix, row) in MODELS {
            let (strict, lenient) = (embedded_model(prefix), for_model(prefix));
            assert_eq!(lenient.cost_factor, row.cost_factor, "{prefix}");
            match Vocabulary::embedded(row.vocabulary) {
                Ok(vocabulary) => {
                    assert_eq!((lenient.vocabulary, lenient.exact), (vocabulary, row.exact));
                    assert_eq!(strict, Ok(lenient), "{prefix}");
                }
                Err(left_out) => {
                    assert_eq!((lenient.vocabulary, lenient.exact), (Vocabulary::default(), false));
                    assert_eq!(strict, Err(left_out), "{prefix}");
                }
            }
        }
    }
}
