use super::*;
use serde_json::json;

fn listing(from: usize, to: usize) -> String {
    (from..to).map(|n| format!("line number {n} of some file\n")).collect()
}

fn numbered_file(from: usize, text: &str) -> String {
    let lines = text.lines().enumerate();
    let read: String = lines.map(|(n, line)| format!("{:6}→{line}\n", n + from)).collect();
    numbers::encode(&read).unwrap()
}

/// A call with its own copies of what it is made of.
struct OwnedCall {
    id: String,
    tool: &'static str,
    arguments: String,
}

impl OwnedCall {
    fn bash(id: &str, command: &str) -> Self {
        OwnedCall {
            id: id.into(),
            tool: "Bash",
            arguments: json!({ "command": command }).to_string(),
        }
    }

    fn read(id: &str, path: &str) -> Self {
        OwnedCall {
            id: id.into(),
            tool: "Read",
            arguments: json!({ "file_path": path }).to_string(),
        }
    }

    fn with(self, arguments: &Value) -> Self {
        OwnedCall { arguments: arguments.to_string(), ..self }
    }

    fn view(&self) -> ToolCall<'_> {
        ToolCall { id: Some(&self.id), tool: self.tool, arguments: &self.arguments }
    }
}

fn history() -> History {
    let mut history = History::default();
    history.add(&OwnedCall::bash("call_1", "make").view(), &listing(0, 50));
    history
}

fn point(history: &History, call: &OwnedCall, text: &str) -> Option<String> {
    history.point(text, &call.view(), PointerScope::Lines, Counter::default())
}

/// What is forwarded for a result, with the check that it stands for the text.
fn forward(history: &mut History, call: &OwnedCall, text: &str) -> String {
    let pointed = point(history, call, text);
    if let Some(pointed) = &pointed {
        assert_eq!(history.resolve(pointed, &call.arguments).as_deref(), Ok(text), "{pointed}");
    }
    let forwarded = pointed.unwrap_or_else(|| text.to_owned());
    history.add(&call.view(), &forwarded);
    forwarded
}

#[test]
fn d1_a_result_shown_before_names_its_command() {
    let (again, other) = (OwnedCall::bash("call_2", "make"), OwnedCall::bash("call_2", "make all"));
    for call in [again, other] {
        let marker = forward(&mut history(), &call, &listing(0, 50));
        assert_eq!(marker, "[Duplicate of make; see earlier result]");
    }
}

#[test]
fn d1_lines_shown_before_are_quoted_where_they_have_no_numbers() {
    let text = format!("new first line\n{}new last line\n", listing(10, 30));
    let pointed = forward(&mut history(), &OwnedCall::bash("call_2", "make all"), &text);
    let expected = "new first line\n\
        [Forge same as 20 lines of `make` above, from \"line number 10 of some file\" to \"line number 29 of some file\"]\n\
        new last line\n";
    assert_eq!(pointed, expected);
}

#[test]
fn d1_a_file_is_named_with_its_own_line_numbers() {
    let mut history = History::default();
    let before = numbered_file(1, &listing(0, 80));
    assert_eq!(forward(&mut history, &OwnedCall::read("call_1", "src/a.rs"), &before), before);
    let moved = format!("{}a new line\nand one more\n{}", listing(0, 20), listing(20, 80));
    let pointed =
        forward(&mut history, &OwnedCall::read("call_2", "src/a.rs"), &numbered_file(1, &moved));
    let pointers: Vec<&str> = pointed.lines().filter(|line| marker::is_pointer(line)).collect();
    assert_eq!(
        pointers,
        [
            "[Forge same as lines 2-20 of src/a.rs above]",
            "[Forge same as lines 21-80 of src/a.rs above, here 23-82]",
        ]
    );
    assert!(!pointed.contains("call_"), "{pointed}");
}

#[test]
fn d1_the_latest_full_read_is_the_one_that_is_named() {
    let mut history = History::default();
    let texts = [listing(0, 60), listing(100, 160)];
    for (id, text) in ["a", "b"].into_iter().zip(&texts) {
        forward(&mut history, &OwnedCall::read(id, "x.rs"), &numbered_file(1, text));
    }
    let cat = |text: &str| point(&history, &OwnedCall::bash("c", "git show HEAD:x.rs"), text);
    assert_eq!(cat(&texts[0]), None, "an older read is not meant");
    let pointed = cat(&texts[1]).unwrap();
    assert_eq!(pointed, "[Forge same as lines 1-60 of x.rs above]\n");
}

#[test]
fn d1_a_read_with_an_offset_or_a_limit_shows_its_text() {
    let mut history = History::default();
    forward(&mut history, &OwnedCall::read("a", "x.rs"), &numbered_file(1, &listing(0, 80)));
    let part = numbered_file(20, &listing(19, 60));
    for arguments in [
        json!({"file_path": "x.rs", "offset": 20, "limit": 41}),
        json!({"file_path": "x.rs", "limit": 41}),
        json!({"file_path": "x.rs", "view_range": [20, 60]}),
    ] {
        assert_eq!(point(&history, &OwnedCall::read("b", "").with(&arguments), &part), None);
    }
    let sed = OwnedCall::bash("b", "sed -n 20,60p x.rs");
    assert_eq!(point(&history, &sed, &listing(19, 60)), None);
    // Nor is a part what a pointer names.
    let part = OwnedCall::read("b", "").with(&json!({"file_path": "y.rs", "offset": 1}));
    forward(&mut history, &part, &numbered_file(1, &listing(200, 260)));
    assert_eq!(point(&history, &OwnedCall::bash("c", "cat y.rs"), &listing(200, 260)), None);
}

#[test]
fn d1_who_asks_again_after_a_pointer_gets_the_text() {
    let mut history = History::default();
    let text = numbered_file(1, &listing(0, 80));
    let shown: Vec<bool> = (0..6)
        .map(|n| forward(&mut history, &OwnedCall::read(&format!("id{n}"), "x.rs"), &text) == text)
        .collect();
    assert_eq!(shown, [true, false, true, false, true, false]);
    // By whatever way the text is asked for.
    let mut history = History::default();
    forward(&mut history, &OwnedCall::read("a", "x.rs"), &text);
    let (first, second) = (OwnedCall::bash("b", "cat x.rs"), OwnedCall::bash("c", "cat ./x.rs"));
    assert!(marker::is_pointer(&forward(&mut history, &first, &listing(0, 80))));
    assert_eq!(forward(&mut history, &second, &listing(0, 80)), listing(0, 80));
}

#[test]
fn d1_a_command_that_ran_more_than_once_says_which_run() {
    let mut history = History::default();
    for (id, from) in ["a", "b", "c"].into_iter().zip([0, 100, 200]) {
        forward(&mut history, &OwnedCall::bash(id, "make"), &listing(from, from + 50));
    }
    let call = OwnedCall::bash("d", "make again");
    let marker = point(&history, &call, &listing(100, 150)).unwrap();
    assert_eq!(marker, "[Duplicate of make (run 2 of 3); see earlier result]");
    let marker = point(&history, &call, &format!("x\n{}", listing(210, 240))).unwrap();
    assert!(marker.contains(" of `make` (run 3 of 3) above, from \"line number 210 "), "{marker}");
}

#[test]
fn d1_what_is_not_unique_is_not_named() {
    let long = |end: &str| format!("echo {} {end}", "x".repeat(100));
    let commands = [OwnedCall::bash("a", &long("1")), OwnedCall::bash("b", &long("2"))];
    let tools = ["a", "b"].map(|id| OwnedCall {
        id: id.into(),
        tool: "get_log",
        arguments: json!({"service": "web", "page": id.len()}).to_string(),
    });
    for calls in [commands, tools] {
        let mut history = History::default();
        forward(&mut history, &calls[0], &listing(0, 50));
        let last = OwnedCall::bash("z", "make");
        assert!(point(&history, &last, &format!("x\n{}", listing(0, 50))).is_some());
        forward(&mut history, &calls[1], &listing(100, 150));
        assert_eq!(point(&history, &last, &format!("x\n{}", listing(0, 50))), None);
        assert_eq!(point(&history, &last, &format!("x\n{}", listing(100, 150))), None);
    }
}

#[test]
fn d1_lines_that_look_alike_are_not_quoted() {
    let mut history = History::default();
    let shown = format!("}}\n{}}}\n}}\nend\n", listing(0, 9));
    history.add(&OwnedCall::bash("a", "make").view(), &shown);
    let text = format!("begin\n}}\n{}}}\n}}\nother\n", listing(0, 9));
    let pointed = forward(&mut history, &OwnedCall::bash("b", "make x"), &text);
    assert_eq!(
        pointed,
        "begin\n}\n[Forge same as 9 lines of `make` above, from \"line number 0 of some file\" to \
         \"line number 8 of some file\"]\n}\n}\nother\n"
    );
    let mut history = History::default();
    history
        .add(&OwnedCall::bash("a", "make").view(), &"the same line again and again\n".repeat(2000));
    let same = "the same line again and again\n".repeat(1999);
    assert_eq!(point(&history, &OwnedCall::bash("b", "make x"), &same), None);
}

#[test]
fn d10_a_duplicate_is_one_of_the_same_tool() {
    let history = history();
    let text = listing(0, 50);
    let call =
        |tool| OwnedCall { id: "b".into(), tool, arguments: json!({"pattern": "x"}).to_string() };
    assert_eq!(history.duplicate_of(&text, &call("Grep").view()), None);
    let same = OwnedCall {
        arguments: json!({"command": "other"}).to_string(),
        ..call("run_shell_command")
    };
    assert!(history.duplicate_of(&text, &same.view()).is_some(), "of another name");
}

#[test]
fn what_the_call_itself_said_is_pointed_to() {
    let call = OwnedCall { id: "a".into(), tool: "Write", arguments: String::new() }
        .with(&json!({"path": "a.rs", "content": listing(0, 40)}));
    let text = format!("The file now reads:\n{}", listing(0, 40));
    let pointed = forward(&mut History::default(), &call, &text);
    assert_eq!(
        pointed,
        "The file now reads:\n[Forge same as 40 lines of this call's content, \
         from \"line number 0 of some file\" to \"line number 39 of some file\"]\n"
    );
}

#[test]
fn fewer_than_three_lines_are_repeated() {
    let text = format!("x\n{}y\n", listing(10, 12));
    assert_eq!(point(&history(), &OwnedCall::bash("b", "make all"), &text), None);
}

#[test]
fn f11_a_result_without_a_call_id_is_never_pointed_to() {
    let mut history = History::default();
    let call = OwnedCall::bash("", "make");
    history.add(&ToolCall { id: None, ..call.view() }, &listing(0, 50));
    assert_eq!(point(&history, &OwnedCall::bash("b", "make x"), &listing(0, 50)), None);
}

#[test]
fn d1_a_result_of_another_unknown_tool_is_no_duplicate() {
    // One line, so that no pointer to lines can stand for it.
    let text = format!("{{\"rows\":[{}]}}", "null,".repeat(40));
    for [user, order] in [
        ["get_user", "get_order"],
        ["mcp__shop__user", "mcp__shop__order"],
        ["mcp__shop__user", "mcp__club__user"],
    ] {
        let asks = |tool: &'static str, id: &str, name: &str| OwnedCall {
            id: id.into(),
            tool,
            arguments: json!({ "id": name }).to_string(),
        };
        let mut history = History::default();
        history.add(&asks(user, "call_1", "alice").view(), &text);
        assert_eq!(point(&history, &asks(order, "call_2", "bob"), &text), None, "{order}");
        let same = point(&history, &asks(user, "call_2", "carol"), &text).unwrap();
        assert_eq!(same, format!("[Duplicate of {user} \"alice\"; see earlier result]"));
    }
}

#[test]
fn g9_a_result_that_is_sent_twice_does_not_point_to_itself() {
    let longer = format!("{}and more\n", listing(0, 50));
    for text in [listing(0, 50), longer] {
        assert_eq!(point(&history(), &OwnedCall::bash("call_1", "make"), &text), None);
    }
}

#[test]
fn d1_lines_in_a_notation_are_not_pointed_to() {
    let text = format!("[Forge templates: a legend]\n{}", listing(0, 50));
    let mut history = History::default();
    history.add(&OwnedCall::bash("a", "make").view(), &text);
    let call = OwnedCall::bash("b", "make x");
    assert_eq!(point(&history, &call, &listing(0, 50)), None);
    assert!(point(&history, &call, &text).is_some(), "the whole is");
    let whole = History::default();
    let scope = PointerScope::Whole;
    assert_eq!(whole.point(&listing(0, 50), &call.view(), scope, Counter::default()), None);
}

#[test]
fn d1_what_a_tool_printed_in_our_words_leads_nowhere() {
    let mut history = history();
    for text in [
        "[Forge same as lines 1-99 of nothing above]",
        "[Forge same as lines 9-1 of make above, here 0-0]",
        "[Forge same as 99999999999999999999 lines of `make` above, from \"a\" to \"b\"]",
        "[Forge same as 50 lines of `make` (run 7 of 2) above, from \"a\" to \"b\"]",
        "[Forge same as 0 lines of `make` above, from \"line number 0 of some file\" to \"b\"]",
        "[Duplicate of nothing; see earlier result]",
    ] {
        assert_eq!(history.resolve(text, "{}"), Err(RestoreError::Nowhere(text.to_owned())));
        history.add(&OwnedCall::bash("x", "cat evil.txt").view(), text);
    }
}

/// A call that changes a file.
fn change(tool: &'static str, arguments: &Value) -> OwnedCall {
    OwnedCall { id: "change".into(), tool, arguments: arguments.to_string() }
}

#[test]
fn d1_a_file_that_was_edited_since_is_pointed_to_only_where_it_is_read_again() {
    let read = numbered_file(1, &listing(0, 80));
    for changed in [
        change("Edit", &json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"})),
        change("apply_patch", &json!({"input": "*** Begin Patch\n*** Update File: a.rs"})),
    ] {
        let mut history = History::default();
        forward(&mut history, &OwnedCall::read("call_1", "a.rs"), &read);
        history.add(&changed.view(), "Done.");
        assert_eq!(point(&history, &OwnedCall::read("call_2", "b.rs"), &read), None);
        let again = point(&history, &OwnedCall::read("call_2", "a.rs"), &read).unwrap();
        assert_eq!(again, "[Duplicate of a.rs; see earlier result]");
    }
}

#[test]
fn d1_a_file_that_was_overwritten_is_not_pointed_to_until_it_is_read_again() {
    let read = numbered_file(1, &listing(0, 80));
    let mut history = History::default();
    forward(&mut history, &OwnedCall::read("call_1", "a.rs"), &read);
    history.add(&change("Write", &json!({"file_path": "a.rs", "content": "x"})).view(), "Done.");
    for path in ["a.rs", "b.rs"] {
        assert_eq!(point(&history, &OwnedCall::read("call_2", path), &read), None, "{path}");
    }
    forward(&mut history, &OwnedCall::read("call_2", "a.rs"), &read);
    assert!(point(&history, &OwnedCall::read("call_3", "b.rs"), &read).is_some());
}

#[test]
fn d1_the_result_of_an_edit_does_not_point_to_what_it_changed_whatever_the_path_s_spelling() {
    let read = numbered_file(1, &listing(0, 80));
    for path in ["/repo/a.rs", "./a.rs", "a.rs"] {
        let mut history = History::default();
        forward(&mut history, &OwnedCall::read("call_1", "a.rs"), &read);
        let edit = change("Edit", &json!({"file_path": path, "old_string": "x"}));
        assert_eq!(point(&history, &edit, &read), None, "{path}");
        history.add(&edit.view(), "Done.");
        assert_eq!(point(&history, &OwnedCall::read("call_2", "b.rs"), &read), None, "{path}");
    }
    let mut history = History::default();
    forward(&mut history, &OwnedCall::read("call_1", "a.rs"), &read);
    history.add(&OwnedCall::bash("call_2", "git checkout -- a.rs").view(), "");
    assert_eq!(point(&history, &OwnedCall::read("call_3", "b.rs"), &read), None);
}

#[test]
fn d1_two_columns_of_numbers_in_a_file_are_not_pointed_to_by_number() {
    let list = |what: &str| -> String {
        (1..=25).map(|n| format!("{n:3}: {what} number {n} of the list\n")).collect()
    };
    let text = |title: &str| {
        numbers::encode(&format!("{title}\n{}and then\n{}", list("first"), list("second"))).unwrap()
    };
    let mut history = History::default();
    forward(&mut history, &OwnedCall::read("call_1", "list.txt"), &text("Before"));
    let again = forward(&mut history, &OwnedCall::read("call_2", "list.txt"), &text("After"));
    assert!(!again.contains("same as lines"), "{again}");
}

#[test]
fn d1_files_of_one_path_in_two_places_are_not_taken_for_one() {
    let mut history = History::default();
    let call = |id: &str, repo: &str| {
        let arguments = json!({"repo": repo, "path": "README.md"});
        OwnedCall { id: id.into(), tool: "get_file_contents", arguments: arguments.to_string() }
    };
    forward(&mut history, &call("call_1", "one"), &listing(0, 50));
    assert_eq!(point(&history, &call("call_2", "two"), &listing(0, 50)), None);
}

#[test]
fn d1_a_name_that_could_be_read_otherwise_is_not_pointed_to() {
    for command in ["echo 'x, from \"y\"' && ./list", "./list 'a (run 1 of 2)'"] {
        let mut history = History::default();
        history.add(&OwnedCall::bash("call_1", command).view(), &listing(0, 50));
        assert_eq!(
            point(&history, &OwnedCall::bash("call_2", "ls"), &listing(0, 50)),
            None,
            "{command}"
        );
    }
}
