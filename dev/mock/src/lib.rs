//! A mock model provider for tests and benchmarks: it checks what it is sent as strictly as the real ones.
//!
//! [`Mock::start`] opens a port on which every provider answers: Anthropic Messages, OpenAI Chat and Responses, Gemini
//! generateContent and Interactions, Bedrock Converse and InvokeModel, Ollama. Bodies that the real provider would refuse are refused, with its words.
//! Ids, thinking and signatures that the mock handed out must come back unchanged; they carry checksums, so it needs no
//! memory to tell. What it answers is a script of [`Reply`]s, which may be slow, cut into odd pieces, compressed, or go
//! wrong in any way that a network can ([`Fault`]). A test waits for conditions, not for time: [`Mock::hold`],
//! [`Mock::wait_for_requests`], [`Mock::wait_for_disconnect`].
//!
//! ```
//! use serde_json::json;
//! use tokenforge_mock::{Mock, Reply};
//!
//! let mock = Mock::start();
//! mock.reply(Reply::new().thinking("Let me see.").call("Bash", json!({"command": "ls"})));
//! mock.reply(Reply::expand_first_reference());
//! mock.reply("That is all.");
//! // ... point a client at mock.url() ...
//! assert_eq!(mock.refusals(), Vec::<String>::new());
//! ```

mod admin;
mod answer;
mod anthropic;
mod aws;
mod chat;
pub mod client;
mod compressor;
mod converse;
mod eventstream;
mod fault;
mod fragments;
mod gate;
mod gemini;
pub mod grammar;
mod interactions;
mod invoke;
mod memory;
mod mock;
mod ollama;
mod outgoing;
mod pace;
mod prompt_cache;
mod record;
mod redis_server;
mod refusal;
mod respond;
mod responses;
mod route;
mod rules;
mod script;
mod script_file;
mod seal;
mod server;
mod shared;

pub use aws::AwsKey;
pub use compressor::MockCompressor;
pub use fault::Fault;
pub use gate::Hold;
pub use mock::Mock;
pub use pace::{Encoding, Split};
pub use prompt_cache::prompt_pieces;
pub use record::Recorded;
pub use redis_server::RedisServer;
pub use rules::{Refused, rules};
pub use script::{Reply, first_reference};
pub use script_file::read as read_script;
