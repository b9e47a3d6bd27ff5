#!/usr/bin/env bash
# Makes .venv hold exactly what requirements/dev.txt names, and Softmark itself. Every make target starts here.
#
#     requirements/setup.sh                       with python3
#     PYTHON=python3.12 requirements/setup.sh     with another Python
#
# It asks nothing, and where nothing has changed since the last time it says nothing either. The last thing
# it writes is a stamp: a .venv without one was cut short half-way, cannot be trusted, and is made anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022 # what is installed must be readable by the users that the sandbox runs code as

python=${PYTHON:-python3}
venv=.venv
stamp=$venv/setup-stamp

say() { printf 'setup: %s\n' "$*"; }
fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

# Prints four lines: the Python behind $python, its version as X.Y, all that decides how .venv is made, and a
# hash of all that decides what goes into it. Written so that even Python 2 can say that it is too old.
describe_setup() {
    "$python" - "$python" <<'PY'
import sys
if sys.version_info < (3, 11):
    sys.exit("setup: Softmark needs Python 3.11 or newer, and %s is %d.%d. Name another one, for example:\n"
             "    PYTHON=python3.12 make test" % ((sys.argv[1],) + tuple(sys.version_info[:2])))
import hashlib, os
# In an activated .venv, python3 is .venv's own: look through it at the Python that it was made from.
base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
print(base)
print("%d.%d" % sys.version_info[:2])
print("python %s at %s for %s" % (sys.version.split()[0], base, os.getcwd()))
contents = hashlib.sha256()
for name in ("bootstrap.txt", "dev.txt", "setup.sh", "../pyproject.toml"):
    with open(os.path.join("requirements", name), "rb") as file:
        contents.update(file.read())
print(contents.hexdigest())
PY
}

is_up_to_date() { [ -x $venv/bin/python ] && [ -f $stamp ] && [ "$(cat $stamp)" = "$wanted" ]; }
is_same_python() { [ -x $venv/bin/python ] && [ -f $stamp ] && [ "$(head -n 1 $stamp)" = "$made_with" ]; }

# Debian keeps a part of Python's venv module in a package of its own.
ensure_venv_module() {
    "$base" -c 'import venv; from ensurepip import bootstrap' 2>/dev/null && return
    local package=python$version-venv
    case $base in
        /usr/bin/*) command -v apt-get >/dev/null || fail "$base cannot make virtual environments: it has no ensurepip." ;;
        *) fail "$base cannot make virtual environments: it has no ensurepip. Name another Python with PYTHON=..." ;;
    esac
    [ "$(id -u)" = 0 ] || fail "$base cannot make virtual environments: ask an administrator for 'apt-get install $package'," \
        "or name another Python with PYTHON=..."
    say "$base cannot make virtual environments yet: installing Debian's $package"
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq "$package" </dev/null >/dev/null 2>&1 ||
        { apt-get update -qq </dev/null && apt-get install -y -qq "$package" </dev/null >/dev/null; } ||
        fail "apt-get could not install $package (see above)."
}

# pip and uv keep what they download under HOME; some accounts have none that can be written.
use_caches_only_if_writable() {
    local cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}
    if ! mkdir -p "$cache/uv" 2>/dev/null || [ ! -w "$cache/uv" ]; then
        export PIP_NO_CACHE_DIR=1
        [ -n "${UV_CACHE_DIR:-}" ] || export UV_NO_CACHE=1
    fi
}

make_empty_venv() {
    ensure_venv_module
    rm -rf $venv || fail "$PWD/$venv cannot be removed by $(id -un): was it made by another user?"
    "$base" -m venv $venv || fail "$base could not make $venv (see above)."
}

install() {
    use_caches_only_if_writable
    export PIP_DISABLE_PIP_VERSION_CHECK=1 UV_PYTHON_DOWNLOADS=never
    export UV_COMPILE_BYTECODE=1 # where Python may not write any, every process would compile all anew
    local network="Does this machine reach a package index? Then run the same command again."
    say "uv, by the hashes in requirements/bootstrap.txt"
    $venv/bin/python -m pip install -qq --require-hashes --only-binary :all: -r requirements/bootstrap.txt ||
        fail "uv could not be installed (see above). $network"
    say "the packages in requirements/dev.txt"
    $venv/bin/uv pip sync --python $venv/bin/python --require-hashes requirements/dev.txt ||
        fail "the packages could not be installed (see above). $network"
    say "Softmark itself, editable"
    $venv/bin/uv pip install --quiet --python $venv/bin/python --no-deps --no-build-isolation --editable . ||
        fail "Softmark itself could not be installed (see above)."
}

command -v "$python" >/dev/null || fail "there is no '$python' here. Install Python 3.11 or newer, or name one with PYTHON=..."
described=$(describe_setup) || fail "'$python' could not be used (see above)."
{ read -r base && read -r version && read -r made_with && read -r contents; } <<<"$described"
wanted=$made_with$'\n'$contents
if is_up_to_date; then exit 0; fi

# One at a time. The lock belongs to descriptor 9, so it lasts until this script and all it started have ended.
{ : >>.venv.lock; } 2>/dev/null || fail "$PWD cannot be written by $(id -un)."
exec 9>>.venv.lock
"$base" -c '
import fcntl
try:
    fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    print("setup: another setup is at work here, waiting for it", flush=True)
    fcntl.flock(9, fcntl.LOCK_EX)
'
if is_up_to_date; then exit 0; fi

trap 'say "interrupted; run the same command again to start over" >&2; exit 130' INT TERM
say "$venv with Python $version ($base)"
if [ -e $venv ] && [ ! -f $stamp ]; then say "the last setup was cut short: starting over"; fi
keep=no
if is_same_python; then keep=yes; fi
rm -f $stamp || fail "$PWD/$venv cannot be changed by $(id -un): was it made by another user?"
[ $keep = yes ] || make_empty_venv
install
printf '%s\n' "$wanted" >$stamp
say "done"
