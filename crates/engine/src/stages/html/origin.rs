//! Where a page came from, by the addresses that a call names: a public site, or something the agent works on.

use crate::command::{CommandLine, PipeEffect};
use crate::tool::ToolKind;
use memchr::memmem;
use serde_json::Value;

/// Whose page an output holds, if it holds one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PageOrigin {
    /// That of a public site: it is read.
    Public,
    /// The agent's own, or one whose markup was asked for: a page that this machine or network serves, source in a
    /// repository, what a shell prints of files.
    Private,
    /// The call does not say.
    #[default]
    Unknown,
}

impl PageOrigin {
    /// The origin of what a call gives back.
    pub(crate) fn of_call(tool: ToolKind, arguments: &str, command: Option<&CommandLine>) -> Self {
        match tool {
            ToolKind::Shell => command.map_or(PageOrigin::Private, of_command),
            ToolKind::WebFetch | ToolKind::WebSearch | ToolKind::Mcp | ToolKind::Other => {
                match Self::of_text(arguments) {
                    PageOrigin::Public if asks_for_markup(arguments) => PageOrigin::Private,
                    origin => origin,
                }
            }
            _ => PageOrigin::Private,
        }
    }

    /// The origin by the addresses in a text. Of several, one that is private decides.
    pub(crate) fn of_text(text: &str) -> Self {
        let addresses = memmem::find_iter(text.as_bytes(), "://").filter_map(|at| {
            let scheme = text.get(..at)?;
            let is_web = scheme.ends_with("http") || scheme.ends_with("https");
            Some(is_web && is_public(text.get(at + 3..)?))
        });
        addresses.fold(PageOrigin::Unknown, |origin, is_public| match (origin, is_public) {
            (PageOrigin::Private, _) | (_, false) => PageOrigin::Private,
            _ => PageOrigin::Public,
        })
    }
}

/// Programs that print what an address gives.
const FETCHERS: [&str; 6] = ["curl", "wget", "http", "https", "xh", "curlie"];

/// The origin of what a command prints, as long as it prints the page and not what it finds there.
fn of_command(command: &CommandLine) -> PageOrigin {
    let Some(main) = command.main().filter(|main| {
        main.effect == PipeEffect::Whole && FETCHERS.contains(&main.command.program.as_str())
    }) else {
        return PageOrigin::Private;
    };
    let origin = |word: &String| match PageOrigin::of_text(word) {
        // `curl example.org/page`
        PageOrigin::Unknown if !word.starts_with('-') && is_public(word) => PageOrigin::Public,
        origin => origin,
    };
    let origins: Vec<PageOrigin> = main.command.args.iter().map(origin).collect();
    let is_public_page =
        origins.contains(&PageOrigin::Public) && !origins.contains(&PageOrigin::Private);
    if is_public_page { PageOrigin::Public } else { PageOrigin::Private }
}

/// Does an address (behind `https://`) lead to a page of a public site, and not to a file of a repository there?
fn is_public(address: &str) -> bool {
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | '<' | '>' | ')' | ']' | ',');
    let address = &address[..address.find(is_end).unwrap_or(address.len())];
    let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.');
    let is_source = host.starts_with("raw.") || address.split('/').any(|segment| segment == "raw");
    let Some((name, top)) = host.rsplit_once('.') else { return false };
    let is_reserved = |top: &&str| RESERVED.iter().any(|own| own.eq_ignore_ascii_case(top));
    let is_top = |top: &&str| top.len() > 1 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    !is_source && !name.is_empty() && is_top(&top) && !is_reserved(&top)
}

/// Top-level names that no public site has.
const RESERVED: [&str; 10] = [
    "local",
    "localhost",
    "localdomain",
    "test",
    "internal",
    "lan",
    "home",
    "corp",
    "intranet",
    "invalid",
];

/// Do the arguments of a call ask for the page as it is written: `"raw": true`, `"format": "html"`?
fn asks_for_markup(arguments: &str) -> bool {
    let has_word = |word: &str| memmem::find(arguments.as_bytes(), word.as_bytes()).is_some();
    if !has_word("raw") && !has_word("html") {
        return false;
    }
    let asks = |(name, value): (&String, &Value)| {
        let is_format =
            value.as_str().is_some_and(|value| matches!(value, "html" | "raw" | "raw_html"));
        is_format || (name.contains("raw") && value.as_bool() == Some(true))
    };
    let is_asked = |value: &Value| value.as_object().is_some_and(|object| object.iter().any(asks));
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    // A tool that passes calls on has the arguments proper one level down.
    is_asked(&arguments)
        || arguments.as_object().is_some_and(|object| object.values().any(is_asked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::CallContext;

    fn origin(tool: &str, arguments: &str) -> PageOrigin {
        CallContext::new(tool, arguments, false).page_origin
    }

    fn shell(command: &str) -> PageOrigin {
        origin("Bash", &serde_json::json!({ "command": command }).to_string())
    }

    #[test]
    fn a_page_of_a_public_site_is_public() {
        for url in [
            "https://docs.python.org/3/library/re.html",
            "http://user@example.com:8080/x?y=http",
            "https://EXAMPLE.ORG",
        ] {
            let arguments = format!(r#"{{"url":"{url}","prompt":"what is it?"}}"#);
            assert_eq!(origin("WebFetch", &arguments), PageOrigin::Public, "{url}");
            assert_eq!(
                shell(&format!("curl -sL '{url}' | head -200")),
                PageOrigin::Public,
                "{url}"
            );
        }
        assert_eq!(shell("curl -s example.com/a"), PageOrigin::Public);
    }

    #[test]
    fn d6_pages_of_this_machine_and_files_of_repositories_are_not() {
        for url in [
            "http://localhost:3000/",
            "http://127.0.0.1/a.html",
            "http://[::1]:80/",
            "http://web:8080/",
            "https://shop.test/x.example.com",
            "https://raw.githubusercontent.com/a/b/main/index.html",
            "https://git.example.com/a/b/-/raw/main/index.html",
            "file:///srv/example.com/index.html",
        ] {
            let arguments = format!(r#"{{"url":"{url}"}}"#);
            assert_eq!(origin("WebFetch", &arguments), PageOrigin::Private, "{url}");
            assert_eq!(shell(&format!("curl -s {url}")), PageOrigin::Private, "{url}");
        }
    }

    #[test]
    fn d6_what_a_shell_prints_otherwise_is_not() {
        for command in [
            "cat site/index.html",
            "node render.js https://example.com",
            "curl -s https://example.com | grep -o '<a[^>]*>'",
            "curl https://example.com -d @a && cat b.html",
        ] {
            assert_eq!(shell(command), PageOrigin::Private, "{command}");
        }
    }

    #[test]
    fn markup_that_was_asked_for_is_left_alone() {
        for arguments in [
            r#"{"url":"https://example.com","raw":true}"#,
            r#"{"url":"https://example.com","format":"html"}"#,
            r#"{"tool_name":"fetch","params":{"url":"https://example.com","raw":true}}"#,
        ] {
            assert_eq!(origin("mcp__fetch__fetch", arguments), PageOrigin::Private, "{arguments}");
        }
        let rendered = r#"{"url":"https://example.com/raw-html","raw":false,"format":"markdown"}"#;
        assert_eq!(origin("mcp__fetch__fetch", rendered), PageOrigin::Public);
    }

    #[test]
    fn a_call_without_an_address_says_nothing() {
        assert_eq!(origin("page_down", "{}"), PageOrigin::Unknown);
        assert_eq!(origin("Read", r#"{"file_path":"https://example.com"}"#), PageOrigin::Private);
        assert_eq!(origin("Grep", r#"{"pattern":"https://example.com"}"#), PageOrigin::Private);
    }
}
