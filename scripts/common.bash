# Shared by the scripts of this folder; sourced, never run by itself.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# One set of flags for every build, so that no script builds again what another has built.
#   DEV_BUILD_PATH   where the build goes; .build when unset
#   SWIFT_BUILD_FLAGS      more flags for swift build and swift test, such as "-c release" or "--sanitize=thread"
build_path=${DEV_BUILD_PATH:-$root/.build}
# The sample app's tests are built with ours.
export DEV_SAMPLE_APP=1
read -ra extra_flags <<<"${SWIFT_BUILD_FLAGS:-}"
# shellcheck disable=SC2034 # for those who source this
swift_flags=(
    --package-path "$root" --scratch-path "$build_path"
    --explicit-target-dependency-import-check error
    ${extra_flags[@]+"${extra_flags[@]}"}
)

# reproducibly COMMAND…: a build of a release. What the Swift compiler chooses depends on hashes and on addresses, so
# both are the same each time.
reproducibly() {
    if setarch -R true 2>/dev/null; then
        SWIFT_DETERMINISTIC_HASHING=1 setarch -R "$@"
    else
        SWIFT_DETERMINISTIC_HASHING=1 "$@"
    fi
}

# Prints the comment that a script begins with, which is its manual, and ends with status 2.
usage() {
    awk 'NR > 1 { if (!/^#( |$)/) exit; sub(/^# ?/, ""); print }' "$0" >&2
    exit 2
}

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# install_packages NAME…: Debian's, as root or through a sudo that does not ask; fails where neither is there. What
# comes of it goes to standard error, for some scripts print what they have found.
install_packages() {
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then sudo=(sudo -n); fi
    say "Installing $*" >&2
    ${sudo[@]+"${sudo[@]}"} apt-get update -q >&2
    # A package would start a server of its own; it is only the programs that are wanted.
    ${sudo[@]+"${sudo[@]}"} env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
        apt-get install -q -y --no-install-recommends "$@" >&2
}

has_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

# make_venv FOLDER PACKAGE…: a Python of its own with packages from PyPI, made where it is not there or has others.
make_venv() {
    local place=$1
    shift
    [ "$(cat "$place/libraries" 2>/dev/null)" != "$*" ] || return 0
    has_venv || install_packages python3-venv
    say "Installing $*"
    python3 -m venv --clear "$place"
    "$place/bin/pip" install --quiet --disable-pip-version-check "$@"
    echo "$*" >"$place/libraries"
}

# Long values, which are tokens, codes and verifiers, down to their first characters.
shorten() { sed -uE 's/([A-Za-z0-9_-]{12})[A-Za-z0-9_.-]{16,}/\1…/g'; }

# A value of a JSON document on standard input, by the names that lead to it.
json_value() {
    python3 -c '
import json, sys
value = json.load(sys.stdin)
for name in sys.argv[1:]:
    value = value[name]
print(str(value).lower() if isinstance(value, bool) else value)
' "$@"
}

# RFC 7636 §4.2, method S256: the challenge of a verifier.
code_challenge() {
    printf %s "$1" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '='
}

# wait_until SECONDS COMMAND…: until the command succeeds; fails when it never does.
wait_until() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.1
    done
}

# Whether something listens on a port of the loopback address.
is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# A port of the loopback address that nothing listens on, for what must be told it before it is there.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Hundreds of tests with servers of their own need more descriptors than the usual soft limit of 1024.
raise_descriptor_limit() {
    local wanted=16384 hard
    hard=$(ulimit -Hn)
    # Root may raise the hard limit too.
    if [ "$hard" != unlimited ] && [ "$hard" -lt "$wanted" ] && ulimit -Hn "$wanted" 2>/dev/null; then hard=$wanted; fi
    if [ "$hard" != unlimited ] && [ "$hard" -lt "$wanted" ]; then wanted=$hard; fi
    if [ "$(ulimit -Sn)" != unlimited ] && [ "$(ulimit -Sn)" -lt "$wanted" ]; then ulimit -Sn "$wanted"; fi
    if [ "$wanted" -lt 8192 ]; then
        fail "the tests need 8192 open files, and the hard limit here is $hard; raise it (ulimit -Hn, or nofile of the container)"
    fi
}
