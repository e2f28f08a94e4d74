use crate::Phase;
use crate::builtin::testing::{chain, exchange, refused, run};
use serde_json::json;

#[tokio::test]
async fn headers_are_set_and_removed_on_the_way_there_and_back() {
    let changes = json!({"set": {"X-New": "2"}, "remove": ["x-old"]});
    let chain = chain("header-inject", json!({"request": changes, "response": changes}));
    let mut exchange = exchange("{}");
    run(&chain, Phase::PreUpstream, &mut exchange).await.unwrap();
    assert_eq!(exchange.request().headers["x-new"], "2");
    assert!(!exchange.request().headers.contains_key("x-old"));
    assert!(exchange.response().unwrap().headers.contains_key("x-old"));
    run(&chain, Phase::PostUpstream, &mut exchange).await.unwrap();
    assert_eq!(exchange.response().unwrap().headers["x-new"], "2");
    assert!(!exchange.response().unwrap().headers.contains_key("x-old"));
}

#[test]
fn it_is_called_only_where_it_has_something_to_do() {
    let chain = chain("header-inject", json!({"response": {"remove": ["server"]}}));
    assert!(chain.is_empty_for(Phase::PreUpstream));
    assert!(!chain.is_empty_for(Phase::OnError));
}

#[test]
fn what_belongs_to_the_connection_is_refused_and_values_are_not_repeated() {
    for name in
        ["Connection", "te", "Transfer-Encoding", "upgrade", "keep-alive", "Content-Length", "host"]
    {
        let error = refused("header-inject", json!({"request": {"set": {name: "sk-secret"}}}));
        assert!(error.contains("belongs to the connection") && error.contains(name), "{error}");
        let error = refused("header-inject", json!({"response": {"remove": [name]}}));
        assert!(error.contains("belongs to the connection"), "{error}");
    }
    let error = refused("header-inject", json!({"request": {"set": {"x-key": "sk-\nsecret"}}}));
    assert!(error.contains("request.set.x-key") && !error.contains("secret"), "{error}");
    assert!(refused("header-inject", json!({"request": {"sett": {}}})).contains("sett"));
}
