//! How often the finder is wrong on outputs of real tools.

use super::*;

/// Notes what is found.
#[derive(Default)]
struct Noting(std::sync::Mutex<Vec<(PersonalKind, String)>>);

impl TextFinder for Noting {
    fn find<'s>(&'s self, name: &str, text: &str) -> Vec<(Range<usize>, Cow<'s, str>)> {
        let found = find(name, text, |_| true);
        let noted = found.into_iter().map(|(kind, range)| (kind, text[range].to_owned()));
        self.0.lock().unwrap().extend(noted);
        Vec::new()
    }
}

/// How often the filter is wrong on outputs of real tools: what it finds in them is all there is, and is what it takes
/// it for. `TOKENFORGE_CORPUS` names a folder of other outputs, of which it only prints what was found.
#[test]
fn s9_in_outputs_of_real_tools_nothing_is_taken_for_what_it_is_not() {
    let corpus = std::env::var_os("TOKENFORGE_CORPUS");
    let texts = match &corpus {
        Some(folder) => files(folder.into()),
        None => tokenforge_samples::recorded().into_iter().map(|output| output.text).collect(),
    };
    let noting = Noting::default();
    for text in &texts {
        let _ = replace_found(&noting, text.as_bytes());
    }
    let mut distinct = BTreeMap::<(PersonalKind, String), usize>::new();
    for found in noting.0.into_inner().unwrap() {
        *distinct.entry(found).or_default() += 1;
    }
    println!("{} texts, {} bytes", texts.len(), texts.iter().map(String::len).sum::<usize>());
    for ((kind, what), count) in &distinct {
        println!("{kind:?}\t{what}\t{count}");
        let is_known = match kind {
            PersonalKind::Email => what.ends_with("@example.com") || what == "camwest@gmail.com",
            PersonalKind::Ip => what == "192.0.2.53",
            PersonalKind::Iban | PersonalKind::Card | PersonalKind::Phone => false,
        };
        assert!(is_known || corpus.is_some(), "{kind:?}: {what}");
    }
}

fn files(folder: std::path::PathBuf) -> Vec<String> {
    let (mut folders, mut texts) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                texts.extend(std::fs::read_to_string(&path))
            }
        }
    }
    texts
}
