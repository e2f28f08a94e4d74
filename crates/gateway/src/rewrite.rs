//! The body that goes on in place of the one that came.
//!
//! All decisions about a body are made here, from the body, the settings and the tenant. What is found in the
//! [`Memo`](crate::memo::Memo) saves work and decides nothing.

mod figures;
mod inputs;
mod shown;
mod results;

pub(crate) use results::output;

use crate::answer::Problem;
use crate::deferral;
use crate::gateway::{Gateway, State};
use crate::options::Options;
use crate::report::Report;
use crate::strategy::Shortened;
use bytes::Bytes;
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Instant;
use tokenforge_compress::reference::Reference;
use tokenforge_compress::schema::minify_tools;
use tokenforge_compress::{Engine, Mode, Settings, Vault};
use tokenforge_config::{ExpandInjection, SchemaCompression};
use tokenforge_dialects::{Dialect, Purpose, Refusal, Request, Splice, splice};
use tokenforge_tokens::for_model;

/// What a body is rewritten for.
pub(crate) struct Job<'a> {
    pub(crate) gateway: &'a Gateway,
    pub(crate) state: &'a State,
    pub(crate) dialect: Dialect,
    pub(crate) purpose: Purpose,
    /// The model, where the path names it.
    pub(crate) model: Option<&'a str>,
    pub(crate) tenant: &'a str,
    /// What the headers ask for.
    pub(crate) options: &'a Options,
    /// No stage begins after this.
    pub(crate) deadline: Instant,
    /// What strategies made of results.
    pub(crate) shortened: &'a Shortened,
}

/// How much work may be done for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// None that takes longer than finding out what was made before.
    Remembered,
    /// All that it takes.
    Full,
}

/// What became of a body.
#[derive(Debug)]
pub(crate) struct Rewritten {
    pub(crate) body: Bytes,
    pub(crate) report: Report,
    /// The model was offered the tool that expands references.
    pub(crate) offers_expansion: bool,
    /// Which results the references stand for.
    pub(crate) originals: HashMap<Reference, usize>,
    /// Under which the originals were made.
    pub(crate) settings: Settings,
    /// A stream is asked for.
    pub(crate) streams: bool,
}

/// Rewrites a body. `Ok(None)`: that takes more effort than allowed.
///
/// # Errors
/// The request asks for something that does not exist, or what must be done to it cannot.
pub(crate) fn rewrite(job: &Job<'_>, body: &Bytes, effort: Effort) -> Result<Option<Rewritten>, Problem> {
    let request = match inputs::read(job, body) {
        Ok(request) => request,
        Err(Refusal::Ambiguous { key, .. }) if key == "_forge" => {
            return Err(Problem::bad_request("_forge occurs twice; expected once"));
        }
        // Not ours to judge: the provider says what is wrong with it.
        Err(_) => return Ok(Some(Rewritten::untouched(body))),
    };
    let options = match &request.head.forge {
        Some(forge) => {
            let member = body.get(forge.value.clone()).map(String::from_utf8_lossy);
            job.options.clone().with_member(&member.unwrap_or_default())?
        }
        None => job.options.clone(),
    };
    let settings = settings(job, &request, &options);
    let mut splices: Vec<Splice<'_>> = Vec::new();
    let mut report = report(job, &request, &options, &settings);
    if let Some(forge) = &request.head.forge {
        splices.push(forge.removed());
        report.changes.push("forge_removed");
    }
    let key = job.gateway.reference_key();
    let is_observed = settings.mode == Mode::Observe;
    let settings = measured(settings);
    let mut engine = Engine::new(&settings);
    if let Some(key) = key.as_deref().filter(|_| may_expand(job, &request)) {
        engine = engine.with_vault(Vault { key, tenant: job.tenant });
    }
    if effort == Effort::Remembered && inputs::are_wanted(job) {
        return Ok(None);
    }
    if engine.offers_expansion() && !is_observed {
        let may_block = effort == Effort::Full;
        let joined = deferral::rejoined(job.gateway, job.tenant, job.dialect, &request, body, may_block);
        let Some(joined) = joined else { return Ok(None) };
        splices.extend(joined);
    }
    splices.extend(inputs::rewrite(job, &request, body, &settings, &mut report)?);
    let Some(results) =
        results::rewrite(job, &request, body, &options, &engine, is_observed, effort, &mut report)?
    else {
        return Ok(None);
    };
    let offers_expansion = !is_observed
        && engine.offers_expansion()
        && match job.state.settings.tool_output.expand_injection {
            ExpandInjection::FromStart => true,
            ExpandInjection::WhenReferenced => !results.originals.is_empty(),
        };
    splices.extend(tools(job, &request, body, &options, offers_expansion, &mut report));
    splices.extend(results.replaced.iter().map(|(range, with)| Splice {
        range: range.clone(),
        with: Cow::Borrowed(with),
    }));
    splices.sort_by_key(|splice| splice.range.start);
    let rewritten = match splices.is_empty() {
        true => Some(body.clone()),
        false => splice(body, &splices).map(Bytes::from),
    };
    let Some(rewritten) = rewritten else { return Ok(Some(Rewritten::untouched(body))) };
    let streams = request.head.is_stream.unwrap_or(job.dialect == Dialect::Ollama);
    Ok(Some(Rewritten {
        body: rewritten,
        report,
        offers_expansion,
        originals: results.originals,
        settings,
        streams,
    }))
}

impl Rewritten {
    /// The body as it came.
    pub(crate) fn untouched(body: &Bytes) -> Self {
        Rewritten {
            body: body.clone(),
            report: Report::default(),
            offers_expansion: false,
            originals: HashMap::new(),
            settings: Settings::default(),
            streams: false,
        }
    }
}

/// What is to be done to tool outputs, as the operator says and the request after that.
fn settings(job: &Job<'_>, request: &Request<'_>, options: &Options) -> Settings {
    let defaults = &job.state.engine;
    let mut settings = options.compression.over(defaults);
    if !job.state.settings.tool_output.enabled {
        settings.mode = Mode::Disabled;
    }
    let model = request.head.model.as_deref().or(job.model);
    if let Some(model) = model {
        settings.counter = for_model(model).vocabulary.into();
    }
    settings
}

/// `observe` measures what the default mode would do.
fn measured(settings: Settings) -> Settings {
    let mode = if settings.mode == Mode::Observe { Mode::Standard } else { settings.mode };
    Settings { mode, ..settings }
}

fn report(job: &Job<'_>, request: &Request<'_>, options: &Options, settings: &Settings) -> Report {
    Report {
        dialect: Some(job.dialect),
        model: request.head.model.as_deref().or(job.model).map(str::to_owned),
        session: options.compression.session_id.clone(),
        debug: options.debug.clone().map(Into::into),
        mode: settings.mode.name(),
        ..Report::default()
    }
}

/// Can the model ask for what is left out? It needs a list of tools, and a reply with one choice, which can be
/// continued when it was interrupted.
fn may_expand(job: &Job<'_>, request: &Request<'_>) -> bool {
    let is_one_choice = request.head.choices.is_none_or(|choices| choices <= 1);
    let tools = request.tools.as_ref();
    let takes_one_more = tools.is_some_and(|tools| tools.with_expand_tool(job.dialect).is_some());
    job.state.settings.tool_output.enable_expand_context && is_one_choice && takes_one_more
}

/// The list of tools, with shorter descriptions and with our own at its end.
fn tools<'b>(
    job: &Job<'_>,
    request: &Request<'_>,
    body: &'b [u8],
    options: &Options,
    offers_expansion: bool,
    report: &mut Report,
) -> Option<Splice<'b>> {
    let tools = request.tools.as_ref()?;
    let schemas = options.schemas.unwrap_or(job.state.settings.schema_compression);
    let minified = match schemas {
        SchemaCompression::Minify => {
            let list = body.get(tools.list.clone()).map(String::from_utf8_lossy);
            list.as_ref().and_then(|list: &Cow<'_, str>| minify_tools(list))
        }
        SchemaCompression::Disabled => None,
    };
    if minified.is_some() {
        report.changes.push("schemas_minified");
    }
    if offers_expansion {
        report.changes.push("expand_tool_added");
    }
    tools.replaced(job.dialect, body, minified.as_deref(), offers_expansion)
}
