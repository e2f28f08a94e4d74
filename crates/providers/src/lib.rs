//! Where tool results live in each provider's request, as byte spans in the body that a client sent; and its replies.
//!
//! [`Dialect::detect`] tells from the request line which provider's shape a body has. [`Request::read`] goes over the
//! body once and finds every tool result with the call it answers, the list of tools, the model, and our own `_forge`
//! member. What shall change is a [`Splice`]; [`splice`] makes the new body. Outside the splices every byte is the
//! client's: nothing is parsed into a tree and nothing is written back.
//!
//! ```
//! use tokenforge_providers::{Dialect, Request, splice};
//!
//! let body = br#"{"messages": [
//!   {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "ls", "arguments": "{}"}}]},
//!   {"role": "tool", "content": "a.rs\nb.rs\n", "tool_call_id": "c1"}
//! ]}"#;
//! let detected = Dialect::detect("POST", "/v1/chat/completions", |_| None).unwrap();
//! let request = Request::read(body, detected.dialect)?;
//! let result = &request.results[0];
//! assert_eq!(result.tool(body), "ls");
//! assert_eq!(result.text(body).as_deref(), Some("a.rs\nb.rs\n"));
//!
//! let smaller = splice(body, &[result.replaced_by("2 files\n")]).unwrap();
//! let expected = str::from_utf8(body).unwrap().replace(r"a.rs\nb.rs\n", r"2 files\n");
//! assert_eq!(smaller, expected.as_bytes());
//! # Ok::<(), tokenforge_providers::Refusal>(())
//! ```
//!
//! A [`Reply`] takes the provider's replies to the client, and keeps the calls of our own tool from it.
//!
//! What is particular to a provider's API is in a folder of its own, behind one trait (`api.rs`); [`Dialect`] is the list
//! of them. What they have in common is in `request` and `reply`.
//!
//! A body that is not JSON, or that two readers could understand differently, is a [`Refusal`]: forward it as it came.
//! So is whatever this crate does not know: images, documents, results that a provider's own tools made, results that a
//! program reads, blocks of unknown kinds. No input makes it panic, recurse or take more than linear time.

mod anthropic;
mod api;
mod bedrock;
mod detect;
mod detect_conversation;
mod dialect;
mod earlier_reading;
mod gemini;
mod gemini_interactions;
mod json;
mod ollama;
mod openai_chat;
mod openai_responses;
mod reply;
mod request;

pub use api::{ApiError, ProviderAddress};
pub use detect::{BatchedRequest, Detection, RequestPurpose, batched_requests, is_signed};
pub use dialect::Dialect;
pub use earlier_reading::EarlierReading;
pub use reply::{
    DeferredCall, DeferredCalls, ExpandAnswer, HiddenTurn, InternalCall, ModelTokens, NextAction,
    NextStep, Reply, ReplyContinuation, ThoughtAnchor, TokenCounts, ToolCall, TurnUsage,
    UsageMeter, WireFormat, error_document,
};
pub use request::{
    AnswerSite, CallArguments, CallSite, ConversationTurns, ExpandScope, ForgeMember, MessageRole,
    MessageText, MessageTexts, NameRef, Request, RequestHead, ResultShape, ThoughtSite,
    ToolDeclaration, ToolExchange, ToolList, ToolResult, call_key, expand_tool, is_repeatable,
    prompt_texts, put_back, rejoin, rejoin_answer, session_of_headers,
};
pub use tokenforge_json::{Refusal, Splice, quote as quoted, replace, splice, unescape};

mod refusal {
    pub(crate) use tokenforge_json::Refusal;
}
mod splice {
    pub(crate) use tokenforge_json::{Splice, splice};
}
