//! Ready means that the first request waits for nothing.

use crate::kit::{PATIENCE, world_on};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Instant;
use tokenforge_testkit::store::{StoreCall, WrappedStore};

#[test]
fn d73_a_gateway_is_alive_at_once_and_ready_when_it_is_warm() {
    let (give, given) = mpsc::channel();
    let given = Mutex::new(given);
    let store = WrappedStore::new(move |call| {
        if call == StoreCall::Key {
            let _ = given.lock().unwrap().recv();
        }
        Ok(())
    });
    let world = world_on(Arc::new(store), |_| {});
    assert_eq!(world.get("/_forge/healthz").status, 200);
    assert_eq!(world.get("/_forge/readyz").status, 503);
    give.send(()).unwrap();
    let started = Instant::now();
    while world.get("/_forge/readyz").status != 200 {
        assert!(started.elapsed() < PATIENCE, "it never gets ready");
    }
}
