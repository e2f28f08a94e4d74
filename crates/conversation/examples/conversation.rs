//! A request made smaller on its way to the provider: `cargo run -p tokenforge-conversation --example conversation`.

use tokenforge_conversation::{Dialect, EmbedError, EmbeddedCompressor, OriginalsReader};

fn main() -> Result<(), EmbedError> {
    let compressor = EmbeddedCompressor::open("pipes: {tool_output: {mode: lossless}}", "memory:")?;
    let rows: Vec<String> =
        (0..40).map(|n| format!(r#"{{\"id\":{n},\"state\":\"open\"}}"#)).collect();
    let body = format!(
        r#"{{"model":"gpt-5","messages":[
            {{"role":"user","content":"which issues are open?"}},
            {{"role":"assistant","tool_calls":[{{"id":"c1","type":"function","function":{{"name":"list","arguments":"{{}}"}}}}]}},
            {{"role":"tool","tool_call_id":"c1","content":"[{}]"}}]}}"#,
        rows.join(",")
    );
    let made = compressor.compress(Dialect::OpenAiChat, body.into(), OriginalsReader::Model, "")?;
    println!("{} tokens became {}", made.tokens_before(), made.tokens_after());
    for result in &made.results {
        println!("{}: {} by {:?}", result.tool, result.verdict, result.stages);
    }
    println!("{}", String::from_utf8_lossy(&made.body));
    Ok(())
}
