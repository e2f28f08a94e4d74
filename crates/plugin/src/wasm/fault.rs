//! What can be wrong with a module.

/// What can be wrong with a module.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It is no module, or one that is refused.
    #[error("not a module that can be used: {0}")]
    Invalid(String),
    /// It wants something from its host.
    #[error("the module imports `{module}.{name}`, and there is nothing to import")]
    Imports {
        /// From where.
        module: String,
        /// What.
        name: String,
    },
    /// It does not export what it must.
    #[error("the module must export {0}")]
    Missing(&'static str),
    /// It trapped: divided by zero, reached what it called unreachable, overflowed its stack.
    #[error("the module trapped: {0}")]
    Trap(String),
    /// It computed too long.
    #[error("the module used up its fuel of {0}")]
    OutOfFuel(u64),
    /// Its caller stopped waiting for it.
    #[error("the module was stopped")]
    Stopped,
    /// It named memory that it does not have.
    #[error("the module gave {0} outside its memory")]
    OutOfBounds(&'static str),
    /// It said something that cannot be understood.
    #[error("the module's answer to `{to}` cannot be read: {problem}")]
    Unreadable {
        /// What it was asked.
        to: &'static str,
        /// What is wrong with it, without what it says.
        problem: String,
    },
    /// It was made for another version of this interface.
    #[error("the module speaks version {0} of the plugin interface, and this is version {abi}", abi = crate::wasm::ABI)]
    OtherAbi(u32),
    /// It does not take its settings, or gave an error.
    #[error("the module says: {0}")]
    Said(String),
}
