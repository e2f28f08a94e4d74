//! `tokenforge filter`: the filters of tool families, built in and of one's own.
//!
//! One's own are in `filters` in the settings folder. Those of a project are in `.tokenforge/filters`; since a
//! project may be anybody's, they are used only once they were trusted, and no longer when they change.

use crate::{data, output, screen};
use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueHint};
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::{env, fs};
use tokenforge_engine::filter::{self, FilterSet};
use tokenforge_replay::columns::{TextColumn, TextTable};

/// List, test and trust filters for kinds of tools
#[derive(Args)]
pub(crate) struct FilterArgs {
    #[command(subcommand)]
    action: FilterAction,
}

#[derive(Subcommand)]
enum FilterAction {
    /// List the filters in use, in the order they are tried
    #[command(after_help = "Example:\n  tokenforge filter list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run the tests written in filter files: these, or all in use
    #[command(after_help = "Example:\n  tokenforge filter test .tokenforge/filters/*.toml")]
    Test {
        /// Filter files [default: all filters in use]
        #[arg(value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,

        /// Print {"tests", "failures": [{"filter", "failure"}]}
        #[arg(long)]
        json: bool,
    },
    /// Trust a project's filters as they are now; a change needs trust again
    #[command(after_help = "Example:\n  tokenforge filter trust")]
    Trust {
        /// The project's folder
        #[arg(default_value = ".", value_hint = ValueHint::DirPath)]
        project: PathBuf,

        /// Print {"folder", "filters"}
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(arguments: &FilterArgs) -> anyhow::Result<()> {
    match &arguments.action {
        FilterAction::List { json } => list(*json),
        FilterAction::Test { files, json } => test(files, *json),
        FilterAction::Trust { project, json } => trust(project, *json),
    }
}

/// The filters to use here: one's own, those of a trusted project, and the built-in ones.
pub(crate) fn load() -> anyhow::Result<FilterSet> {
    let mut own = match data::config_folder() {
        Some(folder) => read_folder(&folder.join("filters"))?,
        None => Vec::new(),
    };
    if let Some(project) = project_filters() {
        if is_trusted(&project)? {
            own.append(&mut read_folder(&project)?);
        } else {
            let folder = project.display();
            output::tell(&format!(
                "note: the filters in {folder} are not trusted, so they are not used; read them, then run `tokenforge \
                 filter trust`"
            ));
        }
    }
    Ok(FilterSet::builtin().with(own))
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    family: &'a str,
    verified: bool,
}

fn list(as_json: bool) -> anyhow::Result<()> {
    let filters = load()?;
    let rows: Vec<Row<'_>> = filters
        .iter()
        .map(|filter| Row {
            name: filter.name(),
            family: filter.family(),
            verified: filter.is_verified(),
        })
        .collect();
    if as_json {
        return Ok(output::print(&serde_json::to_string(&rows)?)?);
    }
    let mut table = TextTable::new(["filter", "family", "on real output"].map(TextColumn::text));
    for Row { name, family, verified } in rows {
        let verified = if verified { "verified" } else { "unverified: leaves nothing out" };
        table.row([name, family, verified]);
    }
    Ok(output::print(&screen::table(&table))?)
}

fn test(files: &[PathBuf], as_json: bool) -> anyhow::Result<()> {
    let filters = match files {
        [] => load()?,
        files => {
            let filters: Result<Vec<_>, _> = files.iter().map(|file| read_file(file)).collect();
            FilterSet::default().with(filters?)
        }
    };
    let (mut tests, mut failures) = (0, Vec::new());
    for filter in filters.iter() {
        tests += filter.tests();
        let failed = filter.check().into_iter().map(|failure| format!("{failure:?}"));
        failures.extend(failed.map(|failure| (filter.name(), failure)));
    }
    if as_json {
        let failure =
            |(filter, failure): &(&str, String)| json!({"filter": filter, "failure": failure});
        let failures: Vec<_> = failures.iter().map(failure).collect();
        output::print(&json!({"tests": tests, "failures": failures}).to_string())?;
    } else {
        failures.iter().for_each(|(filter, failure)| output::tell(&format!("{filter}: {failure}")));
    }
    match failures.len() {
        0 if as_json => Ok(()),
        0 => Ok(output::print(&format!("{tests} tests passed"))?),
        failed => bail!("{failed} of {tests} tests failed"),
    }
}

fn trust(project: &Path, as_json: bool) -> anyhow::Result<()> {
    let folder = project.join(PROJECT_FOLDER);
    let folder = fs::canonicalize(&folder)
        .with_context(|| format!("there are no filters in {}", folder.display()))?;
    let filters = read_folder(&folder)?;
    let list = trusted_list().context("no settings folder: set FORGE_CONFIG_DIR or HOME")?;
    let mut lines: Vec<String> = trusted_lines(&list)?;
    lines.retain(|line| line.split_once(' ').is_none_or(|(_, path)| Path::new(path) != folder));
    lines.push(format!("{} {}", fingerprint(&folder)?, folder.display()));
    let parent = list.parent().context("a file in a folder")?;
    fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    fs::write(&list, lines.join("\n") + "\n").with_context(|| list.display().to_string())?;
    let count = filters.len();
    Ok(output::print(&if as_json {
        json!({"folder": folder, "filters": count}).to_string()
    } else {
        format!("trusted {count} filters in {}", folder.display())
    })?)
}

const PROJECT_FOLDER: &str = ".tokenforge/filters";

/// The filters of the project that the current folder is in.
fn project_filters() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(PROJECT_FOLDER)).find(|folder| folder.is_dir())
}

fn is_trusted(folder: &Path) -> anyhow::Result<bool> {
    let Some(list) = trusted_list() else { return Ok(false) };
    let folder = fs::canonicalize(folder)?;
    let line = format!("{} {}", fingerprint(&folder)?, folder.display());
    Ok(trusted_lines(&list)?.contains(&line))
}

fn trusted_list() -> Option<PathBuf> {
    Some(data::config_folder()?.join("trusted-filters"))
}

fn trusted_lines(list: &Path) -> anyhow::Result<Vec<String>> {
    match fs::read_to_string(list) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| list.display().to_string()),
    }
}

/// What the filters in a folder say, as a hash.
fn fingerprint(folder: &Path) -> anyhow::Result<String> {
    let mut hasher = blake3::Hasher::new();
    for file in filter_files(folder)? {
        let text = fs::read(&file).with_context(|| file.display().to_string())?;
        hasher.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(&text);
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn read_folder(folder: &Path) -> anyhow::Result<Vec<filter::FamilyFilter>> {
    filter_files(folder)?.iter().map(|file| read_file(file)).collect()
}

fn read_file(file: &Path) -> anyhow::Result<filter::FamilyFilter> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file).with_context(|| name.clone())?;
    Ok(filter::FamilyFilter::parse(&name, &text)?)
}

/// The TOML files in a folder, sorted; none if there is no such folder.
fn filter_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    Ok(files)
}
