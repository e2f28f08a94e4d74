//! Credentials and upstreams: a key reaches the provider that issued it, and no other.

use crate::kit::{Ask, World, world_with};
use tokenforge_mock::Mock;

const CONVERSATION: &str = r#"{"model":"m","messages":[{"role":"user","content":"Hello."}]}"#;

/// A gateway with an upstream for each provider.
struct Providers {
    world: World,
    upstreams: Vec<(&'static str, Mock)>,
}

impl Providers {
    fn start() -> Self {
        let names = ["anthropic", "openai", "gemini", "bedrock", "ollama"];
        let upstreams = names.map(|name| (name, Mock::start()));
        let world = world_with(|settings| {
            settings.upstreams.backend = None;
            for (name, mock) in &upstreams {
                let address = mock.url().parse().unwrap();
                let upstreams = &mut settings.upstreams;
                match *name {
                    "anthropic" => upstreams.anthropic = address,
                    "openai" => upstreams.openai = address,
                    "gemini" => upstreams.gemini = address,
                    "bedrock" => upstreams.bedrock = address,
                    _ => upstreams.ollama = address,
                }
            }
        });
        Providers { world, upstreams: upstreams.into() }
    }

    /// The upstreams that a request reached.
    fn reached_by(&self, ask: Ask) -> Vec<&'static str> {
        self.world.send(ask);
        let reached = self.upstreams.iter().filter(|(_, mock)| !mock.requests().is_empty());
        let reached = reached.map(|(name, _)| *name).collect();
        self.upstreams.iter().for_each(|(_, mock)| mock.clear());
        reached
    }
}

#[test]
fn g70_unclaimed_paths_go_to_the_credentials_provider() {
    let providers = Providers::start();
    let signature = "AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=00";
    for (path, header, value, provider) in [
        ("/guardrail/g/version/1/apply", "authorization", signature, "bedrock"),
        ("/guardrail/g/version/1/apply", "authorization", "Bearer ABSKQmVkcm9jaw==", "bedrock"),
        ("/async-invoke", "authorization", "Bearer bedrock-api-key-YmVk", "bedrock"),
        ("/knowledgebases/k/retrieve", "authorization", signature, "bedrock"),
        ("/upload/v1beta/files?key=AIzaSyA", "x-goog-upload-command", "start", "gemini"),
        ("/upload/v1beta/files?key=AIzaSyA", "content-type", "image/png", "gemini"),
        ("/v1/files", "x-api-key", "sk-ant-api03-x", "anthropic"),
        ("/v1/models", "authorization", "Bearer sk-ant-oat01-x", "anthropic"),
        ("/v1/embeddings", "authorization", "Bearer sk-proj-x", "openai"),
        ("/v1/embeddings", "authorization", "Bearer sk-or-v1-x", "openai"),
        ("/v1/embeddings", "authorization", "Bearer token-abc123", "openai"),
        ("/v1/embeddings", "x-api-key", "token-abc123", "openai"),
        ("/api/generate", "authorization", "Bearer token-abc123", "ollama"),
    ] {
        for ask in [Ask::post(path, "{}"), Ask::new("GET", path)] {
            let reached = providers.reached_by(ask.header(header, value));
            assert_eq!(reached, [provider], "{path} with {header}: {value}");
        }
    }
}

#[test]
fn g71_claimed_paths_send_no_credential_elsewhere() {
    let providers = Providers::start();
    for (path, header, value, provider) in [
        ("/v1/messages", "authorization", "Bearer sk-proj-x", "openai"),
        ("/v1/chat/completions", "x-api-key", "sk-ant-x", "anthropic"),
        ("/v1/chat/completions", "x-goog-api-key", "AIzaSyA", "gemini"),
        ("/v1/responses", "authorization", "Bearer ABSKQmVkcm9jaw==", "bedrock"),
        ("/v1beta/models/m:generateContent", "authorization", "Bearer sk-ant-x", "anthropic"),
        ("/model/m/converse", "authorization", "Bearer ya29.x", "gemini"),
        ("/api/chat", "authorization", "Bearer sk-ant-x", "anthropic"),
    ] {
        let reached = providers.reached_by(Ask::post(path, CONVERSATION).header(header, value));
        assert_eq!(reached, [provider], "{path} with {header}: {value}");
    }
}

#[test]
fn g71_credentials_without_an_upstream_are_refused() {
    let world = world_with(|settings| settings.upstreams.backend = None);
    for path in ["/v1/chat/completions", "/openai/v1/responses", "/v1/files", "/v1/messages"] {
        let answer = world.send(Ask::post(path, CONVERSATION).header("api-key", "0123secret"));
        assert_eq!(answer.status, 404, "{path}");
        let text = answer.text();
        for named in ["api-key", "Azure OpenAI", "upstreams.azure_openai"] {
            assert!(text.contains(named), "{path}: {text}");
        }
        assert!(!text.contains("0123secret"), "{path}: {text}");
    }
    let both = Ask::post("/v1/messages", CONVERSATION).header("x-api-key", "sk-ant-x");
    let answer = world.send(both.header("authorization", "Bearer sk-proj-y"));
    assert_eq!(answer.status, 400);
    assert!(!answer.text().contains("proj-y"), "{}", answer.text());
}

#[test]
fn g72_one_backend_takes_every_credential() {
    let world = world_with(|_| {});
    for (header, value) in [
        ("authorization", "Bearer sk-ant-x"),
        ("authorization", "Bearer sk-proj-x"),
        ("authorization", "AWS4-HMAC-SHA256 Credential=AKIA/x"),
        ("x-goog-api-key", "AIzaSyA"),
        ("api-key", "0123"),
    ] {
        for path in ["/v1/files", "/v1/messages", "/v1/chat/completions"] {
            world.send(Ask::post(path, CONVERSATION).header(header, value));
            assert_eq!(world.mock.last().header(header), value, "{path}");
            world.mock.clear();
        }
    }
}

#[test]
fn g72_an_operators_address_keeps_other_keys() {
    let own = Mock::start();
    let world = world_with(|settings| {
        settings.upstreams.backend = None;
        settings.upstreams.openai = own.url().parse().unwrap();
    });
    for (header, value) in
        [("authorization", "Bearer AIzaSyA"), ("x-api-key", "sk-ant-x"), ("api-key", "0123")]
    {
        world.send(Ask::post("/v1/chat/completions", CONVERSATION).header(header, value));
        assert_eq!(own.last().header(header), value);
        own.clear();
    }
    world.send(Ask::new("GET", "/v1/models").header("api-key", "0123"));
    assert_eq!(own.requests().len(), 1);
}
