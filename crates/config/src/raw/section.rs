//! A section of the file, and the struct that it is about: listed once, read and written from that.

use super::list::List;
use super::word::{Word, Written};

/// What can stand behind a key.
pub(crate) trait Field {
    /// What it means.
    type Meant;

    fn meant(self) -> Self::Meant;
    fn of(meant: &Self::Meant) -> Self;
}

impl<W: Word> Field for Written<W> {
    type Meant = W::Meant;

    fn meant(self) -> W::Meant {
        self.0
    }

    fn of(meant: &W::Meant) -> Self {
        Written(meant.clone())
    }
}

impl<W: Word> Field for List<W> {
    type Meant = Vec<W::Meant>;

    fn meant(self) -> Vec<W::Meant> {
        self.0
    }

    fn of(meant: &Vec<W::Meant>) -> Self {
        List(meant.clone())
    }
}

/// Puts what was written, if anything was, in place of what is there.
pub(crate) fn put<F: Field>(place: &mut F::Meant, written: Option<F>) {
    if let Some(written) = written {
        *place = written.meant();
    }
}

/// Like [`put`], where there may be nothing in place.
pub(crate) fn put_optional<F: Field>(place: &mut Option<F::Meant>, written: Option<F>) {
    if let Some(written) = written {
        *place = Some(written.meant());
    }
}

/// Declares a section of the file for a struct of the settings whose fields have the same names: those that always
/// have a value, those that may have none, and sections inside.
macro_rules! section {
    ($section:ident for $meaning:ty;
     always { $($always:ident: $always_field:ty),* $(,)? }
     perhaps { $($perhaps:ident: $perhaps_field:ty),* $(,)? }
     within { $($within:ident: $inner:ty),* $(,)? }) => {
        #[derive(Default, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, expecting = "a section")]
        pub(crate) struct $section {
            $($always: Option<$always_field>,)*
            $($perhaps: Option<$perhaps_field>,)*
            $($within: Option<$inner>,)*
        }

        impl $section {
            /// Puts what is written here in place of what is there.
            pub(crate) fn apply(self, to: &mut $meaning) {
                $($crate::raw::section::put(&mut to.$always, self.$always);)*
                $($crate::raw::section::put_optional(&mut to.$perhaps, self.$perhaps);)*
                $(if let Some(inner) = self.$within { inner.apply(&mut to.$within); })*
            }

            /// How these settings are written.
            pub(crate) fn of(from: &$meaning) -> Self {
                use $crate::raw::section::Field;
                $section {
                    $($always: Some(Field::of(&from.$always)),)*
                    $($perhaps: from.$perhaps.as_ref().map(Field::of),)*
                    $($within: Some(<$inner>::of(&from.$within)),)*
                }
            }
        }
    };
}

pub(crate) use section;
