//! The edge of the module: messages come in and go out through its memory.

use std::sync::Mutex;

/// The message of the gateway, and then our answer. One at a time: each call has an instance of its own.
static MESSAGE: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Room for a message.
#[unsafe(no_mangle)]
extern "C" fn alloc(length: u32) -> *mut u8 {
    let Ok(mut message) = MESSAGE.lock() else { return std::ptr::null_mut() };
    *message = vec![0; length as usize];
    message.as_mut_ptr()
}

/// What the plugin is, with these settings.
#[unsafe(no_mangle)]
extern "C" fn describe(_: u32, _: u32) -> u64 {
    answer(|message| crate::describe(message).to_string().into_bytes())
}

/// What is to be done.
#[unsafe(no_mangle)]
extern "C" fn call(_: u32, _: u32) -> u64 {
    answer(|message| {
        let end = message.iter().position(|byte| *byte == b'\n').unwrap_or(message.len());
        let (head, body) = message.split_at(end);
        let (reply, body) = crate::call(head, body.get(1..).unwrap_or_default());
        [reply.to_string().as_bytes(), b"\n", &body].concat()
    })
}

/// Puts the answer in the place of the message, and says where it is: its address above, its length below.
fn answer(make: impl Fn(&[u8]) -> Vec<u8>) -> u64 {
    let Ok(mut message) = MESSAGE.lock() else { return 0 };
    *message = make(&message);
    (message.as_ptr() as u64) << 32 | message.len() as u64
}
