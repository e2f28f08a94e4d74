//! Which provider a request is for, by its path.

/// The shapes of requests and replies that providers have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Gemini `generateContent`.
    Gemini,
    /// Gemini Interactions.
    Interactions,
    /// Bedrock Converse.
    Converse,
    /// Bedrock InvokeModel with an Anthropic body.
    Invoke,
    /// Ollama `/api/chat`.
    Ollama,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsksFor {
    /// What a model says.
    Answer,
    /// The number of tokens.
    Count,
    /// A shorter conversation.
    Compaction,
    /// Answers to many requests, which are had later.
    Batch,
}

/// What a request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) dialect: Dialect,
    pub(crate) asks: AsksFor,
    /// Whether the answer is a stream, where the path tells.
    pub(crate) streams: Option<bool>,
    /// The model, where the path tells.
    pub(crate) model: Option<String>,
    /// Gemini: events (`alt=sse`), not one array that grows.
    pub(crate) events: bool,
}

impl Route {
    /// What a `POST` to this path and query is for; nothing if no provider of ours has it.
    pub(crate) fn of(path_and_query: &str) -> Option<Self> {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let path = decoded(path.trim_end_matches('/'));
        let plain = |dialect| {
            let asks = AsksFor::Answer;
            Self { dialect, asks, streams: None, model: None, events: true }
        };
        let ends = |end: &str| path.ends_with(end);
        if ends("/v1/messages") {
            return Some(plain(Dialect::Anthropic));
        }
        if ends("/v1/messages/count_tokens") {
            return Some(Self { asks: AsksFor::Count, ..plain(Dialect::Anthropic) });
        }
        if ends("/v1/messages/batches") {
            return Some(Self { asks: AsksFor::Batch, ..plain(Dialect::Anthropic) });
        }
        if ends("/responses/compact") {
            return Some(Self { asks: AsksFor::Compaction, ..plain(Dialect::Responses) });
        }
        if ends("/chat/completions") {
            return Some(plain(Dialect::Chat));
        }
        if ends("/responses") {
            return Some(plain(Dialect::Responses));
        }
        if ends("/responses/input_tokens") {
            return Some(Self { asks: AsksFor::Count, ..plain(Dialect::Responses) });
        }
        if ends("/interactions") {
            return Some(plain(Dialect::Interactions));
        }
        if ends("/api/chat") {
            return Some(plain(Dialect::Ollama));
        }
        if let Some((_, rest)) = path.split_once("/model/") {
            let (model, action) = rest.rsplit_once('/')?;
            let (dialect, streams) = match action {
                "converse" => (Dialect::Converse, false),
                "converse-stream" => (Dialect::Converse, true),
                "invoke" => (Dialect::Invoke, false),
                "invoke-with-response-stream" => (Dialect::Invoke, true),
                _ => return None,
            };
            let (streams, model) = (Some(streams), Some(model.to_owned()));
            return Some(Self { streams, model, ..plain(dialect) });
        }
        let (model, action) = path.rsplit_once('/')?.1.rsplit_once(':')?;
        let (streams, asks) = match action {
            "generateContent" => (false, AsksFor::Answer),
            "streamGenerateContent" => (true, AsksFor::Answer),
            "countTokens" => (false, AsksFor::Count),
            _ => return None,
        };
        let events = query.split('&').any(|pair| pair == "alt=sse");
        let (streams, model) = (Some(streams), Some(model.to_owned()));
        Some(Self { streams, model, asks, events, ..plain(Dialect::Gemini) })
    }
}

/// A path without its percent-encoding.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_tells_the_provider() {
        let of =
            |path: &str| Route::of(path).map(|route| (route.dialect, route.streams, route.model));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(of("/p/x/v1/messages?beta=true"), Some((Dialect::Anthropic, None, None)));
        assert_eq!(of("/openai/deployments/g/chat/completions"), Some((Dialect::Chat, None, None)));
        assert_eq!(of("/v1/responses"), Some((Dialect::Responses, None, None)));
        assert_eq!(
            of("/model/a.b-v1%3A0/converse"),
            Some((Dialect::Converse, Some(false), some("a.b-v1:0")))
        );
        assert_eq!(
            of("/v1beta/models/g%3AgenerateContent"),
            Some((Dialect::Gemini, Some(false), some("g")))
        );
        assert_eq!(of("/v1beta/interactions"), Some((Dialect::Interactions, None, None)));
        assert_eq!(of("/api/chat"), Some((Dialect::Ollama, None, None)));
        assert_eq!(of("/v1/embeddings"), None);
        let asks = |path: &str| Route::of(path).map(|route| route.asks);
        assert_eq!(asks("/v1/messages/batches"), Some(AsksFor::Batch));
        assert_eq!(asks("/v1/responses/compact"), Some(AsksFor::Compaction));
        assert_eq!(asks("/v1/messages/count_tokens"), Some(AsksFor::Count));
        assert_eq!(of("/%"), None);
    }
}
