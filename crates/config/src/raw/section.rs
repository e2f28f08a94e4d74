//! What can stand behind a key, and sections of such: listed once, and read, written and documented from that.

use super::list::ValueList;
use super::value_type::{Parsed, ValueType};
use crate::error::SettingFault;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What can stand behind a key.
pub(crate) trait Field: Sized {
    /// What it sets.
    type Value;

    /// Puts what is written in place of what is there.
    fn put(self, place: &mut Self::Value) -> Result<(), SettingFault>;

    /// How a value is written; `None` where nothing is.
    fn of(value: &Self::Value) -> Option<Self>;
}

/// A setting that always has a value.
impl<T: ValueType> Field for Parsed<T> {
    type Value = T::Value;

    fn put(self, place: &mut T::Value) -> Result<(), SettingFault> {
        *place = self.0;
        Ok(())
    }

    fn of(value: &T::Value) -> Option<Self> {
        Some(Parsed(value.clone()))
    }
}

impl<T: ValueType> Field for ValueList<T> {
    type Value = Vec<T::Value>;

    fn put(self, place: &mut Vec<T::Value>) -> Result<(), SettingFault> {
        *place = self.0;
        Ok(())
    }

    fn of(value: &Vec<T::Value>) -> Option<Self> {
        Some(ValueList(value.clone()))
    }
}

/// A setting that may have no value.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(transparent, bound = "")]
pub(crate) struct Optional<T: ValueType>(Parsed<T>);

impl<T: ValueType> Field for Optional<T> {
    type Value = Option<T::Value>;

    fn put(self, place: &mut Option<T::Value>) -> Result<(), SettingFault> {
        *place = Some(self.0.0);
        Ok(())
    }

    fn of(value: &Option<T::Value>) -> Option<Self> {
        value.clone().map(|value| Optional(Parsed(value)))
    }
}

impl<T: ValueType> JsonSchema for Optional<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Parsed::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Parsed::<T>::json_schema(generator)
    }
}

/// An entry under a name that users choose.
pub(crate) trait NamedEntry: Sized {
    /// What it sets.
    type Value;

    /// What is meant, unless the name or the parts of the entry do not go together.
    fn into_settings(self, name: &str) -> Result<Self::Value, SettingFault>;

    /// How it is written.
    fn of(value: &Self::Value) -> Self;
}

impl<E: NamedEntry> Field for BTreeMap<String, E> {
    type Value = BTreeMap<String, E::Value>;

    fn put(self, place: &mut Self::Value) -> Result<(), SettingFault> {
        for (name, entry) in self {
            let value = entry.into_settings(&name)?;
            place.insert(name, value);
        }
        Ok(())
    }

    fn of(value: &Self::Value) -> Option<Self> {
        Some(value.iter().map(|(name, value)| (name.clone(), E::of(value))).collect())
    }
}

/// Declares a section of the file for a struct whose fields have the same names, and the part of
/// [`SETTINGS`](crate::SETTINGS) that is about it. An entry is
///
/// - `name: Field => setting;` where `setting` says what it is for,
/// - `name?: Type => setting;` for one that may have no value, of a [`ValueType`],
/// - `name as field: section Section;` for a section inside, where the struct has the field for it,
/// - `name: last section Section;` for one that is written after everything else.
///
/// The table has them in the order in which they stand here, and so has what is written, but for those that may have no
/// value: they come after the others.
macro_rules! section {
    ($(#[$attribute:meta])* $section:ident for $target:ty, at $prefix:literal; $($entries:tt)*) => {
        $crate::raw::section::section! { @entries
            ([$(#[$attribute])*] $section ($target) $prefix) [] [] [] []; $($entries)*
        }
    };

    (@entries $head:tt [$($plain:tt)*] [$($optional:tt)*] [$($last:tt)*] [$($table:tt)*];) => {
        $crate::raw::section::section! { @section
            $head [$($plain)* $($optional)* $($last)*] [$($table)*]
        }
    };
    (@entries $head:tt $plain:tt $optional:tt [$($last:tt)*] [$($table:tt)*];
     $name:ident: last section $section:ident; $($rest:tt)*) => {
        $crate::raw::section::section! { @entries
            $head $plain $optional [$($last)* { [] $name $name $section }] [$($table)* $section::SETTINGS,];
            $($rest)*
        }
    };
    (@entries $head:tt [$($plain:tt)*] $optional:tt $last:tt [$($table:tt)*];
     $name:ident as $field:ident: section $section:ident; $($rest:tt)*) => {
        $crate::raw::section::section! { @entries
            $head [$($plain)* { [] $name $field $section }] $optional $last [$($table)* $section::SETTINGS,];
            $($rest)*
        }
    };
    (@entries ($attributes:tt $to:ident $target:tt $prefix:literal) $plain:tt [$($optional:tt)*] $last:tt [$($table:tt)*];
     $name:ident?: $type:ty => $setting:expr; $($rest:tt)*) => {
        $crate::raw::section::section! { @entries
            ($attributes $to $target $prefix)
            $plain
            [$($optional)* { [] $name $name $crate::raw::section::Optional<$type> }]
            $last
            [$($table)* &[$setting.at(concat!($prefix, stringify!($name)))],];
            $($rest)*
        }
    };
    (@entries ($attributes:tt $to:ident $target:tt $prefix:literal) [$($plain:tt)*] $optional:tt $last:tt [$($table:tt)*];
     $(#[$on:meta])* $name:ident: $field:ty => $setting:expr; $($rest:tt)*) => {
        $crate::raw::section::section! { @entries
            ($attributes $to $target $prefix)
            [$($plain)* { [$(#[$on])*] $name $name $field }]
            $optional
            $last
            [$($table)* &[$setting.at(concat!($prefix, stringify!($name)))],];
            $($rest)*
        }
    };

    (@section ([$($attribute:tt)*] $section:ident ($target:ty) $prefix:literal)
     [$({ [$($on:tt)*] $name:ident $field:ident $type:ty })*] [$($table:tt)*]) => {
        #[derive(Default, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
        $($attribute)*
        pub(crate) struct $section {
            $($($on)* pub(super) $name: Option<$type>,)*
        }

        impl $section {
            const PARTS: &'static [&'static [$crate::table::Setting]] = &[$($table)*];

            /// The settings in it, in their order.
            pub(crate) const SETTINGS: &'static [$crate::table::Setting] =
                &$crate::table::joined::<{ $crate::table::count(Self::PARTS) }>(Self::PARTS);
        }

        impl $crate::raw::section::Field for $section {
            type Value = $target;

            fn put(self, place: &mut $target) -> Result<(), $crate::error::SettingFault> {
                $(if let Some(written) = self.$name {
                    $crate::raw::section::Field::put(written, &mut place.$field)?;
                })*
                Ok(())
            }

            fn of(value: &$target) -> Option<Self> {
                Some($section {
                    $($name: $crate::raw::section::Field::of(&value.$field),)*
                })
            }
        }
    };
}

pub(crate) use section;
