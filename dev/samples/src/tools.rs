//! Tool schemas: lists of tools as requests carry them, with descriptions where a schema has them and where it only seems to.

use fastrand::Rng;

/// A list of tools, the same for the same seed. Descriptions have every kind of white space, some are empty, some
/// come twice; `description` is also a property, and a key in data.
pub fn tools(seed: u64) -> String {
    let mut tools = Tools { rng: Rng::with_seed(seed), out: String::new() };
    tools.array(|tools| {
        tools.object(|tools, key| match key {
            "description" => tools.description(),
            "function" | "input_schema" | "parameters" | "toolSpec" => tools.schema(5),
            _ => tools.data(),
        });
    });
    tools.out
}

/// What is between the quotes of a description.
const PIECES: &[&str] = &[
    " ",
    "  ",
    r"\t",
    r"\n",
    r"\n\n\n",
    r"\r\n",
    "word",
    "é",
    r"\u00e9",
    r"\ud83d\ude00",
    r"\\",
    r#"\""#,
    r"\u0001",
    "```",
    r"\n```\n",
    r"\/",
    r"\u0020",
    "\u{a0}",
];

const KEYS: &[&str] = &[
    "description",
    "description",
    "description",
    "description",
    "description",
    "properties",
    "items",
    "anyOf",
    "$defs",
    "enum",
    "default",
    "function",
    "input_schema",
    "input_schema",
    "input_schema",
    "parameters",
    "toolSpec",
    "name",
    "type",
    r"descriptio\u006e",
    "x-description",
    "title",
    "$schema",
    "additionalProperties",
    "strict",
];

struct Tools {
    rng: Rng,
    out: String,
}

impl Tools {
    fn schema(&mut self, depth: usize) {
        if depth == 0 {
            return self.data();
        }
        match self.rng.u8(..8) {
            0 => self.array(|tools| tools.schema(depth - 1)),
            1 => self.data(),
            _ => self.object(|tools, key| match key {
                "description" if tools.rng.u8(..8) > 0 => tools.description(),
                "enum" | "default" if tools.rng.bool() => tools.data(),
                "title" | "$schema" if tools.rng.bool() => tools.description(),
                "additionalProperties" | "strict" if tools.rng.u8(..4) > 0 => tools.flag(),
                _ => tools.schema(depth - 1),
            }),
        }
    }

    fn data(&mut self) {
        match self.rng.u8(..4) {
            0 => self.out.push_str("1.50"),
            1 => self.out.push_str(r#"{"description": "not  one", "a":[]}"#),
            2 => self.out.push_str(r#"["description","a  b"]"#),
            _ => self.description(),
        }
    }

    fn flag(&mut self) {
        self.out.push_str(["true", "false"][self.rng.usize(..2)]);
    }

    fn description(&mut self) {
        self.out.push('"');
        for _ in 0..self.rng.usize(..8) {
            let piece = PIECES[self.rng.usize(..PIECES.len())];
            self.out.push_str(piece);
        }
        self.out.push('"');
    }

    fn array(&mut self, element: impl Fn(&mut Self)) {
        self.list("[", "]", element);
    }

    fn object(&mut self, value: impl Fn(&mut Self, &str)) {
        self.list("{", "}", |tools| {
            let key = KEYS[tools.rng.usize(..KEYS.len())];
            tools.out.push_str(&format!("\"{key}\""));
            tools.space();
            tools.out.push(':');
            tools.space();
            value(tools, key);
        });
    }

    fn list(&mut self, open: &str, close: &str, item: impl Fn(&mut Self)) {
        self.out.push_str(open);
        self.space();
        for index in 0..self.rng.usize(..5) {
            if index > 0 {
                self.out.push(',');
                self.space();
            }
            item(self);
            self.space();
        }
        self.out.push_str(close);
    }

    fn space(&mut self) {
        let spaces = ["", "", "", " ", "\n  "];
        self.out.push_str(spaces[self.rng.usize(..spaces.len())]);
    }
}
