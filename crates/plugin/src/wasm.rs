//! Plugins as WebAssembly modules: third-party code in a sandbox.
//!
//! A module has no clock, no files, no network and no memory of earlier calls: each call gets a fresh instance, a line of
//! JSON that says what is going on, and the body where the module declared a need for it. It answers in the same form. How
//! much it may compute and how much memory it may take is limited.
//!
//! # What a module exports
//!
//! | export | type | for |
//! |---|---|---|
//! | `memory` | memory | where messages lie |
//! | `alloc` | `(length: i32) -> i32` | room for a message of the gateway's |
//! | `describe` | `(pointer: i32, length: i32) -> i64` | asked once, with the settings: what the plugin is |
//! | `call` | `(pointer: i32, length: i32) -> i64` | asked at each phase: what is to be done |
//!
//! It imports nothing and has no start function. `describe` and `call` answer with a message of their own: its pointer in
//! the upper 32 bits, its length in the lower. A message is one line of JSON. A body follows after the newline, as raw
//! bytes, where the JSON says `"body": true`.
//!
//! # What is said
//!
//! To `describe` the settings are given, as they are; it answers with [`Description`]. To `call` a [`Call`] is given; it
//! answers with a [`PluginReply`].
//!
//! ```
//! use tokenforge_plugin::Plugin;
//! use tokenforge_plugin::wasm::{Limits, WasmPlugin};
//!
//! let module = wat::parse_str(r#"(module
//!   (memory (export "memory") 1)
//!   (data (i32.const 0) "{\"abi\":1,\"name\":\"stamp\",\"phases\":{\"post_upstream\":0}}")
//!   (data (i32.const 128) "{\"headers\":{\"x-stamp\":\"wasm\"}}")
//!   (func (export "alloc") (param i32) (result i32) (i32.const 1024))
//!   (func (export "describe") (param i32 i32) (result i64) (i64.const 53))
//!   (func (export "call") (param i32 i32) (result i64) (i64.const 0x800000001e)))"#)?;
//! let plugin = WasmPlugin::new(&module, Limits::default(), serde_json::json!({}))?;
//! assert_eq!(plugin.name(), "stamp");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod factory;
mod fault;
mod limits;
mod message;
mod module;
mod plugin;

pub use factory::factory;
pub use fault::Fault;
pub use limits::Limits;
pub use message::{ABI, Call, CalledTool, Description, NextStep, PluginReply};
pub use plugin::WasmPlugin;
