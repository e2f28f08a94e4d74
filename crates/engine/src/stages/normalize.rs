//! Log normalization: times, durations, ids and addresses that differ from run to run become placeholders.
//!
//! What is left out is gone from the text, so this runs only where the original can be fetched back. It pays where
//! lines become equal and can be folded. Lines that tell of a failure stay as they are; so do counts, versions,
//! exit codes, places in files and everything else that is not clearly noise.

mod noise;
mod time;

use super::kinds::Removal;
use crate::fidelity::Fidelity;
use memchr::memmem;
use noise::NoiseKind;

/// Starts every text that this wrote.
const SIGNATURE: &str = "[Forge normalized: ";

pub(super) static STAGE: Removal =
    Removal { name: "normalize", fidelity: Fidelity::Reversible, apply };

/// The text with its noise replaced, under a line that says what was; `None` where there is none.
///
/// ```
/// use tokenforge_engine::internals::normalize::apply;
///
/// let log = "2024-05-06 10:00:01 worker[312]: job done in 12ms\n";
/// let lines = "[Forge normalized: <ts>, <dur>, <pid> stand for values left out]\n<ts> worker[<pid>]: job done in <dur>\n";
/// assert_eq!(apply(log).as_deref(), Some(lines));
/// ```
pub fn apply(text: &str) -> Option<String> {
    if text.starts_with(SIGNATURE) {
        return None;
    }
    let mut used = [false; NoiseKind::ALL.len()];
    let mut out = String::new();
    let mut copied = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let mut noise = noise::find(line).peekable();
        if noise.peek().is_some() && !tells_failure(line) {
            for found in noise {
                out.push_str(text.get(copied..start + found.start)?);
                out.push_str(found.kind.placeholder());
                copied = start + found.end;
                used[found.kind as usize] = true;
            }
        }
        start = end;
    }
    out.push_str(text.get(copied..)?);
    let kinds = NoiseKind::ALL.into_iter().filter(|&kind| used[kind as usize]);
    let placeholders: Vec<&str> = kinds.map(NoiseKind::placeholder).collect();
    // A text that has placeholders of its own could not be told from ours.
    if placeholders.is_empty()
        || placeholders.iter().any(|it| memmem::find(text.as_bytes(), it.as_bytes()).is_some())
    {
        return None;
    }
    Some(format!("{SIGNATURE}{} stand for values left out]\n{out}", placeholders.join(", ")))
}

/// Whether a line has a word of failure in it, in small or large letters.
fn tells_failure(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        let words: &[&str] = match byte.to_ascii_lowercase() {
            b'a' => &["assert", "abort"],
            b'd' => &["denied"],
            b'e' => &["error", "expected", "exception", "exit code", "exit status"],
            b'f' => &["fail", "fatal"],
            b'm' => &["mismatch"],
            b'p' => &["panic"],
            b'r' => &["refused"],
            b't' => &["traceback"],
            _ => return false,
        };
        words.iter().any(|word| {
            bytes
                .get(at..at + word.len())
                .is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> String {
        let text = apply(text).unwrap();
        text.split_once('\n').unwrap().1.to_owned()
    }

    #[test]
    fn every_kind_of_noise_has_a_placeholder() {
        for (line, normal) in [
            ("2024-05-06T10:00:01.250Z start", "<ts> start"),
            ("[2024-05-06 10:00:01,250] start", "[<ts>] start"),
            ("2024-05-06 10:00:01.250 +02:00 start", "<ts> start"),
            ("1.2.3.4 - - [06/May/2024:10:00:01 +0000] start", "1.2.3.4 - - [<ts>] start"),
            ("May  6 10:00:01 host sshd[312]: start", "<ts> host sshd[<pid>]: start"),
            ("10:00:01 start", "<ts> start"),
            ("1697048351.000668 start", "<ts> start"),
            ("done in 12ms, 0.35s, 1.5 seconds and 2m3s", "done in <dur>, <dur>, <dur> and <dur>"),
            ("job 123e4567-e89b-12d3-a456-426614174000 done", "job <uuid> done"),
            ("<Runner object at 0x7fa288782f50>", "<Runner object at <hex>>"),
            ("started pid=312 and PID 4711", "started pid=<pid> and PID <pid>"),
            ("wrote /tmp/tmpab12cd/out/a.py:12", "wrote /tmp/<tmp>/out/a.py:12"),
        ] {
            assert_eq!(body(line), normal);
        }
    }

    #[test]
    fn what_is_not_clearly_noise_stays() {
        for line in [
            "test result: ok. 20 passed; 1 ignored",
            "src/main.rs:12:34 warning: unused variable",
            "Compiling serde v1.0.229 and rustc 1.95.0",
            "process exited with 137, mode 0x1f, 42 items, 3.5 GB, 12 users, 5 s5 7sx",
            "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
            "array[12] = 7, list[3]: 4",
            "released 2024-05-06, line 10:00, ratio 16:9, 10.0.0.1:8080",
            "wrote /tmp/report/a.py and /home/tmp1/x",
            "stupid 12 pids",
            "25:00:00 and 10:61:00 and 1:10:00:01",
        ] {
            assert_eq!(apply(line), None, "{line}");
        }
    }

    #[test]
    fn failures_stay_exact() {
        let text =
            "10:00:01 ok\n10:00:02 ERROR took 12ms\nE   assert 0x7fa288782f50 == 3\n10:00:03 ok\n";
        assert_eq!(
            body(text),
            "<ts> ok\n10:00:02 ERROR took 12ms\nE   assert 0x7fa288782f50 == 3\n<ts> ok\n"
        );
    }

    #[test]
    fn it_is_not_applied_twice_nor_to_texts_with_its_placeholders() {
        let once = apply("10:00:01 ok\n").unwrap();
        assert_eq!(apply(&once), None);
        assert_eq!(apply("10:00:01 <ts> ok\n"), None);
    }

    #[test]
    fn line_ends_and_other_bytes_survive() {
        assert_eq!(body("10:00:01 n\u{e9}\r\n\r\nx 10:00:02"), "<ts> n\u{e9}\r\n\r\nx <ts>");
    }
}
