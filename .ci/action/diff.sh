#!/usr/bin/env bash
# Compares sizes with the revision WEIGH_BASE, and keeps one comment of the pull request up to date.
# WEIGH_DIFF is the file for the text, WEIGH_PULL the number of the pull request, WEIGH_FAIL_ON a
# value for `--fail-on`, WEIGH_FORK is `true` if it comes from a fork, and GH_TOKEN may be empty.
set -euo pipefail

marker='<!-- cargo weigh diff -->'

notice() { printf '::notice title=cargo weigh::%s\n' "$1"; }

words=()
while read -r -a line; do
    words+=(${line[@]+"${line[@]}"})
done <<<"${WEIGH_ARGS:-}"
if [[ -n "${WEIGH_FAIL_ON:-}" ]]; then
    words+=(--fail-on "$WEIGH_FAIL_ON")
fi

# A checkout has only the last commit.
if ! git rev-parse --quiet --verify "$WEIGH_BASE^{commit}" >/dev/null; then
    git fetch --quiet --no-tags --depth 1 origin "$WEIGH_BASE"
fi

rm -f "$WEIGH_DIFF"
status=0
cargo-weigh weigh diff "$WEIGH_BASE" ${words[@]+"${words[@]}"} --markdown --output "$WEIGH_DIFF" || status=$?
if [[ ! -s "$WEIGH_DIFF" ]]; then
    exit "$status"
fi
printf 'diff=%s\n' "$WEIGH_DIFF" >>"$GITHUB_OUTPUT"
if [[ -n "${GITHUB_STEP_SUMMARY:-}" ]]; then
    cat "$WEIGH_DIFF" >>"$GITHUB_STEP_SUMMARY"
fi

comment() {
    local comments="repos/$GITHUB_REPOSITORY/issues/$WEIGH_PULL/comments" ids id
    ids=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$marker\")) | .id") || return 1
    id=${ids%%$'\n'*}
    if [[ -n "$id" ]]; then
        gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$body" --silent
    elif ! grep -q '^no size changed' "$WEIGH_DIFF"; then
        gh api --method POST "$comments" --field "body=@$body" --silent
    fi
}

if [[ -z "${WEIGH_PULL:-}" ]]; then
    :
elif [[ -z "${GH_TOKEN:-}" || "${WEIGH_FORK:-}" == true ]]; then
    notice 'no comment: a pull request from a fork has no token that may write; the job summary has the sizes'
elif ! command -v gh >/dev/null; then
    notice "no comment: GitHub's command line \`gh\` is not installed; the job summary has the sizes"
else
    body=$(mktemp)
    trap 'rm -f "$body"' EXIT
    { printf '%s\n' "$marker" && cat "$WEIGH_DIFF"; } >"$body"
    if ! said=$(comment 2>&1); then
        case "$said" in
        *'HTTP 403'*) notice 'no comment: the token may not write; give the job `pull-requests: write`' ;;
        *)
            printf '%s\n' "$said" >&2
            exit 2
            ;;
        esac
    fi
fi
exit "$status"
