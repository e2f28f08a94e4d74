//! The commands that a script of Codex starts: `tools.exec_command({cmd: "cargo test"})`.

const CALL: &str = "exec_command(";
/// No script starts more.
const MAX_CALLS: usize = 64;

/// The command lines in a script, or `None` if the text is no such script. Where one is computed rather than written
/// out, none is known.
pub(super) fn commands(script: &str) -> Option<Vec<String>> {
    if !script.contains("tools.") && !script.contains("tools[") {
        return None;
    }
    let calls = script.split(CALL).skip(1).take(MAX_CALLS);
    Some(calls.map(command).collect::<Option<Vec<_>>>().unwrap_or_default())
}

/// The string literal behind the first `cmd:` or `"cmd":`.
fn command(arguments: &str) -> Option<String> {
    let at = arguments.find("cmd")? + "cmd".len();
    let value = arguments[at..].trim_start_matches(['"', '\'']).trim_start();
    let value = value.strip_prefix(':')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut text = String::new();
    let mut characters = value[1..].chars();
    loop {
        match characters.next()? {
            '\\' => match characters.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                other => text.push(other),
            },
            end if end == quote => return Some(text),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_out_of_the_script() {
        let script = r#"const [a,b] = await Promise.all([tools.exec_command({cmd: "head -20 build.log"}), tools.exec_command({"cmd": 'grep "x" y', workdir: "/x"})]);
text(a); text(b);"#;
        assert_eq!(commands(script).unwrap(), ["head -20 build.log", "grep \"x\" y"]);
        assert_eq!(
            commands(r#"text(await tools.exec_command({cmd: "printf \"a\n\""}))"#).unwrap(),
            ["printf \"a\n\""]
        );
    }

    #[test]
    fn what_is_computed_is_not_known() {
        assert_eq!(
            commands("await tools.exec_command({cmd: line})").unwrap(),
            Vec::<String>::new()
        );
        let both = "tools.exec_command({cmd: 'ls'}); tools.exec_command({cmd: line})";
        assert_eq!(commands(both).unwrap(), Vec::<String>::new());
        assert_eq!(commands("text(await tools.apply_patch(p))").unwrap(), Vec::<String>::new());
        assert_eq!(commands("cargo test"), None);
    }
}
