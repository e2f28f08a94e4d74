//! `tokenforge config`: settings as they are understood.

use crate::screen::{self, TextStyler};
use crate::settings::{self, SettingsMistakes, SettingsSource};
use crate::{output, values};
use anyhow::bail;
use clap::{Args, Subcommand, ValueHint};
use serde_json::{Value, json};
use std::path::PathBuf;
use tokenforge_config::{
    ConfigError, Origins, Overrides, SETTINGS, Setting, SettingOrigin, Settings, overview, schema,
    settings_table,
};

/// Check, show and list settings
#[derive(Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: ConfigAction,
}

#[derive(Subcommand)]
enum ConfigAction {
    /// List every mistake in the settings, with its line and column
    #[command(
        after_help = "Examples:\n  tokenforge config check\n  tokenforge config check tokenforge.yaml --json"
    )]
    Check(Check),
    /// Print the settings in effect, without secrets
    #[command(
        after_help = "Examples:\n  tokenforge config show\n  tokenforge config show --all > tokenforge.yaml"
    )]
    Show(Show),
    /// Print the JSON Schema of the settings file
    #[command(after_help = "Example:\n  tokenforge config schema > tokenforge.schema.json")]
    Schema,
    /// List settings: what each is for, its default, flag and variable
    #[command(
        after_help = "Examples:\n  tokenforge config table\n  tokenforge config table store\n  tokenforge config table --all --markdown"
    )]
    Table(Table),
}

#[derive(Args)]
struct File {
    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
}

#[derive(Args)]
struct Check {
    #[command(flatten)]
    file: File,

    /// Print {"file", "ok", "mistakes": [{"place", "line", "column", "key", "problem"}]}
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Show {
    #[command(flatten)]
    file: File,

    /// Every setting, not only the common ones and those you changed
    #[arg(long)]
    all: bool,

    /// Print every setting as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Table {
    /// Only settings with this in their name; implies --all
    #[arg(value_parser = values::SuggestingParser(paths), hide_possible_values = true)]
    name: Option<std::ffi::OsString>,

    /// Every setting, not only the common ones
    #[arg(long)]
    all: bool,

    /// Print every setting as a Markdown table
    #[arg(long, conflicts_with = "json")]
    markdown: bool,

    /// Print every setting as JSON
    #[arg(long)]
    json: bool,
}

fn paths() -> Vec<&'static str> {
    SETTINGS.iter().map(|setting| setting.path).collect()
}

impl File {
    fn source(&self) -> SettingsSource {
        SettingsSource { file: settings::file(self.file.as_deref()), flags: Overrides::default() }
    }
}

pub(crate) fn run(arguments: &ConfigArgs) -> anyhow::Result<()> {
    match &arguments.action {
        ConfigAction::Check(check) => check.run(),
        ConfigAction::Show(show) => Ok(output::write(&show.text()?)?),
        ConfigAction::Schema => Ok(output::write(&schema())?),
        ConfigAction::Table(table) => Ok(output::print(table.text().trim_end())?),
    }
}

impl Show {
    fn text(&self) -> anyhow::Result<String> {
        let settings = self.file.source().load()?;
        Ok(match self {
            Show { json: true, .. } => format!("{}\n", settings.to_json()),
            Show { all: true, .. } => settings.show(),
            _ => settings.show_common(),
        })
    }
}

impl Check {
    fn run(&self) -> anyhow::Result<()> {
        let source = self.file.source();
        let checked = source.load().and_then(|settings| {
            // What only the gateway knows: plugins, and what they are told.
            Ok(tokenforge_gateway::Gateway::check(&settings)?)
        });
        if self.json {
            let mistakes = checked.as_ref().err().map(mistakes).unwrap_or_default();
            let is_ok = mistakes.is_empty();
            let document = json!({"file": source.file, "ok": is_ok, "mistakes": mistakes});
            output::print(&document.to_string())?;
            return if is_ok { Ok(()) } else { bail!("the settings cannot be used") };
        }
        checked?;
        Ok(output::print(&match source.file {
            Some(path) => format!("{}: no mistakes", path.display()),
            None => "no tokenforge.yaml in the settings folder: the defaults apply".to_owned(),
        })?)
    }
}

/// Every mistake, for a program.
fn mistakes(error: &anyhow::Error) -> Vec<Value> {
    let Some(SettingsMistakes(errors)) = error.downcast_ref() else {
        return vec![json!({"problem": format!("{error:#}")})];
    };
    let mistake = |error: &ConfigError| {
        let (line, column) = match error.place {
            SettingOrigin::File { line, column, .. } => (Some(line), Some(column)),
            _ => (None, None),
        };
        json!({
            "place": error.place.to_string(), "line": line, "column": column,
            "key": error.key, "problem": error.problem,
        })
    };
    errors.iter().map(mistake).collect()
}

impl Table {
    fn text(&self) -> String {
        if self.markdown {
            return settings_table();
        }
        if self.json {
            return Value::Array(overview(&Settings::default(), &Origins::default())).to_string();
        }
        let name = self.name.as_ref().map(|name| name.to_string_lossy().into_owned());
        let is_shown = |setting: &&Setting| match &name {
            Some(name) => setting.path.contains(name.as_str()),
            None => setting.is_common || self.all,
        };
        let shown: Vec<String> = SETTINGS.iter().filter(is_shown).map(entry).collect();
        let left = SETTINGS.len() - shown.len();
        let more = format!("\n\n{left} more settings: tokenforge config table --all");
        let more = if name.is_none() && left > 0 { more } else { String::new() };
        if shown.is_empty() {
            return "no setting has this in its name; tokenforge config table --all".to_owned();
        }
        shown.join("\n\n") + &more
    }
}

/// A setting in a few lines: its name and default, what it is for, and how else it is set.
fn entry(setting: &Setting) -> String {
    let default = tokenforge_config::default(setting);
    let default = default.map(|default| format!(" = {default}")).unwrap_or_default();
    let ways: Vec<String> =
        setting.flag.map(str::to_owned).into_iter().chain(setting.variable()).collect();
    let ways = if ways.is_empty() { "only in the file".to_owned() } else { ways.join(", ") };
    let set = format!("({ways}; a new value counts {})", setting.change.describe());
    let indented = |text: &str| screen::wrap_text(text, "    ", "    ");
    let name = TextStyler::stdout().bold(setting.path);
    format!("{name}{default}\n{}\n{}", indented(setting.about), indented(&set))
}
