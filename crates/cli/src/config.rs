//! `tokenforge config`: settings as they are understood.

use crate::output;
use crate::settings::{self, Source};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use tokenforge_config::{Overrides, schema, settings_table};

/// Check and show settings
#[derive(Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Say whether the settings can be used, and if not, what is wrong where
    Check(File),
    /// Print the settings as they are understood, without secrets
    Show(File),
    /// Print the JSON Schema of the settings file
    Schema,
    /// Print every setting with its default, flag and variable, as Markdown
    Table,
}

#[derive(Args)]
struct File {
    /// The settings file [default: tokenforge.yaml here, or in the folder for settings]
    file: Option<PathBuf>,
}

impl File {
    fn source(&self) -> Source {
        Source { file: settings::file(self.file.as_deref()), flags: Overrides::default() }
    }
}

pub(crate) fn run(arguments: &Config) -> anyhow::Result<()> {
    match &arguments.action {
        Action::Check(file) => {
            let source = file.source();
            tokenforge_gateway::Gateway::check(&source.load()?)?;
            output::print(&match source.file {
                Some(path) => format!("{} can be used", path.display()),
                None => "there is no settings file; the defaults are used".to_owned(),
            })?;
        }
        Action::Show(file) => output::write(&file.source().load()?.show())?,
        Action::Schema => output::print(&schema())?,
        Action::Table => output::write(&settings_table())?,
    }
    Ok(())
}
