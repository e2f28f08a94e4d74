//! What is known of a setting: where it is written, what it is for, and when a new value counts. The list of them is
//! `raw/setting_list.rs`.

use crate::load::Overrides;
use crate::raw::Raw;
use std::fmt;

/// A setting, or a group of them under names that users choose.
#[derive(Clone, Copy)]
pub struct Setting {
    /// Its keys in the file, with dots between them.
    pub path: &'static str,
    /// The flag of `serve` that sets it.
    pub flag: Option<&'static str>,
    /// What was given with that flag.
    flag_value: fn(&Overrides) -> Option<&str>,
    /// The variable that sets it, if that is not made from the path.
    named_variable: Variable,
    /// The variable that the documents name for it, beside its own.
    document_variable: Option<&'static str>,
    /// When a new value counts.
    pub change: TakesEffect,
    /// Is it one of those that people look for first?
    pub is_common: bool,
    /// What it is for, in a sentence or two.
    pub about: &'static str,
}

/// When a new value of a setting counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakesEffect {
    /// As soon as the file is read again, and by a change over the admin API. Only for what names no host, no key, no
    /// file and no safety switch: an attacker in a browser must not be able to send texts elsewhere (SSRF).
    AtOnce,
    /// As soon as the file is read again. What every new setting is, unless there is a reason.
    Reload,
    /// After a restart.
    Restart,
}

impl TakesEffect {
    /// In words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::AtOnce => "at once",
            Self::Reload => "on reload",
            Self::Restart => "after a restart",
        }
    }
}

#[derive(Clone, Copy)]
enum Variable {
    ByPath,
    Named(&'static str),
    None,
}

impl Setting {
    /// The variable that sets it: as the documents name it, else `FORGE_` and the path in capitals.
    #[must_use]
    pub fn variable(&self) -> Option<String> {
        match self.named_variable {
            Variable::Named(name) => Some(name.to_owned()),
            Variable::None => None,
            Variable::ByPath => {
                let path = self.path.strip_prefix("pipes.").unwrap_or(self.path);
                Some(format!("FORGE_{}", path.replace('.', "_").to_ascii_uppercase()))
            }
        }
    }

    /// The flag that sets it and what was given with it, if it was given.
    pub(crate) fn given<'a>(&self, overrides: &'a Overrides) -> Option<(&'static str, &'a str)> {
        Some((self.flag?, (self.flag_value)(overrides)?))
    }

    /// The variable that the documents name for it, beside its own.
    #[must_use]
    pub fn document_variable(&self) -> Option<String> {
        self.document_variable.map(str::to_owned)
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Setting").field(&self.path).finish()
    }
}

/// A setting of the first page.
pub(crate) const fn common(change: TakesEffect, about: &'static str) -> Setting {
    Setting { is_common: true, ..advanced(change, about) }
}

/// Any other setting.
pub(crate) const fn advanced(change: TakesEffect, about: &'static str) -> Setting {
    Setting {
        path: "",
        flag: None,
        flag_value: |_| None,
        named_variable: Variable::ByPath,
        document_variable: None,
        change,
        is_common: false,
        about,
    }
}

impl Setting {
    pub(crate) const fn at(self, path: &'static str) -> Self {
        Setting { path, ..self }
    }

    pub(crate) const fn flag(
        self,
        flag: &'static str,
        value: fn(&Overrides) -> Option<&str>,
    ) -> Self {
        Setting { flag: Some(flag), flag_value: value, ..self }
    }

    pub(crate) const fn named(self, variable: &'static str) -> Self {
        Setting { named_variable: Variable::Named(variable), ..self }
    }

    pub(crate) const fn documented_as(self, variable: &'static str) -> Self {
        Setting { document_variable: Some(variable), ..self }
    }

    pub(crate) const fn only_in_files(self) -> Self {
        Setting { named_variable: Variable::None, ..self }
    }
}

/// How many settings there are in several lists.
pub(crate) const fn count(lists: &[&[Setting]]) -> usize {
    let (mut all, mut list) = (0, 0);
    while list < lists.len() {
        all += lists[list].len();
        list += 1;
    }
    all
}

/// Several lists as one, of as many as [`count`] says.
pub(crate) const fn joined<const N: usize>(lists: &[&[Setting]]) -> [Setting; N] {
    let mut all = [advanced(TakesEffect::Reload, ""); N];
    let (mut end, mut list) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[end] = lists[list][index];
            end += 1;
            index += 1;
        }
        list += 1;
    }
    all
}

/// Every setting, in the order of the file.
pub const SETTINGS: &[Setting] = Raw::SETTINGS;
