//! Schema compression: the descriptions in tool schemas without superfluous white space.
//!
//! Tool schemas are sent with every request. [`minify_tools`] changes their description strings and nothing else:
//! the rest of the text stays as it is, byte for byte.

mod describe;
mod edit;

#[doc(hidden)] // for `dev/laws`
pub use describe::minify_description;

use edit::descriptions;
use tokenforge_json::{Edit, Json, TapeValue};

/// How many containers deep descriptions are looked for in a schema.
const MAX_DEPTH: usize = 32;

/// Minifies every description in a tool or a list of tools, as any provider spells them, and leaves out those that
/// are empty. `None` if that changes nothing, or if the text is not JSON.
///
/// ```
/// use tokenforge_engine::schema::minify_tools;
///
/// let tools = r#"[{"name": "read",  "description": "Reads   a file.  "}]"#;
/// let minified = r#"[{"name": "read",  "description": "Reads a file."}]"#;
/// assert_eq!(minify_tools(tools).as_deref(), Some(minified));
/// assert_eq!(minify_tools(minified), None);
/// ```
pub fn minify_tools(tools_json: &str) -> Option<String> {
    let json = Json::parse(tools_json).ok()?;
    let mut edits = Edit::new(tools_json);
    let root = json.root();
    if root.is_array() {
        root.elements().for_each(|tool| self::tool(tool, MAX_DEPTH, &mut edits));
    } else {
        tool(root, MAX_DEPTH, &mut edits);
    }
    (!edits.is_empty()).then(|| edits.done().into_owned())
}

/// A tool: its own description, its schemas, and the tools inside for providers that wrap them.
fn tool(tool: TapeValue<'_, '_>, depth: usize, edits: &mut Edit<'_>) {
    let Some(below) = depth.checked_sub(1) else { return };
    descriptions(tool, edits);
    for (key, value) in tool.members() {
        match key.string().as_deref() {
            // OpenAI's chat completions, Bedrock's converse.
            Some("function" | "custom" | "toolSpec") => self::tool(value, below, edits),
            // Gemini's, and the lists of MCP and of Bedrock.
            Some("functionDeclarations" | "function_declarations" | "tools") => {
                value.elements().for_each(|tool| self::tool(tool, below, edits));
            }
            Some(
                // OpenAI and Gemini, Anthropic, Bedrock and MCP.
                "parameters" | "input_schema" | "inputSchema"
                // Gemini's other fields, and what tools return.
                | "parametersJsonSchema" | "parameters_json_schema"
                | "response" | "responseJsonSchema" | "response_json_schema"
                | "outputSchema" | "output_schema",
            ) => schema(value, MAX_DEPTH, edits),
            _ => {}
        }
    }
}

/// A JSON Schema, or an array of them.
fn schema(schema: TapeValue<'_, '_>, depth: usize, edits: &mut Edit<'_>) {
    let Some(below) = depth.checked_sub(1) else { return };
    descriptions(schema, edits);
    schema.elements().for_each(|element| self::schema(element, below, edits));
    for (key, value) in schema.members() {
        match key.string().as_deref() {
            // What these hold is data: a description in it is somebody's value.
            Some("default" | "enum" | "examples" | "example" | "const" | "required") => {}
            Some(extension) if extension.starts_with("x-") => {}
            // Here the keys are names that the author chose, `description` among them.
            Some(
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
                | "dependencies",
            ) => {
                let Some(below) = below.checked_sub(1) else { continue };
                value.members().for_each(|(_, named)| self::schema(named, below, edits));
            }
            _ => self::schema(value, below, edits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minify(tools: &str) -> String {
        minify_tools(tools).unwrap_or_else(|| tools.to_owned())
    }

    #[test]
    fn f15_only_the_bytes_of_changed_descriptions_change() {
        let tools = "[ {\"name\" : \"a  b\",\t\"description\":\"x  y\", \"n\": 1.50e0, \"s\":\"\\u00e9\\/\",\n \
                     \"input_schema\": {\"type\":\"object\", \"description\":\"fine \\u2014 as it is\"} } ]";
        assert_eq!(minify(tools), tools.replace("x  y", "x y"));
    }

    #[test]
    fn f15_descriptions_of_tools_and_of_everything_in_their_schemas_are_minified() {
        let schema = r#"{"description":"a  a","properties":{"p":{"description":"b  b","items":{"anyOf":[{"description":"c  c"}]}}},"$defs":{"d":{"description":"d  d"}},"additionalProperties":{"description":"e  e"}}"#;
        let tools = format!(r#"[{{"name":"t","description":"f  f","input_schema":{schema}}}]"#);
        assert_eq!(minify(&tools), tools.replace("  ", " "));
    }

    #[test]
    fn f15_every_providers_shape_is_known() {
        for tools in [
            r#"[{"type":"function","function":{"name":"t","description":"a  b","parameters":{"description":"c  d"}}}]"#,
            r#"[{"type":"function","name":"t","description":"a  b","parameters":{"description":"c  d"}}]"#,
            r#"[{"name":"t","description":"a  b","input_schema":{"description":"c  d"}}]"#,
            r#"[{"functionDeclarations":[{"name":"t","description":"a  b","parameters":{"description":"c  d"}}]}]"#,
            r#"[{"function_declarations":[{"name":"t","description":"a  b","parametersJsonSchema":{"description":"c  d"}}]}]"#,
            r#"[{"toolSpec":{"name":"t","description":"a  b","inputSchema":{"json":{"description":"c  d"}}}}]"#,
            r#"{"name":"t","description":"a  b","inputSchema":{"description":"c  d"}}"#,
            r#"{"tools":[{"name":"t","description":"a  b","inputSchema":{"description":"c  d"}}]}"#,
        ] {
            assert_eq!(minify(tools), tools.replace("  ", " "));
        }
    }

    #[test]
    fn f15_openai_and_anthropic_get_the_same_descriptions() {
        let description = r"Runs\ta   command.  \n\n\n\n```\n  code   here  \n```\n caf\u00e9  \ud83d\ude00 \\ \u0001";
        let openai = format!(
            r#"[{{"type":"function","function":{{"name":"t","description":"{description}","parameters":{{"properties":{{"p":{{"description":"{description}"}}}}}}}}}}]"#
        );
        let anthropic = format!(
            r#"[{{"name":"t","description":"{description}","input_schema":{{"properties":{{"p":{{"description":"{description}"}}}}}}}}]"#
        );
        let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
        let (openai, anthropic) = (read(&minify(&openai)), read(&minify(&anthropic)));
        let function = &openai[0]["function"];
        assert_eq!(function["description"], anthropic[0]["description"]);
        assert_eq!(function["parameters"], anthropic[0]["input_schema"]);
        let original: String = serde_json::from_str(&format!("\"{description}\"")).unwrap();
        assert_eq!(function["description"], *minify_description(&original));
    }

    #[test]
    fn f15_a_property_named_description_is_not_a_description() {
        let tools = r#"[{"name":"t","input_schema":{"properties":{"description":{"type":"string","title":"a  b"},"enum":{"description":"a b"},"default":{"description":""}}}}]"#;
        let dropped = tools.replace(r#"{"description":""}"#, "{}");
        assert_eq!(minify(tools), dropped);
    }

    #[test]
    fn f15_data_in_a_schema_is_not_a_description() {
        for keyword in ["default", "enum", "examples", "example", "const", "x-vendor"] {
            let tools = format!(
                r#"[{{"name":"t","input_schema":{{"{keyword}":{{"description":"a  b"}},"title":"c  d"}}}}]"#
            );
            assert_eq!(minify_tools(&tools), None, "{keyword}");
        }
        assert_eq!(minify_tools(r#"[{"name":"a  b","arguments":{"description":"c  d"}}]"#), None);
    }

    #[test]
    fn f15_empty_descriptions_are_dropped() {
        for (members, left) in [
            (r#""description":"""#, ""),
            (r#""description":" \n\t ""#, ""),
            (r#""description": "", "name": "t""#, r#""name": "t""#),
            (r#""name": "t", "description": "" "#, r#""name": "t" "#),
            (r#""name": "t" , "description": "" , "x":1"#, r#""name": "t"  , "x":1"#),
            (r#""description":"","description":"","x":1"#, r#""x":1"#),
            (r#""x":1,"description":"","description":"""#, r#""x":1"#),
            (r#""description":"","x":1,"description":"""#, r#""x":1"#),
            (r#""description":"","description":"""#, ""),
            (r#""x":{"y":[1]},"description":"","z":{}"#, r#""x":{"y":[1]},"z":{}"#),
        ] {
            assert_eq!(minify(&format!("[{{{members}}}]")), format!("[{{{left}}}]"), "{members}");
        }
    }

    #[test]
    fn f15_descriptions_deeper_than_32_stay() {
        let nested = |depth: usize| {
            let (open, close) = (r#"{"not":"#.repeat(depth), "}".repeat(depth));
            let inner = r#"{"description":"a  b"}"#;
            format!(r#"[{{"name":"t","parameters":{open}{inner}{close}}}]"#)
        };
        assert!(minify_tools(&nested(31)).is_some());
        assert_eq!(minify_tools(&nested(32)), None);
        assert_eq!(minify_tools(&nested(400)), None);
        assert_eq!(minify_tools(&nested(100_000)), None);
    }

    #[test]
    fn what_cannot_be_read_stays() {
        for text in
            ["", "[", "null", r#"[{"description":"a  b"},]"#, r#"[{"description":"\ud800  a"}]"#]
        {
            assert_eq!(minify_tools(text), None, "{text}");
        }
    }
}
