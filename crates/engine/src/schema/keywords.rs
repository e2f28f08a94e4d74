//! The keywords of JSON Schema that may be left out of a tool's schemas, and the tools whose schemas keep them.

use tokenforge_json::TapeValue;

/// How many containers deep `strict` is looked for.
const MAX_DEPTH: usize = 64;

/// Which keywords go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeywordCuts {
    /// `$schema` and `title`, which only people and programs read.
    annotations: bool,
    /// `additionalProperties: false`: that there is nothing else, which `properties` suggests anyway.
    closings: bool,
}

impl KeywordCuts {
    /// None does.
    pub(super) const NONE: Self = KeywordCuts { annotations: false, closings: false };

    /// Those of a tool. What is decoded by a grammar made of its schema keeps every keyword: providers refuse a strict
    /// schema without `additionalProperties: false`.
    pub(super) fn of_tool(tool: TapeValue<'_, '_>) -> Self {
        let cuts = !(says_strict(tool, MAX_DEPTH) || is_strict_by_default(tool));
        KeywordCuts { annotations: cuts, closings: cuts }
    }

    /// Gemini decodes calls by the schema in some of its modes, without a word of that in the tool.
    pub(super) fn of_gemini(self) -> Self {
        KeywordCuts { closings: false, ..self }
    }

    /// Is this member of a schema one of them?
    pub(super) fn has(self, key: TapeValue<'_, '_>, value: TapeValue<'_, '_>) -> bool {
        if self == Self::NONE {
            return false;
        }
        match key.string().as_deref() {
            Some("$schema" | "title") => self.annotations && value.string().is_some(),
            Some("additionalProperties") => self.closings && is(value, "false"),
            _ => false,
        }
    }
}

/// Is the value of this keyword a schema, or a list of schemas?
pub(super) fn holds_schemas(keyword: &str) -> bool {
    matches!(
        keyword,
        "items" | "prefixItems" | "additionalItems" | "unevaluatedItems" | "contains"
            | "additionalProperties" | "unevaluatedProperties" | "propertyNames"
            | "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else"
            // Not a keyword: Bedrock wraps schemas in it.
            | "json"
    )
}

/// Does it say `strict: true` anywhere? What lies too deep to be looked at may.
fn says_strict(value: TapeValue<'_, '_>, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else { return value.is_object() || value.is_array() };
    value.elements().any(|element| says_strict(element, below))
        || value.members().any(|(key, value)| match key.string().as_deref() {
            Some("strict") if is(value, "true") => true,
            _ => says_strict(value, below),
        })
}

/// OpenAI's Responses, whose tools are flat, make a schema strict unless `strict` is false.
fn is_strict_by_default(tool: TapeValue<'_, '_>) -> bool {
    let member = |name: &str| {
        let mut members = tool.members();
        members.find_map(|(key, value)| (key.string()? == name).then_some(value))
    };
    let is_function =
        member("type").and_then(TapeValue::string).is_some_and(|kind| kind == "function");
    let is_relaxed = member("strict").is_some_and(|strict| is(strict, "false"));
    is_function && member("parameters").is_some() && !is_relaxed
}

/// Is it this literal?
fn is(value: TapeValue<'_, '_>, literal: &str) -> bool {
    value.lexeme() == Some(literal)
}
