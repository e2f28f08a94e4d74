//! Real tool outputs, where they lie beside the project; tests that need them are skipped elsewhere.

use tokenforge_formats::Json;

/// The id and text of every output that is JSON, or `None` with a note when there is no corpus here.
pub(crate) fn json_documents() -> Option<Vec<(String, String)>> {
    let mut documents = tokenforge_samples::json_outputs()?;
    documents.retain(|(_, text)| Json::parse(text).is_ok());
    Some(documents)
}
