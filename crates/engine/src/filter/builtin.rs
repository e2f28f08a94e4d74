//! The filters that come with Tokenforge: one file each in `src/filters`.
//!
//! Their tests are nine tenths of those files, and are run when Tokenforge is tested: the program holds what stands before
//! them.

use super::FamilyFilter;

/// Reads them all. A file that cannot be read is left out; a test shows that there is none.
pub(super) fn read_all() -> Vec<FamilyFilter> {
    FILES.iter().filter_map(|(file, text)| FamilyFilter::read(file, text).ok()).collect()
}

/// The end of what is no test in a file.
const fn end_of_rules(text: &str) -> usize {
    const TESTS: &[u8] = b"\n[[tests]]";
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let mut same = 0;
        while same < TESTS.len() && at + same < bytes.len() && bytes[at + same] == TESTS[same] {
            same += 1;
        }
        if same == TESTS.len() {
            return at + 1;
        }
        at += 1;
    }
    at
}

/// The start of a text, as bytes of its own: a slice of the text would keep all of it.
const fn start<const N: usize>(text: &str) -> [u8; N] {
    let mut start = [0; N];
    start.copy_from_slice(text.as_bytes().split_at(N).0);
    start
}

macro_rules! files {
    ($($name:literal)*) => {
        &[$((concat!($name, ".toml"), {
            const FILE: &str = include_str!(concat!("../filters/", $name, ".toml"));
            static RULES: [u8; end_of_rules(FILE)] = start(FILE);
            match std::str::from_utf8(&RULES) {
                Ok(rules) => rules,
                Err(_) => panic!("the start of a text is a text"),
            }
        })),*]
    };
}

/// Name and text, in the order in which they are asked: where one claims more than another, the narrow one is first.
pub(super) const FILES: &[(&str, &str)] = files! {
    "biome"
    "c-build"
    "cargo"
    "docker"
    "docker-compose"
    "docker-compose-state"
    "docker-state"
    "dotnet"
    "download"
    "eslint"
    "files"
    "gcloud"
    "gh-run"
    "gh-pr"
    "gh"
    "git-status"
    "git-transfer"
    "git"
    "go-test"
    "gradle"
    "helm"
    "kubectl"
    "cloud-state"
    "jest"
    "listing"
    "maven"
    "mix"
    "vitest"
    "mocha"
    "mypy"
    "npm"
    "pip"
    "pnpm"
    "poetry"
    "psql"
    "pytest"
    "rspec-documentation"
    "rspec"
    "ruff"
    "ruff-other"
    "sql"
    "structure"
    "system"
    "terraform"
    "terraform-other"
    "tsc"
    "uv"
    "yarn"
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_filter_is_valid_and_named_after_its_file() {
        for (file, text) in FILES {
            let filter = FamilyFilter::parse(file, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(format!("{}.toml", filter.name()), *file);
        }
    }

    #[test]
    fn nothing_but_tests_is_left_out_of_the_program() {
        for (file, rules) in FILES {
            let path = format!("{}/src/filters/{file}", env!("CARGO_MANIFEST_DIR"));
            let mut whole =
                FamilyFilter::parse(file, &std::fs::read_to_string(path).unwrap()).unwrap();
            whole.written.tests.clear();
            let held = FamilyFilter::parse(file, rules).unwrap();
            assert_eq!(format!("{:?}", held.written), format!("{:?}", whole.written), "{file}");
        }
    }

    #[test]
    fn every_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/filters");
        let mut on_disk: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".toml"))
            .collect();
        on_disk.sort();
        let mut listed: Vec<_> = FILES.iter().map(|(file, _)| (*file).to_owned()).collect();
        listed.sort();
        assert_eq!(on_disk, listed);
    }
}
