//! Rust types to TOON and STC and back, by way of JSON text: no value tree in between.

use crate::refusal::Refusal;
use crate::{MAX_OUTPUT, stc, toon};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokenforge_json::error::Error;
use tokenforge_json::tape::Json;

/// Why a value could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SerdeError {
    /// The Rust type and the data do not fit.
    #[error(transparent)]
    Data(#[from] serde_json::Error),
    /// The text is not valid in its form.
    #[error(transparent)]
    Text(#[from] Error),
    /// The form cannot hold the value.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Writes a value as TOON.
///
/// ```
/// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
/// struct User { id: u32, name: String }
///
/// let users = vec![User { id: 1, name: "Ada".into() }, User { id: 2, name: "Bob".into() }];
/// let text = tokenforge_formats::toon::to_string(&users)?;
/// assert_eq!(text, "[2]{id,name}:\n  1,Ada\n  2,Bob");
/// assert_eq!(tokenforge_formats::toon::from_str::<Vec<User>>(&text)?, users);
/// # Ok::<(), tokenforge_formats::SerdeError>(())
/// ```
pub fn to_toon<T: Serialize + ?Sized>(value: &T) -> Result<String, SerdeError> {
    let text = serde_json::to_string(value)?;
    Ok(toon::encode(&Json::parse(&text)?, &toon::EncodeOptions::default())?)
}

/// Reads a value from TOON.
pub fn from_toon<T: DeserializeOwned>(text: &str) -> Result<T, SerdeError> {
    Ok(serde_json::from_str(&toon::decode(text, &toon::DecodeOptions::default())?)?)
}

/// Writes a value as STC in the `adr` spelling.
///
/// ```
/// let text = tokenforge_formats::stc::to_string(&[[1, 2], [3, 4]])?;
/// assert_eq!(text, "[[1,2], [3,4]]");
/// assert_eq!(tokenforge_formats::stc::from_str::<Vec<Vec<u8>>>(&text)?, [[1, 2], [3, 4]]);
/// # Ok::<(), tokenforge_formats::SerdeError>(())
/// ```
pub fn to_stc<T: Serialize + ?Sized>(value: &T) -> Result<String, SerdeError> {
    let text = serde_json::to_string(value)?;
    Ok(stc::encode(&Json::parse(&text)?, stc::Spelling::Adr))
}

/// Reads a value from STC.
pub fn from_stc<T: DeserializeOwned>(text: &str) -> Result<T, SerdeError> {
    Ok(serde_json::from_str(&stc::decode(text, MAX_OUTPUT)?)?)
}
