# Which of the programs that build images is taken; sourced by the scripts that need one, after common.bash.
# shellcheck shell=bash

engine_works() { # name
    command -v "$1" >/dev/null || return 1
    case $1 in
        docker | podman) "$1" info ;;
        buildah) [ "$(id -u)" -eq 0 ] && buildah images ;;
    esac >/dev/null 2>&1
}

# find_engine [NAME]: prints the one that is named, or the first of docker, podman and buildah that works here. Fails,
# and prints nothing, where there is none.
find_engine() {
    local one
    for one in ${1:-docker podman buildah}; do
        if engine_works "$one"; then
            echo "$one"
            return 0
        fi
    done
    return 1
}

# Without a container runtime's help; what a build runs shares the machine's network and processes.
export BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}
