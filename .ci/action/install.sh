#!/usr/bin/env bash
# Installs cargo-weigh into FOLDER/bin: `install.sh FOLDER`. It is the released program of this
# checkout's version, with its checksum verified, or else built from this checkout.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
into=${1:?usage: install.sh FOLDER}
mkdir -p "$into"
into=$(cd "$into" && pwd)
version=$(sed -n '/^version = /{s/.*"\(.*\)".*/\1/p;q;}' "$root/Cargo.toml")
releases=https://github.com/cargo-weigh/cargo-weigh/releases/download/v$version

say() { # notice|error TEXT
    if [[ -n "${GITHUB_ACTIONS:-}" ]]; then
        printf '::%s title=cargo weigh::%s\n' "$1" "$2"
    else
        printf 'cargo weigh: %s\n' "$2" >&2
    fi
}

# The targets whose program may run here, the best first.
targets() {
    local arch
    case "${RUNNER_ARCH:-$(uname -m)}" in
    X64 | x86_64 | amd64) arch=x86_64 ;;
    ARM64 | aarch64 | arm64) arch=aarch64 ;;
    *) return 0 ;;
    esac
    case "$(uname -s)" in
    # The first needs glibc 2.35.
    Linux) printf '%s\n' "$arch-unknown-linux-gnu" "$arch-unknown-linux-musl" ;;
    Darwin) printf '%s\n' "$arch-apple-darwin" ;;
    MINGW* | MSYS* | CYGWIN*) printf '%s\n' "$arch-pc-windows-msvc" ;;
    esac
}

fetch() { # ADDRESS FILE
    curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --retry 2 --output "$2" "$1"
}

sha256() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

# Status 1: there is no program for this target, or it does not run here. Ends the script if the
# checksum is wrong.
released() { # TARGET
    local name="cargo-weigh-$1" archive expected found
    case "$1" in *-windows-*) archive=$name.zip ;; *) archive=$name.tar.gz ;; esac
    fetch "$releases/$archive" "$scratch/$archive" || return 1
    fetch "$releases/$name.sha256" "$scratch/$name.sha256" || return 1
    expected=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$scratch/$name.sha256")
    found=$(sha256 "$scratch/$archive")
    if [[ -z "$found" || "$found" != "$expected" ]]; then
        say error "$archive is refused: its checksum is $found, expected ${expected:-one in $name.sha256}"
        exit 1
    fi
    mkdir -p "$scratch/$1"
    case "$archive" in
    *.zip) unzip -q -o "$scratch/$archive" -d "$scratch/$1" ;;
    *) tar -xzf "$scratch/$archive" -C "$scratch/$1" ;;
    esac || return 1
    local program="$scratch/$1/cargo-weigh"
    [[ "$1" != *-windows-* ]] || program=$program.exe
    "$program" --version >/dev/null 2>&1 || return 1
    mkdir -p "$into/bin"
    mv -f "$program" "$into/bin/"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
found=
for target in $(targets); do
    if released "$target"; then
        found=$target
        break
    fi
done
if [[ -z "$found" ]]; then
    say notice "no released program of version $version for this system: building it, which takes minutes"
    # In this folder, where no toolchain file of the project has an effect.
    (cd "$root" && cargo install --path lint --locked --root "$into" --target-dir "$scratch/target")
fi
if [[ -n "${GITHUB_PATH:-}" ]]; then
    # Windows' programs read it too.
    { cygpath -w "$into/bin" 2>/dev/null || printf '%s\n' "$into/bin"; } >>"$GITHUB_PATH"
fi
"$into/bin/cargo-weigh" --version >&2
