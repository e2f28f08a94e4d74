//! Any message is refused or read into spans that lie in it; what is spliced into it leaves a message.
#![no_main]

use std::time::Duration;
use tokenforge_config::Structured;
use tokenforge_engine::{Engine, Settings};
use tokenforge_formats::negotiate::Format;
use tokenforge_mcp::{
    Era, Introduction, ListCursor, ListKind, ListPart, Message, ResultRule, RewriteJob, Sort,
    ToolAccess, ToolIndex, merge_lists, outgoing, rewrite, sse,
};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut reader = sse::SseReader::default();
    let whole = reader.push(bytes);
    let mut reader = sse::SseReader::default();
    let cut: Result<Vec<_>, _> = bytes.chunks(3).map(|piece| reader.push(piece)).collect();
    assert_eq!(whole, cut.map(|events| events.concat()));
    let Ok(text) = str::from_utf8(bytes) else { return };
    let _ = ListCursor::read(text);
    let Ok(message) = Message::read(text) else { return };
    if message.sort() == Sort::Request {
        let told = Introduction::Told { info: "{}", capabilities: "{}" };
        for introduction in [Introduction::Own, told, Introduction::Nothing] {
            let sent = outgoing(&message, 7, Some((&["name"], "é\"")), introduction);
            let again = Message::read(&sent.text).expect("what was a message stays one");
            assert_eq!((again.id(), again.method()), (Some("7"), message.method()));
            if message.text_param("name").is_some() {
                assert_eq!(again.text_param("name").as_deref(), Some("é\""));
            }
        }
    }
    let part = ListPart {
        prefix: "p",
        answer: message.clone(),
        asked: None,
        drops_schemas: true,
        access: ToolAccess::default(),
    };
    let list =
        merge_lists(ListKind::Tools, &[part], ListCursor::default(), Some("{}"), Era::Modern);
    assert!(Message::read(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{list}}}")).is_ok());
    let index = ToolIndex::of([("p", text), ("q", r#"{"name":"t","description":"jsonrpc"}"#)]);
    for name in index.search(text, 9) {
        let shown = index.shown(name).expect("what is found is there");
        assert!(tokenforge_json::Json::parse(&shown).is_ok(), "{shown}");
    }
    let settings = Settings::default();
    for structured in [Structured::Keep, Structured::Drop, Structured::Pointer] {
        let job = RewriteJob {
            tool: "t",
            arguments: "{}",
            rule: Some(ResultRule { format: Format::Stc, min_bytes: 0, max_bytes: 1 << 20 }),
            structured,
            is_promised: false,
            is_observed: false,
            has_metadata: true,
            elapsed: &|| Duration::ZERO,
        };
        if let Some(new) = rewrite(text, &job, &Engine::new(&settings)).answer {
            let again = Message::read(&new).expect("what was a message stays one");
            assert_eq!((again.sort(), again.id()), (message.sort(), message.id()));
        }
    }
});
