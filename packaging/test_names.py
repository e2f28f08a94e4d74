"""Everything that names an archive of a release, a target or a version of Rust names the same one: `python3 packaging/test_names.py`"""

import json
import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from release import ENGINE_PLATFORMS, PLATFORMS, ROOT, archive_name, archive_suffix, program, workspace


def text(path):
    return (ROOT / path).read_text()


class Names(unittest.TestCase):
    def test_cargo_binstall_looks_for_the_archives_that_there_are(self):
        manifest = text("crates/cli/Cargo.toml")
        self.assertIn("repository.workspace = true", manifest)
        for name, platform in PLATFORMS.items():
            table = f"[package.metadata.binstall.overrides.{platform['target']}]"
            if table not in manifest:
                table = "[package.metadata.binstall]"
            values = dict(re.findall(r'^(pkg-url|bin-dir) = "(.*)"$', manifest.split("[package.metadata.binstall]")[1], re.MULTILINE)[:2])
            values |= dict(re.findall(r'^(pkg-url|bin-dir) = "(.*)"$', manifest.split(table)[1].split("\n[")[0], re.MULTILINE))
            meant = {
                "repo": workspace("repository"),
                "version": workspace("version"),
                "name": "tokenforge",
                "bin": "tokenforge",
                "target": platform["target"],
                "binary-ext": program(name).removeprefix("tokenforge"),
            }
            url, binary = (re.sub(r"\{ ([a-z-]+) \}", lambda key: meant[key[1]], values[key]) for key in ("pkg-url", "bin-dir"))
            released = f"{meant['repo']}/releases/download/v{meant['version']}/{archive_name(name)}{archive_suffix(name)}"
            self.assertEqual(url, released)
            self.assertEqual(binary, f"{archive_name(name)}/bin/{program(name)}")

    def test_an_installer_knows_every_target(self):
        known = set(re.findall(r"[a-z0-9_]+-(?:unknown-linux|apple|pc-windows)-?[a-z]*", text("install.sh") + text("install.ps1")))
        self.assertEqual(known, {platform["target"] for platform in PLATFORMS.values()})

    def test_the_formula_has_every_platform_that_homebrew_runs_on(self):
        named = set(re.findall(r"\{([a-z0-9-]+)\.url\}", text("packaging/homebrew/tokenforge.rb.in")))
        self.assertEqual(named, {name for name in PLATFORMS if not name.startswith("win32")})

    def test_the_workflow_builds_every_platform(self):
        built = re.findall(r"platform: ([a-z0-9-]+),", text(".github/workflows/release.yml"))
        self.assertEqual(built, [*PLATFORMS, *ENGINE_PLATFORMS])  # the program; the engine for Python and Node

    def test_the_engine_for_python_and_node_has_this_version_and_every_platform(self):
        version = workspace("version")
        self.assertIn(f'[workspace.package]\nversion = "{version}"\n', text("bindings/Cargo.toml"))
        self.assertIn(f'name = "tokenforge-engine"\nversion = "{version}"\n', text("bindings/python/pyproject.toml"))
        package = json.loads(text("bindings/node/package.json"))
        self.assertEqual(package["version"], version)
        self.assertEqual(package["optionalDependencies"], {f"@tokenforge/engine-{name}": version for name in ENGINE_PLATFORMS})

    def test_kubernetes_takes_the_image_of_this_version(self):
        self.assertIn(f"newTag: {workspace('version')}\n", text("packaging/kubernetes/kustomization.yaml"))

    def test_the_table_of_targets_has_every_target(self):
        for platform in PLATFORMS.values():
            self.assertIn(f"| `{platform['target']}` |", text("RELEASING.md"))

    def test_dependencies_are_checked_for_every_target(self):
        listed = re.findall(r'^    "([a-z0-9_]+-[a-z0-9-]+)",$', text("deny.toml").split("[advisories]")[0], re.MULTILINE)
        self.assertEqual(listed, [platform["target"] for platform in PLATFORMS.values()])

    def test_the_oldest_rust_that_is_promised_is_the_one_that_is_tried(self):
        oldest = workspace("rust-version")
        self.assertEqual(re.findall(r"cargo \+(\S+) check --workspace --locked", text(".github/workflows/ci.yml")), [oldest])
        self.assertIn(f"It needs Rust {oldest},", text("docs/install.md"))

    def test_the_image_is_built_with_the_pinned_rust(self):
        pinned = re.search(r'channel = "(\d+\.\d+\.\d+)"', text("rust-toolchain.toml"))[1]
        self.assertEqual(re.findall(r"rust:(\S+)-alpine|RUSTUP_TOOLCHAIN=(\S+)", text("packaging/docker/Dockerfile")), [(pinned, ""), ("", pinned)])


if __name__ == "__main__":
    unittest.main()
