//! How many tokens is this text?
//!
//! Every decision of Tokenforge ends in that question: a replacement is used only when a real
//! tokenizer says it is smaller (law L2). This crate answers it offline, from vocabularies
//! embedded in the binary, and stops counting as soon as the answer is known.
//!
//! [`Counter`] is the type to know. It is a small `Copy` value; making one costs nothing. The
//! vocabulary's table is built once for the whole process, when something is first counted or
//! when [`Counter::warm`] is called, typically from a background thread at start.
//!
//! ```
//! use tokenforge_tokens::{Counter, Vocabulary, for_model};
//!
//! let counter = Counter::default(); // exact, o200k
//! assert_eq!(counter.count("hello world"), 2);
//! assert!(counter.is_cheaper(r#"{"id":1}"#, "{\n    \"id\": 1\n}"));
//! assert_eq!(counter.count_within("one two three four", 3), None);
//!
//! let model = for_model("openai/gpt-4-turbo-2024-04-09");
//! assert_eq!(model.vocabulary, Vocabulary::Cl100k);
//! assert!(model.exact);
//!
//! let claude = for_model("us.anthropic.claude-sonnet-4-5-20250929-v1:0");
//! assert!(!claude.exact); // no public tokenizer: say "about" wherever this is shown
//! ```
//!
//! | file | its one idea |
//! |---|---|
//! | `vocabulary` | the tokenizers in the binary and their names |
//! | `model` | which of them a model is counted with, and whether that is exact |
//! | `class` | what a model reads as well as the original |
//! | `counter` | the questions: how many, at most this many, which is fewer |
//! | `meter` | counting a text piece by piece, and stopping early |
//! | `floor` | how many tokens a text has at least, seen from its bytes alone |
//! | `seam` | where a text may be cut without changing its count |
//! | `interrupt` | long loops that are stopped when they take too many steps or too long |
//! | `estimate` | the heuristic, for callers that prefer speed to exactness |
//!
//! # Features
//!
//! Each vocabulary is a feature: `o200k`, `cl100k`, `llama3`, `deepseek_v3`, `qwen2`, `mistral_v3`, `glm4`, `glm5`. The
//! default is all of them. A model whose vocabulary is left out is refused by [`embedded_model`], and counted with the
//! default vocabulary by [`for_model`], which then says that it is not exact; a name that is read answers with an error
//! that names the feature.
//!
//! # What it never does
//!
//! - It never fails on text: any `&str` has a count, and what looks like a special token
//!   (`<|endoftext|>`) is ordinary text, as it is for a provider that receives it in a message.
//! - It never reads a file, the network, the clock or the environment, and never logs.
//! - It never decides by an approximation unasked: [`Counter::Estimate`] is chosen by the caller,
//!   and [`Model::cost_factor`] is for cost figures only.

mod class;
mod counter;
mod estimate;
mod floor;
pub mod interrupt;
mod meter;
mod model;
mod seam;
mod vocabulary;

#[cfg(test)]
#[path = "../tests/texts/mod.rs"]
mod texts;

pub use class::{DocumentKind, ModelClass, ReadableForms, UnknownModelClass};
pub use counter::Counter;
pub use model::{Model, embedded_model, for_model};
pub use vocabulary::{Vocabulary, VocabularyError, VocabularyLeftOut};
