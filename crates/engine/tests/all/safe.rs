//! The safe and cosmetic modules on outputs of real tools, and the laws they keep on any text.

use tokenforge_engine::internals::{binary, padding, progress, whitespace};
use tokenforge_engine::terminal;

/// What a terminal shows of a recording.
fn shown_text(text: &str) -> String {
    let settled = progress::settle(text).unwrap_or_else(|| text.to_owned());
    terminal::strip(&settled).unwrap_or(settled)
}

#[test]
fn cargo_build_keeps_its_lines_and_loses_its_bar() {
    let shown = shown_text(include_str!("safe/cargo_build.txt"));
    assert!(!shown.contains("Building"), "{shown}");
    assert_eq!(shown.matches("   Compiling ").count(), 4);
    assert!(
        shown.contains("1 | fn main() { let unused = 1; println!(\"{}\", 2); }\r\n"),
        "{shown}"
    );
    assert!(shown.contains("  |                 ^^^^^^ help: "), "{shown}");
    assert_eq!(padding::squeeze(&shown), None, "carets stay under the code");
}

#[test]
fn curl_keeps_the_last_state_of_its_meter() {
    let shown = shown_text(include_str!("safe/curl_progress.txt"));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 3, "{shown}");
    assert!(lines[2].starts_with("100 2929k  100 2929k"), "{shown}");
}

#[test]
fn npm_and_pip_keep_no_frame_of_a_spinner_or_bar() {
    let npm = shown_text(include_str!("safe/npm_install.txt"));
    assert!(npm.ends_with("\r\nadded 3 packages in 2s\r\n"), "{npm:?}");
    assert!(!npm.contains(|c| matches!(c, '\u{2800}'..='\u{28ff}')), "{npm:?}");
    let pip = shown_text(include_str!("safe/pip_install.txt"));
    assert_eq!(pip.matches(" eta ").count(), 2, "{pip}");
    assert!(!pip.contains('\x1b'));
}

#[test]
fn git_output_reads_as_without_colour() {
    let diff = shown_text(include_str!("safe/git_diff_color.txt"));
    assert!(diff.ends_with("@@ -1,2 +1,2 @@\n one\n-two\n+2  \n"), "{diff}");
    assert_eq!(whitespace::trim_line_ends(&diff), None, "blanks in a diff are data");
    assert_eq!(
        shown_text(include_str!("safe/git_log_color.txt")),
        "068b860 (HEAD -> master) First\n"
    );
}

#[test]
fn p10_ls_output_containing_dockerfile_keeps_all_names() {
    for listing in [include_str!("safe/ls_long.txt"), include_str!("safe/ls_color.txt")] {
        let shown = shown_text(listing);
        let squeezed = padding::squeeze(&shown).unwrap();
        for name in ["Dockerfile", "Makefile", "README.md", "a file.txt", "docs", "src"] {
            assert_eq!(
                squeezed.matches(name).count(),
                shown.matches(name).count(),
                "{name} in {squeezed}"
            );
        }
        assert!(squeezed.contains("\n-rw-r--r-- 1 root root 0 Nov 15 06:33 "), "{squeezed}");
        assert_eq!(squeezed.lines().count(), shown.lines().count());
        assert_eq!(binary::suppress(&shown), None);
    }
}

#[test]
fn d70_a_box_keeps_its_borders() {
    let squeezed = padding::squeeze(include_str!("safe/sqlite_box.txt")).unwrap();
    assert_eq!(
        squeezed,
        "┌────┬──────────────┬──────────┬────────┐\n\
         │ id │ name │ city │ total │\n\
         ├────┼──────────────┼──────────┼────────┤\n\
         │1 │ Ada Lovelace │ London │12.5 │\n\
         │2 │ Grace Hopper │ │1024.0 │\n\
         │3 │ Linus │ Helsinki │7.0 │\n\
         └────┴──────────────┴──────────┴────────┘\n"
    );
}

#[test]
fn an_empty_cell_stays_visible() {
    let squeezed = padding::squeeze(include_str!("safe/sqlite_column.txt")).unwrap();
    assert_eq!(
        squeezed,
        "id\tname\tcity\ttotal\n--  ------------  --------  ------\n1\tAda Lovelace\tLondon\t12.5\n2\tGrace Hopper\t\t1024.0\n3\tLinus\tHelsinki\t7.0\n"
    );
}

#[test]
fn cells_with_spaces_stay_apart() {
    let text = "CONTAINER ID   IMAGE          COMMAND            CREATED       STATUS       NAMES\n\
                4f66ad9a0b2e   nginx:latest   \"nginx -g dae…\"   2 hours ago   Up 2 hours   web\n\
                9c1d0f6e7a55   redis:7        \"redis-server…\"   3 days ago    Up 3 days    cache\n";
    let expected = "CONTAINER ID  IMAGE  COMMAND  CREATED  STATUS  NAMES\n\
                    4f66ad9a0b2e nginx:latest  \"nginx -g dae…\"  2 hours ago  Up 2 hours  web\n\
                    9c1d0f6e7a55 redis:7  \"redis-server…\"  3 days ago  Up 3 days  cache\n";
    assert_eq!(padding::squeeze(text).as_deref(), Some(expected));
}

#[test]
fn right_aligned_numbers_and_overflowing_cells_are_squeezed() {
    let processes: Vec<(String, usize)> =
        (1..20).map(|n| (format!("user{n}"), if n == 9 { 1_234_567 } else { n * 37 })).collect();
    let padded = |(user, size): &(String, usize)| {
        format!("{user:<9} {:>6} {size:>7} /bin/run  {user}\n", size / 2)
    };
    let plain =
        |(user, size): &(String, usize)| format!("{user} {} {size} /bin/run  {user}\n", size / 2);
    let text = "USER         PID     VSZ COMMAND\n".to_owned()
        + &processes.iter().map(padded).collect::<String>();
    let expected =
        "USER PID VSZ COMMAND\n".to_owned() + &processes.iter().map(plain).collect::<String>();
    assert_eq!(padding::squeeze(&text).as_deref(), Some(&*expected));
}

#[test]
fn d70_markdown_and_psql_tables_keep_their_bars_and_rules() {
    let markdown = "| Name      | Size  |\n|:----------|------:|\n| a \\| b    |    12 |\n| Long name |       |\n";
    let expected = "| Name | Size |\n|:----------|------:|\n| a \\| b |12 |\n| Long name | |\n";
    assert_eq!(padding::squeeze(markdown).as_deref(), Some(expected));
    let psql = " id |  name  | age \n----+--------+-----\n  1 | Ada L. |  36\n  2 |        |   7\n(2 rows)\n";
    assert_eq!(
        padding::squeeze(psql).as_deref(),
        Some("id | name | age\n----+--------+-----\n1 | Ada L. |36\n2 | |7\n(2 rows)\n")
    );
}

#[test]
fn counts_and_labels_lose_their_padding() {
    let counts = "     12 src/a.rs\n   1204 src/main  two.rs\n   1216 total\n";
    assert_eq!(
        padding::squeeze(counts).as_deref(),
        Some("12 src/a.rs\n1204 src/main  two.rs\n1216 total\n")
    );
    let labels = "Architecture:         x86_64\nCPU op-mode(s):       32-bit, 64-bit\nModel name:           A  B\n";
    assert_eq!(
        padding::squeeze(labels).as_deref(),
        Some("Architecture: x86_64\nCPU op-mode(s): 32-bit, 64-bit\nModel name: A  B\n")
    );
}

#[test]
fn what_is_not_a_table_stays() {
    for text in [
        // code lines with two bars
        "let a = items.iter().map(|x|   x + 1);\nlet b = items.iter().map(|y|   y + 2);\nlet c = x  || y || z;\n",
        "   |\n12 |     let x   = 1;\n   |         ^   ^ unused\n   |\n",
        // aligned code
        "const A:    u32 = 1;\nconst LONG: u32 = 2;\nconst B:    u32 = 3;\n",
        "\tName:    \"x\",\n\tAge:     3,\n\tAddress: nil,\n",
        "#define FOO      1\n#define LONGER   2\n#define BAR      3\n",
        "id      INT          NOT NULL,\nname    VARCHAR(20)  NOT NULL,\nage     INT          NULL\n",
        // trees, lists and YAML
        "src\n├── a.rs\n│   └── b.rs\n└── c.rs    # main\n",
        "key:\n  nested:   1\n  other:    2\n  third:    3\n",
        // a drawing
        "┌───┐     ┌───┐\n│ A │────▶│ B │\n└───┘     └───┘\n",
        // a help text
        "Options:\n  -v, --verbose    Print more\n  -q, --quiet      Print less\n  -h, --help       Print help\n",
        // a diff of a listing
        "@@ -1,3 +1,3 @@\n-NAME      READY   AGE\n-web-1     1/1     3d\n+web-22    1/1     3d\n",
    ] {
        assert_eq!(padding::squeeze(text), None, "{text}");
    }
}

#[test]
fn crlf_is_kept_in_tables() {
    let text = "NAME      READY   AGE\r\nweb-1     1/1     3d\r\nworker-2  0/1     12m\r\n";
    assert_eq!(
        padding::squeeze(text).as_deref(),
        Some("NAME READY AGE\r\nweb-1 1/1 3d\r\nworker-2 0/1 12m\r\n")
    );
}
