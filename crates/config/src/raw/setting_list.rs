//! The one list of settings: every key of the file, with its type, what it is for, its flag and its variable.
//!
//! What is read and written, the schema, the documentation, variables, flags and what the dashboard shows are made from it.

use super::keys::Keys;
use super::list::ValueList;
use super::mcp::McpSection;
use super::pipes::PipesSection;
use super::plugin::PluginEntry;
use super::price::PriceEntry;
use super::provider::ProviderEntry;
use super::route::RouteEntry;
use super::section::{Optional, section};
use super::value_type::{
    Boolean, ByteSize, FilePath, HostPort, HttpUrl, LedgerTarget, NonEmptyText, OneOf, Parsed,
    Part, PositiveCount, SecretKey, SocketAddress, Spending, StoreLocation, TargetRatio, TimeSpan,
};
use crate::settings::{
    self, AwsSigning, ExpandBy, ExpandInjection, Fallback, JsonForm, KeptResults, LogLevel,
    ModelClassSetting, OldResults, SchemaCompression, Settings, Strategy,
};
use crate::table::TakesEffect::{AtOnce, Reload, Restart};
use crate::table::{advanced, common};
use std::collections::BTreeMap;
use tokenforge_engine::DictionaryMethod;
use tokenforge_engine::Mode;
use tokenforge_engine::prompt::PromptSettings;

section! {
    #[serde(deny_unknown_fields, expecting = "a file of settings")]
    #[schemars(title = "tokenforge.yaml", description = "Settings of Tokenforge")]
    Raw for Settings, at "";
    listen: Parsed<SocketAddress> => common(Restart, "The address and port the gateway listens on.").flag("--listen", |flags| flags.listen.as_deref());
    tls as tls: section TlsSection;
    allow_public: Parsed<Boolean> => common(Restart, "Allow listening on an address other machines can reach without `keys`: anyone who reaches it can use it.");
    keys: Keys => common(Reload, "Keys that clients must send, by tenant name. Without any, clients need no key.");
    admin_token: Optional<SecretKey> => common(Reload, "The token for everything under `/_forge/` except health. If not set, one is created in the data folder, and only changes and texts ask for it.");
    allow_hosts: ValueList<HostPort> => advanced(Reload, "Extra host names (`host` or `host:port`) that clients may use for the gateway, besides those of this machine. With `keys` set, any name is accepted.");
    allow_origins: ValueList<NonEmptyText> => advanced(Reload, "Websites whose pages may call the gateway, such as `https://host`.");
    upstreams as upstreams: section UpstreamsSection;
    routes: BTreeMap<String, RouteEntry> => common(Reload, "JSON APIs that agents reach through the gateway, by path: `url`, `headers` to add, and `format` (json, toon, stc or auto) for clients that ask for none.").only_in_files();
    plugins: Vec<PluginEntry> => common(Reload, "A list of plugins: `name`, `enabled`, `priority`, `on_error` (open or closed), `timeout`, `config`. The plugins stc and toon are on unless you turn them off here.").only_in_files();
    pipes as tool_output: section PipesSection;
    providers: BTreeMap<String, ProviderEntry> => advanced(Reload, "Models that the strategy external_provider can ask, by name: `kind` (anthropic, openai or gemini, unless the name says it), `auth` (api_key or oauth), `endpoint`, `api_key`, `model`.").only_in_files();
    schema_compression: Parsed<OneOf<SchemaCompression>> => advanced(AtOnce, "What to do to tool schemas: disabled, minify (white space in descriptions) or compact (keywords that no provider reads, too).").flag("--schema-compression", |flags| flags.schema_compression.as_deref());
    redact_secrets: Parsed<Boolean> => common(Reload, "Remove secrets from whole requests and from everything tool servers say, and refuse what cannot be checked.").flag("--redact-secrets", |flags| flags.redact_secrets.then_some("true"));
    toon as toon: section ToonSection;
    store as store: section StoreSection;
    monitoring as monitoring: section MonitoringSection;
    ledger: Parsed<LedgerTarget> => common(Restart, "Record savings for `tokenforge gain`: on, off, or a folder to write to.");
    shadow as shadow: section ShadowSection;
    limits as limits: section LimitsSection;
    #[schemars(schema_with = "super::mcp::schema")]
    mcp: McpSection => common(Reload, "Tool servers behind `/mcp`: `backends` by prefix (`url` and `headers`, or `command`, `args`, `env` and `folder`; `timeout`, `max_concurrent`, `enabled`, `structured`), `format` (auto, json, toon or stc), `structured` (keep, drop or pointer), `clients` (`format`, `structured`, `tools`: what it sees and may call) and `tools` by name, `tool_list` (all or search) and `pinned_tools`, `include`, `exclude`, `min_bytes`, `max_bytes`, `observe`, `metadata`, `file`.").only_in_files();
    prices: BTreeMap<String, PriceEntry> => common(Reload, "Dollars per million tokens, by the beginning of a model's name: `input`, `output`, `cache_read`, `cache_write`, `cache_write_1h`.").only_in_files();
}

section! {
    #[serde(deny_unknown_fields, expecting = "a section")]
    TlsSection for settings::TlsSettings, at "tls.";
    cert?: FilePath => advanced(Restart, "The certificate chain (PEM) that the gateway speaks TLS with; connections from this machine may do without. A changed file is used for new connections.").flag("--tls-cert", |flags| flags.tls_cert.as_deref());
    key?: FilePath => advanced(Restart, "The private key (PEM, not encrypted) of that certificate.").flag("--tls-key", |flags| flags.tls_key.as_deref());
}

section! {
    #[serde(deny_unknown_fields, expecting = "a section")]
    UpstreamsSection for settings::Upstreams, at "upstreams.";
    anthropic: Parsed<HttpUrl> => common(Reload, "Where Anthropic Messages requests go.");
    openai: Parsed<HttpUrl> => common(Reload, "Where OpenAI requests go, and requests in no known format.");
    gemini: Parsed<HttpUrl> => common(Reload, "Where Gemini requests go.");
    bedrock: Parsed<HttpUrl> => advanced(Reload, "Where Bedrock requests go.");
    ollama: Parsed<HttpUrl> => advanced(Reload, "Where Ollama requests go.");
    azure_openai?: HttpUrl => advanced(Reload, "Where OpenAI requests with Azure paths go.");
    vertex?: HttpUrl => advanced(Reload, "Where Gemini and Claude requests with Vertex paths go.");
    backend?: HttpUrl => common(Reload, "Send every request to this address instead of the provider's own.").flag("--backend-url", |flags| flags.backend_url.as_deref());
    target_allow: ValueList<HostPort> => advanced(Reload, "Hosts (`host` or `host:port`) that a client may name in `X-Target-URL`.");
    aws_signing: Parsed<OneOf<AwsSigning>> => advanced(Reload, "Whose signed Bedrock requests are made smaller and signed again with the AWS credentials of the gateway (variables, `~/.aws`, web identity). `own_key`: those signed with one of its own keys. `callers`: also those for a model of clients that show one of `keys`. `never`.");
}

section! {
    #[serde(deny_unknown_fields, expecting = "a section")]
    ToolOutputSection for settings::ToolOutput, at "pipes.tool_output.";
    enabled: Parsed<Boolean> => advanced(AtOnce, "Whether tool results are changed at all; `false` is the same as mode disabled.");
    mode: Parsed<OneOf<Mode>> => common(AtOnce, "How much is done to tool results. `disabled`: nothing. `observe`: measure, forward the original. `safe`: remove secrets, terminal escapes and binary data that can be fetched back, and cap very long results. `lossless`: smaller notation only, nothing left out. `standard`: safe, lossless, and leave out what the model can fetch back. `aggressive`: standard, plus log templates and a dictionary.").flag("--mode", |flags| flags.tool_output_compression.as_deref()).named("FORGE_MODE").documented_as("FORGE_TOOL_OUTPUT_COMPRESSION");
    method: Parsed<OneOf<DictionaryMethod>> => advanced(AtOnce, "The dictionary that mode aggressive uses: lzw, repair or auto.").flag("--method", |flags| flags.tool_output_compression_method.as_deref()).documented_as("FORGE_TOOL_OUTPUT_COMPRESSION_METHOD");
    redact_secrets: Parsed<Boolean> => common(Reload, "Remove secrets from tool results.");
    max_output_bytes?: ByteSize<1> => common(AtOnce, "Cap results at this size, in modes that cap. If not set: 65536 where the model can fetch the rest, no cap elsewhere nor on file text and diffs.");
    json_formats: ValueList<OneOf<JsonForm>> => advanced(AtOnce, "The notations JSON may be written in: json, toon, table, and one of stc (STC 2 at the level with the fewest tokens), stc1, stc2 (level 2) or stc2_shared (level 3).");
    model_class: Parsed<OneOf<ModelClassSetting>> => advanced(AtOnce, "What the model can read. `large`: every notation. `small`: plain text and JSON, with every line number. `auto`: small for Ollama and for model names with nano, lite, tiny or up to 8b, large for the rest.");
    dedup: Parsed<Boolean> => advanced(AtOnce, "Replace a result that was shown before, in the same request or session, with a pointer to it.");
    skip_tools: ValueList<NonEmptyText> => common(AtOnce, "Tools whose results stay as they are, apart from removing secrets: categories (read, edit, write, bash or shell, glob, grep, list, web_fetch, web_search, agent, todo, mcp), or exact tool names.");
    strategy: Parsed<OneOf<Strategy>> => advanced(Reload, "What shortens results that are still large: passthrough (nothing), simple, api or external_provider.");
    fallback_strategy: Parsed<OneOf<Fallback>> => advanced(Reload, "What to do when the strategy fails: passthrough, simple or error.");
    provider?: NonEmptyText => advanced(Reload, "The entry of `providers` that the strategy external_provider asks.");
    api: last section ApiSection;
    min_bytes: Parsed<ByteSize<0>> => advanced(AtOnce, "Results up to this size are not given to the strategy.");
    max_bytes: Parsed<ByteSize<1>> => advanced(AtOnce, "Results above this size are not given to the strategy.");
    target_ratio?: TargetRatio => advanced(AtOnce, "How small the strategy must make a result, as a fraction of its size: 0.1 to 0.9.");
    enable_expand_context: Parsed<Boolean> => common(AtOnce, "Let the model fetch back what was left out. If `false`, nothing is left out.");
    include_expand_hint: Parsed<Boolean> => advanced(AtOnce, "Add a line under each reference that says how to fetch it back.");
    expand_injection: Parsed<OneOf<ExpandInjection>> => advanced(AtOnce, "When the tool `expand_context` is offered. `when_it_pays`: if a tool runs commands and the prompt is 100 times the size of its definition; otherwise nothing is left out. `from_start`: always. `when_referenced`: once something was left out.");
    expand_by: Parsed<OneOf<ExpandBy>> => advanced(AtOnce, "How the model fetches back what was left out. `tool`: with `expand_context` alone. `shell`: with the command `tokenforge expand` alone, where `setup` or `wrap` found that the agent's shell runs it on this machine, outside a sandbox and without asking; needs the store on disk in the data folder. `auto`: with the tool where it is offered, with the command where it is not.");
    old_results: Parsed<OneOf<OldResults>> => advanced(AtOnce, "When results of more than 20 turns ago, and file reads that later ones supersede, become references. `when_cold`: in a request after a pause in which the provider's prompt cache expired, and from then on; needs a store on disk or Redis. `never`.");
    rate_per_second: Parsed<PositiveCount> => advanced(AtOnce, "How many strategy calls may start per second.");
    max_concurrent: Parsed<PositiveCount> => advanced(AtOnce, "How many strategy calls may run at once; others wait.");
}

section! {
    #[serde(deny_unknown_fields, expecting = "a section")]
    ApiSection for settings::Api, at "pipes.tool_output.api.";
    endpoint?: HttpUrl => advanced(Reload, "The address that the strategy api asks.");
    api_key?: SecretKey => advanced(Reload, "The key sent to that address.");
    model?: NonEmptyText => advanced(Reload, "The model requested there.");
    timeout: Parsed<TimeSpan> => advanced(Reload, "How long a strategy may take for one result.");
    query_agnostic: Parsed<Boolean> => advanced(Reload, "Do not tell the strategy what the result is needed for.");
}

section! {
    #[serde(deny_unknown_fields, expecting = "a section")]
    ToonSection for PromptSettings, at "toon.";
    enabled: Parsed<Boolean> => advanced(AtOnce, "Rewrite messages that are one large JSON value as TOON.").named("TOON_ENABLED");
    min_bytes: Parsed<ByteSize<0>> => advanced(AtOnce, "Messages up to this size stay JSON.").named("TOON_MIN_BYTES");
    fail_open: Parsed<Boolean> => advanced(AtOnce, "Forward JSON that TOON cannot represent as it is, instead of failing the request.").named("TOON_FAIL_OPEN");
    log_stats: Parsed<Boolean> => advanced(AtOnce, "Log sizes before and after.").named("TOON_LOG_STATS");
}

section! {
    #[serde(deny_unknown_fields, expecting = "a section")]
    StoreSection for settings::StoreSettings, at "store.";
    url: Parsed<StoreLocation> => common(Restart, "Where originals are kept: `memory:`, `disk:PATH`, `redis://`, `rediss://` or `redis+cluster://`.").flag("--store", |flags| flags.store.as_deref()).named("FORGE_STORE");
    original_ttl: Parsed<TimeSpan> => common(Restart, "How long an original, or a result kept by `keep: all`, can be fetched back after its last use.");
    compressed_ttl: Parsed<TimeSpan> => advanced(Restart, "How long a strategy's result is remembered after its last use.");
    keep: Parsed<OneOf<KeptResults>> => advanced(Reload, "Which tool results are kept. `referenced`: those that something was left out of. `all`: every result that a model which has the tool `expand_context` is sent, without its secrets, so that the model can search and fetch what its client has since cleared from the conversation.");
    max_bytes?: ByteSize<1> => advanced(Restart, "How much the store may hold. If not set: 64MiB in memory, 1GiB on disk; Redis has its own limit.");
    key?: SecretKey => advanced(Restart, "The key that signs references; use the same on every replica. If not set, the store creates and keeps one (for `memory:`, in the data folder).");
}

section! {
    #[serde(deny_unknown_fields, expecting = "a section")]
    MonitoringSection for settings::Monitoring, at "monitoring.";
    compression_log?: FilePath => advanced(Restart, "A file that gets one JSON line for every tool result.").named("FORGE_TOOL_OUTPUT_COMPRESSION_LOG");
    log_queue_capacity: Parsed<PositiveCount> => advanced(Restart, "How many events may wait to be written; more are dropped and counted.").named("FORGE_TOOL_OUTPUT_COMPRESSION_LOG_QUEUE_CAPACITY");
    log_max_event_bytes: Parsed<ByteSize<1024>> => advanced(Restart, "The largest event that is written.").named("FORGE_TOOL_OUTPUT_COMPRESSION_LOG_MAX_EVENT_BYTES");
    otlp_endpoint?: HttpUrl => advanced(Restart, "Where OpenTelemetry traces are sent.");
    log_level: Parsed<OneOf<LogLevel>> => common(AtOnce, "What is logged: off, error, warn, info, debug or trace.");
    content_bytes?: ByteSize<0> => advanced(Reload, "How many bytes of tool results to keep in memory, so that the dashboard can show what the model saw instead; 0 keeps none. If not set: 16MiB if the gateway listens on this machine only and has neither `keys` nor `allow_hosts`, and then not for requests that a proxy passed on; 0 elsewhere.");
}

section! {
    #[serde(deny_unknown_fields, expecting = "a section")]
    ShadowSection for settings::ShadowSettings, at "shadow.";
    share: Parsed<Part> => common(Reload, "Which part of requests with newly compressed results, from 0 to 1, is also sent three times for comparison: twice as it came and once compressed, at your cost. 0 is off. Needs `ledger`.");
    budget_usd: Parsed<Spending> => common(Reload, "How many dollars these requests may cost in a day (UTC), at list prices or `prices`.");
    harm_bound: Parsed<Part> => advanced(Reload, "How much more often a model may act differently on compressed requests, as a part of all requests, before the mode or stage is held.");
}

section! {
    #[serde(deny_unknown_fields, expecting = "a section")]
    LimitsSection for settings::Limits, at "limits.";
    first_byte_timeout: Parsed<TimeSpan> => advanced(Reload, "How long a provider may take to send its first byte.");
    write_timeout: Parsed<TimeSpan> => advanced(Restart, "How long a client may stop reading its answer before it is disconnected.");
    max_answer_bytes: Parsed<ByteSize<0>> => advanced(Reload, "Answers above this size are passed on without looking for requests to fetch something back.");
    cache_bytes: Parsed<ByteSize<0>> => advanced(Restart, "Memory for caches that save work: about 1.4MiB for each long conversation in progress.");
    cached_sessions: Parsed<PositiveCount> => advanced(Restart, "How many sessions named by requests (`session_id`) are remembered.");
}
