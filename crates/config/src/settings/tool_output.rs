//! What is done to tool results: `pipes.tool_output` in the file.

use super::Choice;
use crate::Secret;
use http::Uri;
use std::time::Duration;
use tokenforge_engine::DictionaryMethod;
use tokenforge_engine::reference::ExpandHint;
use tokenforge_engine::tool::SkipTools;
use tokenforge_engine::{Mode, ModelClass, Stc2Policy};
use tokenforge_formats::Form;

/// What is done to tool results: the deterministic stages by `mode`, then what `strategy` may shorten further.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// Is anything done at all?
    pub enabled: bool,
    /// How much the stages do.
    pub mode: Mode,
    /// Which dictionary method the aggressive mode uses.
    pub method: DictionaryMethod,
    /// Are secrets removed from tool results?
    pub redact_secrets: bool,
    /// How many bytes of a result are kept, by the modes that cap; unless set, 64 KiB where the rest can be fetched back.
    pub max_output_bytes: Option<usize>,
    /// The forms that JSON may take.
    pub json_formats: Vec<JsonForm>,
    /// How well models read what is written in other words.
    pub model_class: ModelClassSetting,
    /// May a result become a pointer to an equal one of its request, or of an earlier request of its session?
    pub dedup: bool,
    /// Tools whose results are only redacted: categories, else exact names.
    pub skip_tools: Vec<String>,
    /// What shortens what is still large after the stages.
    pub strategy: Strategy,
    /// What happens when the strategy fails.
    pub fallback_strategy: Fallback,
    /// The name in `providers` that the strategy `external_provider` asks.
    pub provider: Option<String>,
    /// The service that the strategy `api` asks.
    pub api: Api,
    /// Results up to this many bytes are not given to the strategy.
    pub min_bytes: usize,
    /// Results above this many bytes are not given to the strategy.
    pub max_bytes: usize,
    /// How small the strategy's result must be, as a part of what it was given.
    pub target_ratio: Option<f64>,
    /// May the model fetch back what was left out? Without it nothing is left out.
    pub enable_expand_context: bool,
    /// Does a line under a reference say how to fetch back what was left out?
    pub include_expand_hint: bool,
    /// When the tool `expand_context` is offered.
    pub expand_injection: ExpandInjection,
    /// How a model fetches back what was left out, where it has a shell on this machine.
    pub expand_by: ExpandBy,
    /// When old results become references.
    pub old_results: OldResults,
    /// How many calls of the strategy may run at once.
    pub max_concurrent: usize,
    /// How many calls of the strategy may start in a second.
    pub rate_per_second: usize,
    /// How long the stages may take for a request before the original goes on: a last resort, fixed for users.
    pub deadline: Duration,
}

impl Default for ToolOutput {
    fn default() -> Self {
        ToolOutput {
            enabled: true,
            mode: Mode::default(),
            method: DictionaryMethod::default(),
            redact_secrets: true,
            max_output_bytes: None,
            json_formats: vec![JsonForm::Json, JsonForm::Toon, JsonForm::Stc, JsonForm::Table],
            model_class: ModelClassSetting::default(),
            dedup: true,
            skip_tools: Vec::new(),
            strategy: Strategy::default(),
            fallback_strategy: Fallback::default(),
            provider: None,
            api: Api::default(),
            min_bytes: 2048,
            max_bytes: 65_536,
            target_ratio: None,
            enable_expand_context: true,
            include_expand_hint: false,
            expand_injection: ExpandInjection::default(),
            expand_by: ExpandBy::default(),
            old_results: OldResults::default(),
            max_concurrent: 10,
            rate_per_second: 20,
            deadline: Duration::from_secs(5),
        }
    }
}

impl ToolOutput {
    /// What the engine is to do, by the default counter.
    #[must_use]
    pub fn engine_settings(&self) -> tokenforge_engine::Settings {
        tokenforge_engine::Settings {
            mode: if self.enabled { self.mode } else { Mode::Disabled },
            method: self.method,
            redact_secrets: self.redact_secrets,
            max_output_bytes: self.max_output_bytes,
            json_formats: self.json_formats.iter().map(|form| form.form()).collect(),
            stc2: JsonForm::stc2(&self.json_formats),
            model_class: self.model_class.class().unwrap_or_default(),
            dedup: self.dedup,
            skip_tools: SkipTools::parse(&self.skip_tools),
            expand_hint: self.include_expand_hint.then_some(ExpandHint::Tool),
            ..tokenforge_engine::Settings::default()
        }
    }
}

/// How well models read what is written in other words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ModelClassSetting {
    /// As the name of the model says.
    #[default]
    Auto,
    /// Everything.
    Large,
    /// Plain text and JSON.
    Small,
}

impl ModelClassSetting {
    /// The class, if it does not depend on the model.
    #[must_use]
    pub fn class(self) -> Option<ModelClass> {
        match self {
            Self::Auto => None,
            Self::Large => Some(ModelClass::Large),
            Self::Small => Some(ModelClass::Small),
        }
    }
}

impl Choice for ModelClassSetting {
    const ALL: &'static [Self] = &[Self::Auto, Self::Large, Self::Small];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Large => "large",
            Self::Small => "small",
        }
    }
}

/// A form that JSON may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonForm {
    /// Minified JSON.
    Json,
    /// TOON.
    Toon,
    /// STC 2, at the level with the fewest tokens.
    Stc,
    /// STC 1.
    Stc1,
    /// STC 2 at level 2, in every mode.
    Stc2,
    /// STC 2 at level 3, in every mode.
    Stc2Shared,
    /// The typed table.
    Table,
}

impl JsonForm {
    fn form(self) -> Form {
        match self {
            Self::Json => Form::Json,
            Self::Toon => Form::Toon,
            Self::Stc | Self::Stc1 | Self::Stc2 | Self::Stc2Shared => Form::Stc,
            Self::Table => Form::Table,
        }
    }

    /// What a list says of STC 2. Who names more than one STC may be given any of them.
    fn stc2(forms: &[Self]) -> Stc2Policy {
        let known = [
            (Self::Stc2Shared, Stc2Policy::Shared),
            (Self::Stc, Stc2Policy::Auto),
            (Self::Stc2, Stc2Policy::Nested),
        ];
        let named = known.into_iter().find(|(form, _)| forms.contains(form));
        named.map_or(Stc2Policy::Never, |(_, stc2)| stc2)
    }
}

impl Choice for JsonForm {
    const ALL: &'static [Self] =
        &[Self::Json, Self::Toon, Self::Stc, Self::Stc1, Self::Stc2, Self::Stc2Shared, Self::Table];

    fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Toon => "toon",
            Self::Stc => "stc",
            Self::Stc1 => "stc1",
            Self::Stc2 => "stc2",
            Self::Stc2Shared => "stc2_shared",
            Self::Table => "table",
        }
    }
}

/// A service that shortens tool results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Api {
    /// Where it is.
    pub endpoint: Option<Uri>,
    /// The key it asks for.
    pub api_key: Option<Secret>,
    /// The model it is to use.
    pub model: Option<String>,
    /// How long it may take.
    pub timeout: Duration,
    /// Is it asked without saying what the result is for?
    pub query_agnostic: bool,
}

impl Default for Api {
    fn default() -> Self {
        Api {
            endpoint: None,
            api_key: None,
            model: None,
            timeout: Duration::from_secs(30),
            query_agnostic: false,
        }
    }
}

/// What shortens a result that is still large after the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// Nothing.
    #[default]
    Passthrough,
    /// Its first words are kept.
    Simple,
    /// A service is asked.
    Api,
    /// A model is asked.
    ExternalProvider,
}

impl Choice for Strategy {
    const ALL: &'static [Self] =
        &[Self::Passthrough, Self::Simple, Self::Api, Self::ExternalProvider];

    fn name(self) -> &'static str {
        match self {
            Self::Passthrough => "passthrough",
            Self::Simple => "simple",
            Self::Api => "api",
            Self::ExternalProvider => "external_provider",
        }
    }
}

/// What happens when the strategy fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Fallback {
    /// The result goes on without it.
    #[default]
    Passthrough,
    /// The first words are kept.
    Simple,
    /// The client gets an error.
    Error,
}

impl Choice for Fallback {
    const ALL: &'static [Self] = &[Self::Passthrough, Self::Simple, Self::Error];

    fn name(self) -> &'static str {
        match self {
            Self::Passthrough => "passthrough",
            Self::Simple => "simple",
            Self::Error => "error",
        }
    }
}

/// When old results become references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OldResults {
    /// In a request for which the provider's prompt cache must be cold, and in all that follow it.
    #[default]
    WhenCold,
    /// Never.
    Never,
}

impl Choice for OldResults {
    const ALL: &'static [Self] = &[Self::WhenCold, Self::Never];

    fn name(self) -> &'static str {
        match self {
            Self::WhenCold => "when_cold",
            Self::Never => "never",
        }
    }
}

/// How a model fetches back what was left out. The shell is one that runs commands on this machine, unasked and outside any
/// sandbox; where there is none, `auto` is `tool` and `shell` leaves nothing out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ExpandBy {
    /// By the tool where that is offered, by the shell elsewhere.
    #[default]
    Auto,
    /// By the tool alone.
    Tool,
    /// By the shell alone.
    Shell,
}

impl Choice for ExpandBy {
    const ALL: &'static [Self] = &[Self::Auto, Self::Tool, Self::Shell];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Tool => "tool",
            Self::Shell => "shell",
        }
    }
}

/// When the tool `expand_context` is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ExpandInjection {
    /// From the first request on, where a tool runs commands and tools and system prompt are at least a hundred times as
    /// large as its definition; elsewhere nothing is left out.
    #[default]
    WhenItPays,
    /// In every request with tools, so that the provider's prompt cache stays warm.
    FromStart,
    /// In requests that have a reference.
    WhenReferenced,
}

impl Choice for ExpandInjection {
    const ALL: &'static [Self] = &[Self::WhenItPays, Self::FromStart, Self::WhenReferenced];

    fn name(self) -> &'static str {
        match self {
            Self::WhenItPays => "when_it_pays",
            Self::FromStart => "from_start",
            Self::WhenReferenced => "when_referenced",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_say_which_stc_models_are_given() {
        for (forms, stc2) in [
            (&[JsonForm::Json, JsonForm::Stc][..], Stc2Policy::Auto),
            (&[JsonForm::Stc1, JsonForm::Toon], Stc2Policy::Never),
            (&[JsonForm::Stc2], Stc2Policy::Nested),
            (&[JsonForm::Stc1, JsonForm::Stc2Shared], Stc2Policy::Shared),
            (&[JsonForm::Json], Stc2Policy::Never),
        ] {
            let settings = ToolOutput { json_formats: forms.to_vec(), ..ToolOutput::default() };
            assert_eq!(settings.engine_settings().stc2, stc2, "{forms:?}");
        }
        let usual = ToolOutput::default().engine_settings();
        assert_eq!((usual.json_formats, usual.stc2), (Form::ALL.to_vec(), Stc2Policy::Auto));
    }
}
