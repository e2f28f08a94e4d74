//! The engine's settings: what the caller asks for.

use crate::mode::Mode;
use crate::reference::ExpandHint;
use crate::stages::dictionary::DictionaryMethod;
use crate::tool::SkipTools;
use tokenforge_formats::Form;
use tokenforge_formats::stc2::Level;
use tokenforge_tokens::{Counter, DocumentKind, ModelClass};
use xxhash_rust::xxh3::xxh3_64;

/// Outputs below this many bytes are left as they are by all but redaction: nothing is to be gained.
pub const FLOOR_BYTES: usize = 128;

/// Outputs above this many bytes are only redacted and capped: a bound on work, since text made to be slow goes through at a
/// few megabytes a second. Memory is bounded by `density.rs`.
pub const CEILING_BYTES: usize = 2 << 20;

/// The cap unless told otherwise.
pub const DEFAULT_MAX_OUTPUT_BYTES: usize = 65_536;

/// The highest cap that a request may ask for.
pub(crate) const LARGEST_MAX_OUTPUT_BYTES: usize = 1_048_576;

/// What is to be done to tool outputs.
///
/// There will be more of them: name those that you set, and take `..Settings::default()` for the rest. For the sake of
/// that it is not `non_exhaustive`, which forbids it outside of this crate.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How much is done.
    pub mode: Mode,
    /// Which dictionary method the aggressive mode uses.
    pub method: DictionaryMethod,
    /// Are secrets removed? In every mode but `disabled` and `lossless`.
    pub redact_secrets: bool,
    /// How many bytes of an output are kept, by the modes that cap: a limit that the caller set, which holds in any case.
    /// `None`: [`DEFAULT_MAX_OUTPUT_BYTES`], where what is cut off can be fetched back, and else all of them.
    pub max_output_bytes: Option<usize>,
    /// The forms that JSON may take.
    pub json_formats: Vec<Form>,
    /// Where STC is among them: may it be version 2?
    pub stc2: Stc2Policy,
    /// The line behind a reference that says how to use it, if there is to be one.
    pub expand_hint: Option<ExpandHint>,
    /// May a result become a pointer to an earlier one, of its request or of its session?
    pub dedup: bool,
    /// Tools whose results are only redacted.
    pub skip_tools: SkipTools,
    /// Stages that are not run, by name: what one of them is worth is measured by leaving it out.
    pub skip_stages: Vec<String>,
    /// Who counts the tokens.
    pub counter: Counter,
    /// How well the model reads what is written in other words.
    pub model_class: ModelClass,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            mode: Mode::default(),
            method: DictionaryMethod::default(),
            redact_secrets: true,
            max_output_bytes: None,
            json_formats: Form::ALL.to_vec(),
            stc2: Stc2Policy::default(),
            expand_hint: None,
            dedup: true,
            skip_tools: SkipTools::default(),
            skip_stages: Vec::new(),
            counter: Counter::default(),
            model_class: ModelClass::default(),
        }
    }
}

impl Settings {
    /// Is a stage not to be run?
    #[must_use]
    pub(crate) fn skips_stage(&self, name: &str) -> bool {
        self.skip_stages.iter().any(|skipped| skipped == name)
    }

    /// The forms that JSON may take whatever it is like, with the versions and levels of STC that a model gets.
    #[must_use]
    pub fn json_forms(&self) -> Vec<Form> {
        self.readable_forms(DocumentKind::ALL)
    }

    /// The forms that a document of this kind may take.
    #[must_use]
    pub fn json_forms_for(&self, documents: DocumentKind) -> Vec<Form> {
        self.readable_forms(&[documents])
    }

    /// Is minified JSON, which takes the place of every form that is no shorter, read as well as the original?
    #[must_use]
    pub fn reads_minified(&self, documents: DocumentKind) -> bool {
        self.model_class.reads().includes_form(Form::Json.name(), documents)
    }

    fn readable_forms(&self, documents: &[DocumentKind]) -> Vec<Form> {
        let reads = self.model_class.reads();
        let written = |form: &Form| match form {
            Form::Stc => self.stc_forms(),
            form => vec![*form],
        };
        let is_readable = |form: &Form| match form {
            // To those who read tables it is worth nothing, so nothing but a measurement lets it in.
            Form::StcFlat => {
                documents.iter().all(|kind| reads.is_shown_to_read(form.name(), *kind))
            }
            form => documents.iter().all(|kind| reads.includes_form(form.name(), *kind)),
        };
        self.json_formats.iter().flat_map(written).filter(is_readable).collect()
    }

    /// The forms of STC that a model may be given. Of the levels of version 2 the one with the fewest tokens is used: over 150
    /// outputs level 2 alone saved 36 %, either by tokens 46 %.
    fn stc_forms(&self) -> Vec<Form> {
        let levels: &[Level] = match self.stc2 {
            Stc2Policy::Never => return vec![Form::Stc, Form::StcFlat],
            Stc2Policy::Auto => &[Level::Shared, Level::Nested],
            Stc2Policy::Nested => &[Level::Nested],
            Stc2Policy::Shared => &[Level::Shared],
        };
        levels.iter().copied().map(Form::Stc2ForModel).chain([Form::StcFlat]).collect()
    }

    /// The STC that a client gets which asked for it by name.
    #[must_use]
    pub fn stc_form(&self) -> Form {
        match self.stc2 {
            Stc2Policy::Never => Form::Stc,
            Stc2Policy::Auto if self.mode == Mode::Aggressive => Form::Stc2(Level::Shared),
            Stc2Policy::Auto => Form::Stc2(Level::Nested),
            Stc2Policy::Nested => Form::Stc2(Level::Nested),
            Stc2Policy::Shared => Form::Stc2(Level::Shared),
        }
    }

    /// Tells settings apart that may lead to another text. What is remembered in a shared store is found by it, so it
    /// must be the same in every build: a written hash of a written text, not what a compiler makes of types.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        xxh3_64(self.spelling().as_bytes())
    }

    /// All of them as one text, each with its name and an end of its own.
    fn spelling(&self) -> String {
        let Settings {
            mode,
            method,
            redact_secrets,
            max_output_bytes,
            json_formats,
            stc2,
            expand_hint,
            dedup,
            skip_tools,
            skip_stages,
            counter,
            model_class,
        } = self;
        let mut text = format!(
            "mode={mode}\nmethod={method}\nredact_secrets={redact_secrets}\nstc2={}\n",
            stc2.name()
        );
        let limit = max_output_bytes.map(|bytes| format!("max_output_bytes={bytes}\n"));
        let hint = expand_hint.map(|hint| format!("expand_hint={}\n", hint.line()));
        // Only what is not the default is written, so that what was remembered before there was a choice is still found.
        let dedup = (!dedup).then(|| "dedup=false\n".to_owned());
        let forms = json_formats.iter().map(|form| format!("json_format={}\n", form_name(*form)));
        let skipped =
            skip_tools.entries().map(|entry| format!("skip_tool={}:{entry}\n", entry.len()));
        let stages = skip_stages.iter().map(|stage| format!("skip_stage={stage}\n"));
        let counter = match counter {
            Counter::Exact(vocabulary) => format!("counter={}\n", vocabulary.name()),
            _ => "counter=estimate\n".to_owned(),
        };
        // What was remembered before there were classes was made for large models.
        let is_usual = *model_class == ModelClass::default();
        let class = (!is_usual).then(|| format!("model_class={model_class}\n"));
        text.extend(limit.into_iter().chain(hint).chain(dedup).chain(class));
        text.extend(forms.chain(skipped).chain(stages).chain([counter]));
        text
    }
}

/// The name of a form, with its level where it has one.
fn form_name(form: Form) -> String {
    match form {
        Form::Stc2(level) | Form::Stc2ForModel(level) => format!("stc2 level {}", level.number()),
        form => form.name().to_owned(),
    }
}

/// May JSON become STC 2, and how much does it factor out?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Stc2Policy {
    /// No: the reader knows STC 1.
    Never,
    /// Whatever level has the fewest tokens.
    #[default]
    Auto,
    /// Level 2 in every mode.
    Nested,
    /// Level 3 in every mode: also prefixes, templates, ditto marks and references.
    Shared,
}

impl Stc2Policy {
    fn name(self) -> &'static str {
        match self {
            Stc2Policy::Never => "never",
            Stc2Policy::Auto => "auto",
            Stc2Policy::Nested => "nested",
            Stc2Policy::Shared => "shared",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_decides_how_much_stc_2_factors_out() {
        let settings = |mode, stc2| Settings { mode, stc2, ..Settings::default() };
        let standard = settings(Mode::Standard, Stc2Policy::Auto);
        assert_eq!(standard.stc_form(), Form::Stc2(Level::Nested));
        let aggressive = settings(Mode::Aggressive, Stc2Policy::Auto);
        assert_eq!(aggressive.stc_form(), Form::Stc2(Level::Shared));
        assert_eq!(settings(Mode::Aggressive, Stc2Policy::Never).stc_form(), Form::Stc);
        assert_eq!(
            settings(Mode::Standard, Stc2Policy::Shared).stc_form(),
            Form::Stc2(Level::Shared)
        );
    }

    #[test]
    fn without_stc_there_is_no_stc_2() {
        let settings = Settings { json_formats: vec![Form::Toon], ..Settings::default() };
        assert_eq!(settings.json_forms(), [Form::Toon]);
    }

    /// What is remembered in a shared store is found by this: other values orphan it.
    #[test]
    fn d23_the_fingerprint_is_the_same_in_every_build() {
        let full = Settings {
            mode: Mode::Aggressive,
            method: DictionaryMethod::Repair,
            redact_secrets: false,
            max_output_bytes: Some(9_000),
            json_formats: vec![Form::Toon, Form::Stc2(Level::Shared)],
            stc2: Stc2Policy::Shared,
            expand_hint: Some(ExpandHint::Tool),
            dedup: true,
            skip_tools: SkipTools::parse(["read", "get \"x\"\n"]),
            skip_stages: Vec::new(),
            counter: Counter::Estimate,
            model_class: ModelClass::Large,
        };
        assert_eq!(
            Settings::default().spelling(),
            "mode=standard\nmethod=lzw\nredact_secrets=true\nstc2=auto\njson_format=json\n\
             json_format=toon\njson_format=stc\njson_format=table\ncounter=o200k_base\n"
        );
        let prints = [Settings::default().fingerprint(), full.fingerprint()];
        assert_eq!(prints, [0x7a3f_b705_cc90_612f, 0x12af_ad12_e207_1011], "{prints:x?}");
    }

    #[test]
    fn settings_that_differ_have_other_fingerprints() {
        let settings = Settings::default;
        let others = [
            Settings { mode: Mode::Safe, ..settings() },
            Settings { method: DictionaryMethod::Auto, ..settings() },
            Settings { redact_secrets: false, ..settings() },
            Settings { max_output_bytes: Some(DEFAULT_MAX_OUTPUT_BYTES), ..settings() },
            Settings { json_formats: vec![Form::Json], ..settings() },
            Settings { stc2: Stc2Policy::Never, ..settings() },
            Settings { expand_hint: Some(ExpandHint::Command), ..settings() },
            Settings { dedup: false, ..settings() },
            Settings { skip_tools: SkipTools::parse(["read"]), ..settings() },
            Settings { skip_stages: vec!["json".to_owned()], ..settings() },
            Settings { counter: Counter::Estimate, ..settings() },
            Settings { model_class: ModelClass::Small, ..settings() },
        ];
        let mut prints: Vec<u64> = others.iter().map(Settings::fingerprint).collect();
        prints.push(settings().fingerprint());
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), others.len() + 1);
    }
}
