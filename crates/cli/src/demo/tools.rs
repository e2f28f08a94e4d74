//! `tokenforge demo-tools`: a tool server with two tools, weather and search, over standard input and output.
//!
//! It makes its answers up from the question, so that the same question has the same answer on every machine.

use serde_json::{Value, json};
use std::io::{self, BufRead, Write};
use tokenforge_mcp::rpc::{self, ErrorCode};

/// How its tools are called behind the gateway: `demo__weather`, `demo__search`.
pub(super) const PREFIX: &str = "demo";

/// The protocol that it speaks if the client names none.
const VERSION: &str = "2025-06-18";

/// Answers until its input ends.
pub(crate) fn serve() -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        // Who sends no id waits for no answer.
        if message["id"].is_null() {
            continue;
        }
        writeln!(out, "{}", answer(&message))?;
        out.flush()?;
    }
    Ok(())
}

/// What is answered to a request.
pub(crate) fn answer(message: &Value) -> String {
    let id = message["id"].to_string();
    let params = &message["params"];
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => Ok(json!({
            "protocolVersion": params["protocolVersion"].as_str().unwrap_or(VERSION),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "tokenforge-demo-tools", "version": env!("CARGO_PKG_VERSION")},
        })),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": tools()})),
        "tools/call" => called(params),
        method => Err((ErrorCode::Method, format!("there is no method {method}"))),
    };
    match result {
        Ok(result) => rpc::result(&id, &result.to_string()),
        Err((code, message)) => rpc::error(Some(&id), code, &message),
    }
}

fn tools() -> Value {
    json!([
        {
            "name": "weather",
            "description": "Current weather and the forecast for a city.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "The name of the city"},
                    "days": {"type": "integer", "minimum": 1, "maximum": 14, "description": "Days of forecast, 7 if not given"},
                },
                "required": ["city"],
            },
        },
        {
            "name": "search",
            "description": "Searches the documentation.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "What to search for"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "Most results, 10 if not given"},
                },
                "required": ["query"],
            },
        },
    ])
}

fn called(params: &Value) -> Result<Value, (ErrorCode, String)> {
    let arguments = &params["arguments"];
    let word = |name: &str| {
        let word = arguments[name].as_str().filter(|word| !word.is_empty());
        word.ok_or_else(|| (ErrorCode::Params, format!("`{name}`: expected a text")))
    };
    let number = |name: &str, usual: u64, most: u64| {
        arguments[name].as_u64().unwrap_or(usual).clamp(1, most)
    };
    let document = match params["name"].as_str().unwrap_or_default() {
        "weather" => weather(word("city")?, number("days", 7, 14)),
        "search" => search(word("query")?, number("limit", 10, 50)),
        other => return Err((ErrorCode::Params, format!("there is no tool {other}"))),
    };
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    Ok(json!({"content": [{"type": "text", "text": text}], "isError": false}))
}

fn weather(city: &str, days: u64) -> Value {
    const SKIES: [&str; 6] = ["clear", "fair", "cloudy", "overcast", "showers", "rain"];
    let mut chance = Chance::of(city);
    let warmth = 8 + chance.below(16) as i64;
    let mut sky = || SKIES[chance.below(SKIES.len() as u64) as usize];
    let skies: Vec<_> = (0..=days).map(|_| sky()).collect();
    let forecast = skies.iter().skip(1).enumerate().map(|(day, sky)| {
        json!({
            "date": format!("2026-06-{:02}", day + 2),
            "high": warmth + chance.below(6) as i64,
            "low": warmth - 3 - chance.below(5) as i64,
            "rain_mm": chance.below(90) as f64 / 10.0,
            "wind_kmh": 4 + chance.below(30),
            "sky": sky,
        })
    });
    let forecast: Vec<_> = forecast.collect();
    json!({
        "location": {"city": city, "timezone": "UTC"},
        "units": {"temperature": "celsius", "wind": "km/h", "rain": "mm"},
        "current": {
            "time": "2026-06-01T12:00:00Z", "temperature": warmth, "humidity": 40 + chance.below(50),
            "wind_kmh": 4 + chance.below(30), "sky": skies.first(),
        },
        "forecast": forecast,
    })
}

fn search(query: &str, limit: u64) -> Value {
    const PAGES: [(&str, &str); 6] = [
        ("Stages", "what is done to an output, and in which order"),
        ("The gateway", "how to point agents at it, and what it changes"),
        ("Tool servers", "many servers behind one address, with smaller results"),
        ("Settings", "every setting with its default, flag and variable"),
        ("Filters", "how to teach it a tool of your own"),
        ("Plugins", "what looks at requests and answers on their way"),
    ];
    let mut chance = Chance::of(query);
    let result = |rank: u64| {
        let (title, about) = PAGES[chance.below(PAGES.len() as u64) as usize];
        let page = title.to_lowercase().replace(' ', "-");
        json!({
            "rank": rank,
            "title": title,
            "url": format!("https://docs.example.com/{page}#{}", 100 + chance.below(900)),
            "score": (1000 - rank * 17 - chance.below(15)) as f64 / 1000.0,
            "updated": format!("2026-{:02}-{:02}", 1 + chance.below(6), 1 + chance.below(28)),
            "snippet": format!("{query}: {about}"),
        })
    };
    let results: Vec<_> = (1..=limit).map(result).collect();
    json!({"query": query, "total": limit * 7, "results": results})
}

/// Numbers that look like chance, and follow from a text.
struct Chance(u64);

impl Chance {
    fn of(text: &str) -> Self {
        // FNV-1a.
        let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Chance(text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % bound.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        serde_json::from_str(&answer(&message)).unwrap()
    }

    #[test]
    fn both_tools_answer_with_rows_of_json_and_the_same_again() {
        for (name, arguments, rows) in [
            ("weather", json!({"city": "Oslo"}), 7),
            ("search", json!({"query": "é", "limit": 3}), 3),
        ] {
            let call = json!({"name": name, "arguments": arguments});
            let reply = ask("tools/call", call.clone());
            let text = reply["result"]["content"][0]["text"].as_str().unwrap();
            let document: Value = serde_json::from_str(text).unwrap();
            let list = [&document["forecast"], &document["results"]];
            assert!(list.iter().any(|list| list.as_array().map(Vec::len) == Some(rows)), "{text}");
            assert_eq!(ask("tools/call", call), reply);
        }
        assert_eq!(ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let call = |call| ask("tools/call", call)["error"]["message"].to_string();
        assert!(call(json!({"name": "weather", "arguments": {}})).contains("city"));
        assert!(call(json!({"name": "sing"})).contains("sing"));
        assert_eq!(ask("server/discover", json!({}))["error"]["code"], -32601);
    }
}
