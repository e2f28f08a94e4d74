//! The engine as a person asks for it: which mode, which tool, and where originals are kept.

use crate::arguments::Vocabulary;
use crate::{data, filters, output, values};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fmt::Display;
use tokenforge_engine::DictionaryMethod;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::tool::SkipTools;
use tokenforge_engine::{CompressedOutput, Engine, History, Mode, Output, Settings, Vault};
use tokenforge_store::{DiskStore, EntryKind, Store};

/// Whose originals the command line keeps.
pub(crate) const TENANT: &str = "local";

/// The agent that is meant if none is named.
const USUAL_AGENT: &str = "claude";

/// What the engine is told about an output.
#[derive(Args)]
pub(crate) struct EngineArguments {
    /// How much to do
    #[arg(long, value_name = "MODE", default_value_t = Mode::Standard, value_parser = values::modes())]
    pub(crate) mode: Mode,

    /// The dictionary for mode aggressive
    #[arg(long, value_name = "METHOD", default_value_t = DictionaryMethod::Lzw, value_parser = values::methods())]
    method: DictionaryMethod,

    /// The agent's tool that made the output, such as Bash or read_file [default: a shell]
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,

    /// The command line that made the output
    #[arg(long, value_name = "LINE")]
    command: Option<String>,

    /// The agent whose shell made the output, if --tool is not given
    #[arg(long, value_parser = agents_with_shell())]
    client: Option<String>,

    /// The tool reported an error: leave nothing out
    #[arg(long)]
    error: bool,

    /// Cap the output at this many bytes [default: 65536 if the rest can be stored]
    #[arg(long, value_name = "BYTES")]
    max_output_bytes: Option<usize>,

    /// Leave this stage out; can be given again
    #[arg(long, value_name = "STAGE", value_parser = values::stages())]
    without: Vec<String>,

    /// Keep what looks like a secret
    #[arg(long)]
    keep_secrets: bool,

    #[command(flatten)]
    vocabulary: Vocabulary,
}

/// The agents whose shell is known by name.
fn agents_with_shell() -> PossibleValuesParser {
    let agents = tokenforge_agents::all().iter().filter(|agent| agent.shell.is_some());
    PossibleValuesParser::new(agents.map(|agent| agent.id.as_str()))
}

impl EngineArguments {
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            mode: self.mode,
            method: self.method,
            redact_secrets: !self.keep_secrets,
            max_output_bytes: self.max_output_bytes,
            skip_tools: SkipTools::default(),
            skip_stages: self.without.clone(),
            counter: self.vocabulary.counter(),
            ..Settings::default()
        }
    }

    /// Takes a text through the engine. What is left out of it is stored first; where it cannot be, nothing is.
    /// With `is_traced`, the record has the tokens before and after every stage.
    pub(crate) fn compress(
        &self,
        text: &str,
        settings: &Settings,
        is_traced: bool,
    ) -> anyhow::Result<CompressedOutput> {
        let filters = filters::load()?;
        let arguments = match &self.command {
            Some(line) => serde_json::json!({ "command": line }).to_string(),
            None => String::new(),
        };
        let output = Output {
            text,
            tool: self.tool.as_deref().unwrap_or_else(|| self.shell()),
            arguments: &arguments,
            call: None,
            is_error: self.error,
        };
        let engine = Engine::new(settings).with_filters(&filters);
        let engine = if is_traced { engine.with_trace() } else { engine };
        let Some((store, key)) = self.vault() else {
            return Ok(engine.compress(&output, &History::default()));
        };
        let lossy = engine.with_vault(Vault::for_reader(&key));
        let compressed = lossy.compress(&output, &History::default());
        let Some(original) = &compressed.original else { return Ok(compressed) };
        let id = original.reference.to_string();
        match store.put(EntryKind::Original, TENANT, &id, original.text(text).as_bytes()) {
            Ok(()) => Ok(compressed),
            Err(error) => {
                self.note(&error);
                Ok(engine.compress(&output, &History::default()))
            }
        }
    }

    /// What the agent calls its shell.
    fn shell(&self) -> &'static str {
        let agent = tokenforge_agents::find(self.client.as_deref().unwrap_or(USUAL_AGENT));
        agent.and_then(|agent| agent.shell.as_deref()).unwrap_or_default()
    }

    /// Where originals are kept, if the mode may need it and it can be had.
    fn vault(&self) -> Option<(DiskStore, ReferenceSecret)> {
        if !self.mode.leaves_out() && self.mode != Mode::Safe {
            return None;
        }
        let opened =
            data::store().and_then(|store| Ok((ReferenceSecret::from_bytes(store.key()?), store)));
        match opened {
            Ok((key, store)) => Some((store, key)),
            Err(error) => {
                self.note(&format!("{error:#}"));
                None
            }
        }
    }

    /// Says what it means that nothing can be stored.
    fn note(&self, error: &dyn Display) {
        match self.max_output_bytes {
            Some(_) => output::tell(&format!(
                "note: {error}; nothing is left out except what exceeds --max-output-bytes, which is lost"
            )),
            None => output::tell(&format!("note: {error}; so nothing is left out")),
        }
    }
}
