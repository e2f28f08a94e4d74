//! F9: arrays of flat objects as a typed table, without loss.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tokenforge_formats::table::{decode, encode};
use tokenforge_formats::{Json, MAX_OUTPUT, Refusal};

fn table(json: &str) -> Result<String, Refusal> {
    encode(&Json::parse(json).unwrap())
}

#[track_caller]
fn assert_table(json: &str, expected: &str) {
    assert_eq!(table(json).as_deref(), Ok(expected));
    let minified = Json::parse(json).unwrap().minify();
    assert_eq!(decode(expected, MAX_OUTPUT).as_deref(), Ok(&*minified));
}

#[test]
fn f9_the_printed_example() {
    assert_table(
        r#"[{"id":1,"status":"passed","path":"src/a.rs"},
            {"id":2,"status":"failed","path":"src/b.rs"},
            {"id":3,"status":"passed","path":"src/c.rs"}]"#,
        "[3]{id:int,status:string,path:string}\n\
         1,passed,src/a.rs\n\
         2,failed,src/b.rs\n\
         3,passed,src/c.rs",
    );
}

#[test]
fn f9_null_missing_and_the_empty_string_stay_different() {
    assert_table(
        r#"[{"id":1,"s":null},{"id":2,"s":""},{"id":3},{"id":4,"s":"null"}]"#,
        "[4]{id:int,s:string}\n1,null\n2,\"\"\n3,\n4,\"null\"",
    );
}

#[test]
fn f9_every_scalar_keeps_its_type_and_text() {
    assert_table(
        r#"[{"i":-0,"f":1.10,"b":true,"n":null,"a":"1"},{"i":12345678901234567890,"f":2,"b":null,"n":null,"a":1}]"#,
        "[2]{i:int,f:float,b:bool,n:null,a:any}\n\
         -0,1.10,true,null,\"1\"\n\
         12345678901234567890,2,null,null,1",
    );
}

#[test]
fn f9_cells_and_names_are_escaped_as_in_csv() {
    assert_table(
        r#"[{"a,b":"x,y","q\"":"say \"hi\"","":" padded ","n":"two\nlines \\ \u00e9"}]"#,
        "[1]{\"a,b\":string,\"q\"\"\":string,\"\":string,n:string}\n\
         \"x,y\",\"say \"\"hi\"\"\",\" padded \",two\\nlines \\\\ \\u00e9",
    );
}

#[test]
fn f9_rows_may_lack_members_as_long_as_the_order_agrees() {
    assert_table(
        r#"[{"a":1,"c":3},{"a":1,"b":2},{"b":2,"c":3},{"b":0}]"#,
        "[4]{a:int,b:int,c:int}\n1,,3\n1,2,\n,2,3\n,0,",
    );
    let conflict = table(r#"[{"a":1,"b":2},{"b":3,"a":4}]"#);
    assert_eq!(conflict, Err(Refusal::KeyOrder { offset: 22 }));
}

#[test]
fn f9_what_is_no_table_is_refused_with_a_reason() {
    assert_eq!(table("{}"), Err(Refusal::NotARow { offset: 0 }));
    assert_eq!(table("[]"), Err(Refusal::NotARow { offset: 0 }));
    assert_eq!(table(r#"[{"a":1},2]"#), Err(Refusal::NotARow { offset: 9 }));
    assert_eq!(table(r#"[{"a":[1]}]"#), Err(Refusal::NestedCell { offset: 6 }));
    assert_eq!(table(r#"[{"a":1},{}]"#), Err(Refusal::EmptyRow { offset: 9 }));
    assert_eq!(table(r#"[{"a":1,"a":2}]"#), Err(Refusal::DuplicateKey { offset: 8 }));
    let ragged: Vec<String> = (0..20).map(|n| format!("{{\"k{n}\":1}}")).collect();
    assert_eq!(table(&format!("[{}]", ragged.join(","))), Err(Refusal::TooSparse));
    let wide: Vec<String> = (0..5000).map(|n| format!("\"k{n}\":1")).collect();
    let refusal = table(&format!("[{{{}}}]", wide.join(",")));
    assert_eq!(refusal, Err(Refusal::TooWide { limit: 4096 }));
}

#[test]
fn f9_a_damaged_table_is_an_error_with_its_place() {
    for (text, offset, expected) in [
        ("[2]{a:int}\n1", 12, "expected 2 rows as declared, found 1"),
        ("[1]{a:int}\n1\n2", 13, "expected nothing after the declared rows"),
        ("[1]{a:int,b:int}\n1", 18, "expected 2 cells as declared, found 1"),
        ("[1]{a:int}\n1,2", 12, "expected 1 cells as declared, found 2"),
        ("[1]{a:int}\n1 ", 12, "expected `,` or the end of the line"),
        ("[1]{a:int}\n1.5", 11, "expected an integer or `null`"),
        ("[1]{a:bool}\nyes", 12, "expected `true`, `false` or `null`"),
        ("[1]{a:text}\nx", 6, "expected a type: int, float, string"),
        ("[1]{a:string}\n\"x", 16, "expected the closing `\"` of the cell"),
        ("[1]{a:string}\nx\"y", 15, "expected quotes around a cell that contains a quote"),
        ("[0]{a:int}", 1, "expected a count from 1 up"),
        ("[2]{a:int}\n1\n", 13, "expected a cell"),
    ] {
        let error = decode(text, MAX_OUTPUT).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{text:?}: {error}");
        assert_eq!(error.offset(), offset, "{text:?}: {error}");
    }
}
