//! Tool choice: `toolConfig` as Google has it.

use crate::json::Reader;
use crate::refusal::Refusal;

/// Reads it. Is the model restricted in what it may call?
pub(super) fn is_restricted(reader: &mut Reader<'_>) -> Result<bool, Refusal> {
    let (mut is_none, mut names) = (false, 0);
    reader.object(|reader, key| match &*key.name {
        "functionCallingConfig" | "function_calling_config" => {
            reader.object(|reader, key| match &*key.name {
                "mode" => {
                    is_none |= reader.text()?.is_some_and(|mode| mode.eq_ignore_ascii_case("none"));
                    Ok(())
                }
                "allowedFunctionNames" | "allowed_function_names" => {
                    let counted = reader.array(|reader| {
                        names += 1;
                        reader.skip()
                    });
                    counted.map(|_| ())
                }
                _ => reader.skip(),
            })
        }
        _ => reader.skip(),
    })?;
    Ok(is_none || names > 0)
}
