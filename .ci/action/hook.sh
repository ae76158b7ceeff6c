#!/usr/bin/env bash
# The hook of pre-commit: installs the program beside this checkout's other build output at the first
# run, and runs it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
into=$root/target/hook
if [[ ! -x "$into/bin/cargo-weigh" ]]; then
    bash "$root/.ci/action/install.sh" "$into" >&2
fi
exec "$into/bin/cargo-weigh" weigh "$@"
