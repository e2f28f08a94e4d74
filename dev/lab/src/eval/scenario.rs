//! Scenarios: what a user asks, what the tools say, and what must come of it. TOML or YAML files.

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The scenarios that come with the program.
const BUILT_IN: &[(&str, &str)] = &[
    ("failing_test.toml", include_str!("suite/failing_test.toml")),
    ("service_log.toml", include_str!("suite/service_log.toml")),
    ("customer_orders.toml", include_str!("suite/customer_orders.toml")),
    ("read_and_edit.toml", include_str!("suite/read_and_edit.toml")),
];

/// More lines than this are not made from one.
const MOST_LINES: usize = 100_000;

/// A conversation with tools whose answers are known beforehand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) system: Option<String>,
    pub(super) tools: Vec<Tool>,
    pub(super) turns: Vec<Turn>,
    #[serde(default)]
    pub(super) expect: Expect,
}

/// A tool, and what it answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    /// A JSON schema; any object, if there is none.
    pub(super) parameters: Option<Value>,
    pub(super) outputs: Vec<Canned>,
}

/// An answer of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Canned {
    /// Taken if this is in the arguments; the first that fits is.
    #[serde(default)]
    when: String,
    #[serde(default)]
    output: String,
    /// Stands in for `output`, beside the scenario.
    file: Option<PathBuf>,
    /// Takes the place of `{lines}` in the output.
    lines: Option<Lines>,
    #[serde(default)]
    pub(super) is_error: bool,
}

/// A line, so many times; `{n}` in it is its number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    count: usize,
    line: String,
}

/// What the user says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turn {
    pub(super) user: String,
    /// What the mock calls before it answers. A model decides for itself.
    #[serde(default)]
    pub(super) mock: Vec<MockCall>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MockCall {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) arguments: Value,
}

/// What must come of it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    /// In the last answer.
    #[serde(default)]
    pub(super) facts: Vec<String>,
    /// Among the calls.
    #[serde(default)]
    pub(super) calls: Vec<ExpectedCall>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedCall {
    pub(super) tool: String,
    /// In its arguments.
    #[serde(default)]
    pub(super) contains: String,
}

/// The scenarios that come with the program.
pub(super) fn built_in() -> anyhow::Result<Vec<Scenario>> {
    BUILT_IN.iter().map(|(name, text)| parse(Path::new(name), text)).collect()
}

/// The scenario in a file, or all in a folder.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Scenario>> {
    let files = if path.is_dir() { files(path)? } else { vec![path.to_owned()] };
    if files.is_empty() {
        bail!("{} holds no scenario: no file in it ends in .toml, .yaml or .yml", path.display());
    }
    let one = |file: &PathBuf| {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        parse(file, &text)
    };
    files.iter().map(one).collect()
}

fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_scenario = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("toml" | "yaml" | "yml"))
    };
    let mut files: Vec<PathBuf> = paths.filter(is_scenario).collect();
    files.sort();
    Ok(files)
}

fn parse(path: &Path, text: &str) -> anyhow::Result<Scenario> {
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let scenario: anyhow::Result<Scenario> = if is_toml {
        toml::from_str(text).map_err(Into::into)
    } else {
        serde_saphyr::from_str(text).map_err(Into::into)
    };
    let mut scenario = scenario.with_context(|| path.display().to_string())?;
    scenario.check().with_context(|| path.display().to_string())?;
    let folder = path.parent().unwrap_or(Path::new("."));
    for canned in scenario.tools.iter_mut().flat_map(|tool| &mut tool.outputs) {
        canned.fill(folder)?;
    }
    Ok(scenario)
}

impl Scenario {
    fn check(&self) -> anyhow::Result<()> {
        if self.turns.is_empty() {
            bail!("expected at least one of [[turns]]");
        }
        let known = |name: &str| self.tools.iter().any(|tool| tool.name == name);
        let mocked = self.turns.iter().flat_map(|turn| &turn.mock).map(|call| &call.tool);
        let expected = self.expect.calls.iter().map(|call| &call.tool);
        for name in mocked.chain(expected) {
            if !known(name) {
                bail!("a call of {name:?}, but no tool has that name");
            }
        }
        Ok(())
    }

    /// What a tool answers to these arguments.
    pub(super) fn answer(&self, tool: &str, arguments: &str) -> Option<&Canned> {
        let tool = self.tools.iter().find(|known| known.name == tool)?;
        tool.outputs.iter().find(|canned| arguments.contains(&canned.when))
    }
}

impl Tool {
    /// Its JSON schema.
    pub(super) fn schema(&self) -> Value {
        self.parameters.clone().unwrap_or_else(|| json!({"type": "object", "properties": {}}))
    }
}

impl Canned {
    /// What it says.
    pub(super) fn text(&self) -> &str {
        &self.output
    }

    /// Reads the file that it names and makes the lines that it asks for.
    fn fill(&mut self, folder: &Path) -> anyhow::Result<()> {
        if let Some(file) = &self.file {
            let file = folder.join(file);
            self.output = fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
        }
        if let Some(Lines { count, line }) = &self.lines {
            if *count > MOST_LINES {
                bail!("lines.count is {count}; at most {MOST_LINES} lines are made");
            }
            let lines: Vec<String> =
                (1..=*count).map(|n| line.replace("{n}", &n.to_string())).collect();
            self.output = self.output.replace("{lines}", &lines.join("\n"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_scenarios_are_scenarios() {
        let scenarios = built_in().unwrap();
        assert!(scenarios.len() >= 3);
        for scenario in scenarios {
            assert!(!scenario.expect.facts.is_empty(), "{}", scenario.name);
            assert!(!scenario.turns[0].mock.is_empty(), "{}", scenario.name);
        }
    }

    #[test]
    fn a_scenario_may_be_yaml_and_makes_lines() {
        let text = "name: n\ntools:\n- name: t\n  description: d\n  outputs:\n  - output: \"{lines}\\nend\"\n    lines: {count: 2, line: \"row {n}\"}\nturns:\n- user: hi\n";
        let scenario = parse(Path::new("a.yaml"), text).unwrap();
        assert_eq!(scenario.answer("t", "{}").unwrap().text(), "row 1\nrow 2\nend");
    }

    #[test]
    fn what_is_wrong_is_named_with_the_file() {
        for (text, wrong) in [
            ("name = 1", "name"),
            ("name = 'n'\ntools = []\nturns = []", "[[turns]]"),
            ("name = 'n'\ntools = []\nturns = [{user = 'u'}]\nfacts = []", "facts"),
            ("name = 'n'\ntools = []\nturns = [{user = 'u', mock = [{tool = 'x'}]}]", "\"x\""),
        ] {
            let error = format!("{:#}", parse(Path::new("bad.toml"), text).unwrap_err());
            assert!(error.contains("bad.toml") && error.contains(wrong), "{error}");
        }
    }
}
