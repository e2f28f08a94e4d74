//! Row 31: credentials and upstreams: whatever a request looks like, a provider's key goes to that provider or nowhere.

use crate::kit::{Ask, GatewayHome, GatewayProcess, ProofBench};
use crate::row::{Faults, ProofRow, RowResult};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokenforge_mock::{Mock, Recorded};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 31,
    what: "every shape of a credential on every path of every provider, with addresses of the operator's and without",
    bar: "0 keys of one provider sent to another; bare and unknown keys go where they always went",
    prove,
};

/// Marks a credential in what an upstream sees.
const MARK: &str = "canary31";

/// A credential: its provider (`""`: unknown), and where it stands (`?`: in the query).
const SHAPES: &[(&str, &str, &str)] = &[
    ("anthropic", "x-api-key", "sk-ant-api03-canary31"),
    ("anthropic", "authorization", "Bearer sk-ant-oat01-canary31"),
    ("anthropic", "api-key", "sk-ant-api03-canary31"),
    ("openai", "authorization", "Bearer sk-proj-canary31"),
    ("openai", "authorization", "Bearer sk-svcacct-canary31"),
    ("openai", "authorization", "Bearer sk-admin-canary31"),
    ("openai", "authorization", "Bearer sk-aT3BlbkFJcanary31"),
    ("openai", "x-api-key", "sk-proj-canary31"),
    ("gemini", "?key", "AIzaSycanary31"),
    ("gemini", "?access_token", "ya29.canary31"),
    ("gemini", "x-goog-api-key", "AIzaSycanary31"),
    ("gemini", "x-goog-api-key", "canary31"),
    ("gemini", "authorization", "Bearer AIzaSycanary31"),
    ("gemini", "authorization", "Bearer ya29.canary31"),
    (
        "bedrock",
        "authorization",
        "AWS4-HMAC-SHA256 Credential=AKIAcanary31/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=00",
    ),
    (
        "bedrock",
        "authorization",
        "AWS4-ECDSA-P256-SHA256 Credential=AKIAcanary31/20260101/bedrock/aws4_request, SignedHeaders=host, Signature=00",
    ),
    ("bedrock", "?X-Amz-Signature", "canary31"),
    ("bedrock", "authorization", "Bearer ABSKcanary31"),
    ("bedrock", "authorization", "Bearer bedrock-api-key-canary31"),
    ("bedrock", "x-api-key", "ABSKcanary31"),
    ("azure_openai", "api-key", "canary31"),
    ("", "authorization", "Bearer canary31"),
    ("", "authorization", "Bearer sk-or-v1-canary31"),
    ("", "authorization", "Bearer gsk_canary31"),
    ("", "x-api-key", "canary31"),
];

/// A path, and where it goes with a key of an unknown provider.
const PATHS: &[(&str, &str)] = &[
    ("/v1/messages", "anthropic"),
    ("/v1/messages/count_tokens", "anthropic"),
    ("/v1/messages/batches/b", "anthropic"),
    ("/api/hello", "anthropic"),
    ("/v1/chat/completions", "openai"),
    ("/v1/responses", "openai"),
    ("/openai/v1/responses", "openai"),
    ("/v1/embeddings", "openai"),
    ("/v1/models", "openai"),
    ("/v1/files", "openai"),
    ("/v1/images/generations", "openai"),
    ("/v1/organizations/usage", "openai"),
    ("/upload/v1beta/files", "openai"),
    ("/guardrail/g/version/1/apply", "openai"),
    ("/async-invoke", "openai"),
    ("/knowledgebases/k/retrieve", "openai"),
    ("/retrieveAndGenerate", "openai"),
    ("/", "openai"),
    ("/v1beta/models/m:generateContent", "gemini"),
    ("/v1beta/models", "gemini"),
    ("/v1beta/interactions", "gemini"),
    ("/v1beta/files/f", "gemini"),
    ("/model/m/converse", "bedrock"),
    ("/model/m/invoke", "bedrock"),
    ("/model/m/count-tokens", "bedrock"),
    ("/api/chat", "ollama"),
    ("/api/generate", "ollama"),
    ("/api/oauth/profile", "ollama"),
];

const NAMES: [&str; 5] = ["anthropic", "openai", "gemini", "bedrock", "ollama"];

const BODY: &str =
    r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hello."}]}"#;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mut lost = 0;
    let set = with_addresses(bench, &mut faults, &mut lost)?;
    let usual = with_usual_addresses(bench, &mut faults, &mut lost)?;
    let count = format!(
        "{} shapes, {} paths, POST and GET, {} requests",
        SHAPES.len(),
        PATHS.len(),
        set + usual
    );
    faults.into_result(count, format!("{lost} keys at another provider"))
}

/// Asks with each shape on each path.
fn each(mut ask: impl FnMut(&'static str, &str, &'static str, Ask)) -> usize {
    let mut count = 0;
    for (path, bare) in PATHS {
        for (owner, place, value) in SHAPES {
            for method in ["POST", "GET"] {
                count += 1;
                let target = match place.strip_prefix('?') {
                    Some(name) => format!("{path}?{name}={value}"),
                    None => (*path).to_owned(),
                };
                let mut asked = Ask::new(method, &target);
                if !place.starts_with('?') {
                    asked = asked.header(place, value);
                }
                if method == "POST" {
                    asked = asked.header("content-type", "application/json").body(BODY);
                }
                ask(owner, &format!("{method} {path} with {place}: {value}"), bare, asked);
            }
        }
    }
    count
}

/// Every provider has an address of its own. Azure has none at first.
fn with_addresses(
    bench: &ProofBench,
    faults: &mut Faults,
    lost: &mut usize,
) -> anyhow::Result<usize> {
    let mocks: BTreeMap<&str, Mock> = NAMES.map(|name| (name, Mock::start())).into();
    let azure = Mock::start();
    let mut count = 0;
    for has_azure in [false, true] {
        let home = GatewayHome::new()?;
        let mut settings = "upstreams:\n".to_owned();
        for (name, mock) in &mocks {
            settings += &format!("  {name}: {}\n", mock.url());
        }
        if has_azure {
            settings += &format!("  azure_openai: {}\n", azure.url());
        }
        std::fs::write(home.settings(), settings)?;
        let gateway = GatewayProcess::launch(bench, &home, &[], &[])?;
        count += each(|owner, what, bare, ask| {
            let answer = gateway.send(&ask);
            let mut reached = Vec::new();
            for (name, mock) in
                mocks.iter().map(|(name, mock)| (*name, mock)).chain([("azure_openai", &azure)])
            {
                if mock.requests().iter().any(has_mark) {
                    reached.push(name);
                }
                mock.clear();
            }
            // An address that the operator set takes keys of a provider for which none is set.
            let is_unset = owner == "azure_openai" && !has_azure;
            let expected = if owner.is_empty() || is_unset { bare } else { owner };
            *lost += usize::from(!owner.is_empty() && reached.iter().any(|name| *name != expected));
            faults.check(reached == [expected], || {
                format!("{what} ({}) reached {reached:?}, not {expected}", answer.status)
            });
        });
    }
    Ok(count)
}

/// No provider has an address in the settings: a proxy sees to which host the gateway would go.
fn with_usual_addresses(
    bench: &ProofBench,
    faults: &mut Faults,
    lost: &mut usize,
) -> anyhow::Result<usize> {
    let proxy = RecordingProxy::start()?;
    let home = GatewayHome::new()?;
    let address = format!("http://{}", proxy.address);
    let gateway = GatewayProcess::launch(bench, &home, &[], &[("HTTPS_PROXY", &address)])?;
    let count = each(|owner, what, _, ask| {
        let answer = gateway.send(&ask);
        let hosts = proxy.take();
        let allowed = match owner {
            "anthropic" => "api.anthropic.com:443",
            "openai" => "api.openai.com:443",
            "gemini" => "generativelanguage.googleapis.com:443",
            "bedrock" => "bedrock-runtime.us-east-1.amazonaws.com:443",
            _ => "",
        };
        *lost += usize::from(!owner.is_empty() && hosts.iter().any(|host| host != allowed));
        match owner {
            "" => {}
            "azure_openai" => faults.check(hosts.is_empty() && answer.status == 404, || {
                format!("{what}: {} and {hosts:?}, not refused", answer.status)
            }),
            _ => faults
                .check(hosts.iter().all(|host| host == allowed) && !hosts.is_empty(), || {
                    format!("{what} ({}) led to {hosts:?}, not to {allowed}", answer.status)
                }),
        }
        faults.check(!answer.text().contains(MARK), || format!("{what}: the answer shows the key"));
    });
    Ok(count)
}

fn has_mark(request: &Recorded) -> bool {
    let mut values =
        request.headers.values().map(|value| String::from_utf8_lossy(value.as_bytes()));
    request.path_and_query.contains(MARK) || values.any(|value| value.contains(MARK))
}

/// A forward proxy that notes to which hosts it should lead, and refuses.
struct RecordingProxy {
    address: SocketAddr,
    hosts: Arc<Mutex<Vec<String>>>,
}

impl RecordingProxy {
    fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let hosts = Arc::<Mutex<Vec<String>>>::default();
        let noted = hosts.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
                let mut head = Vec::new();
                let mut piece = [0; 1024];
                while !head.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut piece) {
                        Ok(length) if length > 0 => head.extend_from_slice(&piece[..length]),
                        _ => break,
                    }
                }
                let head = String::from_utf8_lossy(&head);
                let host = head.split_whitespace().nth(1).unwrap_or_default().to_owned();
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(host);
                let _ = stream.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
            }
        });
        Ok(RecordingProxy { address, hosts })
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.hosts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
