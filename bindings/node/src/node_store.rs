//! A store that is a JavaScript object: its functions run on the main thread, while one of ours waits.

use napi::bindgen_prelude::{Buffer, FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeCallContext, ThreadsafeFunctionCallMode};
use napi::{Result, Status};
use napi_derive::napi;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;
use tokenforge_conversation::{CallbackStore, StoreError};

/// How long a store may take: behind it, a result is compressed without leaving anything out.
const PATIENCE: Duration = Duration::from_secs(10);

/// The function of JavaScript: it is given a name, what is to be kept under it or nothing, and the answer to fill in.
pub(crate) type AskStore<'f> = Function<'f, FnArgs<(String, Option<Buffer>, StoreAnswer)>, ()>;

type StoreReply = std::result::Result<Option<Vec<u8>>, String>;

/// A question to the store, and where its answer goes.
struct StoreQuestion {
    name: String,
    data: Option<Vec<u8>>,
    sender: SyncSender<StoreReply>,
}

/// The answer, for JavaScript to fill in: once, when its promise is settled.
#[napi]
pub struct StoreAnswer {
    sender: SyncSender<StoreReply>,
}

#[napi]
impl StoreAnswer {
    /// What was found, if anything; or that it is kept.
    #[napi]
    pub fn done(&self, data: Option<Buffer>) {
        // The caller no longer waits, because the store took too long.
        let _ = self.sender.try_send(Ok(data.map(|data| data.to_vec())));
    }

    /// Why there is no answer.
    #[napi]
    pub fn failed(&self, reason: String) {
        let _ = self.sender.try_send(Err(reason));
    }
}

pub(crate) fn node_store(ask: &AskStore<'_>) -> Result<CallbackStore> {
    // Weak: a store alone keeps no program running.
    let ask = ask.build_threadsafe_function::<StoreQuestion>().weak::<true>().build_callback(
        |context: ThreadsafeCallContext<StoreQuestion>| {
            let StoreQuestion { name, data, sender } = context.value;
            Ok(FnArgs { data: (name, data.map(Buffer::from), StoreAnswer { sender }) })
        },
    )?;
    let ask = Arc::new(move |name: &str, data: Option<&[u8]>| {
        let (sender, receiver) = sync_channel(1);
        let question =
            StoreQuestion { name: name.to_owned(), data: data.map(<[u8]>::to_vec), sender };
        match ask.call(question, ThreadsafeFunctionCallMode::NonBlocking) {
            Status::Ok => receiver.recv_timeout(PATIENCE).map_err(|error| failed(&error))?,
            status => Err(status.to_string()),
        }
        .map_err(|reason| failed(&reason))
    });
    let get = ask.clone();
    Ok(CallbackStore::new(
        move |name| get(name, None),
        move |name, data| ask(name, Some(data)).map(drop),
    ))
}

fn failed(reason: &dyn std::fmt::Display) -> StoreError {
    StoreError::Callback { reason: reason.to_string() }
}
