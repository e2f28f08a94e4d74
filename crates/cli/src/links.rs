//! Addresses that a message can point to, wherever the program came from.

/// The address of a page of the documentation, such as `gateway` or `hook#codex`.
pub(crate) fn docs(page: &str) -> String {
    let (page, place) = match page.split_once('#') {
        Some((page, place)) => (page, format!("#{place}")),
        None => (page, String::new()),
    };
    format!("{}/blob/main/docs/{page}.md{place}", env!("CARGO_PKG_REPOSITORY"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_page_that_is_pointed_to_is_there() {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let mut folders = vec![std::path::PathBuf::from(sources)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for call in text.split("links::docs(\"").skip(1) {
                    let page = call.split(['"', '#']).next().unwrap_or_default();
                    let page = docs.join(format!("{page}.md"));
                    assert!(page.is_file(), "{}: {}", path.display(), page.display());
                }
            }
        }
    }

    #[test]
    fn an_address_can_be_opened() {
        let address = super::docs("wrap#which-gateway");
        assert!(
            address.starts_with("https://") && address.ends_with("/docs/wrap.md#which-gateway")
        );
    }
}
