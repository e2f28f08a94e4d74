//! L12 over conversations made up from a seed: files that are read, edited and read again, commands that run again, and
//! tools that are asked again, with texts that share lines in every way.

use tokenforge_engine::{Mode, Settings};
use tokenforge_laws::pointers::{CallDescription, resolvable};

/// A small generator of numbers, so that a failure names its seed.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn line(rng: &mut Rng) -> String {
    match rng.below(8) {
        0 => "}".to_owned(),
        1 => String::new(),
        2 => "    return None;".to_owned(),
        3 => format!("\tlet \"quoted {}\" to \"other\";", rng.below(40)),
        4 => format!(
            "{} and much more text that makes the line a long one {}",
            rng.below(3),
            rng.below(99)
        ),
        _ => format!("    let value_{} = compute({});", rng.below(400), rng.below(1000)),
    }
}

fn lines(rng: &mut Rng, count: usize) -> Vec<String> {
    (0..count).map(|_| line(rng)).collect()
}

fn edit(rng: &mut Rng, file: &mut Vec<String>) {
    for _ in 0..=rng.below(3) {
        let at = rng.below(file.len());
        match rng.below(3) {
            0 => file.insert(at, line(rng)),
            1 if file.len() > 20 => drop(file.remove(at)),
            _ => file[at] = line(rng),
        }
    }
}

fn conversation(seed: u64) -> Vec<(CallDescription, String)> {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut files: Vec<Vec<String>> = (0..3)
        .map(|_| {
            let count = 20 + rng.below(120);
            lines(&mut rng, count)
        })
        .collect();
    // A beginning that all of them have.
    let head = lines(&mut rng, 12);
    files.iter_mut().for_each(|file| drop(file.splice(0..0, head.clone())));
    let steps = 25;
    (0..steps)
        .map(|_| {
            let at = rng.below(files.len());
            if rng.below(3) == 0 {
                edit(&mut rng, &mut files[at]);
            }
            let (file, path) = (&files[at], format!("src/file {at}.rs"));
            let numbered = |from: usize, to: usize| -> String {
                (from..to).map(|n| format!("{:6}→{}\n", n + 1, file[n])).collect()
            };
            let text =
                |part: &[String]| part.iter().map(|line| format!("{line}\n")).collect::<String>();
            match rng.below(8) {
                0..=2 => (CallDescription::Read { path, offset: None }, numbered(0, file.len())),
                3 => {
                    let from = rng.below(file.len() - 8);
                    (
                        CallDescription::Read { path, offset: Some(from + 1) },
                        numbered(from, file.len()),
                    )
                }
                4 => (CallDescription::Ran(format!("cat '{path}'")), text(file)),
                5 => {
                    let runs = ["make", "./check --all", &"x ".repeat(60), &"x ".repeat(61)]
                        [rng.below(4)]
                    .to_owned();
                    let from = rng.below(file.len() - 8);
                    let new = lines(&mut rng, 4);
                    let file = &files[at];
                    (
                        CallDescription::Ran(runs.trim().to_owned()),
                        format!("{}{}", text(&new), text(&file[from..])),
                    )
                }
                6 => (CallDescription::Ran("make".to_owned()), text(&head)),
                _ => {
                    let (about, page) = (format!("topic {}", rng.below(3)), rng.below(2));
                    (CallDescription::Called { tool: "get_notes", about, page }, text(file))
                }
            }
        })
        .collect()
}

#[test]
fn l12_every_pointer_is_resolved_from_what_the_model_sees() {
    let mut pointed = 0;
    for seed in 0..150 {
        let results = conversation(seed);
        for mode in [Mode::Lossless, Mode::Standard, Mode::Aggressive] {
            println!("seed {seed} {mode}");
            pointed += resolvable(&Settings { mode, ..Settings::default() }, &results);
        }
    }
    // About a result in ten: where nothing is pointed to nothing is shown.
    assert!(pointed > 500, "{pointed}");
}
