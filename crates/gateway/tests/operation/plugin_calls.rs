//! What plugins may do to a request, and what their faults may not.

use crate::faults::saying;
use crate::kit::{Ask, World, conversation, messages, world_of};
use crate::negotiation::asked;
use crate::routes::api;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokenforge_config::{OnError, PluginConfig, PluginSettings};
use tokenforge_mock::Reply;
use tokenforge_negotiate::Format;
use tokenforge_plugin::{
    BodyNeed, BoxFuture, Context, Error, Flow, Phase, Phases, Plugin, Registry, factory,
};
use tokenforge_store::MemoryStore;

/// Does in one phase what its settings say.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Actor {
    phase: String,
    act: String,
}

impl Plugin for Actor {
    fn name(&self) -> &str {
        "actor"
    }

    fn phases(&self) -> Phases {
        let phase = Phase::ALL.iter().copied().find(|phase| phase.name() == self.phase);
        phase.unwrap().into()
    }

    fn body(&self, _: Phase) -> BodyNeed {
        BodyNeed::Buffered { up_to: 1 << 20 }
    }

    fn call<'a>(&'a self, mut context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            if context.response_body().is_ok() {
                context.set_response_body("half made")?;
            }
            if context.request_body().is_ok() {
                context.set_request_body("half made")?;
            }
            match &*self.act {
                "error" => Err("as told".into()),
                "panic" => panic!("as told"),
                "timeout" => std::future::pending().await,
                _ => Ok(Flow::Terminate(http::Response::builder().status(418).body("no".into())?)),
            }
        })
    }
}

const FAULTS: [&str; 3] = ["error", "panic", "timeout"];

/// A gateway in which an actor does this in a phase.
fn world(phase: &str, act: &str, on_error: OnError) -> World {
    let mut registry = Registry::default();
    registry.register(factory("actor", |actor: Actor| Ok(actor))).unwrap();
    let config = PluginConfig::new(json!({"phase": phase, "act": act}));
    let timeout = Duration::from_millis(if act == "timeout" { 20 } else { 60_000 });
    world_of(Arc::new(MemoryStore::default()), registry, |settings| {
        api(settings, "/api", Format::Json);
        let actor = PluginSettings::named("actor");
        settings.plugins = vec![PluginSettings { config, on_error, timeout, ..actor }];
    })
}

/// A figure of the actor.
fn figure(world: &World, name: &str, phase: &str, more: &str) -> String {
    let metrics = world.get("/_forge/metrics").text();
    let start =
        format!("tokenforge_plugin_{name}_total{{plugin=\"actor\",phase=\"{phase}\"{more}}} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("no {start}in\n{metrics}")).to_owned()
}

#[test]
fn h9_open_goes_on_with_the_original_and_counts_the_fault() {
    for fault in FAULTS {
        let world = world("post_upstream", fault, OnError::Open);
        let answer = asked(&world, &[], "application/json", "{\"a\":1}");
        assert_eq!((answer.status, answer.text().as_str()), (200, "{\"a\":1}"), "{fault}");
        let cause = format!(",cause=\"{fault}\"");
        assert_eq!(figure(&world, "failures", "post_upstream", &cause), "1");

        let world = self::world("pre_upstream", fault, OnError::Open);
        let body = conversation("short");
        assert_eq!(world.send(messages(&body)).status, 200);
        assert_eq!(world.mock.last().json()["messages"], body["messages"], "{fault}");
        assert_eq!(figure(&world, "failures", "pre_upstream", &cause), "1");
    }
}

/// Remembers what it is shown of answers, or why it is shown nothing.
struct Reader(Arc<Mutex<Vec<String>>>);

impl Plugin for Reader {
    fn name(&self) -> &str {
        "reader"
    }

    fn phases(&self) -> Phases {
        Phase::PostUpstream.into()
    }

    fn body(&self, _: Phase) -> BodyNeed {
        BodyNeed::Buffered { up_to: 4096 }
    }

    fn call<'a>(&'a self, context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        let shown = match context.response_body() {
            Ok(body) => String::from_utf8_lossy(body).into_owned(),
            Err(error) => error.to_string(),
        };
        self.0.lock().unwrap().push(shown);
        Box::pin(async { Ok(Flow::Continue) })
    }
}

#[test]
fn d12_plugins_see_whole_answers_of_models_with_tools_and_chunked_and_hear_of_streams() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut registry = Registry::default();
    let shown = seen.clone();
    registry.register(factory("reader", move |_: Nothing| Ok(Reader(shown.clone())))).unwrap();
    let world = world_of(Arc::new(MemoryStore::default()), registry, |settings| {
        let reader = PluginSettings::named("reader");
        settings.plugins = vec![PluginSettings { on_error: OnError::Closed, ..reader }];
    });
    let with_tools = conversation("short");
    let mut without = conversation("short");
    without.as_object_mut().unwrap().remove("tools");
    without["messages"] = json!([{"role": "user", "content": "hi"}]);
    for (body, expected) in [
        (with_tools.clone(), "seen by all"),
        (without.clone(), "seen by all"),
        (with_stream(&with_tools), "it is a stream"),
        (with_stream(&without), "it is a stream"),
    ] {
        world.mock.reply("seen by all");
        assert_eq!(world.send(messages(&body)).status, 200, "{body}");
        let shown = seen.lock().unwrap().pop().unwrap();
        assert!(shown.contains(expected), "{body}: {shown}");
    }
    // So do those that do not say how long they are.
    let mut settings = world.gateway.settings();
    let backend = settings.upstreams.backend.replace(saying(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n\
          4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n",
    ));
    world.gateway.reconfigure(settings.clone()).unwrap();
    for body in [&with_tools, &without] {
        assert_eq!(world.send(messages(body)).text(), r#"{"a":1}"#);
        assert_eq!(seen.lock().unwrap().pop().unwrap(), r#"{"a":1}"#, "{body}");
    }
    settings.upstreams.backend = backend;
    world.gateway.reconfigure(settings).unwrap();
    // One that is longer than the plugin waits for says so, and passes.
    world.mock.reply("word ".repeat(2_000).as_str());
    assert_eq!(world.send(messages(&with_tools)).status, 200);
    let shown = seen.lock().unwrap().pop().unwrap();
    assert!(shown.contains("no body of up to 4096 bytes"), "{shown}");
}

/// It takes no settings.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn with_stream(body: &Value) -> Value {
    let mut body = body.clone();
    body["stream"] = true.into();
    body
}

#[test]
fn h9_closed_is_a_502_that_names_the_plugin() {
    for fault in FAULTS {
        let world = world("post_upstream", fault, OnError::Closed);
        let answer = asked(&world, &[], "application/json", "{\"a\":1}");
        assert_eq!(answer.status, 502, "{fault}");
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("`actor`") && message.contains("post_upstream"), "{message}");

        let world = self::world("pre_upstream", fault, OnError::Closed);
        assert_eq!(world.send(messages(&conversation("short"))).status, 502, "{fault}");
        assert!(world.mock.requests().is_empty(), "{fault}");
    }
}

#[test]
fn h11_who_terminates_before_the_request_is_known_stops_it_before_any_upstream() {
    for phase in ["pre_auth", "post_auth", "pre_upstream"] {
        let world = world(phase, "terminate", OnError::Open);
        for ask in [messages(&conversation("short")), Ask::new("GET", "/api/rows")] {
            let answer = world.send(ask);
            assert_eq!((answer.status, answer.text().as_str()), (418, "no"), "{phase}");
        }
        assert_eq!(world.mock.requests().len(), 0, "{phase}");
    }
}

#[test]
fn h15_every_figure_of_a_plugin_and_phase_is_in_the_metrics() {
    let world = world("post_upstream", "terminate", OnError::Open);
    for _ in 0..3 {
        assert_eq!(asked(&world, &[], "application/json", "{}").status, 418);
    }
    assert_eq!(figure(&world, "calls", "post_upstream", ""), "3");
    assert_eq!(figure(&world, "terminations", "post_upstream", ""), "3");
    for fault in FAULTS {
        let cause = format!(",cause=\"{fault}\"");
        assert_eq!(figure(&world, "failures", "post_upstream", &cause), "0");
    }
    assert!(figure(&world, "seconds", "post_upstream", "").parse::<f64>().unwrap() > 0.0);
    let metrics = world.get("/_forge/metrics").text();
    assert!(metrics.contains("plugin=\"stc\",phase=\"pre_upstream\""), "{metrics}");
}

/// What a witness saw in a phase: the request's body, and the response's.
type Sight = (&'static str, Option<String>, Option<String>);

/// Is called in every phase, and asks for everything.
struct Witness(Arc<Mutex<Vec<Sight>>>);

impl Plugin for Witness {
    fn name(&self) -> &str {
        "witness"
    }

    fn phases(&self) -> Phases {
        Phase::ALL.iter().fold(Phases::NONE, |phases, phase| phases | *phase)
    }

    fn body(&self, _: Phase) -> BodyNeed {
        BodyNeed::Buffered { up_to: 1 << 20 }
    }

    fn call<'a>(&'a self, context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        let text = |body: &bytes::Bytes| String::from_utf8(body.to_vec()).unwrap();
        let request = context.request_body().ok().map(text);
        let response = context.response_body().ok().map(text);
        self.0.lock().unwrap().push((context.phase().name(), request, response));
        Box::pin(async { Ok(Flow::Continue) })
    }
}

#[test]
fn h14_bodies_are_there_in_their_phases_only() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut registry = Registry::default();
    let kept = Arc::clone(&seen);
    let make = move |_: std::collections::BTreeMap<String, Value>| Ok(Witness(Arc::clone(&kept)));
    registry.register(factory("witness", make)).unwrap();
    let world = world_of(Arc::new(MemoryStore::default()), registry, |settings| {
        api(settings, "/api", Format::Json);
        settings.plugins = vec![PluginSettings::named("witness")];
    });
    let reply = Reply::status(200, &[("content-type", "application/json")], "{}");
    world.mock.reply_on("/", reply);
    world.post("/api/rows", "question");
    let (question, answer) = (Some("question".to_owned()), Some("{}".to_owned()));
    let way = [
        ("pre_auth", None, None),
        ("post_auth", None, None),
        ("pre_upstream", question.clone(), None),
        ("post_upstream", None, answer),
    ];
    assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), way);

    world.mock.refuse();
    let failed = world.post("/api/rows", "question");
    assert_eq!(failed.status, 502);
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(seen[..3], way[..3]);
    assert_eq!(seen[3..], [("on_error", None, Some(failed.text()))]);
}
