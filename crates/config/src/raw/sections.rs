//! The sections of the file.

use super::list::List;
use super::section::section;
use super::word::{
    Bytes, Count, File, Flag, Host, Key, Location, One, Ratio, Span, Text, Web, Written,
};
use crate::settings::{
    self, ExpandInjection, Fallback, JsonForm, LogLevel, ModelClassSetting, Strategy,
};
use tokenforge_engine::Mode;
use tokenforge_engine::dictionary::DictionaryMethod;
use tokenforge_engine::prompt::PromptSettings;

section! {
    Upstreams for settings::Upstreams;
    always {
        anthropic: Written<Web>,
        openai: Written<Web>,
        gemini: Written<Web>,
        bedrock: Written<Web>,
        ollama: Written<Web>,
        target_allow: List<Host>,
    }
    perhaps {
        azure_openai: Written<Web>,
        vertex: Written<Web>,
        backend: Written<Web>,
    }
    within {}
}

section! {
    ToolOutput for settings::ToolOutput;
    always {
        enabled: Written<Flag>,
        mode: Written<One<Mode>>,
        method: Written<One<DictionaryMethod>>,
        redact_secrets: Written<Flag>,
        json_formats: List<One<JsonForm>>,
        model_class: Written<One<ModelClassSetting>>,
        dedup: Written<Flag>,
        skip_tools: List<Text>,
        strategy: Written<One<Strategy>>,
        fallback_strategy: Written<One<Fallback>>,
        min_bytes: Written<Bytes<0>>,
        max_bytes: Written<Bytes<1>>,
        enable_expand_context: Written<Flag>,
        include_expand_hint: Written<Flag>,
        expand_injection: Written<One<ExpandInjection>>,
        rate_per_second: Written<Count>,
        max_concurrent: Written<Count>,
    }
    perhaps {
        max_output_bytes: Written<Bytes<1>>,
        provider: Written<Text>,
        target_ratio: Written<Ratio>,
    }
    within { api: Api }
}

section! {
    Api for settings::Api;
    always {
        timeout: Written<Span>,
        query_agnostic: Written<Flag>,
    }
    perhaps {
        endpoint: Written<Web>,
        api_key: Written<Key>,
        model: Written<Text>,
    }
    within {}
}

section! {
    Toon for PromptSettings;
    always {
        enabled: Written<Flag>,
        min_bytes: Written<Bytes<0>>,
        fail_open: Written<Flag>,
        log_stats: Written<Flag>,
    }
    perhaps {}
    within {}
}

section! {
    Store for settings::StoreSettings;
    always {
        url: Written<Location>,
        original_ttl: Written<Span>,
        compressed_ttl: Written<Span>,
    }
    perhaps {
        max_bytes: Written<Bytes<1>>,
        key: Written<Key>,
    }
    within {}
}

section! {
    Monitoring for settings::Monitoring;
    always {
        log_queue_capacity: Written<Count>,
        log_max_event_bytes: Written<Bytes<1024>>,
        log_level: Written<One<LogLevel>>,
    }
    perhaps {
        content_bytes: Written<Bytes<0>>,
        compression_log: Written<File>,
        otlp_endpoint: Written<Web>,
    }
    within {}
}

section! {
    Limits for settings::Limits;
    always {
        first_byte_timeout: Written<Span>,
        write_timeout: Written<Span>,
        max_answer_bytes: Written<Bytes<0>>,
        cache_bytes: Written<Bytes<0>>,
        cached_sessions: Written<Count>,
    }
    perhaps {}
    within {}
}
