//! Writes the table of settings and the schema to docs/.

use std::path::Path;
use std::{fs, io};
use tokenforge_config::{schema, settings_table};

fn main() -> io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    fs::write(docs.join("tokenforge.schema.json"), schema())?;
    let page = docs.join("settings.md");
    let text = fs::read_to_string(&page)?;
    let prose = text.split("| setting |").next().unwrap_or_default();
    fs::write(page, format!("{prose}{}", settings_table()))
}
