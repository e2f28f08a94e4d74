//! The owner of what must outlive a credential.

/// The owner of what must outlive a credential where one person uses the program, on that person's machine: a credential
/// there is often a token that is renewed every few hours, and would be another owner each time. No tenant has this name.
pub const THIS_MACHINE: &str = "\0machine";
