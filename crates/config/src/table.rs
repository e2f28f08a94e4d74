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
    /// When a new value counts.
    pub change: Change,
    /// What it is for, in one line.
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
}

const fn setting(path: &'static str, change: Change, about: &'static str) -> Setting {
    Setting { path, flag: None, named_variable: Variable::ByPath, change, about }
}

impl Setting {
    const fn flag(self, flag: &'static str) -> Self {
        Setting { flag: Some(flag), ..self }
    }

    const fn named(self, variable: &'static str) -> Self {
        Setting { named_variable: Variable::Named(variable), ..self }
    }

    const fn only_in_files(self) -> Self {
        Setting { named_variable: Variable::None, ..self }
    }
}

/// Every setting, in the order of the file.
#[rustfmt::skip] // one line a setting
pub const SETTINGS: &[Setting] = &[
    setting("listen", Restart, "where the gateway listens").flag("--listen"),
    setting("allow_public", Restart, "may it listen beyond this machine without `keys`?"),
    setting("keys", Reload, "the keys that clients must show, by the name of their tenant; none: no key is asked for"),
    setting("admin_token", Reload, "what everything under `/_forge/` but health asks for; none: a token in the data folder, for changes and texts"),
    setting("allow_hosts", Reload, "names that clients may call the gateway by, `host` or `host:port`, beside those of this machine; with `keys`, any"),
    setting("allow_origins", Reload, "websites whose pages may use the gateway, as `https://host`"),
    setting("upstreams.anthropic", Reload, "where requests in the shape of Anthropic Messages go"),
    setting("upstreams.openai", Reload, "where requests in the shape of OpenAI go, and those of no known shape"),
    setting("upstreams.gemini", Reload, "where requests in the shape of Gemini go"),
    setting("upstreams.bedrock", Reload, "where requests in the shape of Bedrock go"),
    setting("upstreams.ollama", Reload, "where requests in the shape of Ollama go"),
    setting("upstreams.azure_openai", Reload, "where OpenAI requests with the paths of Azure go"),
    setting("upstreams.vertex", Reload, "where Gemini and Claude requests with the paths of Vertex go"),
    setting("upstreams.backend", Reload, "one upstream in place of all the others").flag("--backend-url"),
    setting("upstreams.target_allow", Reload, "the hosts, `host` or `host:port`, that a client may name in `X-Target-URL`"),
    setting("routes", Reload, "JSON APIs for agents, by the path they have here: `url`, `headers` that are added, `format` (json, toon, stc or auto) for who does not say").only_in_files(),
    setting("plugins", Reload, "a list of plugins: `name`, `enabled`, `priority`, `on_error` (open or closed), `timeout`, `config`; stc and toon are on unless turned off here").only_in_files(),
    setting("pipes.tool_output.enabled", AtOnce, "is anything done to tool results?"),
    setting("pipes.tool_output.mode", AtOnce, "how much is done: disabled, observe, safe, lossless, standard or aggressive").flag("--tool-output-compression").named("FORGE_TOOL_OUTPUT_COMPRESSION"),
    setting("pipes.tool_output.method", AtOnce, "the dictionary of the mode aggressive: lzw, repair or auto").flag("--tool-output-compression-method").named("FORGE_TOOL_OUTPUT_COMPRESSION_METHOD"),
    setting("pipes.tool_output.redact_secrets", Reload, "are secrets removed from tool results?"),
    setting("pipes.tool_output.max_output_bytes", AtOnce, "how many bytes of a result are kept, by the modes that cap; unless set, 65536 where the model can fetch back the rest, and else all"),
    setting("pipes.tool_output.json_formats", AtOnce, "the forms that JSON may take: json, toon, table, and one of stc (STC 2, at the level with the fewest tokens), stc1, stc2 (level 2) and stc2_shared (level 3)"),
    setting("pipes.tool_output.model_class", AtOnce, "what models read: large (everything), small (plain text and JSON: no tables, no notations, every line number) or auto (small for Ollama and for names that say nano, lite, tiny or up to 8b)"),
    setting("pipes.tool_output.dedup", AtOnce, "may a result become a pointer to an earlier one, of its request or of its session?"),
    setting("pipes.tool_output.skip_tools", AtOnce, "tools whose results are only redacted: read, edit, write, bash, glob, grep, else exact names"),
    setting("pipes.tool_output.strategy", Reload, "what shortens what is still large: passthrough, simple, api or external_provider"),
    setting("pipes.tool_output.fallback_strategy", Reload, "what happens when that fails: passthrough, simple or error"),
    setting("pipes.tool_output.provider", Reload, "the name in `providers` that the strategy external_provider asks"),
    setting("pipes.tool_output.api.endpoint", Reload, "where the strategy api asks"),
    setting("pipes.tool_output.api.api_key", Reload, "the key it shows"),
    setting("pipes.tool_output.api.model", Reload, "the model it asks for"),
    setting("pipes.tool_output.api.timeout", Reload, "how long a strategy may take for a result"),
    setting("pipes.tool_output.api.query_agnostic", Reload, "is it not told what the result is for?"),
    setting("pipes.tool_output.min_bytes", AtOnce, "results up to this size are not given to the strategy"),
    setting("pipes.tool_output.max_bytes", AtOnce, "results above this size are not given to the strategy"),
    setting("pipes.tool_output.target_ratio", AtOnce, "how small the strategy's result must be, as a part of what it was given: 0.1 to 0.9"),
    setting("pipes.tool_output.enable_expand_context", AtOnce, "may the model fetch back what was left out? Without it nothing is left out"),
    setting("pipes.tool_output.include_expand_hint", AtOnce, "does a line under a reference say how to fetch it back?"),
    setting("pipes.tool_output.expand_injection", AtOnce, "when the tool `expand_context` is offered: when_it_pays (where a tool runs commands and the prompt is 100 times as large as its definition; elsewhere nothing is left out), from_start or when_referenced"),
    setting("pipes.tool_output.rate_per_second", AtOnce, "how many calls of the strategy may start in a second"),
    setting("pipes.tool_output.max_concurrent", AtOnce, "how many calls of the strategy may run at once; more wait"),
    setting("providers", Reload, "whom the strategy external_provider may ask, by name: `kind` (anthropic, openai or gemini; else the name says it), `auth` (api_key or oauth), `endpoint`, `api_key`, `model`").only_in_files(),
    setting("schema_compression", AtOnce, "what is done to descriptions in tool schemas: disabled or minify").flag("--schema-compression"),
    setting("redact_secrets", Reload, "are secrets removed from every request to a provider and from all that tool servers say, and what cannot be checked refused?").flag("--redact-secrets"),
    setting("toon.enabled", AtOnce, "does a message that is one large JSON value become TOON?").named("TOON_ENABLED"),
    setting("toon.min_bytes", AtOnce, "messages up to this size stay").named("TOON_MIN_BYTES"),
    setting("toon.fail_open", AtOnce, "does JSON that TOON cannot hold go on as it is? Otherwise it is an error").named("TOON_FAIL_OPEN"),
    setting("toon.log_stats", AtOnce, "are sizes before and after logged?").named("TOON_LOG_STATS"),
    setting("store.url", Restart, "where originals are kept: `memory:`, `disk:PATH`, `redis://`, `rediss://` or `redis+cluster://`").flag("--store").named("FORGE_STORE"),
    setting("store.original_ttl", Restart, "how long an original can be fetched back after its last use"),
    setting("store.compressed_ttl", Restart, "how long a strategy's result is remembered after its last use"),
    setting("store.max_bytes", Restart, "how much is kept; unless set, 64MiB in memory and 1GiB on disk. Redis has a bound of its own"),
    setting("store.key", Restart, "what references are signed with, the same on every replica; none: one that the store keeps, for `memory:` in the data folder"),
    setting("monitoring.compression_log", Restart, "the file that gets an event for every tool result, as JSON lines").named("FORGE_TOOL_OUTPUT_COMPRESSION_LOG"),
    setting("monitoring.log_queue_capacity", Restart, "how many events may wait to be written; more are dropped and counted").named("FORGE_TOOL_OUTPUT_COMPRESSION_LOG_QUEUE_CAPACITY"),
    setting("monitoring.log_max_event_bytes", Restart, "how large an event may be").named("FORGE_TOOL_OUTPUT_COMPRESSION_LOG_MAX_EVENT_BYTES"),
    setting("monitoring.otlp_endpoint", Restart, "where OpenTelemetry traces are sent"),
    setting("monitoring.log_level", AtOnce, "what is logged: off, error, warn, info, debug or trace"),
    setting("monitoring.content_bytes", Reload, "how many bytes of tool results are kept in memory, for the dashboard to show what the model saw instead; 0: none. Unless set, 16MiB if the gateway listens on this machine only and has no `keys`, else 0"),
    setting("ledger", Restart, "is what was saved written down, for `tokenforge gain`? on, off, or the folder to write it to"),
    setting("limits.first_byte_timeout", Reload, "how long an upstream may take to its first byte"),
    setting("limits.write_timeout", Restart, "how long a client may take no byte of its answer while some wait for it; then it is cut off"),
    setting("limits.max_answer_bytes", Reload, "answers that have to be read whole, because the model may ask for an original in them, pass on unread above this size"),
    setting("limits.cache_bytes", Restart, "how many bytes the caches take that spare work: about 1.4MiB for each long conversation at a time"),
    setting("limits.cached_sessions", Restart, "how many sessions that requests name (`session_id`) are remembered"),
    setting("mcp", Reload, "tool servers behind `/mcp`: `backends` by prefix (`url` and `headers`, or `command`, `args`, `env` and `folder`; `timeout`, `max_concurrent`, `enabled`, `structured`), `format` (auto, json, toon or stc), `structured` (keep, drop or pointer), `clients` and `tools` by name, `include`, `exclude`, `min_bytes`, `max_bytes`, `observe`, `metadata`, `file`").only_in_files(),
    setting("prices", Reload, "dollars per million tokens, by the beginning of a model's name: `input`, `output`, `cache_read`, `cache_write`, `cache_write_1h`").only_in_files(),
];
