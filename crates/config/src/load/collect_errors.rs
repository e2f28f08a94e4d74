//! Every mistake of a tree: each is taken out, and the rest read again.

use super::explain::read;
use crate::error::SettingFault;
use crate::settings::Settings;
use serde_json::Value;
use std::collections::BTreeMap;

/// More mistakes than anybody mends before the next look.
const MOST: usize = 50;

/// Applies what can be used of a tree, and adds what is wrong with the rest to the faults.
pub(super) fn apply(mut tree: Value, settings: &mut Settings, faults: &mut Vec<SettingFault>) {
    let mut taken = RemovedItems::default();
    while faults.len() < MOST {
        let mut changed = settings.clone();
        let Err(fault) = read(tree.clone()).and_then(|raw| raw.apply(&mut changed)) else {
            *settings = changed;
            return;
        };
        let is_gone = take_out(&mut tree, &fault.key);
        let fault = SettingFault { key: taken.original(&fault.key), ..fault };
        taken.note(&fault.key);
        // What lacks a part that was taken out is no mistake of its own.
        if !faults.iter().any(|known| is_within(&known.key, &fault.key)) {
            faults.push(fault);
        }
        if !is_gone {
            return;
        }
    }
}

/// Is this key the other one, or inside of it?
pub(super) fn is_within(key: &str, around: &str) -> bool {
    let rest = key.strip_prefix(around);
    rest.is_some_and(|rest| rest.is_empty() || around.is_empty() || rest.starts_with(['.', '[']))
}

/// Removes what a path leads to, or else the nearest around it that is there. `false`: that is the whole tree.
fn take_out(tree: &mut Value, path: &str) -> bool {
    match tree {
        Value::Object(members) => {
            // Names may have dots in them, as those of models have.
            let is_on_the_way = |key: &&String| is_within(path, key);
            let Some(key) = members.keys().filter(is_on_the_way).max_by_key(|key| key.len()) else {
                return false;
            };
            let (key, rest) = (key.clone(), &path[key.len()..]);
            let rest = rest.strip_prefix('.').unwrap_or(rest);
            let is_gone =
                !rest.is_empty() && members.get_mut(&key).is_some_and(|it| take_out(it, rest));
            is_gone || members.remove(&key).is_some()
        }
        Value::Array(items) => {
            let Some((index, rest)) = index(path).filter(|(index, _)| *index < items.len()) else {
                return false;
            };
            let rest = rest.strip_prefix('.').unwrap_or(rest);
            if rest.is_empty() || !take_out(&mut items[index], rest) {
                items.remove(index);
            }
            true
        }
        _ => false,
    }
}

/// `[3].rest` as the number and what is behind it.
fn index(path: &str) -> Option<(usize, &str)> {
    let (number, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((number.parse().ok()?, rest))
}

/// How many items were taken out of each list. Mistakes are found from the front, so that every later item of the list
/// has moved up by so many.
#[derive(Default)]
struct RemovedItems(BTreeMap<String, usize>);

impl RemovedItems {
    /// The path that this one had before anything was taken out.
    fn original(&self, path: &str) -> String {
        let (mut whole, mut rest) = (String::new(), path);
        while let Some(at) = rest.find('[') {
            whole += &rest[..at];
            let Some((number, after)) = index(&rest[at..]) else { break };
            let moved = self.0.get(&whole).copied().unwrap_or_default();
            whole += &format!("[{}]", number + moved);
            rest = after;
        }
        whole + rest
    }

    fn note(&mut self, path: &str) {
        if let Some((list, _)) = path.strip_suffix(']').and_then(|path| path.rsplit_once('[')) {
            *self.0.entry(list.to_owned()).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_path_leads_to_is_taken_out_or_else_what_is_around_it() {
        let tree = json!({"prices": {"gpt-4.1": {"input": 1}}, "list": [{"a": 1}, 2]});
        let left = |path: &str| {
            let mut tree = tree.clone();
            assert!(take_out(&mut tree, path), "{path}");
            tree
        };
        assert_eq!(left("prices.gpt-4.1.input")["prices"], json!({"gpt-4.1": {}}));
        assert_eq!(left("prices.gpt-4.1.output")["prices"], json!({}));
        assert_eq!(left("list[0].a")["list"], json!([{}, 2]));
        assert_eq!(left("list[1]")["list"], json!([{"a": 1}]));
        assert!(!take_out(&mut tree.clone(), "nothing"));
    }
}
