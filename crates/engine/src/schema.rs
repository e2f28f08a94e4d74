//! Schema compression: tool schemas in fewer words.
//!
//! Tool schemas are sent with every request. [`minify_tools`] changes their description strings and nothing else;
//! [`compact_tools`] also leaves out keywords that no provider reads. The rest of the text stays as it is, byte for byte.

pub(crate) mod describe;
mod edit;
mod keywords;

use edit::members;
use keywords::KeywordCuts;
use tokenforge_json::{Edit, Json, TapeValue};

/// How many containers deep a schema is looked into.
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
    rewrite(tools_json, |_| KeywordCuts::NONE)
}

/// The same, and without the keywords `$schema`, `title` and `additionalProperties: false` in the schemas of tools that
/// are not strict. `None` if that changes nothing, or if the text is not JSON.
///
/// ```
/// use tokenforge_engine::schema::compact_tools;
///
/// let tools = r#"[{"name":"read","input_schema":{"title":"Read","type":"object","additionalProperties":false}}]"#;
/// let compact = r#"[{"name":"read","input_schema":{"type":"object"}}]"#;
/// assert_eq!(compact_tools(tools).as_deref(), Some(compact));
/// ```
pub fn compact_tools(tools_json: &str) -> Option<String> {
    rewrite(tools_json, KeywordCuts::of_tool)
}

/// What may be left out of the schemas of a tool.
type CutsOfTool = fn(TapeValue<'_, '_>) -> KeywordCuts;

fn rewrite(tools_json: &str, cuts: CutsOfTool) -> Option<String> {
    let json = Json::parse(tools_json).ok()?;
    let mut walk = SchemaWalk { cuts, edits: Edit::new(tools_json) };
    let root = json.root();
    if root.is_array() {
        walk.tools(root, MAX_DEPTH)
    } else {
        walk.tool(root, cuts(root), MAX_DEPTH)
    }
    (!walk.edits.is_empty()).then(|| walk.edits.done().into_owned())
}

struct SchemaWalk<'a> {
    cuts: CutsOfTool,
    edits: Edit<'a>,
}

impl SchemaWalk<'_> {
    fn tools(&mut self, list: TapeValue<'_, '_>, depth: usize) {
        list.elements().for_each(|tool| self.tool(tool, (self.cuts)(tool), depth));
    }

    /// A tool: its own description, its schemas, and the tools inside for providers that wrap them.
    fn tool(&mut self, tool: TapeValue<'_, '_>, cuts: KeywordCuts, depth: usize) {
        let Some(below) = depth.checked_sub(1) else { return };
        members(tool, KeywordCuts::NONE, &mut self.edits);
        for (key, value) in tool.members() {
            match key.string().as_deref() {
                // OpenAI's chat completions, Bedrock's converse.
                Some("function" | "custom" | "toolSpec") => self.tool(value, cuts, below),
                // The lists of MCP and of Bedrock, and OpenAI's namespaces.
                Some("tools") => self.tools(value, below),
                // Gemini's.
                Some("functionDeclarations" | "function_declarations") => {
                    let cuts = |tool| (self.cuts)(tool).of_gemini();
                    let tools: Vec<_> = value.elements().map(|tool| (tool, cuts(tool))).collect();
                    tools.into_iter().for_each(|(tool, cuts)| self.tool(tool, cuts, below));
                }
                Some(
                    // OpenAI and Gemini, Anthropic, Bedrock and MCP.
                    "parameters" | "input_schema" | "inputSchema"
                    // Gemini's other fields, and what tools return.
                    | "parametersJsonSchema" | "parameters_json_schema"
                    | "response" | "responseJsonSchema" | "response_json_schema"
                    | "outputSchema" | "output_schema",
                ) => self.schema(value, cuts, MAX_DEPTH),
                _ => {}
            }
        }
    }

    /// A JSON Schema, or an array of them.
    fn schema(&mut self, schema: TapeValue<'_, '_>, cuts: KeywordCuts, depth: usize) {
        let Some(below) = depth.checked_sub(1) else { return };
        members(schema, cuts, &mut self.edits);
        schema.elements().for_each(|element| self.schema(element, cuts, below));
        for (key, value) in schema.members() {
            match key.string().as_deref() {
                // What these hold is data: a `description` in it is a value, not documentation.
                Some("default" | "enum" | "examples" | "example" | "const" | "required") => {}
                Some(extension) if extension.starts_with("x-") => {}
                // Here the keys are names that the author chose, `description` and `title` among them.
                Some(
                    "properties" | "patternProperties" | "$defs" | "definitions"
                    | "dependentSchemas" | "dependencies",
                ) => {
                    let Some(below) = below.checked_sub(1) else { continue };
                    value.members().for_each(|(_, named)| self.schema(named, cuts, below));
                }
                Some(keyword) if keywords::holds_schemas(keyword) => {
                    self.schema(value, cuts, below);
                }
                // It may hold anything: what looks like a keyword there need not be one.
                _ => self.schema(value, KeywordCuts::NONE, below),
            }
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
        assert_eq!(function["description"], *describe::minify_description(&original));
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
    fn f15_compact_drops_keywords_that_no_provider_reads() {
        let schema = |marks: &str, end: &str| {
            format!(
                r#"{{{marks}"type":"object","properties":{{"title":{{{marks}"type":"string"}},"$schema":{{"anyOf":[{{{marks}"type":"null"}}]}}}},"items":{{{marks}"x":1}},"$defs":{{"additionalProperties":{{{marks}"type":"object"{end}}}}}{end}}}"#
            )
        };
        let (marks, end) = (
            r#""$schema":"http://json-schema.org/draft-07/schema#","title":"T","#,
            r#","additionalProperties" : false"#,
        );
        for around in [
            r#"[{"name":"t","title":"T","input_schema":SCHEMA}]"#,
            r#"[{"type":"function","function":{"name":"t","parameters":SCHEMA}}]"#,
            r#"[{"type":"function","name":"t","strict":false,"parameters":SCHEMA}]"#,
            r#"[{"type":"namespace","name":"n","tools":[{"type":"function","name":"t","strict":false,"parameters":SCHEMA}]}]"#,
            r#"[{"toolSpec":{"name":"t","inputSchema":{"json":SCHEMA}}}]"#,
        ] {
            let tools = around.replace("SCHEMA", &schema(marks, end));
            let compact = around.replace("SCHEMA", &schema("", ""));
            assert_eq!(compact_tools(&tools).as_deref(), Some(&*compact), "{around}");
            assert_eq!(compact_tools(&compact), None);
            assert_eq!(minify_tools(&tools), None);
        }
    }

    #[test]
    fn f15_compact_leaves_strict_tools_all_but_their_descriptions() {
        let schema = r#"{"title":"T","type":"object","description":"a  b","properties":{"strict":{"type":"boolean"}},"additionalProperties":false}"#;
        for around in [
            r#"[{"name":"t","input_schema":SCHEMA,"strict":true}]"#,
            r#"[{"type":"function","function":{"strict":true,"name":"t","parameters":SCHEMA}}]"#,
            // Responses are strict unless they say otherwise.
            r#"[{"type":"function","name":"t","parameters":SCHEMA}]"#,
            r#"[{"type":"function","name":"t","parameters":SCHEMA,"strict":null}]"#,
            r#"[{"toolSpec":{"name":"t","inputSchema":{"json":SCHEMA},"strict":true}}]"#,
        ] {
            let tools = around.replace("SCHEMA", schema);
            assert_eq!(compact_tools(&tools), Some(tools.replace("  ", " ")), "{around}");
        }
        let mixed = r#"[{"name":"a","input_schema":{"title":"T"},"strict":true},{"name":"b","input_schema":{"title":"T"}}]"#;
        let left = mixed.replace(r#""b","input_schema":{"title":"T"}"#, r#""b","input_schema":{}"#);
        assert_eq!(compact_tools(mixed), Some(left));
    }

    #[test]
    fn f15_compact_keeps_what_gemini_decodes_by_and_what_is_data() {
        let gemini = r#"[{"functionDeclarations":[{"name":"t","parametersJsonSchema":{"$schema":"s","additionalProperties":false}}]}]"#;
        assert_eq!(compact_tools(gemini), Some(gemini.replace(r#""$schema":"s","#, "")));
        for kept in [
            r#"{"default":{"title":"a"}}"#,
            r#"{"enum":[{"title":"a","additionalProperties":false}]}"#,
            r#"{"vendor":{"title":"a","$schema":"b","additionalProperties":false}}"#,
            r#"{"title":{"type":"string"},"$schema":1,"additionalProperties":true}"#,
            r#"{"additionalProperties":{"type":"string"}}"#,
        ] {
            assert_eq!(
                compact_tools(&format!(r#"[{{"name":"t","input_schema":{kept}}}]"#)),
                None,
                "{kept}"
            );
        }
    }

    #[test]
    fn f15_compact_is_bounded_in_depth() {
        let nested = |depth: usize| {
            let (open, close) = (r#"{"not":"#.repeat(depth), "}".repeat(depth));
            format!(r#"[{{"name":"t","input_schema":{open}{{"title":"T"}}{close}}}]"#)
        };
        assert!(compact_tools(&nested(31)).is_some());
        for depth in [32, 400, 100_000] {
            assert_eq!(compact_tools(&nested(depth)), None);
        }
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
