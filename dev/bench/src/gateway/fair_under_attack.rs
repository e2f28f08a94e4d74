//! Noisy neighbour: one tenant sends the worst that is known, another works on. What it costs the other in time and in
//! compression, and the gateway in memory.
//!
//! `cargo run --release -p tokenforge-bench fair_under_attack [SECONDS]`; `TOKENFORGE` names a program that is built already.

use super::conversation::{Dialect, News, SyntheticConversation};
use super::load::{LoadClient, LoadTarget, next_number};
use super::process::{ServerProcess, peak_rss, rss};
use super::promises::Promises;
use super::results::ToolResult;
use super::{program, run_on_one_thread, serve, upstream};
use anyhow::{Context, ensure};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::header::{CONTENT_ENCODING, HeaderValue};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokenforge_samples::HOSTILE_KINDS;
use tokio::task::JoinSet;

/// Who attacks has so many connections.
const ATTACKERS: usize = 24;
/// Time between two requests of the other.
const PAUSE: Duration = Duration::from_millis(20);
/// What a number takes in a body that is another one every time.
const DIGITS: usize = 20;

const SETTINGS: &str = "keys:\n  attacker: key-of-the-attacker\n  other: key-of-the-other\n";

/// A body of the attack, around a number.
struct Attack {
    name: &'static str,
    before: Vec<u8>,
    behind: Vec<u8>,
    is_gzip: bool,
}

/// Prints the promises of a run of so many seconds.
///
/// # Errors
/// It cannot be measured, or a promise was missed.
pub(crate) fn measure(seconds: u64) -> anyhow::Result<()> {
    run_on_one_thread(async {
        let program = program()?;
        let upstream = ServerProcess::own(serve::UPSTREAM, None).await?;
        let gateway = ServerProcess::gateway_with(&program, upstream.address, SETTINGS).await?;
        let mut promises = Promises::default();
        let time = Duration::from_secs(seconds);
        let quiet = work_on(&gateway, time / 6).await?;
        let attacks = Arc::new(attacks()?);
        let until = Instant::now() + time;
        // On a thread of their own: to write tens of megabytes must not hold up the clock of the other.
        let (attacker, all) = (target(&gateway, "attacker"), attacks.clone());
        let attackers = std::thread::spawn(move || attack_all(&attacker, &all, until));
        let most = tokio::spawn(watch(gateway.pid(), until));
        let attacked = work_on(&gateway, time).await?;
        let sent = attackers.join().ok().context("the attack ended early")??;
        let most = most.await??.max(peak_rss(gateway.pid())?);
        promises.at_most(
            "p99 of the other tenant's fresh 20 KB, attacked",
            100.0,
            attacked.p99(),
            "ms",
        );
        let forwarded = 100.0 * attacked.uncompressed as f64 / attacked.times.len() as f64;
        promises.at_most("requests of the other that were not compressed", 0.0, forwarded, "%");
        promises.at_most("RSS at most", 500.0, most as f64 / 1024.0, "MB");
        let kinds =
            attacks.iter().zip(&sent).map(|(attack, sent)| format!("{sent} × {}", attack.name));
        println!(
            "{seconds} s, {ATTACKERS} connections of one tenant; the other sends {} requests one after the other, {} before \
             that.\n\n{promises}\np50 and p99 in ms: {:.1} and {:.1} before the attack, {:.1} and {:.1} in it.\n\nAnswered of \
             the attack: {}.\n",
            attacked.times.len(),
            quiet.times.len(),
            quiet.p50(),
            quiet.p99(),
            attacked.p50(),
            attacked.p99(),
            kinds.collect::<Vec<_>>().join(", "),
        );
        ensure!(promises.are_kept(), "a promise was missed");
        Ok(())
    })
}

/// How a tenant fared that works on.
struct TenantFigures {
    /// In ms, the smallest first.
    times: Vec<f64>,
    /// How many requests arrived as they were sent.
    uncompressed: usize,
}

impl TenantFigures {
    fn p50(&self) -> f64 {
        self.times[self.times.len() / 2]
    }

    fn p99(&self) -> f64 {
        self.times[(self.times.len() * 99 / 100).min(self.times.len() - 1)]
    }
}

/// Sends fresh results, one after the other.
async fn work_on(gateway: &ServerProcess, time: Duration) -> anyhow::Result<TenantFigures> {
    let conversation = SyntheticConversation::new(Dialect::Anthropic, 42_000, ToolResult::rows);
    let mut client = LoadClient::connect(&target(gateway, "other")).await?;
    let mut fared = TenantFigures { times: Vec::new(), uncompressed: 0 };
    let start = Instant::now();
    while start.elapsed() < time || fared.times.is_empty() {
        let body = conversation.body(News::Newest, next_number());
        let (length, sent) = (body.len(), Instant::now());
        let reply = client.post(conversation.dialect.path(), body).await?;
        let arrived = upstream::number(reply.headers(), upstream::RECEIVED);
        reply.into_body().collect().await?;
        fared.times.push(sent.elapsed().as_secs_f64() * 1e3);
        // A tenth of the newest result at least: the rest of the conversation was compressed in the first request.
        let arrived = arrived.context("the upstream says how much arrived")?;
        fared.uncompressed += usize::from(arrived + 2_000 > length);
        tokio::time::sleep(PAUSE).await;
    }
    fared.times.sort_by(f64::total_cmp);
    Ok(fared)
}

fn target(gateway: &ServerProcess, tenant: &str) -> LoadTarget {
    let mut target = LoadTarget::from(gateway.address);
    if let Ok(key) = HeaderValue::try_from(format!("key-of-the-{tenant}")) {
        target.headers.insert("x-forge-key", key);
    }
    target
}

/// Attacks over many connections; how often each attack was answered.
fn attack_all(
    target: &LoadTarget,
    attacks: &Arc<Vec<Attack>>,
    until: Instant,
) -> anyhow::Result<Vec<usize>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut attackers = JoinSet::new();
        for number in 0..ATTACKERS {
            attackers.spawn(attack(target.clone(), attacks.clone(), number, until));
        }
        let mut sent = vec![0; attacks.len()];
        while let Some(done) = attackers.join_next().await {
            sent.iter_mut().zip(done?).for_each(|(sum, count)| *sum += count);
        }
        Ok(sent)
    })
}

/// Sends one attack after the other; how often each was answered, whatever the answer.
async fn attack(
    target: LoadTarget,
    attacks: Arc<Vec<Attack>>,
    first: usize,
    until: Instant,
) -> Vec<usize> {
    let mut answered = vec![0; attacks.len()];
    for at in (0..attacks.len()).cycle().skip(first) {
        let left = until.saturating_duration_since(Instant::now());
        let sent = send(&target, &attacks[at]);
        match tokio::time::timeout(left, sent).await {
            Ok(Ok(())) => answered[at] += 1,
            Ok(Err(_)) => tokio::time::sleep(PAUSE).await,
            Err(_) => break,
        }
    }
    answered
}

async fn send(target: &LoadTarget, attack: &Attack) -> anyhow::Result<()> {
    let number = format!("{:0DIGITS$}", next_number());
    let body = [&attack.before, number.as_bytes(), &attack.behind].concat();
    let mut headers = HeaderMap::new();
    let body = if attack.is_gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        attack.before.clone()
    } else {
        body
    };
    let mut target = target.clone();
    target.headers.extend(headers);
    let reply = LoadClient::connect(&target).await?.post("/v1/messages", Bytes::from(body)).await?;
    reply.into_body().collect().await?;
    Ok(())
}

/// The most memory that was held, in KB.
async fn watch(pid: u32, until: Instant) -> anyhow::Result<usize> {
    let mut most = 0;
    while Instant::now() < until {
        most = most.max(rss(pid)?);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(most)
}

/// The worst that is known: by the text of one result, by many results, by many parts, by a long call, by what a body
/// decodes to.
fn attacks() -> anyhow::Result<Vec<Attack>> {
    let mut attacks: Vec<Attack> = Vec::new();
    for (name, bytes, count) in [
        ("blanks without a newline", 2_000_000, 1),
        ("blanks without a newline", 1_900_000, 12),
        ("newlines", 1_900_000, 4),
        ("one character repeated", 1_900_000, 4),
        ("small numbers", 2_000_000, 8),
        ("arrays of 500 levels", 2_000_000, 4),
        ("slashes", 1_900_000, 2),
        ("ragged objects", 1_900_000, 4),
        ("one character repeated", 30_000_000, 1),
    ] {
        let (name, write) = HOSTILE_KINDS.iter().find(|kind| kind.0 == name).context(name)?;
        let text = serde_json::to_string(&write(bytes))?;
        attacks.push(around(
            name,
            &vec![format!("[{{\"type\":\"text\",\"text\":{text}}}]"); count],
            "{}",
        ));
    }
    let parts = |count: usize| {
        let part = r#"{"type":"text","text":""}"#;
        format!("[{}]", vec![part; count].join(","))
    };
    attacks.push(around("a thousand parts", &vec![parts(999); 10], "{}"));
    attacks.push(around("a million parts", &[parts(1_000_000)], "{}"));
    let long = format!("{{\"a\":\"{}\"}}", "line\\n".repeat(100_000));
    attacks.push(around("parts of a long call", &[parts(999)], &long));
    let mut gzip = |name: &'static str, attack: &Attack| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder
            .write_all(&[&attack.before, "0".repeat(DIGITS).as_bytes(), &attack.behind].concat())?;
        let before = encoder.finish()?;
        attacks.push(Attack { name, before, behind: Vec::new(), is_gzip: true });
        anyhow::Ok(())
    };
    gzip("a million parts, coded", &around("", &[parts(1_000_000)], "{}"))?;
    let letters = serde_json::to_string(&"a".repeat(100 << 20))?;
    gzip("100 MB of one letter, coded", &around("", &[letters], "{}"))?;
    Ok(attacks)
}

/// A conversation with these results. A short one comes first, with the number: whatever follows another result is new.
fn around(name: &'static str, results: &[String], arguments: &str) -> Attack {
    let call = |id: usize, arguments: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t{id}","name":"Bash","input":{arguments}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{id}","content":"#
        )
    };
    let head = r#"{"model":"claude-sonnet-5","max_tokens":9,"tools":[{"name":"Bash","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"Go on."},"#;
    let result =
        |(id, content): (usize, &String)| format!(",{}{content}}}]}}", call(id + 1, arguments));
    let results: String = results.iter().enumerate().map(result).collect();
    let before = format!("{head}{}\"", call(0, "{}"));
    let behind = format!("\"}}]}}{results}]}}");
    Attack { name, before: before.into_bytes(), behind: behind.into_bytes(), is_gzip: false }
}
