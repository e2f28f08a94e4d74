//! Where originals are kept: under which key, and who can fetch them back.

use crate::reference::ReferenceSecret;

/// A place for originals.
#[derive(Debug, Clone, Copy)]
pub struct Vault<'a> {
    /// What makes references unforgeable.
    pub key: &'a ReferenceSecret,
    /// Who can fetch an original.
    pub access: VaultAccess,
}

impl<'a> Vault<'a> {
    /// A vault from which the reader of an output can fetch what is left out of it.
    #[must_use]
    pub fn for_reader(key: &'a ReferenceSecret) -> Self {
        Vault { key, access: VaultAccess::Reader }
    }
}

/// Who can fetch what is in a [`Vault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VaultAccess {
    /// The reader of the output, with what it is given beside it: so something may be left out.
    Reader,
    /// Others only. Nothing is left out but what exceeds a limit that the caller set itself, with a reference for them.
    Others,
}
