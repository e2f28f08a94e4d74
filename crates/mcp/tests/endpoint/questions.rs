//! What servers ask clients, take back again, and are told of the progress of.

use crate::kit::*;
use crate::remote::{Manner, Remote};
use serde_json::{Value, json};

fn asking() -> Value {
    json!({"elicitation": {}, "roots": {}})
}

fn accepted(question: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}})
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_what_a_server_asks_and_says_while_we_list_its_tools_reaches_its_client() {
    let mut definition = program();
    definition["env"] = json!({"ASKS": "1"});
    let world = world(&[("up", definition)]).await;
    let client = world.client_named("/mcp", "test", asking()).await;
    let mut stream = client.listen().await;
    assert!(names(&client.tools().await).contains(&"up__rows"));
    let question = stream.next().await.unwrap();
    assert_eq!(question["method"], "roots/list");
    assert_eq!(stream.next().await.unwrap()["params"]["data"], "listing");
    let roots = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}});
    client.send(&roots).await;
    let answers = client.state("up__answers").await;
    assert_eq!(answers[0], json!({"jsonrpc": "2.0", "id": "roots", "result": {"roots": []}}));
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_a_question_that_is_taken_back_is_taken_back_under_the_id_that_its_client_knows() {
    let remote = Remote::start(Manner::Legacy).await;
    let world = world(&[("p", program()), ("r", json!({"url": remote.url()}))]).await;
    let client = world.client_named("/mcp", "test", asking()).await;
    for prefix in ["p", "r"] {
        let reply = client.call(&format!("{prefix}__retract"), json!({})).await;
        let [question, back, _] = &reply.messages[..] else { panic!("{reply:?}") };
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(back["method"], "notifications/cancelled");
        let expected = json!({"requestId": question["id"], "reason": "never mind"});
        assert_eq!(back["params"], expected, "{prefix}");
        // It answers all the same, in vain.
        client.send(&accepted(question)).await;
        assert_eq!(client.state(&format!("{prefix}__answers")).await, json!([]));
    }
    // A client that was not asked hears nothing of it.
    let deaf = world.client("/mcp").await;
    let reply = deaf.call("p__retract", json!({})).await;
    assert_eq!(reply.messages.len(), 1, "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_how_far_a_client_is_with_a_question_its_server_hears_and_no_other() {
    let world = world(&[("one", program()), ("two", program())]).await;
    let client = world.client_named("/mcp", "test", asking()).await;
    let mut first = client.begin("a", json!({"name": "one__ask"})).await;
    let mut second = client.begin("b", json!({"name": "two__ask"})).await;
    let questions = [first.next().await.unwrap(), second.next().await.unwrap()];
    let [one, two] = questions.each_ref().map(|it| &it["params"]["_meta"]["progressToken"]);
    assert_ne!(one, two, "each server counts for itself");
    client.tell("notifications/progress", json!({"progressToken": two, "progress": 7})).await;
    client.tell("notifications/progress", json!({"progressToken": 0, "progress": 8})).await;
    for question in &questions {
        client.send(&accepted(question)).await;
    }
    assert_eq!(first.reply().await.text(), r#"{"action":"accept"}"#);
    assert_eq!(second.reply().await.text(), r#"{"action":"accept"}"#);
    assert_eq!(client.state("one__progressed").await, json!([]));
    let heard = client.state("two__progressed").await;
    assert_eq!(heard, json!([{"progressToken": 0, "progress": 7}]));
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_a_client_that_answers_no_questions_is_still_asked() {
    let world = world(&[("p", program())]).await;
    let client = world.client_named("/mcp", "test", asking()).await;
    for n in 0..300 {
        let mut call = client.begin("call", json!({"name": "p__ask"})).await;
        assert_eq!(call.next().await.unwrap()["method"], "elicitation/create", "{n}");
        client.tell("notifications/cancelled", json!({"requestId": "call"})).await;
        call.reply().await;
    }
    let mut call = client.begin("last", json!({"name": "p__ask"})).await;
    let question = call.next().await.unwrap();
    client.send(&accepted(&question)).await;
    assert_eq!(call.reply().await.text(), r#"{"action":"accept"}"#);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn m14_a_program_that_is_removed_ends_though_its_question_is_open() {
    let world = world(&[("p", program())]).await;
    let client = world.client_named("/mcp", "test", asking()).await;
    let id = client.state("p__process").await;
    let mut call = client.begin("call", json!({"name": "p__ask"})).await;
    call.next().await.unwrap();
    client.tell("notifications/cancelled", json!({"requestId": "call"})).await;
    call.reply().await;
    world.hub.put("p", None).unwrap();
    while std::path::Path::new(&format!("/proc/{id}")).exists() {
        tokio::task::yield_now().await;
    }
}
