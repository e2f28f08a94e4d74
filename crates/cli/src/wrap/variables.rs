//! The environment of a client: that of this process, or one that is made for it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::process::Command;

/// The variables that a client is started with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ClientVariables<'v> {
    /// Those of this process.
    Inherited,
    /// These, and no others.
    Only(&'v BTreeMap<OsString, OsString>),
}

impl ClientVariables<'_> {
    /// A variable that is set to something.
    pub(super) fn get(self, name: &str) -> Option<OsString> {
        let value = match self {
            Self::Inherited => env::var_os(name),
            Self::Only(variables) => variables.get(&OsString::from(name)).cloned(),
        };
        value.filter(|value| !value.is_empty())
    }

    /// Has a program started with them.
    pub(crate) fn apply_to(self, command: &mut Command) {
        if let Self::Only(variables) = self {
            command.env_clear().envs(variables);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_environment_that_was_made_nothing_else_is_seen() {
        let made = BTreeMap::from([("A".into(), "1".into()), ("B".into(), "".into())]);
        let variables = ClientVariables::Only(&made);
        assert_eq!(variables.get("A"), Some("1".into()));
        assert_eq!((variables.get("B"), variables.get("PATH")), (None, None));
        assert_eq!(ClientVariables::Inherited.get("PATH"), env::var_os("PATH"));
        let mut command = Command::new("program");
        variables.apply_to(&mut command);
        assert_eq!(command.get_envs().count(), 2);
    }
}
