//! Every setting: where it is written, what it is for, and when a new value counts.

use Change::{AtOnce, Reload, Restart};

/// A setting, or a group of them under names that users choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its keys in the file, with dots between them.
    pub path: &'static str,
    /// The flag of `serve` that sets it.
    pub flag: Option<&'static str>,
    /// The variable that sets it, if that is not made from the path.
    named_variable: Variable,
    /// A variable that set it in earlier versions, and still does.
    old_variable: Option<&'static str>,
    /// When a new value counts.
    pub change: Change,
    /// Is it one of those that people look for first?
    pub is_common: bool,
    /// What it is for, in a sentence or two.
    pub about: &'static str,
}

/// When a new value of a setting counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// As soon as the file is read again, and by a change over the admin API. Only for what names no host, no key, no
    /// file and no safety switch: whoever gets hold of a browser must not be able to send texts elsewhere (SSRF).
    AtOnce,
    /// As soon as the file is read again. What every new setting is, unless there is a reason.
    Reload,
    /// After a restart.
    Restart,
}

impl Change {
    /// In words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            AtOnce => "at once",
            Reload => "on reload",
            Restart => "after a restart",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Variable {
    ByPath,
    Named(&'static str),
    None,
}

impl Setting {
    /// The variable that sets it: as the documents name it, else `FORGE_` and the path in capitals.
    #[must_use]
    pub fn variable(&self) -> Option<String> {
        match self.named_variable {
            Variable::Named(name) => Some(name.to_owned()),
            Variable::None => None,
            Variable::ByPath => {
                let path = self.path.strip_prefix("pipes.").unwrap_or(self.path);
                Some(format!("FORGE_{}", path.replace('.', "_").to_ascii_uppercase()))
            }
        }
    }

    /// The variable that set it in earlier versions, and still does.
    #[must_use]
    pub fn old_variable(&self) -> Option<String> {
        self.old_variable.map(str::to_owned)
    }
}

/// A setting of the first page.
const fn common(path: &'static str, change: Change, about: &'static str) -> Setting {
    Setting { is_common: true, ..advanced(path, change, about) }
}

const fn advanced(path: &'static str, change: Change, about: &'static str) -> Setting {
    Setting {
        path,
        flag: None,
        named_variable: Variable::ByPath,
        old_variable: None,
        change,
        is_common: false,
        about,
    }
}

impl Setting {
    const fn flag(self, flag: &'static str) -> Self {
        Setting { flag: Some(flag), ..self }
    }

    const fn named(self, variable: &'static str) -> Self {
        Setting { named_variable: Variable::Named(variable), ..self }
    }

    const fn once_named(self, variable: &'static str) -> Self {
        Setting { old_variable: Some(variable), ..self }
    }

    const fn only_in_files(self) -> Self {
        Setting { named_variable: Variable::None, ..self }
    }
}

/// Every setting, in the order of the file.
#[rustfmt::skip] // one line a setting
pub const SETTINGS: &[Setting] = &[
    common("listen", Restart, "The address and port the gateway listens on.").flag("--listen"),
    common("allow_public", Restart, "Allow listening on an address other machines can reach without `keys`: anyone who reaches it can use it."),
    common("keys", Reload, "Keys that clients must send, by tenant name. Without any, clients need no key."),
    common("admin_token", Reload, "The token for everything under `/_forge/` except health. If not set, one is created in the data folder, and only changes and texts ask for it."),
    advanced("allow_hosts", Reload, "Extra host names (`host` or `host:port`) that clients may use for the gateway, besides those of this machine. With `keys` set, any name is accepted."),
    advanced("allow_origins", Reload, "Websites whose pages may call the gateway, such as `https://host`."),
    common("upstreams.anthropic", Reload, "Where Anthropic Messages requests go."),
    common("upstreams.openai", Reload, "Where OpenAI requests go, and requests in no known format."),
    common("upstreams.gemini", Reload, "Where Gemini requests go."),
    advanced("upstreams.bedrock", Reload, "Where Bedrock requests go."),
    advanced("upstreams.ollama", Reload, "Where Ollama requests go."),
    advanced("upstreams.azure_openai", Reload, "Where OpenAI requests with Azure paths go."),
    advanced("upstreams.vertex", Reload, "Where Gemini and Claude requests with Vertex paths go."),
    common("upstreams.backend", Reload, "Send every request to this address instead of the provider's own.").flag("--backend-url"),
    advanced("upstreams.target_allow", Reload, "Hosts (`host` or `host:port`) that a client may name in `X-Target-URL`."),
    common("routes", Reload, "JSON APIs that agents reach through the gateway, by path: `url`, `headers` to add, and `format` (json, toon, stc or auto) for clients that ask for none.").only_in_files(),
    common("plugins", Reload, "A list of plugins: `name`, `enabled`, `priority`, `on_error` (open or closed), `timeout`, `config`. The plugins stc and toon are on unless you turn them off here.").only_in_files(),
    advanced("pipes.tool_output.enabled", AtOnce, "Whether tool results are changed at all; `false` is the same as mode disabled."),
    common("pipes.tool_output.mode", AtOnce, "How much is done to tool results. `disabled`: nothing. `observe`: measure, forward the original. `safe`: remove secrets, terminal escapes and binary data, and cap very long results. `lossless`: smaller notation only, nothing left out. `standard`: safe, lossless, and leave out what the model can fetch back. `aggressive`: standard, plus log templates and a dictionary.").flag("--mode").named("FORGE_MODE").once_named("FORGE_TOOL_OUTPUT_COMPRESSION"),
    advanced("pipes.tool_output.method", AtOnce, "The dictionary that mode aggressive uses: lzw, repair or auto.").flag("--method").once_named("FORGE_TOOL_OUTPUT_COMPRESSION_METHOD"),
    common("pipes.tool_output.redact_secrets", Reload, "Remove secrets from tool results."),
    common("pipes.tool_output.max_output_bytes", AtOnce, "Cap results at this size, in modes that cap. If not set: 65536 where the model can fetch the rest, no cap elsewhere."),
    advanced("pipes.tool_output.json_formats", AtOnce, "The notations JSON may be written in: json, toon, table, and one of stc (STC 2 at the level with the fewest tokens), stc1, stc2 (level 2) or stc2_shared (level 3)."),
    advanced("pipes.tool_output.model_class", AtOnce, "What the model can read. `large`: every notation. `small`: plain text and JSON, with every line number. `auto`: small for Ollama and for model names with nano, lite, tiny or up to 8b, large for the rest."),
    advanced("pipes.tool_output.dedup", AtOnce, "Replace a result that was shown before, in the same request or session, with a pointer to it."),
    common("pipes.tool_output.skip_tools", AtOnce, "Tools whose results stay as they are, apart from removing secrets: read, edit, write, bash, glob, grep, or exact tool names."),
    advanced("pipes.tool_output.strategy", Reload, "What shortens results that are still large: passthrough (nothing), simple, api or external_provider."),
    advanced("pipes.tool_output.fallback_strategy", Reload, "What to do when the strategy fails: passthrough, simple or error."),
    advanced("pipes.tool_output.provider", Reload, "The entry of `providers` that the strategy external_provider asks."),
    advanced("pipes.tool_output.api.endpoint", Reload, "The address that the strategy api asks."),
    advanced("pipes.tool_output.api.api_key", Reload, "The key sent to that address."),
    advanced("pipes.tool_output.api.model", Reload, "The model requested there."),
    advanced("pipes.tool_output.api.timeout", Reload, "How long a strategy may take for one result."),
    advanced("pipes.tool_output.api.query_agnostic", Reload, "Do not tell the strategy what the result is needed for."),
    advanced("pipes.tool_output.min_bytes", AtOnce, "Results up to this size are not given to the strategy."),
    advanced("pipes.tool_output.max_bytes", AtOnce, "Results above this size are not given to the strategy."),
    advanced("pipes.tool_output.target_ratio", AtOnce, "How small the strategy must make a result, as a fraction of its size: 0.1 to 0.9."),
    common("pipes.tool_output.enable_expand_context", AtOnce, "Let the model fetch back what was left out. If `false`, nothing is left out."),
    advanced("pipes.tool_output.include_expand_hint", AtOnce, "Add a line under each reference that says how to fetch it back."),
    advanced("pipes.tool_output.expand_injection", AtOnce, "When the tool `expand_context` is offered. `when_it_pays`: if a tool runs commands and the prompt is 100 times the size of its definition; otherwise nothing is left out. `from_start`: always. `when_referenced`: once something was left out."),
    advanced("pipes.tool_output.rate_per_second", AtOnce, "How many strategy calls may start per second."),
    advanced("pipes.tool_output.max_concurrent", AtOnce, "How many strategy calls may run at once; others wait."),
    advanced("providers", Reload, "Models that the strategy external_provider can ask, by name: `kind` (anthropic, openai or gemini, unless the name says it), `auth` (api_key or oauth), `endpoint`, `api_key`, `model`.").only_in_files(),
    advanced("schema_compression", AtOnce, "What to do to descriptions in tool schemas: disabled or minify.").flag("--schema-compression"),
    common("redact_secrets", Reload, "Remove secrets from whole requests and from everything tool servers say, and refuse what cannot be checked.").flag("--redact-secrets"),
    advanced("toon.enabled", AtOnce, "Rewrite messages that are one large JSON value as TOON.").named("TOON_ENABLED"),
    advanced("toon.min_bytes", AtOnce, "Messages up to this size stay JSON.").named("TOON_MIN_BYTES"),
    advanced("toon.fail_open", AtOnce, "Forward JSON that TOON cannot represent as it is, instead of failing the request.").named("TOON_FAIL_OPEN"),
    advanced("toon.log_stats", AtOnce, "Log sizes before and after.").named("TOON_LOG_STATS"),
    common("store.url", Restart, "Where originals are kept: `memory:`, `disk:PATH`, `redis://`, `rediss://` or `redis+cluster://`.").flag("--store").named("FORGE_STORE"),
    common("store.original_ttl", Restart, "How long an original can be fetched back after its last use."),
    advanced("store.compressed_ttl", Restart, "How long a strategy's result is remembered after its last use."),
    advanced("store.max_bytes", Restart, "How much the store may hold. If not set: 64MiB in memory, 1GiB on disk; Redis has its own limit."),
    advanced("store.key", Restart, "The key that signs references; use the same on every replica. If not set, the store creates and keeps one (for `memory:`, in the data folder)."),
    advanced("monitoring.compression_log", Restart, "A file that gets one JSON line for every tool result.").named("FORGE_TOOL_OUTPUT_COMPRESSION_LOG"),
    advanced("monitoring.log_queue_capacity", Restart, "How many events may wait to be written; more are dropped and counted.").named("FORGE_TOOL_OUTPUT_COMPRESSION_LOG_QUEUE_CAPACITY"),
    advanced("monitoring.log_max_event_bytes", Restart, "The largest event that is written.").named("FORGE_TOOL_OUTPUT_COMPRESSION_LOG_MAX_EVENT_BYTES"),
    advanced("monitoring.otlp_endpoint", Restart, "Where OpenTelemetry traces are sent."),
    common("monitoring.log_level", AtOnce, "What is logged: off, error, warn, info, debug or trace."),
    advanced("monitoring.content_bytes", Reload, "How many bytes of tool results to keep in memory, so that the dashboard can show what the model saw instead; 0 keeps none. If not set: 16MiB if the gateway listens on this machine only and has neither `keys` nor `allow_hosts`, and then not for requests that a proxy passed on; 0 elsewhere."),
    common("ledger", Restart, "Record savings for `tokenforge gain`: on, off, or a folder to write to."),
    advanced("limits.first_byte_timeout", Reload, "How long a provider may take to send its first byte."),
    advanced("limits.write_timeout", Restart, "How long a client may stop reading its answer before it is disconnected."),
    advanced("limits.max_answer_bytes", Reload, "Answers above this size are passed on without looking for requests to fetch something back."),
    advanced("limits.cache_bytes", Restart, "Memory for caches that save work: about 1.4MiB for each long conversation in progress."),
    advanced("limits.cached_sessions", Restart, "How many sessions named by requests (`session_id`) are remembered."),
    common("mcp", Reload, "Tool servers behind `/mcp`: `backends` by prefix (`url` and `headers`, or `command`, `args`, `env` and `folder`; `timeout`, `max_concurrent`, `enabled`, `structured`), `format` (auto, json, toon or stc), `structured` (keep, drop or pointer), `clients` and `tools` by name, `include`, `exclude`, `min_bytes`, `max_bytes`, `observe`, `metadata`, `file`.").only_in_files(),
    common("prices", Reload, "Dollars per million tokens, by the beginning of a model's name: `input`, `output`, `cache_read`, `cache_write`, `cache_write_1h`.").only_in_files(),
];
