//! Requests under an AWS signature, before a Bedrock that checks it: who is signed for, and what goes on unchanged.

use crate::kit::{Answer, Ask, World, conversation, test_run, world, world_with};
use serde_json::{Value, json};
use tokenforge_config::{AwsSigning, GatewayKey, Secret, Settings};
use tokenforge_gateway::AwsCredentialSource;
use tokenforge_mock::{AwsKey, Mock, Reply};

const STAMP: &str = "20261119T035220Z";
const REGION: &str = "eu-west-1";
const GATEWAY_KEY: &str = "a-long-key-of-the-team";

const CONVERSE: &str = "/model/anthropic.claude-sonnet-4-5-v1%3A0/converse";
const ARN: &str =
    "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.anthropic.claude/converse";

fn operators() -> AwsKey {
    AwsKey::new("AKIAOPERATOR00001", "the/operator's+secret")
}

fn strangers() -> AwsKey {
    AwsKey::new("AKIASTRANGER00002", "the secret of a stranger")
}

/// The operator's key is in the variables of the gateway, and the provider takes no other.
fn with_key(world: World, key: &AwsKey) -> World {
    let variables = key.clone();
    world.gateway.set_aws_credentials(AwsCredentialSource::with_variables(
        move |name| match name {
            "AWS_ACCESS_KEY_ID" => Some(variables.id.clone()),
            "AWS_SECRET_ACCESS_KEY" => Some(variables.secret.clone()),
            "AWS_SESSION_TOKEN" => variables.token.clone(),
            _ => None,
        },
    ));
    world.mock.signed_with(key.clone());
    world
}

fn converse(text: &str) -> Value {
    json!({
        "messages": [
            {"role": "user", "content": [{"text": "Go on."}]},
            {"role": "assistant", "content": [
                {"toolUse": {"toolUseId": "tooluse_1", "name": "Bash", "input": {"command": "cargo test"}}},
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": text}]}},
            ]},
        ],
        "toolConfig": {"tools": [
            {"toolSpec": {"name": "Bash", "description": "Runs.", "inputSchema": {"json": {"type": "object"}}}},
        ]},
    })
}

fn invoke(text: &str) -> Value {
    let mut body = conversation(text);
    body.as_object_mut().unwrap().remove("model");
    body["anthropic_version"] = json!("bedrock-2023-05-31");
    body
}

fn ask(path: &str) -> Ask {
    let is_invoke = path.contains("/invoke");
    let body = if is_invoke { invoke(&test_run()) } else { converse(&test_run()) };
    Ask::post(path, body.to_string())
}

/// What the provider got is smaller than what was sent, and signed.
#[track_caller]
fn assert_signed_again(world: &World, answer: &Answer, what: &str) {
    assert_eq!(world.mock.refusals(), Vec::<String>::new(), "{what}");
    assert_eq!(answer.status, 200, "{what}: {}", answer.text());
    let forwarded = world.mock.last();
    assert!(forwarded.body.len() < test_run().len() / 2, "{what}: {}", forwarded.body.len());
    assert!(forwarded.json().to_string().contains("<<<SHADOW:"), "{what}");
}

/// The provider got every byte of the body and of the signature.
#[track_caller]
fn assert_untouched(world: &World, sent: &Ask, what: &str) {
    let (forwarded, sent) = (world.mock.last(), sent.bytes());
    let sent = String::from_utf8(sent).unwrap();
    assert!(sent.ends_with(&String::from_utf8_lossy(&forwarded.body)[..]), "{what}");
    assert!(forwarded.body.len() > test_run().len(), "{what}");
    for header in ["authorization", "x-amz-date"] {
        assert!(
            sent.contains(&format!("{header}: {}\r\n", forwarded.header(header))),
            "{what}: {header}"
        );
    }
}

#[test]
fn g60_a_request_that_was_signed_with_the_operators_key_is_made_smaller_and_signed_again() {
    let temporary = AwsKey::new("ASIAOPERATOR00001", "s3cr3t").temporary("IQoJb3JpZ2lu//t+==");
    for key in [operators(), temporary] {
        let world = with_key(world(), &key);
        for path in [
            CONVERSE,
            ARN,
            "/model/m:0/converse-stream",
            "/model/m/invoke",
            "/model/m/invoke-with-response-stream",
        ] {
            let answer = world.send(key.signed(ask(path), STAMP, REGION));
            assert_signed_again(&world, &answer, path);
            let scope = format!("Credential={}/20261119/{REGION}/bedrock/aws4_request", key.id);
            assert!(world.mock.last().header("authorization").contains(&scope), "{path}");
            assert_eq!(world.mock.last().path_and_query, path);
        }
        // A project's name is taken off the path that was signed.
        let answer = world.send(key.signed(ask(&format!("/p/web{CONVERSE}")), STAMP, REGION));
        assert_signed_again(&world, &answer, "with a project");
        assert_eq!(world.mock.last().path_and_query, CONVERSE);
    }
}

#[test]
fn g60_the_profile_of_a_file_is_as_good_and_its_other_profiles_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials");
    let (own, named) = (operators(), file.display().to_string());
    let text = format!(
        "[default]\naws_access_key_id = AKIAOTHER\naws_secret_access_key = other\n\n[dev]\naws_access_key_id = {}\n\
         aws_secret_access_key = {}\n",
        own.id, own.secret
    );
    std::fs::write(&file, text).unwrap();
    let world = world();
    world.gateway.set_aws_credentials(AwsCredentialSource::with_variables(move |name| {
        (name == "AWS_SHARED_CREDENTIALS_FILE").then(|| named.clone())
    }));
    world.mock.signed_with(own.clone());
    assert_signed_again(&world, &world.send(own.signed(ask(CONVERSE), STAMP, REGION)), "a profile");
    std::fs::write(&file, "").unwrap();
    let sent = own.signed(ask(CONVERSE), STAMP, REGION);
    world.send(sent.clone());
    assert_untouched(&world, &sent, "a profile that is gone");
}

#[test]
fn g60_what_the_model_fetches_back_is_asked_for_under_a_signature_of_its_own() {
    let (world, key) = (with_key(world(), &operators()), operators());
    for path in [CONVERSE, "/model/m/converse-stream", "/model/m/invoke"] {
        world.mock.clear();
        world.mock.reply(Reply::expand_first_reference());
        world.mock.reply("Done.");
        let answer = world.send(key.signed(ask(path), STAMP, REGION));
        assert_eq!(
            (answer.status, world.mock.refusals()),
            (200, Vec::new()),
            "{path}: {}",
            answer.text()
        );
        let requests = world.mock.requests();
        assert_eq!(requests.len(), 2, "{path}");
        assert!(String::from_utf8_lossy(&requests[1].body).contains("case_number_399"), "{path}");
        assert_ne!(requests[0].header("authorization"), requests[1].header("authorization"));
    }
}

#[test]
fn g61_without_credentials_a_signed_request_goes_on_untouched() {
    let world = world();
    let sent = operators().signed(ask(CONVERSE), STAMP, REGION);
    assert_eq!(world.send(sent.clone()).status, 200);
    assert_untouched(&world, &sent, "no credentials");
    let world = with_key(
        world_with(|settings| settings.upstreams.aws_signing = AwsSigning::Never),
        &operators(),
    );
    world.send(sent.clone());
    assert_untouched(&world, &sent, "aws_signing: never");
}

#[test]
fn g62_the_id_of_the_operators_key_alone_gets_no_signature() {
    let world = with_key(world(), &operators());
    let AwsKey { id, .. } = operators();
    let own_token = AwsKey::new(&id, &operators().secret).temporary("of another session");
    for (what, sent) in [
        ("another secret", AwsKey::new(&id, "guessed").signed(ask(CONVERSE), STAMP, REGION)),
        ("a token of another session", own_token.signed(ask(CONVERSE), STAMP, REGION)),
        ("another key", strangers().signed(ask(CONVERSE), STAMP, REGION)),
    ] {
        let answer = world.send(sent.clone());
        assert_untouched(&world, &sent, what);
        assert_eq!((answer.status, world.mock.refusals().len()), (403, 1), "{what}");
        world.mock.clear();
    }
    // A recorded signature of the operator, with another body.
    let seen = operators()
        .signed(ask(CONVERSE), STAMP, REGION)
        .body(converse(&format!("{} ", test_run())).to_string());
    assert_eq!(world.send(seen.clone()).status, 403);
    assert_untouched(&world, &seen, "a signature that was seen");
}

#[test]
fn g62_a_header_of_aws_that_the_client_did_not_sign_is_not_signed_for_it() {
    let world = with_key(world(), &operators());
    let signed = operators().signed(ask(CONVERSE).header("x-amz-meta", "own"), STAMP, REGION);
    let added = signed
        .header("x-amz-cf-id", "of a proxy")
        .header("x-amzn-bedrock-service-tier", "priority")
        .header("x-amzn-trace-id", "Root=1");
    let answer = world.send(added);
    assert_signed_again(&world, &answer, "a header that was added");
    let forwarded = world.mock.last();
    let names = ["x-amz-meta", "x-amz-cf-id", "x-amzn-bedrock-service-tier", "x-amzn-trace-id"];
    assert_eq!(names.map(|name| forwarded.header(name)), ["own", "", "", "Root=1"]);
}

#[test]
fn g62_a_connection_header_added_to_a_recorded_request_removes_no_signed_header() {
    let world = with_key(world(), &operators());
    let guarded = ask(CONVERSE).header("x-amzn-bedrock-guardrailidentifier", "strict");
    let signed = operators().signed(guarded, STAMP, REGION);
    assert_signed_again(&world, &world.send(signed.clone()), "as it was");
    assert_eq!(world.mock.last().header("x-amzn-bedrock-guardrailidentifier"), "strict");
    let sent = signed.header("connection", "close, X-Amzn-Bedrock-GuardrailIdentifier");
    assert_eq!(world.send(sent.clone()).status, 403);
    assert_untouched(&world, &sent, "without its guardrail");
}

fn for_callers(settings: &mut Settings) {
    settings.keys = vec![GatewayKey { name: "team".to_owned(), key: Secret::new(GATEWAY_KEY) }];
    settings.upstreams.aws_signing = AwsSigning::Callers;
}

#[test]
fn g62_who_shows_a_gateway_key_is_signed_for_where_the_operator_said_so() {
    let world = with_key(world_with(for_callers), &operators());
    let keyed =
        |ask: Ask| strangers().signed(ask.header("x-forge-key", GATEWAY_KEY), STAMP, REGION);
    for path in [CONVERSE, "/model/m/invoke-with-response-stream"] {
        assert_signed_again(&world, &world.send(keyed(ask(path))), path);
        let forwarded = world.mock.last();
        assert!(!forwarded.header("authorization").contains("x-forge-key"));
        assert_eq!(forwarded.header("x-forge-key"), "");
    }
    let unkeyed = world.send(strangers().signed(ask(CONVERSE), STAMP, REGION));
    assert_eq!(unkeyed.status, 401);
}

#[test]
fn g62_a_gateway_key_opens_neither_other_paths_nor_other_services_nor_where_it_was_not_said() {
    let world = with_key(world_with(for_callers), &operators());
    let key = |ask: Ask| ask.header("x-forge-key", GATEWAY_KEY);
    let body = converse(&test_run()).to_string();
    for (what, sent) in [
        (
            "another path",
            strangers().signed(key(Ask::post("/model/m/async-invoke", &body)), STAMP, REGION),
        ),
        ("another service", strangers().signed_for("iam", key(ask(CONVERSE)), STAMP, REGION)),
    ] {
        world.send(sent.clone());
        assert_untouched(&world, &sent, what);
    }
    let own_only = world_with(|settings| {
        for_callers(settings);
        settings.upstreams.aws_signing = AwsSigning::OwnKey;
    });
    let own_only = with_key(own_only, &operators());
    let sent = strangers().signed(key(ask(CONVERSE)), STAMP, REGION);
    own_only.send(sent.clone());
    assert_untouched(&own_only, &sent, "aws_signing: own_key");
}

#[test]
fn g62_a_host_that_a_client_names_gets_no_signature_of_the_operator() {
    let other = Mock::start();
    let world = world_with(|settings| {
        for_callers(settings);
        settings.upstreams.target_allow = vec![other.address().to_string()];
    });
    let world = with_key(world, &operators());
    let named =
        ask(CONVERSE).header("x-forge-key", GATEWAY_KEY).header("x-target-url", &other.url());
    world.send(strangers().signed(named, STAMP, REGION));
    assert!(other.last().header("authorization").contains(&strangers().id));
    let named =
        ask(CONVERSE).header("x-forge-key", GATEWAY_KEY).header("x-target-url", &other.url());
    world.send(operators().signed(named, STAMP, REGION));
    assert!(other.last().body.len() > test_run().len(), "it went on as it came");
}

#[test]
fn g62_callers_without_credentials_are_told_why() {
    let world = world_with(for_callers);
    world.gateway.set_aws_credentials(AwsCredentialSource::with_variables(|_| None));
    let answer = world.send(strangers().signed(
        ask(CONVERSE).header("x-forge-key", GATEWAY_KEY),
        STAMP,
        REGION,
    ));
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains("AWS_ACCESS_KEY_ID"), "{}", answer.text());
    assert!(world.mock.requests().is_empty());
}

#[test]
fn d20_a_secret_is_taken_out_of_a_request_that_is_signed_again() {
    let world = with_key(world_with(|settings| settings.redact_secrets = true), &operators());
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let body = converse(&format!("the key is {token}")).to_string();
    let answer = world.send(operators().signed(Ask::post(CONVERSE, body), STAMP, REGION));
    assert_eq!((answer.status, world.mock.refusals()), (200, Vec::new()), "{}", answer.text());
    let forwarded = String::from_utf8_lossy(&world.mock.last().body).into_owned();
    assert!(
        !forwarded.contains(token) && forwarded.contains("[REDACTED:github-token]"),
        "{forwarded}"
    );
}

#[test]
fn an_api_key_of_bedrock_needs_no_signature() {
    let world = with_key(world(), &operators());
    let answer = world.send(ask(CONVERSE).header("authorization", "Bearer bedrock-api-key"));
    assert_signed_again(&world, &answer, "a bearer token");
    assert_eq!(world.mock.last().header("authorization"), "Bearer bedrock-api-key");
}

#[test]
fn what_a_request_asks_of_the_gateway_is_taken_out_before_it_is_signed_again() {
    let world = with_key(world(), &operators());
    let mut body = converse(&test_run());
    body["_forge"] = json!({"tool_output_compression": {"mode": "standard"}});
    let sent = Ask::post(CONVERSE, body.to_string()).header("x-forge-session", "s1");
    let answer = world.send(operators().signed(sent, STAMP, REGION));
    assert_signed_again(&world, &answer, "_forge");
    assert_eq!(world.mock.last().json()["_forge"], Value::Null);
    assert_eq!(world.mock.last().header("x-forge-session"), "");
}
