//! The tokenizers in the binary and their names.

use std::fmt;
use std::str::FromStr;

use tiktoken::CoreBpe;

/// A tokenizer vocabulary embedded in the binary.
///
/// One variant per table of merges. Names that differ only in special tokens, which count as
/// ordinary text here, are accepted by [`FromStr`] and mean the table they share:
/// `o200k_harmony`, `deepseek_v4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Vocabulary {
    /// `o200k_base`: GPT-4o and later, o-series, gpt-oss; the default.
    #[default]
    O200k,
    /// `cl100k_base`: GPT-4, GPT-3.5, embeddings.
    Cl100k,
    /// `llama3`: Llama 3 to 3.3.
    Llama3,
    /// `deepseek_v3`: DeepSeek V3, R1 and V4.
    DeepseekV3,
    /// `qwen2`: Qwen 2, 2.5 and 3.
    Qwen2,
    /// `mistral_v3`: Mistral's Tekken.
    MistralV3,
    /// `glm4`: GLM 4.x.
    Glm4,
    /// `glm5`: GLM 5.x.
    Glm5,
}

/// Names whose table is another name's, special tokens aside.
const ALIASES: &[(&str, Vocabulary)] =
    &[("o200k_harmony", Vocabulary::O200k), ("deepseek_v4", Vocabulary::DeepseekV3)];

impl Vocabulary {
    /// Every vocabulary, the default first.
    pub const ALL: &[Vocabulary] = &[
        Vocabulary::O200k,
        Vocabulary::Cl100k,
        Vocabulary::Llama3,
        Vocabulary::DeepseekV3,
        Vocabulary::Qwen2,
        Vocabulary::MistralV3,
        Vocabulary::Glm4,
        Vocabulary::Glm5,
    ];

    /// The full name, as its makers write it: `o200k_base`.
    pub fn name(self) -> &'static str {
        match self {
            Vocabulary::O200k => "o200k_base",
            Vocabulary::Cl100k => "cl100k_base",
            Vocabulary::Llama3 => "llama3",
            Vocabulary::DeepseekV3 => "deepseek_v3",
            Vocabulary::Qwen2 => "qwen2",
            Vocabulary::MistralV3 => "mistral_v3",
            Vocabulary::Glm4 => "glm4",
            Vocabulary::Glm5 => "glm5",
        }
    }

    /// The name without `_base`, for people who type.
    fn short(self) -> &'static str {
        let name = self.name();
        name.strip_suffix("_base").unwrap_or(name)
    }

    /// The table, built by the first caller in the process; later ones get the same.
    pub(crate) fn table(self) -> &'static CoreBpe {
        tiktoken::get_encoding(self.name())
            .expect("Cargo.toml takes every one of these; `every_vocabulary_is_embedded` checks")
    }
}

impl fmt::Display for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Vocabulary {
    type Err = UnknownVocabulary;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let is = |name: &str| name.eq_ignore_ascii_case(given);
        Vocabulary::ALL
            .iter()
            .find(|vocabulary| is(vocabulary.name()) || is(vocabulary.short()))
            .or_else(|| {
                ALIASES.iter().find(|(alias, _)| is(alias)).map(|(_, vocabulary)| vocabulary)
            })
            .copied()
            .ok_or_else(|| UnknownVocabulary { given: given.to_owned() })
    }
}

/// A name that is no [`Vocabulary`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown vocabulary {given:?}, expected one of: {}", allowed_names())]
pub struct UnknownVocabulary {
    given: String,
}

fn allowed_names() -> String {
    Vocabulary::ALL
        .iter()
        .map(|vocabulary| vocabulary.short())
        .chain(ALIASES.iter().map(|(alias, _)| *alias))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vocabulary_is_embedded() {
        for vocabulary in Vocabulary::ALL {
            assert!(vocabulary.table().count("hello") > 0, "{vocabulary}");
        }
    }

    #[test]
    fn no_token_is_longer_than_the_bound_says() {
        for vocabulary in Vocabulary::ALL {
            let table = vocabulary.table();
            let ids = 0..table.vocab_size() as u32 + 1000;
            let longest = ids.map(|id| table.decode(&[id]).len()).max().unwrap_or_default();
            assert!(
                (4..=crate::meter::LONGEST_TOKEN).contains(&longest),
                "{vocabulary}: {longest}"
            );
        }
    }

    #[test]
    fn every_embedded_encoding_has_a_name_here() {
        for name in tiktoken::list_encodings() {
            assert!(name.parse::<Vocabulary>().is_ok(), "{name}");
        }
    }

    #[test]
    fn an_alias_counts_as_its_vocabulary() {
        let text = "fn main() { println!(\"héllo 你好 {}\", 12345); }\r\n\t<|im_end|><think> ½";
        for (alias, vocabulary) in ALIASES {
            let alone = tiktoken::get_encoding(alias).expect("listed");
            assert_eq!(alone.encode(text), vocabulary.table().encode(text), "{alias}");
        }
    }

    #[test]
    fn names_parse_back_full_short_and_in_any_case() {
        for &vocabulary in Vocabulary::ALL {
            assert_eq!(vocabulary.to_string().parse(), Ok(vocabulary));
            assert_eq!(vocabulary.short().to_uppercase().parse(), Ok(vocabulary));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_allowed_ones() {
        let error = "o300k".parse::<Vocabulary>().expect_err("no such name");
        let message = error.to_string();
        assert!(message.contains("\"o300k\""), "{message}");
        for name in ["o200k", "cl100k", "qwen2", "glm5", "deepseek_v4"] {
            assert!(message.contains(name), "{name} not in: {message}");
        }
    }
}
