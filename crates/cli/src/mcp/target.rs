//! A tool server as it is named on a command line: an address, or a program after `--`.

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Map, Value, json};
use std::env;
use std::path::{MAIN_SEPARATOR, Path};

#[derive(Args)]
pub(super) struct CallTarget {
    /// The address of a server that speaks Streamable HTTP
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    url: Option<String>,

    /// A header for every request to the address, as 'Name: value'; may be repeated
    #[arg(long = "header", value_name = "HEADER", requires = "url")]
    headers: Vec<String>,

    /// A variable for the program, as NAME=VALUE, or NAME for the value it has here; may be repeated
    #[arg(long = "env", value_name = "VARIABLE", requires = "command")]
    variables: Vec<String>,

    /// The server's program and its arguments
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

impl CallTarget {
    /// As the settings would have it; `None`: no server is named.
    pub(super) fn definition(&self) -> anyhow::Result<Option<Value>> {
        if let Some(url) = &self.url {
            let headers = pairs(&self.headers, header)?;
            return Ok(Some(json!({"url": url, "headers": headers})));
        }
        let [command, args @ ..] = &self.command[..] else { return Ok(None) };
        let env = pairs(&self.variables, variable)?;
        Ok(Some(json!({"command": find_program(command), "args": args, "env": env})))
    }
}

/// A program in this folder, from anywhere: the gateway runs in another.
fn find_program(command: &str) -> String {
    let is_here = command.contains(MAIN_SEPARATOR) && Path::new(command).exists();
    let path = is_here.then(|| std::path::absolute(command).ok()).flatten();
    path.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| command.to_owned())
}

fn pairs(
    texts: &[String],
    pair: impl Fn(&str) -> anyhow::Result<(String, String)>,
) -> anyhow::Result<Map<String, Value>> {
    texts.iter().map(|text| pair(text).map(|(name, value)| (name, value.into()))).collect()
}

/// What is wrong is not repeated: it may hold a key.
fn header(text: &str) -> anyhow::Result<(String, String)> {
    let (name, value) = text.split_once(':').context("--header: expected 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn variable(text: &str) -> anyhow::Result<(String, String)> {
    if let Some((name, value)) = text.split_once('=') {
        if name.is_empty() {
            bail!("--env: expected NAME=VALUE or NAME");
        }
        return Ok((name.to_owned(), value.to_owned()));
    }
    let value = env::var(text).with_context(|| format!("--env {text}"))?;
    Ok((text.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_variables_are_pairs_and_mistakes_are_not_repeated() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(header("A: b: c").unwrap(), pair("A", "b: c"));
        assert_eq!(variable("A=b=c").unwrap(), pair("A", "b=c"));
        for wrong in [header("private").unwrap_err(), variable("=private").unwrap_err()] {
            assert!(!format!("{wrong:#}").contains("private"));
        }
    }
}
