//! The filters that come with Tokenforge: one file each in `src/filters`.

use super::Filter;

/// Reads them all. A file that cannot be read is left out; a test shows that there is none.
pub(super) fn read_all() -> Vec<Filter> {
    FILES.iter().filter_map(|(file, text)| Filter::read(file, text).ok()).collect()
}

macro_rules! files {
    ($($name:literal)*) => {
        &[$((concat!($name, ".toml"), include_str!(concat!("../filters/", $name, ".toml")))),*]
    };
}

/// Name and text, in the order in which they are asked: where one claims more than another, the narrow one is first.
pub(super) const FILES: &[(&str, &str)] = files! {
    "aws"
    "biome"
    "c-build"
    "cargo"
    "docker"
    "docker-state"
    "docker-compose"
    "dotnet"
    "download"
    "eslint"
    "files"
    "gcloud"
    "gh"
    "git-status"
    "git-transfer"
    "git"
    "go-test"
    "gradle"
    "helm"
    "jest"
    "kubectl"
    "listing"
    "maven"
    "mix"
    "mix-other"
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
            let filter = Filter::parse(file, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(format!("{}.toml", filter.name()), *file);
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
