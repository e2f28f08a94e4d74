//! Tool search: two tools in the place of many. [`find_tools`](FIND_TOOLS) ranks the declarations of all servers by
//! BM25 and static word embeddings, [`call_tool`](CALL_TOOL) calls what it found.
//!
//! What is declared to a model stands in front of its conversation and is paid for in every request. With search it is the
//! same few hundred tokens, however many tools there are and whatever their servers change.

mod call;
mod declaration;
mod hybrid;
mod index;
mod names;
mod offer;
mod tool_vectors;
mod word_vectors;
mod words;

pub(crate) use call::{FoundCall, inner_message};
pub(crate) use declaration::DeclaredTool;
pub use index::ToolIndex;
pub(crate) use index::searched;
pub use offer::{CALL_TOOL, FIND_TOOLS, LIST_KEY, definitions};
pub(crate) use offer::{FindQuery, found, unknown_tool, wants_all};
