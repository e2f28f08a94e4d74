//! Many processes, one after the other or side by side, that forward the same bytes.

use super::{Serving, wait_until};
use crate::kit::Folder;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tokenforge_mock::client::Ask;
use tokenforge_mock::{Mock, RedisServer, first_reference};

/// A request of a real client.
#[derive(Deserialize)]
struct RecordedRequest {
    #[serde(skip)]
    name: String,
    path: String,
    body: Box<RawValue>,
}

/// Every recording but the frame of a WebSocket, which is no body; and a request of which something is left out.
fn recordings() -> Vec<RecordedRequest> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dev/samples/recorded");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut recordings: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|end| end == "json"))
        .filter(|file| file.file_stem().unwrap() != "codex_ws")
        .map(|file| {
            let name = file.file_stem().unwrap().display().to_string();
            let text = std::fs::read_to_string(&file).unwrap();
            RecordedRequest { name, ..serde_json::from_str(&text).unwrap() }
        })
        .collect();
    assert_eq!(recordings.len(), 41);
    recordings.push(left_out());
    recordings
}

/// A test run of which the passed tests are left out.
fn left_out() -> RecordedRequest {
    let passed: String =
        (0..400).map(|n| format!("test suite::case_number_{n} ... ok\n")).collect();
    let run = format!(
        "\nrunning 400 tests\n{passed}\ntest result: ok. 400 passed; 0 failed; 0 ignored; \
         0 measured; 0 filtered out; finished in 0.04s\n"
    );
    let body = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 100,
        // Large enough for the tool with which the rest is fetched back to pay for itself.
        "system": "You are a careful engineer. Read before you write. ".repeat(700),
        "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cargo test"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": run},
            ]},
        ],
    });
    let body = RawValue::from_string(body.to_string()).unwrap();
    RecordedRequest { name: "a test run".to_owned(), path: "/v1/messages".to_owned(), body }
}

/// What the provider gets of each recording through a gateway.
fn forwarded(gateway: &Serving, mock: &Mock, recordings: &[RecordedRequest]) -> Vec<Vec<u8>> {
    let forwarded = recordings.iter().map(|recording| {
        let answer = gateway.send(&Ask::post(&recording.path, recording.body.get()));
        assert_eq!(answer.status, 200, "{}: {:?}", recording.name, mock.refusals());
        mock.last().body.to_vec()
    });
    forwarded.collect()
}

#[track_caller]
fn assert_same(recordings: &[RecordedRequest], first: &[Vec<u8>], again: &[Vec<u8>], when: &str) {
    for (recording, (first, again)) in recordings.iter().zip(first.iter().zip(again)) {
        assert!(first == again, "{} differs {when}", recording.name);
    }
}

/// Something was made smaller, and something left out.
#[track_caller]
fn assert_compressed(recordings: &[RecordedRequest], forwarded: &[Vec<u8>]) {
    let pairs = recordings.iter().zip(forwarded);
    let changed = pairs.filter(|(recording, body)| recording.body.get().as_bytes() != **body);
    assert!(changed.count() >= 20);
    assert!(forwarded.iter().any(|body| first_reference(body).is_some()));
}

#[test]
fn g2_g3_l5_a_second_process_that_shares_redis_forwards_the_same_bytes() {
    let (mock, redis, recordings) = (Mock::start(), RedisServer::start(), recordings());
    let url = redis.url();
    let one = Serving::before(&mock, &["--store", &url]);
    let other = Serving::before(&mock, &["--store", &url]);
    let first = forwarded(&one, &mock, &recordings);
    assert_compressed(&recordings, &first);
    let again = forwarded(&one, &mock, &recordings);
    assert_same(&recordings, &first, &again, "at the second time");
    let others = forwarded(&other, &mock, &recordings);
    assert_same(&recordings, &first, &others, "in a second process");
    drop(one);
    let one = Serving::before(&mock, &["--store", &url]);
    let again = forwarded(&one, &mock, &recordings);
    assert_same(&recordings, &first, &again, "after a restart");
    // What one left out the others can give back.
    let id = first.iter().find_map(|body| first_reference(body)).unwrap();
    let original = |gateway: &Serving| {
        let answer = gateway.get(&format!("/_forge/api/expand?id={id}"));
        assert_eq!(answer.status, 200);
        answer.body
    };
    assert_eq!(original(&one), original(&other));
}

#[test]
fn g3_l5_a_process_that_was_killed_and_comes_back_to_its_folder_forwards_the_same_bytes() {
    let (mock, folder, recordings) = (Mock::start(), Folder::new(), recordings());
    let url = format!("disk:{}", folder.path("store").display());
    let gateway = Serving::before(&mock, &["--store", &url]);
    let first = forwarded(&gateway, &mock, &recordings);
    assert_compressed(&recordings, &first);
    gateway.signal("-KILL");
    drop(gateway);
    let gateway = Serving::before(&mock, &["--store", &url]);
    let again = forwarded(&gateway, &mock, &recordings);
    assert_same(&recordings, &first, &again, "after a restart");
}

#[test]
fn d03_l5_the_default_gateway_forwards_the_same_bytes_after_a_restart() {
    let (mock, home, recordings) = (Mock::start(), Folder::new(), recordings());
    let data = home.path("data").display().to_string();
    let own = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
    let start = || Serving::with(&own, &[("FORGE_DATA_DIR", &data)]);
    let gateway = start();
    let first = forwarded(&gateway, &mock, &recordings);
    assert_compressed(&recordings, &first);
    gateway.signal("-KILL");
    drop(gateway);
    let again = forwarded(&start(), &mock, &recordings);
    assert_same(&recordings, &first, &again, "after a restart");
    // Two that run at once agree as well.
    let (one, other) = (start(), start());
    let [one, other] = [&one, &other].map(|gateway| forwarded(gateway, &mock, &recordings));
    assert_same(&recordings, &first, &one, "beside another");
    assert_same(&recordings, &first, &other, "beside another");
}

#[test]
fn d03_two_that_start_at_once_in_a_new_home_agree_on_a_key_that_is_the_users_alone() {
    let (mock, home, recordings) = (Mock::start(), Folder::new(), [left_out()]);
    let data = home.path("data").display().to_string();
    let own = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
    let start = || Serving::with(&own, &[("FORGE_DATA_DIR", &data)]);
    let gateways = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let bodies: Vec<_> =
        gateways.iter().map(|gateway| forwarded(gateway, &mock, &recordings)).collect();
    assert!(first_reference(&bodies[0][0]).is_some());
    for body in &bodies {
        assert_same(&recordings, &bodies[0], body, "in another process");
    }
    let mode = std::fs::metadata(home.path("data/key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn d03_a_second_replica_with_the_same_key_in_its_settings_forwards_the_same_bytes() {
    let (mock, recordings) = (Mock::start(), recordings());
    let own = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
    let start = || Serving::with(&own, &[("FORGE_STORE_KEY", "the-key-of-all-replicas")]);
    let [one, other] = [start(), start()].map(|gateway| forwarded(&gateway, &mock, &recordings));
    assert_compressed(&recordings, &one);
    assert_same(&recordings, &one, &other, "in another replica");
}

#[test]
fn d62_without_a_place_for_the_key_nothing_is_left_out_and_the_log_says_so() {
    let (mock, home) = (Mock::start(), Folder::new());
    // A file where the folder would be: no user can write there, not even root.
    let data = home.file("data", "not a folder");
    let own = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
    let mut gateway = Serving::with(&own, &[("FORGE_DATA_DIR", &data)]);
    let run = left_out();
    let [body] = &forwarded(&gateway, &mock, &[left_out()])[..] else { panic!("one body") };
    let body = String::from_utf8_lossy(body);
    assert!(body.contains("case_number_317") && first_reference(body.as_bytes()).is_none());
    assert!(body.len() <= run.body.get().len());
    gateway.wait_for("nothing is left out of tool results");
}

#[test]
fn d66_replicas_agree_again_after_redis_lost_its_data() {
    let (mock, mut redis, recordings) = (Mock::start(), RedisServer::start(), [left_out()]);
    let url = redis.url();
    let start = || Serving::before(&mock, &["--store", &url]);
    let one = start();
    let first = forwarded(&one, &mock, &recordings);
    assert!(first_reference(&first[0]).is_some());
    redis.lose_all();
    // With the next request that holds the original the replica stores key and original again.
    let original = format!("/v1/retrieve/{}", first_reference(&first[0]).unwrap());
    wait_until("the original is stored again", || {
        forwarded(&one, &mock, &recordings);
        one.get(&original).status == 200
    });
    let restarted = forwarded(&start(), &mock, &recordings);
    assert_same(&recordings, &first, &restarted, "in a replica that was restarted after it");
    // One that comes before the others ask has drawn a key of its own, which the others adopt.
    redis.lose_all();
    let sooner = start();
    let drawn = forwarded(&sooner, &mock, &recordings);
    assert!(drawn != first, "the example is one in which another key is drawn");
    wait_until("a replica that ran all the while adopts the key", || {
        forwarded(&one, &mock, &recordings) == drawn
    });
}
