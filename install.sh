#!/bin/sh
# Installs tokenforge: downloads the archive of a release, verifies its SHA-256, and puts one file into one folder.
#
#   TOKENFORGE_VERSION      which release [default: the latest]
#   TOKENFORGE_INSTALL_DIR  where to [default: ~/.local/bin]
#   TOKENFORGE_RELEASES     where releases are: a URL or a folder with the layout of GitHub's [default: this project's]
#
# To uninstall, remove that file. Nothing else is changed, and no shell profile is touched.
set -eu

repository=https://github.com/tokenforge/tokenforge

main() {
    releases=${TOKENFORGE_RELEASES:-$repository/releases}
    folder=${TOKENFORGE_INSTALL_DIR:-${HOME:?is not set: say with TOKENFORGE_INSTALL_DIR where to install}/.local/bin}
    [ ! -d "$folder/tokenforge" ] ||
        fail "$folder/tokenforge is a folder, so the program cannot have that name. Nothing was installed.
  Rename or remove that folder, or choose another with TOKENFORGE_INSTALL_DIR."
    target=$(this_target)
    for tool in tar gzip; do
        has "$tool" || fail "$tool is needed to unpack the archive, and is not installed"
    done
    has sha256sum || has shasum || has openssl ||
        fail "sha256sum, shasum or openssl is needed to verify the download, and none is installed"

    if [ -n "${TOKENFORGE_VERSION:-}" ]; then
        release=$releases/download/v${TOKENFORGE_VERSION#v}
    else
        release=$releases/latest/download
    fi
    work=$(mktemp -d)
    new=$folder/.tokenforge.$$
    trap 'rm -rf "$work" "$new"' EXIT
    trap 'exit 130' INT TERM HUP

    fetch "$release/SHA256SUMS" "$work/SHA256SUMS" ||
        fail "found no release${TOKENFORGE_VERSION:+ $TOKENFORGE_VERSION}: cannot get $release/SHA256SUMS"
    # The list has the names of the archives too, and with them the version that is the latest.
    read -r expected archive <<LINE || true
$(grep -E "^[0-9a-f]{64}  tokenforge-[^/]*-$target\.tar\.gz\$" "$work/SHA256SUMS" || true)
LINE
    [ -n "${archive:-}" ] || fail "the release at $release has no archive for $target
Its files: $(sed 's/^[^ ]*  //' "$work/SHA256SUMS" | tr '\n' ' ')"

    say "Downloading $release/$archive"
    fetch "$release/$archive" "$work/$archive" || fail "cannot get $release/$archive"
    found=$(sha256 "$work/$archive")
    [ "$found" = "$expected" ] || fail "$archive is not the file that was released. Nothing was installed.
  SHA-256 in the release's list: $expected
  SHA-256 of what was received:  $found"

    tar -xzf "$work/$archive" -C "$work"
    program=$work/${archive%.tar.gz}/bin/tokenforge
    # Tried in its folder, since /tmp may not let programs run; then renamed, so that there is never half a program, and one
    # that runs can be replaced.
    { mkdir -p "$folder" && cp "$program" "$new"; } ||
        fail "cannot write to $folder. Choose another folder with TOKENFORGE_INSTALL_DIR."
    chmod 755 "$new"
    version=$("$new" --version) || fail "the program for $target does not run on this machine, or not from $folder. Nothing was installed."
    mv -f "$new" "$folder/tokenforge"
    say "Installed $version: $folder/tokenforge"
    advise
}

# Will the shell find it, and find this one?
advise() {
    case :$PATH: in
        *:"$folder":*)
            first=$(command -v tokenforge || true)
            [ "$first" = "$folder/tokenforge" ] ||
                say "Note: your shell finds $first first. Remove it, or put $folder before it in PATH."
            say "Try it: tokenforge demo"
            ;;
        *)
            say "Note: $folder is not on your PATH. To add it, put this line into your shell's profile:"
            say "  export PATH=$(quoted "$folder"):\"\$PATH\""
            say "Try it: $(quoted "$folder/tokenforge") demo"
            ;;
    esac
}

# The target of this machine, as archives are named. Programs for Linux are static: which C library it has does not matter.
this_target() {
    system=$(uname -s)
    processor=$(uname -m)
    # A shell that Rosetta translates says x86_64 on an Apple processor.
    if [ "$system/$processor" = Darwin/x86_64 ] && [ "$(sysctl -n hw.optional.arm64 2> /dev/null || true)" = 1 ]; then
        processor=arm64
    fi
    case $system/$processor in
        Linux/x86_64 | Linux/amd64) echo x86_64-unknown-linux-musl ;;
        Linux/aarch64 | Linux/arm64) echo aarch64-unknown-linux-musl ;;
        Darwin/x86_64) echo x86_64-apple-darwin ;;
        Darwin/arm64) echo aarch64-apple-darwin ;;
        MINGW*/* | MSYS*/* | CYGWIN*/*) fail "on Windows, use install.ps1 in PowerShell: $repository#install" ;;
        *)
            fail "there is no prebuilt program for $system on $processor.
Prebuilt are Linux and macOS on x86-64 and arm64, and Windows on x86-64. To build it from source: cargo install --git $repository tokenforge"
            ;;
    esac
}

# fetch FROM TO: a URL, or a file. What was asked for over HTTPS does not come over plain HTTP, except with wget, which cannot be told.
fetch() {
    case $1 in
        https://* | http://*)
            case $1 in https://*) redirects='=https' ;; *) redirects='=http,https' ;; esac
            if has curl; then
                curl --fail --silent --show-error --location --proto-redir "$redirects" --retry 3 --output "$2" "$1"
            elif has wget; then
                wget --quiet --output-document "$2" "$1"
            else
                fail "curl or wget is needed to download, and neither is installed"
            fi
            ;;
        *) cp "${1#file://}" "$2" 2> /dev/null ;;
    esac
}

sha256() {
    if has sha256sum; then
        sha256sum "$1"
    elif has shasum; then
        shasum -a 256 "$1"
    else
        openssl dgst -sha256 -r "$1"
    fi | cut -d ' ' -f 1
}

# A word as a shell reads it: in quotes, unless all its characters are plain.
quoted() {
    case $1 in
        *[!A-Za-z0-9/._~+@%=:,-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
        *) printf '%s' "$1" ;;
    esac
}

has() { command -v "$1" > /dev/null 2>&1; }
say() { printf '%s\n' "$*"; }
fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

# The last line: a script that was cut off while it was downloaded does nothing.
main "$@"
