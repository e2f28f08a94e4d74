//! The profile of a provider API: what is fixed about it, as data.

use crate::reply::WireFormat;

/// What is fixed about a provider API.
pub(crate) struct Profile {
    /// Its name in traces.
    pub(crate) name: &'static str,
    /// Its provider, as the settings name its address.
    pub(crate) upstream: &'static str,
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
    /// Whoever does not say whether to stream gets a stream.
    pub(crate) streams_by_default: bool,
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
    /// What every part of a reply holds that says what it cost: others are not parsed for it.
    pub(crate) usage_marker: &'static str,
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
    /// A text in place of the list stands for one message of the user.
    pub(crate) may_be_text: bool,
}

impl ConversationList {
    /// A list that is always sent as a whole.
    pub(crate) const fn whole(member: &'static str) -> Self {
        ConversationList { member, kept_by: None, sign_of_whole: None, may_be_text: false }
    }
}
