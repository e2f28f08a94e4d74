//! How a client is given the gateway's base URL: which variables, arguments and files. It is planned before there is a
//! gateway, since the user may have set whom it is to ask.

use super::clients::WrappedClient;
use super::provider::{BaseAddress, redirect, upstream_for};
use super::variables::ClientVariables;
use super::{cline, codex};
use anyhow::Context;
use http::Uri;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::io::Write;
use tempfile::TempPath;
use tokenforge_agents::{BaseUrl, JsonAddress, Provider};
use tokenforge_config::Upstreams;

/// Where the gateway's address goes.
const URL: &str = "{url}";

/// All that a client is given when it is started, but for the address itself.
#[derive(Debug, Default)]
pub(super) struct BaseUrlPlan {
    /// Whom the user has set, for all requests or for those of one provider.
    upstreams: Vec<(Option<Provider>, Uri)>,
    inputs: Vec<LaunchInput>,
}

#[derive(Debug)]
enum LaunchInput {
    Variable(&'static str, String),
    Arguments([String; 2]),
    /// Who gets the path of a file, how that ends, and what it says.
    File(PathRecipient, &'static str, String),
}

#[derive(Debug)]
enum PathRecipient {
    Argument(&'static str),
    Variable(&'static str),
}

/// What a client is started with, so that it asks the gateway. Its files are gone with this.
#[derive(Debug, Default)]
pub(crate) struct ClientLaunch {
    pub(crate) variables: Vec<(&'static str, OsString)>,
    pub(crate) arguments: Vec<OsString>,
    files: Vec<TempPath>,
}

impl ClientLaunch {
    /// Is there a file that must be taken away when the client ends?
    pub(super) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }
}

impl BaseUrlPlan {
    /// The plan for a client that is started by this program, with these variables. `gateway` is the address at which one
    /// of ours may run.
    ///
    /// # Errors
    /// Why the client cannot be told.
    pub(super) fn new(
        client: WrappedClient,
        program: &str,
        variables: ClientVariables<'_>,
        gateway: &str,
    ) -> anyhow::Result<Self> {
        let mut plan = BaseUrlPlan::default();
        for way in client.base_url {
            let input = plan.input(way, client, program, variables, gateway)?;
            plan.inputs.push(input);
        }
        Ok(plan)
    }

    /// What a client is given in one of its ways, after a look at what its user has set there.
    fn input(
        &mut self,
        way: &'static BaseUrl,
        client: WrappedClient,
        program: &str,
        variables: ClientVariables<'_>,
        gateway: &str,
    ) -> anyhow::Result<LaunchInput> {
        let is_only = client.base_url.len() == 1;
        let variable = |name: &str| variables.get(name)?.into_string().ok();
        Ok(match way {
            BaseUrl::Variable { name, value, provider } => {
                let provider = (!is_only).then_some(*provider);
                let set = self.set_by_user(name, variable(name), provider, gateway)?;
                LaunchInput::Variable(name, set.unwrap_or(value.clone()))
            }
            BaseUrl::VariableIfSet { name, otherwise } => {
                let set = self.set_by_user(name, variable(name), None, gateway)?;
                LaunchInput::Variable(name, set.with_context(|| otherwise.clone())?)
            }
            BaseUrl::JsonVariable { name, addresses } => {
                let merged = self.merge_addresses(addresses, variable(name).as_deref(), gateway);
                LaunchInput::Variable(name, merged.context(name.as_str())?)
            }
            BaseUrl::FileArgument { argument, suffix, text } => {
                LaunchInput::File(PathRecipient::Argument(argument), suffix, text.clone())
            }
            BaseUrl::SettingArgument { argument, key, with_key, with_subscription, .. } => {
                let settings = client.settings(variables);
                let set = settings.as_deref().and_then(|file| codex::set_by_user(file, key));
                let set = set.map(|text| self.in_place_of(&text, None, gateway)).transpose();
                let value = match set.context(key.as_str())?.flatten() {
                    Some(url) => url,
                    None if codex::is_with_chatgpt(program, variables, settings.as_deref()) => {
                        with_subscription.clone()
                    }
                    None => with_key.clone(),
                };
                LaunchInput::Arguments([argument.clone(), format!("{key}=\"{value}\"")])
            }
            BaseUrl::SettingsCopy { name } => {
                let settings = client.settings(variables);
                let settings = settings.context("Cline's settings: there is no home folder")?;
                let (base, settings) = cline::settings(&settings, URL)?;
                self.upstreams.push((None, base));
                LaunchInput::File(PathRecipient::Variable(name), ".json", settings)
            }
        })
    }

    /// Has the user set nothing that a gateway for everybody would not know?
    pub(super) fn is_usual(&self) -> bool {
        self.upstreams.is_empty()
    }

    /// Does a gateway with these upstreams ask whom the client would ask? If not, an address that the user has set and
    /// it does not ask.
    pub(super) fn missed_by(&self, client: WrappedClient, upstreams: &Upstreams) -> Option<&Uri> {
        let only = client.only_provider();
        let is_asked = |(provider, origin): &&(Option<Provider>, Uri)| {
            let asked = upstream_for(upstreams, provider.or(only));
            asked.is_some_and(|asked| BaseAddress::of(asked) == BaseAddress::of(origin))
        };
        self.upstreams.iter().find(|set| !is_asked(set)).map(|(_, origin)| origin)
    }

    /// Sends requests on to whom the user has set.
    pub(super) fn redirect(&self, upstreams: &mut Upstreams) {
        for (provider, origin) in &self.upstreams {
            redirect(upstreams, *provider, origin);
        }
    }

    /// Tells the client this address.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn start(&self, url: &str) -> anyhow::Result<ClientLaunch> {
        let mut started = ClientLaunch::default();
        for input in &self.inputs {
            match input {
                LaunchInput::Variable(name, value) => {
                    started.variables.push((name, value.replace(URL, url).into()));
                }
                LaunchInput::Arguments(arguments) => {
                    let arguments = arguments.iter().map(|argument| argument.replace(URL, url));
                    started.arguments.extend(arguments.map(OsString::from));
                }
                LaunchInput::File(reader, suffix, text) => {
                    let file = write_temporary_file(&text.replace(URL, url), suffix)?;
                    match reader {
                        PathRecipient::Argument(argument) => {
                            started.arguments.extend([argument.into(), file.as_os_str().to_owned()])
                        }
                        PathRecipient::Variable(name) => {
                            started.variables.push((name, file.as_os_str().to_owned()));
                        }
                    }
                    started.files.push(file);
                }
            }
        }
        Ok(started)
    }

    /// What takes the place of the address that the user has set in a variable, if there is one.
    fn set_by_user(
        &mut self,
        name: &str,
        value: Option<String>,
        provider: Option<Provider>,
        gateway: &str,
    ) -> anyhow::Result<Option<String>> {
        let Some(text) = value else { return Ok(None) };
        self.in_place_of(&text, provider, gateway).with_context(|| name.to_owned())
    }

    /// Notes an address of the user's; what takes its place has its path. One that leads to a gateway of ours is none
    /// that the user would miss.
    fn in_place_of(
        &mut self,
        text: &str,
        provider: Option<Provider>,
        gateway: &str,
    ) -> anyhow::Result<Option<String>> {
        let base =
            BaseAddress::parse(text).context("expected an address such as https://host/path")?;
        if BaseAddress::parse(gateway).is_some_and(|own| own.origin == base.origin) {
            return Ok(None);
        }
        self.upstreams.push((provider, base.origin));
        Ok(Some(format!("{URL}{}", base.path)))
    }

    /// The user's settings, in JSON, with these addresses in them.
    fn merge_addresses(
        &mut self,
        addresses: &[JsonAddress],
        users: Option<&str>,
        gateway: &str,
    ) -> anyhow::Result<String> {
        let mut all = match users {
            Some(users) => serde_json::from_str(users).context("expected JSON")?,
            None => Value::Object(Map::new()),
        };
        for JsonAddress { path, value, provider } in addresses {
            let place = slot(&mut all, path);
            let set = match place.as_str().filter(|text| !text.is_empty()) {
                Some(text) => self
                    .in_place_of(text, Some(*provider), gateway)
                    .with_context(|| path.join("."))?,
                None => None,
            };
            *place = set.unwrap_or(value.clone()).into();
        }
        Ok(all.to_string())
    }
}

/// A private file, which is gone when the result is.
fn write_temporary_file(text: &str, suffix: &str) -> anyhow::Result<TempPath> {
    let named = tempfile::Builder::new().prefix("tokenforge-").suffix(suffix).tempfile();
    let mut file = named.context("cannot make a file for the client")?;
    file.write_all(text.as_bytes()).context("cannot write a file for the client")?;
    Ok(file.into_temp_path())
}

/// The place that these names lead to; what is no object on the way becomes one.
fn slot<'a>(all: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(all, |at, name| {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        &mut at[name.as_str()]
    })
}

#[cfg(test)]
mod tests {
    use super::super::clients::wrappable_names;
    use super::*;

    const URL: &str = "http://127.0.0.1:1234/p/web";

    fn started(client: &str) -> ClientLaunch {
        let client = WrappedClient::of_program(client).unwrap();
        let (variables, gateway) = (ClientVariables::Inherited, "http://127.0.0.1:8787");
        BaseUrlPlan::new(client, "no-such-program", variables, gateway).unwrap().start(URL).unwrap()
    }

    #[test]
    fn variables_and_arguments_carry_the_address_and_nothing_of_ours_is_left_unsaid() {
        assert_eq!(started("claude").variables, [("ANTHROPIC_BASE_URL", URL.into())]);
        let arguments = started("codex").arguments;
        assert_eq!(arguments, ["-c", &format!("openai_base_url=\"{URL}/v1\"")].map(OsString::from));
        let names = wrappable_names().into_iter();
        for name in names.filter(|name| !matches!(*name, "copilot" | "cline")) {
            let shown = format!("{:?}", started(name));
            assert!(!shown.contains("{url}"), "{shown}");
        }
    }

    #[test]
    fn a_file_of_ours_is_gone_with_the_client() {
        let started = started("pi");
        let [argument, path] = &started.arguments[..] else { panic!("{started:?}") };
        assert_eq!(argument, "--extension");
        let path = std::path::PathBuf::from(path);
        assert!(std::fs::read_to_string(&path).unwrap().contains(URL));
        drop(started);
        assert!(!path.exists());
    }

    fn addresses() -> [JsonAddress; 2] {
        let address = |path: &[&str], value: &str, provider| JsonAddress {
            path: path.iter().map(ToString::to_string).collect(),
            value: value.to_owned(),
            provider,
        };
        [
            address(&["a", "b", "url"], "{url}/v1", Provider::OpenAi),
            address(&["d", "url"], "{url}", Provider::Anthropic),
        ]
    }

    fn merged(users: &str) -> anyhow::Result<(Value, BaseUrlPlan)> {
        let mut plan = BaseUrlPlan::default();
        let all = plan.merge_addresses(&addresses(), Some(users), "http://127.0.0.1:8787")?;
        Ok((serde_json::from_str(&all)?, plan))
    }

    #[test]
    fn settings_of_the_user_stay_beside_ours() {
        let (all, plan) = merged(r#"{"a": {"b": {"key": 1}, "c": 2}, "d": null}"#).unwrap();
        let ours = serde_json::json!({"a": {"b": {"key": 1, "url": "{url}/v1"}, "c": 2}, "d": {"url": "{url}"}});
        assert_eq!(all, ours);
        assert!(plan.is_usual());
        assert!(merged("no JSON").is_err());
    }

    #[test]
    fn an_address_in_settings_of_the_user_is_asked_by_the_gateway() {
        let users = r#"{"a": {"b": {"url": "https://llm.example.com/team/v1/"}}, "d": {"url": "http://127.0.0.1:8787"}}"#;
        let (all, plan) = merged(users).unwrap();
        assert_eq!(
            (&all["a"]["b"]["url"], &all["d"]["url"]),
            (&"{url}/team/v1".into(), &"{url}".into())
        );
        let upstreams = [(Some(Provider::OpenAi), Uri::from_static("https://llm.example.com"))];
        assert_eq!(plan.upstreams, upstreams);
        let error = merged(r#"{"d": {"url": "{env:LLM}"}}"#).unwrap_err();
        assert!(format!("{error:#}").starts_with("d.url: expected an address"), "{error:#}");
    }
}
