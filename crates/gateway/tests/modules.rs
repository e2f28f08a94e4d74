//! Circles between modules: in no crate does a top-level module use another that uses it, by whatever way.

#![allow(clippy::unwrap_used, reason = "a test that cannot read the sources has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Crates whose modules still go in circles.
const NOT_YET: [&str; 10] = [
    "cli",
    "config",
    "engine",
    "formats",
    "ledger",
    "mcp",
    "plugin",
    "providers",
    "proxy",
    "shadow",
];

/// The modules that a module uses, by its name.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn modules_use_each_other_without_circles() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut circles, mut read) = (Vec::new(), 0);
    for entry in fs::read_dir(crates).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let source = crates.join(&name).join("src");
        if NOT_YET.contains(&&*name) || !source.is_dir() {
            continue;
        }
        read += 1;
        circles.extend(circle_in(&uses_of(&source)).map(|circle| format!("{name}: {circle}")));
    }
    assert!(read >= 3 && circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn a_circle_is_found_whatever_form_its_lines_have() {
    let source = "//! See crate::b.\nuse crate::{a::{One, Two}, c};\nfn f() -> crate::d::D {}\n\
                  #[cfg(test)]\nmod tests {\n    use crate::e;\n}\n";
    let used: Vec<String> = used_in(source).into_iter().collect();
    assert_eq!(used, ["a", "c", "d"]);
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses = Uses::new();
        for (from, to) in pairs {
            uses.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        uses
    };
    assert_eq!(circle_in(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let circle = circle_in(&uses(&[("a", "b"), ("b", "c"), ("c", "b")]));
    assert_eq!(circle.as_deref(), Some("b -> c -> b"));
}

/// What each top-level module of a crate uses.
fn uses_of(source: &Path) -> Uses {
    let mut uses = Uses::new();
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !["lib", "main"].contains(&&*module) {
            collect(&path, uses.entry(module).or_default());
        }
    }
    for (module, used) in &mut uses {
        used.remove(module);
    }
    uses
}

fn collect(path: &Path, used: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), used);
        }
    } else if path.extension().is_some_and(|end| end == "rs") {
        used.extend(used_in(&fs::read_to_string(path).unwrap()));
    }
}

/// The top-level modules that a file names, outside of comments and of its own tests.
fn used_in(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let named = |text: &str| -> String {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut used = BTreeSet::new();
    for (at, path) in code.match_indices("crate::") {
        // `tokenforge_crate::` is another.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(list) => used.extend(list_items(list).into_iter().map(|item| named(&item))),
            None => drop(used.insert(named(rest))),
        }
    }
    used
}

/// The items of a list of imports, up to its end.
fn list_items(list: &str) -> Vec<String> {
    let (mut items, mut item, mut depth) = (Vec::new(), String::new(), 0);
    for character in list.chars() {
        match character {
            '}' if depth == 0 => break,
            ',' if depth == 0 => items.push(std::mem::take(&mut item)),
            _ => {
                depth += i32::from(character == '{') - i32::from(character == '}');
                item.push(character);
            }
        }
    }
    items.push(item);
    items.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

/// A circle, if there is one.
fn circle_in(uses: &Uses) -> Option<String> {
    let mut done = BTreeSet::new();
    uses.keys().find_map(|module| circle_from(module, uses, &mut Vec::new(), &mut done))
}

fn circle_from<'u>(
    module: &'u str,
    uses: &'u Uses,
    way: &mut Vec<&'u str>,
    done: &mut BTreeSet<&'u str>,
) -> Option<String> {
    if let Some(at) = way.iter().position(|on_way| *on_way == module) {
        return Some(way[at..].iter().chain([&module]).copied().collect::<Vec<_>>().join(" -> "));
    }
    if done.contains(module) {
        return None;
    }
    way.push(module);
    let used = uses.get(module).into_iter().flatten();
    let circle = used.into_iter().find_map(|next| circle_from(next, uses, way, done));
    way.pop();
    done.insert(module);
    circle
}
