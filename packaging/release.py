"""What everything that is packaged has in common: the version, the address, the platforms."""

import json
import platform
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLATFORMS = json.loads((ROOT / "packaging/platforms.json").read_text())
# The engine for Python and Node is loaded by a program that has a libc already: on Linux there is one for glibc and one for musl,
# which Alpine has. The program itself is static.
ENGINE_PLATFORMS = [
    name + libc for name in PLATFORMS for libc in (["", "-musl"] if name.startswith("linux-") else [""])
]
LICENCES = ["LICENSE-MIT", "LICENSE-APACHE"]


def workspace(key):
    """A value of `[workspace.package]`: `version`, `repository`."""
    return re.search(rf'^{key} = "(.+?)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


def this_platform():
    system = {"Linux": "linux", "Darwin": "darwin", "Windows": "win32"}.get(platform.system())
    processor = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine())
    return f"{system}-{processor}"


def arguments(script):
    """The binary, the folder to write to, and the platform, of a script that is called `SCRIPT BINARY [FOLDER [PLATFORM]]`."""
    given = sys.argv[1:]
    name = given[2] if len(given) > 2 else this_platform()
    if not 1 <= len(given) <= 3 or name not in PLATFORMS:
        sys.exit(f"usage: {script} BINARY [FOLDER [PLATFORM]]\nplatforms: {', '.join(PLATFORMS)}")
    folder = Path(given[1]) if len(given) > 1 else ROOT / "target/packages"
    folder.mkdir(parents=True, exist_ok=True)
    return Path(given[0]), folder, name


def program(name):
    """What the binary is called on a platform."""
    return "tokenforge.exe" if name.startswith("win32") else "tokenforge"


def archive_name(name, version=None):
    """The name of a platform's archive, less its suffix. install.sh, install.ps1, the formula and cargo-binstall expect it."""
    return f"tokenforge-{version or workspace('version')}-{PLATFORMS[name]['target']}"


def archive_suffix(name):
    return ".zip" if name.startswith("win32") else ".tar.gz"
