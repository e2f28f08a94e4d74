//! Requests and replies of every dialect, seen from outside.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod again;
mod hostile;
mod message_text;
mod next_action;
mod recorded;
mod rejoin;
mod reply_anthropic;
mod reply_bedrock;
mod reply_chat;
mod reply_gemini;
mod reply_hidden;
mod reply_interactions;
mod reply_ollama;
mod reply_responses;
mod reply_whole;
mod shapes;
mod support;
