//! Everything that the gateway has no reason to change passes as it came: other paths, queries, headers, codings,
//! streams.

use crate::kit::{Ask, conversation, messages, rows, streaming, world, world_with};
use serde_json::json;
use std::io::Write;
use tokenforge_mock::{Reply, Split};

#[test]
fn g17_other_paths_go_on_untouched() {
    let world = world();
    let body = format!(r#"{{"input": [{{"role":"tool","content":{}}}] }}"#, json!(rows()));
    world.post("/v1/embeddings", &body);
    assert_eq!(world.mock.last().path_and_query, "/v1/embeddings");
    assert_eq!(world.mock.last().body, body.as_bytes());
}

#[test]
fn g19_queries_reach_the_upstream_as_written() {
    let world = world();
    for path in [
        "/v1/messages?beta=true",
        "/openai/deployments/d/chat/completions?api-version=2024-10-21",
        "/v1beta/models/m:streamGenerateContent?alt=sse&key=a%2Fb",
        "/v1/files?after=&limit=2&x=%20+",
    ] {
        world.post(path, "{}");
        assert_eq!(world.mock.last().path_and_query, path);
    }
}

#[test]
fn g20_a_coded_body_goes_on_as_it_came_or_plain_when_it_is_changed() {
    let world = world();
    for (coding, code) in codings() {
        let same = conversation("short").to_string();
        let send = |body: &str| {
            let coded = Ask::post("/v1/messages", code(body.as_bytes()));
            assert_eq!(
                world.send(coded.header("content-encoding", coding)).status,
                200,
                "{coding}"
            );
            world.mock.last()
        };
        // The tool that expands is always added, so a request that is left alone has no tools.
        let mut bare = conversation("short");
        bare.as_object_mut().unwrap().remove("tools");
        let kept = send(&bare.to_string());
        assert_eq!(kept.header("content-encoding"), coding);
        assert_eq!(kept.body, code(bare.to_string().as_bytes()));
        let changed = send(&conversation(&rows()).to_string());
        assert_eq!(changed.header("content-encoding"), "", "{coding}");
        assert!(changed.body.len() < conversation(&rows()).to_string().len() + 1000);
        assert!(changed.json()["messages"].is_array(), "{coding} {same}");
    }
    assert_eq!(world.mock.refusals(), Vec::<String>::new());
}

#[test]
fn g20_an_unknown_coding_is_the_upstreams_to_judge() {
    let world = world();
    world.send(Ask::post("/v1/messages", b"\x01\x02").header("content-encoding", "secret"));
    assert_eq!(world.mock.last().body, &b"\x01\x02"[..]);
    assert_eq!(world.mock.last().header("content-encoding"), "secret");
    world.send(Ask::post("/v1/messages", b"no gzip").header("content-encoding", "gzip"));
    assert_eq!(world.mock.last().body, &b"no gzip"[..]);
}

#[test]
fn g21_any_method_on_any_path_is_proxied() {
    let world = world();
    for method in ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "POST"] {
        let answer = world.send(Ask::new(method, "/v1/unheard/of"));
        assert_ne!(answer.status, 0, "{method}");
        assert_eq!(world.mock.last().method.as_str(), method);
        assert_eq!(world.mock.last().path_and_query, "/v1/unheard/of");
    }
    let head = world.send(Ask::new("HEAD", "/v1/models"));
    assert_eq!(world.mock.last().method, "HEAD");
    assert_ne!(head.status, 0);
}

#[test]
fn g22_headers_go_on_but_for_those_between_neighbours() {
    let world = world();
    world.mock.reply(Reply::from("ok").header("x-request-id", "r1").header("keep-alive", "9"));
    let ask = messages(&conversation("short"))
        .header("X-Unknown", "1")
        .header("anthropic-beta", "a,b")
        .header("user-agent", "agent/1")
        .header("connection", "close, x-private")
        .header("x-private", "2")
        .header("te", "trailers")
        .header("proxy-authorization", "Basic secret")
        .header("x-forge-mode", "safe")
        .header("x-forge-session", "s")
        .header("x-forge-key", "unused");
    let answer = world.send(ask);
    let seen = world.mock.last();
    assert_eq!(seen.header("x-unknown"), "1");
    assert_eq!(seen.header("anthropic-beta"), "a,b");
    assert_eq!(seen.header("user-agent"), "agent/1");
    assert_eq!(seen.header("x-api-key"), "sk-client");
    assert_eq!(seen.header("host"), world.mock.address().to_string());
    for ours in ["x-private", "te", "proxy-authorization"] {
        assert_eq!(seen.header(ours), "", "{ours}");
    }
    for ours in ["x-forge-mode", "x-forge-session", "x-forge-key"] {
        assert_eq!(seen.header(ours), "", "{ours}");
    }
    assert_eq!(answer.header("x-request-id"), "r1");
    assert_eq!(answer.header("keep-alive"), "");
}

#[test]
fn g23_a_stream_flows_while_the_upstream_still_speaks() {
    let world = world();
    for body in [streaming("short"), {
        let mut bare = streaming("short");
        bare.as_object_mut().unwrap().remove("tools");
        bare
    }] {
        world.mock.reply(Reply::new().text("first").text("second"));
        let hold = world.mock.hold_after(4);
        let mut open = world.open(&messages(&body));
        hold.wait_for_held(1);
        let so_far = open.until("content_block_delta");
        assert!(!so_far.contains("message_stop"), "{so_far}");
        hold.release();
        open.until("message_stop");
    }
}

#[test]
fn g23_a_stream_that_comes_byte_by_byte_is_the_same() {
    let world = world();
    world.mock.reply(Reply::from("hello there").split(Split::EveryByte));
    let answer = world.send(messages(&streaming("short")));
    let said = tokenforge_mock::grammar::check("anthropic", &answer.body).unwrap();
    assert_eq!(said.text, "hello there");
}

#[test]
fn g16_disabled_changes_nothing_and_says_so() {
    let world = world_with(|settings| settings.tool_output.enabled = false);
    let body = conversation(&rows()).to_string();
    world.post("/v1/messages", &body);
    assert_eq!(world.mock.last().body, body.as_bytes());
    let config = world.get("/_forge/api/config").json();
    assert_eq!(config["pipes"]["tool_output"]["enabled"], false);
}

#[test]
fn d59_a_websocket_is_answered_426_so_that_clients_use_http() {
    let world = world();
    let ask = Ask::new("GET", "/v1/responses")
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA==");
    let answer = world.send(ask);
    assert_eq!(answer.status, 426);
    assert!(world.mock.requests().is_empty());
}

#[test]
fn a_project_in_the_path_is_taken_off_and_counted() {
    let world = world();
    world.post("/p/shop/v1/messages", conversation(&rows()).to_string());
    assert_eq!(world.mock.last().path_and_query, "/v1/messages");
    let stats = world.get("/_forge/api/stats").json();
    assert!(stats["projects"]["shop"].is_object(), "{stats}");
}

#[test]
fn a_body_beyond_the_bound_is_streamed_through_unread() {
    let world = world_with(|settings| settings.limits.max_body_bytes = 10_000);
    let body = conversation(&rows().repeat(4)).to_string();
    assert!(body.len() > 10_000);
    assert_eq!(world.post("/v1/messages", &body).status, 200);
    assert_eq!(world.mock.last().body, body.as_bytes());
}

#[test]
fn http2_is_spoken_too() {
    use http_body_util::{BodyExt, Full};
    use hyper_util::rt::TokioExecutor;
    let world = world();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .http2_only(true)
            .build_http::<Full<bytes::Bytes>>();
        for stream in [false, true] {
            let body = if stream { streaming(&rows()) } else { conversation(&rows()) };
            let request = http::Request::post(format!("http://{}/v1/messages", world.address))
                .body(Full::from(body.to_string()))
                .unwrap();
            let answer = client.request(request).await.unwrap();
            assert_eq!((answer.status().as_u16(), answer.version()), (200, http::Version::HTTP_2));
            let body = answer.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(tokenforge_mock::grammar::check("anthropic", &body).unwrap().text, "ok");
        }
        let stats = format!("http://{}/_forge/api/stats", world.address);
        let request = http::Request::get(stats).body(Full::default()).unwrap();
        assert_eq!(client.request(request).await.unwrap().status(), 200);
    });
    assert_eq!(world.mock.refusals(), Vec::<String>::new());
}

type Code = fn(&[u8]) -> Vec<u8>;

/// Every coding with what makes it.
pub(crate) fn codings() -> [(&'static str, Code); 4] {
    [("gzip", gzip), ("deflate", deflate), ("br", brotli), ("zstd", zstd)]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    brotli::CompressorWriter::new(&mut coded, 4096, 4, 20).write_all(bytes).unwrap();
    coded
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

#[test]
fn item_10_an_answer_names_the_provider_that_was_chosen() {
    let world = world_with(|settings| {
        let mock = settings.upstreams.backend.take().unwrap();
        settings.upstreams.anthropic = mock.clone();
        settings.upstreams.openai = mock;
    });
    let answer = world.send(messages(&conversation("short")));
    assert_eq!(answer.header("x-forge-provider"), "anthropic");
    let answer = world.post("/v1/chat/completions", r#"{"model":"m","messages":[]}"#);
    assert_eq!(answer.header("x-forge-provider"), "openai");
}

#[test]
fn d46_caches_have_the_size_that_the_operator_gives_them_and_count_what_leaves() {
    let texts: Vec<String> = (0..40)
        .map(|n| (0..400).map(|line| format!("{n} {line} {}\n", line * 7919 % 1009)).collect())
        .collect();
    for (cache_bytes, is_full) in [(256 << 10, true), (64 << 20, false)] {
        let world = world_with(|settings| settings.limits.cache_bytes = cache_bytes);
        for text in &texts {
            assert_eq!(world.send(messages(&conversation(text))).status, 200);
        }
        let evictions = world.counter("cache_evictions");
        assert_eq!(evictions > 0, is_full, "{cache_bytes} bytes: {evictions}");
        let metrics = world.get("/_forge/metrics").text();
        assert!(metrics.contains("tokenforge_cache_evictions_total"), "{metrics}");
    }
}

/// A body around what is nested this deep.
fn nested(depth: usize, body: &str) -> String {
    body.replace("DEEP", &format!("{}1{}", "[".repeat(depth), "]".repeat(depth)))
}

#[test]
fn g76_forge_reaches_no_upstream_from_a_deep_body() {
    let world = world();
    let member = r#""_forge":{"tool_output_compression":"safe"}"#;
    for body in [
        r#"{"_forge":DEEP,"messages":[]}"#.to_owned(),
        format!(r#"{{{member},"messages":DEEP}}"#),
        format!(r#"{{"messages":DEEP,{member}}}"#),
        r#"{"messages":DEEP,"\u005fforge" : {}}"#.to_owned(),
    ] {
        for path in ["/v1/messages", "/v1/chat/completions", "/v1/embeddings"] {
            for method in ["POST", "PUT"] {
                let ask = Ask::new(method, path).header("content-type", "application/json");
                let answer = world.send(ask.body(nested(600, &body)));
                assert_eq!(answer.status, 400, "{method} {path} {body}");
                assert!(answer.text().contains("_forge"), "{}", answer.text());
            }
        }
    }
    assert!(world.mock.requests().is_empty());
    // A text that names it is no member of that name.
    let told = nested(600, r#"{"messages":DEEP,"text":"\"_forge\":"}"#);
    world.post("/v1/messages", &told);
    assert_eq!(world.mock.last().body, told.as_bytes());
}

#[test]
fn g76_forge_reaches_no_upstream_whatever_the_type() {
    let world = world();
    let body = r#" {"a":1,"_forge":{"tool_output_compression":"safe"}}"#;
    for method in ["POST", "PUT", "PATCH"] {
        for kind in ["text/plain", "text/plain; charset=utf-8", "application/octet-stream", "x/y"] {
            for path in ["/v1/embeddings", "/v1/messages"] {
                let ask = Ask::new(method, path).header("content-type", kind).body(body);
                world.send(ask);
                assert_eq!(world.mock.last().body, &br#" {"a":1}"#[..], "{method} {path} {kind}");
            }
        }
    }
    let other = "not JSON: \"_forge\": {}";
    world.send(Ask::new("PUT", "/v1/x").header("content-type", "text/plain").body(other));
    assert_eq!(world.mock.last().body, other.as_bytes());
}
