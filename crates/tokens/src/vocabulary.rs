//! The tokenizers in the binary and their names.
//!
//! Each is a feature of this crate, and the default is all of them. One that a build leaves out is no variant of
//! [`Vocabulary`], so that nothing can count with it by mistake; its name is still known, for an error that says so.

use std::fmt;
use std::str::FromStr;

use tiktoken::CoreBpe;

#[cfg(not(any(
    feature = "o200k",
    feature = "cl100k",
    feature = "llama3",
    feature = "deepseek_v3",
    feature = "qwen2",
    feature = "mistral_v3",
    feature = "glm4",
    feature = "glm5"
)))]
compile_error!(
    "tokenforge-tokens counts with at least one vocabulary: build it with one of the features o200k, cl100k, llama3, \
     deepseek_v3, qwen2, mistral_v3, glm4, glm5"
);

/// A tokenizer vocabulary embedded in the binary.
///
/// One variant per table of merges, and a feature for each. Names that differ only in special tokens, which count as
/// ordinary text here, are accepted by [`FromStr`] and mean the table they share:
/// `o200k_harmony`, `deepseek_v4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Vocabulary {
    /// `o200k_base`: GPT-4o and later, o-series, gpt-oss; the default.
    #[cfg(feature = "o200k")]
    O200k,
    /// `cl100k_base`: GPT-4, GPT-3.5, embeddings.
    #[cfg(feature = "cl100k")]
    Cl100k,
    /// `llama3`: Llama 3 to 3.3.
    #[cfg(feature = "llama3")]
    Llama3,
    /// `deepseek_v3`: DeepSeek V3, R1 and V4.
    #[cfg(feature = "deepseek_v3")]
    DeepseekV3,
    /// `qwen2`: Qwen 2, 2.5 and 3.
    #[cfg(feature = "qwen2")]
    Qwen2,
    /// `mistral_v3`: Mistral's Tekken.
    #[cfg(feature = "mistral_v3")]
    MistralV3,
    /// `glm4`: GLM 4.x.
    #[cfg(feature = "glm4")]
    Glm4,
    /// `glm5`: GLM 5.x.
    #[cfg(feature = "glm5")]
    Glm5,
}

/// The names of all vocabularies, whether they are in this build or not. Without `_base` they are the features.
pub(crate) mod names {
    pub(crate) const O200K: &str = "o200k_base";
    pub(crate) const CL100K: &str = "cl100k_base";
    pub(crate) const LLAMA3: &str = "llama3";
    pub(crate) const DEEPSEEK_V3: &str = "deepseek_v3";
    pub(crate) const QWEN2: &str = "qwen2";
    pub(crate) const MISTRAL_V3: &str = "mistral_v3";
    pub(crate) const GLM4: &str = "glm4";
    pub(crate) const GLM5: &str = "glm5";

    pub(crate) const ALL: &[&str] =
        &[O200K, CL100K, LLAMA3, DEEPSEEK_V3, QWEN2, MISTRAL_V3, GLM4, GLM5];
}

/// Names whose table is another name's, special tokens aside.
const ALIASES: &[(&str, &str)] =
    &[("o200k_harmony", names::O200K), ("deepseek_v4", names::DEEPSEEK_V3)];

impl Vocabulary {
    /// Every vocabulary of this build, the default first.
    pub const ALL: &[Vocabulary] = &[
        #[cfg(feature = "o200k")]
        Vocabulary::O200k,
        #[cfg(feature = "cl100k")]
        Vocabulary::Cl100k,
        #[cfg(feature = "llama3")]
        Vocabulary::Llama3,
        #[cfg(feature = "deepseek_v3")]
        Vocabulary::DeepseekV3,
        #[cfg(feature = "qwen2")]
        Vocabulary::Qwen2,
        #[cfg(feature = "mistral_v3")]
        Vocabulary::MistralV3,
        #[cfg(feature = "glm4")]
        Vocabulary::Glm4,
        #[cfg(feature = "glm5")]
        Vocabulary::Glm5,
    ];

    /// The full name, as its makers write it: `o200k_base`.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "o200k")]
            Vocabulary::O200k => names::O200K,
            #[cfg(feature = "cl100k")]
            Vocabulary::Cl100k => names::CL100K,
            #[cfg(feature = "llama3")]
            Vocabulary::Llama3 => names::LLAMA3,
            #[cfg(feature = "deepseek_v3")]
            Vocabulary::DeepseekV3 => names::DEEPSEEK_V3,
            #[cfg(feature = "qwen2")]
            Vocabulary::Qwen2 => names::QWEN2,
            #[cfg(feature = "mistral_v3")]
            Vocabulary::MistralV3 => names::MISTRAL_V3,
            #[cfg(feature = "glm4")]
            Vocabulary::Glm4 => names::GLM4,
            #[cfg(feature = "glm5")]
            Vocabulary::Glm5 => names::GLM5,
        }
    }

    /// The vocabulary of this name, which is one of [`names`], if this build has it.
    pub(crate) fn embedded(name: &'static str) -> Result<Self, VocabularyLeftOut> {
        let found = Vocabulary::ALL.iter().find(|vocabulary| vocabulary.name() == name);
        found.copied().ok_or(VocabularyLeftOut { name })
    }

    /// Whether it makes one piece of several spaces before a digit: it cuts digits out of a text first.
    pub(crate) fn cuts_digits_out(self) -> bool {
        self.name() == names::DEEPSEEK_V3
    }

    /// The table, built by the first caller in the process; later ones get the same.
    pub(crate) fn table(self) -> &'static CoreBpe {
        tiktoken::get_encoding(self.name()).expect(
            "the feature of a variant takes its table; `every_vocabulary_is_embedded` checks",
        )
    }
}

/// o200k; in a build without it, the first that there is.
impl Default for Vocabulary {
    fn default() -> Self {
        Vocabulary::ALL[0]
    }
}

/// The name without `_base`, for people who type.
fn short(name: &str) -> &str {
    name.strip_suffix("_base").unwrap_or(name)
}

impl fmt::Display for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Vocabulary {
    type Err = VocabularyError;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let is = |name: &str| name.eq_ignore_ascii_case(given);
        let known = names::ALL.iter().find(|name| is(name) || is(short(name))).copied();
        let aliased = || ALIASES.iter().find(|(alias, _)| is(alias)).map(|(_, name)| *name);
        match known.or_else(aliased) {
            Some(name) => Ok(Vocabulary::embedded(name)?),
            None => Err(VocabularyError::Unknown { given: given.to_owned() }),
        }
    }
}

/// Why a name stands for no [`Vocabulary`] here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// There is none of this name.
    #[error("unknown vocabulary {given:?}, expected one of: {}", allowed_names())]
    Unknown {
        /// What was given.
        given: String,
    },
    /// There is one, and this build leaves it out.
    #[error(transparent)]
    LeftOut(#[from] VocabularyLeftOut),
}

/// A vocabulary that this build leaves out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the vocabulary {name} is not in this build, which has: {}; it is the feature `{}` of tokenforge-tokens",
    allowed_names(),
    short(name)
)]
pub struct VocabularyLeftOut {
    name: &'static str,
}

fn allowed_names() -> String {
    let is_embedded = |name: &'static str| Vocabulary::embedded(name).is_ok();
    let aliases = ALIASES.iter().filter(|(_, name)| is_embedded(name)).map(|(alias, _)| *alias);
    let names = Vocabulary::ALL.iter().map(|vocabulary| short(vocabulary.name()));
    names.chain(aliases).collect::<Vec<_>>().join(", ")
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
            let Ok(vocabulary) = Vocabulary::embedded(vocabulary) else { continue };
            let alone = tiktoken::get_encoding(alias).expect("listed");
            assert_eq!(alone.encode(text), vocabulary.table().encode(text), "{alias}");
        }
    }

    #[test]
    fn names_parse_back_full_short_and_in_any_case() {
        for &vocabulary in Vocabulary::ALL {
            assert_eq!(vocabulary.to_string().parse(), Ok(vocabulary));
            assert_eq!(short(vocabulary.name()).to_uppercase().parse(), Ok(vocabulary));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_allowed_ones() {
        let error = "o300k".parse::<Vocabulary>().expect_err("no such name");
        let message = error.to_string();
        assert!(message.contains("\"o300k\""), "{message}");
        for vocabulary in Vocabulary::ALL {
            let name = short(vocabulary.name());
            assert!(message.contains(name), "{name} not in: {message}");
        }
    }

    #[test]
    fn a_name_that_this_build_leaves_out_is_answered_with_the_feature_that_brings_it() {
        for &name in names::ALL {
            match name.parse::<Vocabulary>() {
                Ok(vocabulary) => assert!(Vocabulary::ALL.contains(&vocabulary), "{name}"),
                Err(error) => {
                    let feature = format!("the feature `{}` of tokenforge-tokens", short(name));
                    assert!(error.to_string().contains(&feature), "{error}");
                    assert!(matches!(error, VocabularyError::LeftOut(_)), "{error:?}");
                }
            }
        }
    }
}
