//! The profile of a provider API: what is fixed about it, as data.

use crate::reply::WireFormat;
use memchr::memmem;
use std::time::Duration;

/// What is fixed about a provider API.
pub(crate) struct Profile {
    /// Its name in traces.
    pub(crate) name: &'static str,
    /// Its provider, as the settings name its address.
    pub(crate) upstream: &'static str,
    /// The provider's address, where the settings have none by the name of `upstream`.
    pub(crate) own_address: Option<ProviderAddress>,
    /// Headers that only requests to this provider have, in lower case.
    pub(crate) own_headers: &'static [&'static str],
    /// How paths begin that are this provider's alone, whatever is asked for.
    pub(crate) own_paths: &'static [&'static str],
    /// The definition of the tool that expands references.
    pub(crate) expand_tool: &'static str,
    /// Where the system prompt stands.
    pub(crate) system_prompt: SystemPrompt,
    /// Where the conversation stands.
    pub(crate) conversation: ConversationList,
    /// Only a body that names a version is in the format that we know.
    pub(crate) needs_version: bool,
    /// Clients send the ids of calls back, where the provider gives any.
    pub(crate) keeps_call_ids: bool,
    /// A request that does not say whether to stream gets a stream.
    pub(crate) streams_by_default: bool,
    /// The provider keeps replies unless a request says otherwise, so that the next request may name one and leave out what
    /// came before.
    pub(crate) keeps_replies: bool,
    /// Models run on a machine of one's own.
    pub(crate) is_local: bool,
    /// Tokens that were read from the prompt cache, or written to it, are not part of the input tokens.
    pub(crate) counts_cache_apart: bool,
    /// The media type of a stream, and its framing.
    pub(crate) stream_type: (&'static str, WireFormat),
    /// The framing of an answer in JSON where a stream was asked for.
    pub(crate) json_stream: WireFormat,
    /// The events of an Amazon event stream hold their payload in base64.
    pub(crate) encodes_events: bool,
    /// How long its prompt cache lives, where it is known to.
    pub(crate) cache: Option<CacheLifetime>,
    /// What every part of a reply holds that says what it cost: others are not parsed for it.
    pub(crate) usage_marker: &'static str,
}

/// Where a provider is that has no address in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderAddress {
    /// The provider's name in messages.
    pub title: &'static str,
    /// `https`, the host, and perhaps the beginning of a path.
    pub address: &'static str,
}

/// How long a prompt cache lives after its last use.
pub(crate) struct CacheLifetime {
    pub(crate) usual: Duration,
    /// The member and its value with which a request asks for a longer one.
    pub(crate) longer: (&'static str, &'static str, Duration),
}

impl CacheLifetime {
    /// Anthropic's, on Bedrock too.
    pub(crate) const ANTHROPIC: Self =
        CacheLifetime { usual: minutes(5), longer: ("ttl", "1h", minutes(60)) };

    /// OpenAI says 5 to 10 minutes, and at most an hour: what is longer is safe.
    pub(crate) const OPENAI: Self = CacheLifetime {
        usual: minutes(60),
        longer: ("prompt_cache_retention", "24h", minutes(24 * 60)),
    };

    /// That of a request. Its body is searched, not read: what looks like the member in a call's arguments makes the
    /// lifetime longer, which is the safe side.
    pub(crate) fn of(&self, body: &[u8]) -> Duration {
        let (member, value, longer) = self.longer;
        let (member, value) = (format!("\"{member}\""), format!("\"{value}\""));
        let asks = memmem::find_iter(body, &member).any(|at| {
            let behind = body.get(at + member.len()..).unwrap_or_default().trim_ascii_start();
            let behind = behind.strip_prefix(b":").unwrap_or_default().trim_ascii_start();
            behind.starts_with(value.as_bytes())
        });
        if asks { longer } else { self.usual }
    }
}

const fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

/// Where the system prompt of a request stands.
pub(crate) struct SystemPrompt {
    /// Members of its own.
    pub(crate) members: &'static [&'static str],
    /// The list of messages that it may begin.
    pub(crate) messages: &'static [&'static str],
    /// Members that wrap the request.
    pub(crate) wrappers: &'static [&'static str],
}

/// The list in which the conversation of a request stands.
pub(crate) struct ConversationList {
    /// The member.
    pub(crate) member: &'static str,
    /// The member that says that the provider keeps the conversation, and adds to it what is said.
    pub(crate) kept_by: Option<&'static str>,
    /// What stands in a list that is sent as a whole all the same.
    pub(crate) sign_of_whole: Option<&'static str>,
    /// The member that names the reply of which the provider keeps the conversation, to go on from there.
    pub(crate) continued_by: Option<&'static str>,
}

impl ConversationList {
    /// A list that is always sent as a whole.
    pub(crate) const fn whole(member: &'static str) -> Self {
        ConversationList { member, kept_by: None, sign_of_whole: None, continued_by: None }
    }
}
