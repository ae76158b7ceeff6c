#!/usr/bin/env bash
# Runs the lints: annotations, the table of the job summary, and SARIF in the file WEIGH_SARIF.
# WEIGH_ARGS selects packages, WEIGH_LEVELS has the levels of lints.
set -euo pipefail

words=()
while read -r -a line; do
    words+=(${line[@]+"${line[@]}"})
done <<<"${WEIGH_ARGS:-} ${WEIGH_LEVELS:-}"

rm -f "$WEIGH_SARIF"
status=0
cargo-weigh weigh ${words[@]+"${words[@]}"} --quiet --message-format sarif --output "$WEIGH_SARIF" || status=$?
if [[ -s "$WEIGH_SARIF" ]]; then
    printf 'sarif=%s\n' "$WEIGH_SARIF" >>"$GITHUB_OUTPUT"
fi
cargo-weigh weigh ${words[@]+"${words[@]}"} --message-format github || status=$?
exit "$status"
