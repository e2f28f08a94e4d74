//! What servers ask a client, each under an id and a progress token that no other server uses (correlation in the other
//! direction).

use crate::bounded_map::{BoundedMap, key_bytes};
use crate::message::Message;
use crate::outgoing::{under_id, under_token};
use crate::rpc::{self, ErrorCode};
use crate::server_link::{ServerChannel, WeakChannel};
use crate::tasks;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokenforge_json::Edit;

/// How many questions may be open. Beyond it, the server of the oldest hears that it has no answer.
const QUESTIONS: usize = 256;

/// Of how many questions, and tasks that answer them, the client may still tell something.
const FOLLOWED: usize = 1024;

/// How much is remembered of all of these together: their ids and tokens are the servers' own.
const BYTES: usize = 1 << 20;

/// What servers asked a client.
pub(crate) struct Questions(Mutex<OpenQuestions>);

struct OpenQuestions {
    last: u64,
    /// By the id that the client knows.
    open: BoundedMap<String, OpenQuestion>,
    /// Who hears of progress, by the token that the client knows.
    tokens: BoundedMap<String, OpenQuestion>,
    /// Who hears of a task that is the client's answer, by its id.
    tasks: BoundedMap<String, WeakChannel>,
}

/// Who asked, and under which id or token. The server ends without regard to it.
#[derive(Clone)]
struct OpenQuestion {
    wire: WeakChannel,
    theirs: String,
}

impl Default for Questions {
    fn default() -> Self {
        Questions(Mutex::new(OpenQuestions {
            last: 0,
            open: BoundedMap::new(QUESTIONS, BYTES),
            tokens: BoundedMap::new(FOLLOWED, BYTES),
            tasks: BoundedMap::new(FOLLOWED, BYTES),
        }))
    }
}

impl Questions {
    /// A server's question as the client is to see it.
    pub(crate) fn ask(&self, wire: &ServerChannel, message: &Message<'_>) -> Option<String> {
        let question =
            |theirs: &str| OpenQuestion { wire: wire.downgrade(), theirs: theirs.to_owned() };
        let theirs = message.id()?;
        let mut questions = self.locked();
        questions.last += 1;
        let ours = format!("\"server-{}\"", questions.last);
        let forgotten = questions.open.insert(ours.clone(), question(theirs), theirs.len());
        let meta = message.param("_meta");
        let token = meta.and_then(|meta| meta.get("progressToken"));
        if let Some(token) = &token {
            let raw = token.raw();
            questions.tokens.insert(ours.clone(), question(raw), raw.len());
        }
        drop(questions);
        for OpenQuestion { wire, theirs } in forgotten {
            if let Some(wire) = wire.upgrade() {
                let text = "the client has not answered, and was asked too much since";
                wire.reply(rpc::error(Some(&theirs), ErrorCode::Internal, text));
            }
        }
        let mut edits = Edit::new(message.text());
        edits.replace(message.id_node()?, ours.clone());
        if let Some(token) = token {
            edits.replace(&token, ours);
        }
        Some(edits.done().into_owned())
    }

    /// The client answered: to whom that goes, and under which id.
    pub(crate) fn answered(&self, message: &Message<'_>) -> Option<(ServerChannel, String)> {
        let mut questions = self.locked();
        let OpenQuestion { wire, theirs } = questions.open.remove(message.id()?)?;
        if let Some(task) = tasks::begun(message) {
            let bytes = key_bytes(&task);
            questions.tasks.insert(task, wire.clone(), bytes);
        }
        Some((wire.upgrade()?, under_id(message, &theirs)))
    }

    /// A server takes a question back: how the client hears of it.
    pub(crate) fn take_back(&self, wire: &ServerChannel, message: &Message<'_>) -> Option<String> {
        let theirs = message.param("requestId")?;
        let mut questions = self.locked();
        let is_it = |open: &OpenQuestion| open.theirs == theirs.raw() && open.wire.is(wire);
        let ours = questions.open.keys_where(is_it).pop()?;
        questions.open.remove(&ours);
        let mut edits = Edit::new(message.text());
        edits.replace(&theirs, ours);
        Some(edits.done().into_owned())
    }

    /// The client tells how far it is with a question: who hears of it, and under which token.
    pub(crate) fn progress(&self, message: &Message<'_>) -> Option<(ServerChannel, String)> {
        let token = message.param("progressToken")?;
        let OpenQuestion { wire, theirs } = self.locked().tokens.get(token.raw())?.clone();
        Some((wire.upgrade()?, under_token(message, &theirs)))
    }

    /// The client tells the state of a task with which it answered a question: who hears of it.
    pub(crate) fn task(&self, message: &Message<'_>) -> Option<ServerChannel> {
        self.locked().tasks.get(&*message.text_param("taskId")?)?.upgrade()
    }

    fn locked(&self) -> MutexGuard<'_, OpenQuestions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
