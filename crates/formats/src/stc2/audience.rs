//! Which constructs a text may use, by its reader. The grammar is one, and every decoder reads all of it.
//!
//! An agent at work reads a table once, and copies what it finds into its next call. In live trials agents asked again where a
//! cell was a reference to a list in another row, a ditto mark below another mark, or a name in two parts: three or four extra
//! calls of six. Such constructs are for programs. What that costs is in `spec/stc2.md`, "Before models".

/// The reader of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    /// A decoder.
    Program,
    /// A model, to which words that stand side by side may be one.
    Model,
}

impl Audience {
    /// Whether an object or an array may be a reference to an equal one.
    pub(super) fn may_refer_to_containers(self) -> bool {
        self == Self::Program
    }

    /// The least weight of a string that may be a reference to an equal one.
    pub(super) fn least_shared_weight(self) -> u64 {
        match self {
            Self::Program => 3,
            Self::Model => 5,
        }
    }

    /// Whether the rest of a string may stand apart from this start. Before models only a URL is split, because agents copy
    /// names and paths into calls, and hardly ever a URL.
    pub(super) fn may_split_behind(self, start: &str) -> bool {
        self == Self::Program || start.contains("://")
    }

    /// Whether a column may be made of another one.
    pub(super) fn may_derive_columns(self) -> bool {
        self == Self::Program
    }

    /// Whether `^` may stand in lists and tuples, for a list or an object, and below a cell that does not show its value.
    pub(super) fn may_ditto_unseen(self) -> bool {
        self == Self::Program
    }
}
