//! A shim: a program with an agent's name, in a folder of ours that comes first on the `PATH`. It runs `tokenforge launch`.
//!
//! A script and not a link to this program, because the user can read what it does, and because the agent still starts
//! when Tokenforge is removed without an undo.

use crate::data;
use anyhow::Context;
use std::env;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What the second line of every shim begins with, by which it is known wherever it lies.
const MARK: &str = "# tokenforge shim:";

/// A shim is known by so many bytes.
const HEAD: u64 = 64;

/// The text of an agent's shim.
pub(super) fn text(agent: &str, program: &str, folder: &Path) -> String {
    let program = quote_shell(program);
    let folder = quote_shell(&folder.display().to_string());
    format!(
        r#"#!/bin/sh
{MARK} runs {agent} through the gateway if it answers; `tokenforge setup {agent} --undo` removes this file.
tokenforge={program}
if [ -x "$tokenforge" ]; then
    exec "$tokenforge" launch {agent} "$@"
fi
if [ "$TOKENFORGE_SHIM" = $$ ]; then
    echo "tokenforge: $tokenforge is gone, and there is no {agent} on your PATH but this: $0" >&2
    exit 127
fi
export TOKENFORGE_SHIM=$$
echo "tokenforge: $tokenforge is gone; {agent} runs without it" >&2
shims={folder}
rest=$PATH:
PATH=
while [ -n "$rest" ]; do
    folder=${{rest%%:*}}
    rest=${{rest#*:}}
    [ "$folder" -ef "$shims" ] || [ "$folder/{agent}" -ef "$0" ] || PATH=$PATH${{PATH:+:}}$folder
done
exec {agent} "$@"
"#
    )
}

/// Where an agent's shim is.
pub(super) fn path(agent: &str) -> anyhow::Result<PathBuf> {
    Ok(data::shim_folder()?.join(agent))
}

/// The agents that have a shim.
pub(crate) fn installed_shims() -> Vec<&'static str> {
    let is_there = |agent: &&str| path(agent).is_ok_and(|path| is_shim(&path));
    super::agents::supported_names().into_iter().filter(is_there).collect()
}

/// Is this a shim of ours?
pub(crate) fn is_shim(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    read.is_ok() && head.lines().nth(1).is_some_and(|line| line.starts_with(MARK))
}

/// The programs of this name that a shell would start, in their order.
pub(crate) fn on_path(name: &str) -> impl Iterator<Item = PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let folders = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&folders).collect();
    folders.into_iter().map(move |folder| folder.join(&file)).filter(|path| is_program(path))
}

/// The same, without our shims.
pub(crate) fn real(name: &str) -> impl Iterator<Item = PathBuf> {
    on_path(name).filter(|path| !is_shim(path))
}

/// The path of this program that stays when it is replaced by a newer one: the link on the `PATH` that leads to it, if
/// there is one. Package managers put each version into a folder of its own.
pub(crate) fn this_program() -> anyhow::Result<String> {
    let own = env::current_exe().context("where this program is cannot be told")?;
    let is_own =
        |path: &PathBuf| path.is_absolute() && path.canonicalize().ok() == own.canonicalize().ok();
    let program = on_path("tokenforge").find(is_own).unwrap_or(own);
    program.into_os_string().into_string().ok().context("the path of this program is not UTF-8")
}

/// Writes a shim.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let shown = || format!("cannot write {}", path.display());
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(shown)?;
    let written = || -> io::Result<()> {
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        #[cfg(unix)]
        file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        file.persist(path)?;
        Ok(())
    };
    written().with_context(shown)
}

/// Removes a shim; with the last one also its folder, and those above it in the home folder that are empty then.
pub(super) fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", path.display()));
        }
        _ => {}
    }
    let home = data::home();
    let is_kept = |folder: &Path| {
        home.as_deref().is_none_or(|home| !folder.starts_with(home) || folder == home)
    };
    let shims = path.parent();
    let above = shims.into_iter().flat_map(|shims| shims.ancestors().skip(1));
    let above = above.take_while(|folder| !is_kept(folder));
    // The first that is not empty stays, and so do those above it.
    let _ = shims.into_iter().chain(above).map(fs::remove_dir).take_while(Result::is_ok).count();
    Ok(())
}

/// A word for a shell.
pub(super) fn quote_shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shim_is_known_wherever_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("copy of claude");
        write(&file, &text("claude", "/opt/a b/tokenforge", Path::new("/data/it's"))).unwrap();
        assert!(is_shim(&file));
        fs::write(&file, "#!/bin/sh\nexec node cli.js\n").unwrap();
        assert!(!is_shim(&file));
        fs::write(&file, [0xff; 200]).unwrap();
        assert!(!is_shim(&file) && !is_shim(Path::new("/nowhere/claude")));
    }
}
