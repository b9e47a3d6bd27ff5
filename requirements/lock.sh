#!/usr/bin/env bash
# Writes the locks anew from pyproject.toml, bootstrap.in and node.in. Versions that still fit are kept.
#
#     requirements/lock.sh              write them
#     requirements/lock.sh --upgrade    write them with the newest versions that fit
#     requirements/lock.sh --check      write nothing; fail if writing them would change something
#
# One lock serves every system and every Python from 3.11 on. It holds hashes, and no address of any index:
# where packages come from is the business of the machine that installs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf 'lock: %s\n' "$*" >&2
    exit 1
}

mode=${1:-}
case $mode in
    "" | --check | --upgrade) ;;
    *) fail "unknown option '$mode'; there are --check and --upgrade." ;;
esac

drafts=$(mktemp -d)
trap 'rm -rf "$drafts"' EXIT

draft() { # draft LOCK SOURCE...: resolve into a copy of the lock, so that its versions are kept
    local lock=$1
    shift
    if [ -f "requirements/$lock" ]; then cp "requirements/$lock" "$drafts/$lock"; fi
    local upgrade=()
    if [ "$mode" = --upgrade ]; then upgrade=(--upgrade); fi
    .venv/bin/uv pip compile --quiet --no-cache --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
        ${upgrade[@]+"${upgrade[@]}"} --output-file "$drafts/$lock" "$@" >/dev/null ||
        fail "$lock could not be resolved (see above). Does this machine reach a package index?"
}

draft bootstrap.txt requirements/bootstrap.in
draft node.txt requirements/node.in
draft site.txt --extra site pyproject.toml
draft gpu.txt --extra site --extra gpu pyproject.toml
draft dev.txt --extra site --extra local --extra dev pyproject.toml

for lock in bootstrap.txt node.txt site.txt gpu.txt dev.txt; do
    if cmp -s "$drafts/$lock" "requirements/$lock"; then continue; fi
    if [ "$mode" = --check ]; then
        diff -u "requirements/$lock" "$drafts/$lock" >&2 || true
        fail "requirements/$lock no longer follows from its source: run 'make lock'."
    fi
    cp "$drafts/$lock" "requirements/$lock"
    echo "lock: requirements/$lock is new"
done
if [ "$mode" = --check ]; then echo "lock: the locks are up to date"; fi
