#!/bin/sh
# What this project needs from the machine: is it there, and if not, install it.
#
#   setup.sh install [python3] [pytest] [guests] [libraries] [models] [mariadb] [mariadb-guests] [zookeeper]
#                    [zookeeper-guests] [bubblewrap] [formats] [clang] [lint] [node] [site] [browser]
#                       install what is missing, and these
#   setup.sh python [MODULE]
#                       print a Python that has this module (pytest)
#
# Looks for the things themselves, not for packages, so that a machine where
# somebody built hiredis by hand is left alone.
set -eu

missing() { # names of Debian packages, one for each thing that is not there
    compiler=${CC:-cc}
    if ! $compiler --version >/dev/null 2>&1; then
        case $compiler in cc) echo gcc ;; *) echo "${compiler%% *}" ;; esac
        compiler=cc
    fi
    has_header stdio.h || echo libc6-dev
    has_header hiredis/hiredis.h || echo libhiredis-dev
    has_header jansson.h || echo libjansson-dev
    server=${REDIS_SERVER:-redis-server}
    case $server in
    */*) ;; # somebody's own: the run says what it thinks of it
    *) command -v "$server" >/dev/null || echo "$server" ;;
    esac
    for extra in "$@"; do
        case $extra in
        python3) command -v python3 >/dev/null || echo python3 ;;
        pytest) python >/dev/null || echo python3-pytest python3-pytest-xdist ;;
        guests) python redis >/dev/null || echo python3-redis ;;
        libraries) # those that Debian has (common/catalogue/libraries.txt)
            python redis >/dev/null || echo python3-redis
            python tooz.drivers.redis >/dev/null || echo python3-tooz
            command -v php >/dev/null || echo php-cli
            php -m 2>/dev/null | grep -qx redis || echo php-redis
            [ -e /usr/share/php/Symfony/Component/Lock ] || echo php-symfony-lock
            [ -e /usr/share/php/Illuminate/Cache ] || echo php-illuminate-cache
            [ -e /usr/share/php/Illuminate/Redis ] || echo php-illuminate-redis
            ;;
        models) command -v spin >/dev/null || echo spin ;;
        mariadb)
            has_header mariadb/mysql.h || echo libmariadb-dev
            server=${MARIADB_SERVER:-mariadbd}
            case $server in
            */*) ;;
            *) command -v "$server" >/dev/null || echo mariadb-server-core ;;
            esac
            ;;
        mariadb-guests)
            python tooz.drivers.mysql >/dev/null || echo python3-tooz
            # mariadb-install-db calls it, and another package has it
            command -v my_print_defaults >/dev/null || echo mariadb-client-core
            ;;
        zookeeper)
            has_header zookeeper/zookeeper.h || echo libzookeeper-mt-dev
            command -v java >/dev/null || echo default-jre-headless
            [ -e "${ZOOKEEPER_JAR:-/usr/share/java/zookeeper.jar}" ] || echo libzookeeper-java
            ;;
        zookeeper-guests)
            python kazoo >/dev/null || echo python3-kazoo
            command -v javac >/dev/null || echo default-jdk-headless
            [ -e /usr/share/java/curator-recipes.jar ] || echo libcurator-recipes-java
            ;;
        formats) # that reports are written in: what reads them
            perl -MTAP::Parser -MJSON::PP -e1 2>/dev/null || echo perl
            python junitparser >/dev/null || echo python3-junitparser
            ;;
        bubblewrap) command -v bwrap >/dev/null || echo bubblewrap ;;
        site) python markdown,pygments >/dev/null || echo python3-markdown python3-pygments ;;
        browser)
            command -v chromedriver >/dev/null || echo chromium chromium-driver
            python selenium >/dev/null || echo python3-selenium
            ;;
        node) command -v npm >/dev/null || echo nodejs npm ;;
        clang) command -v clang >/dev/null || echo clang ;;
        lint)
            command -v cppcheck >/dev/null || echo cppcheck
            command -v clang-tidy >/dev/null || echo clang-tidy
            ;;
        esac
    done
}

has_header() {
    printf '#include <stddef.h>\n#include <sys/time.h>\n#include <%s>\n' "$1" |
        $compiler -E - >/dev/null 2>&1
}

# What reads reports in JavaScript, where there is an npm to ask.
fetch_readers() {
    folder=$(dirname "$0")/../tests/formats
    [ -d "$folder/node_modules" ] || ! command -v npm >/dev/null ||
        npm install --prefix "$folder" --silent --no-audit --no-fund ||
        echo "The readers of reports in JavaScript could not be fetched; their tests are left out" >&2
}

# python3 may be one without the module while Debian's package belongs to the
# system's own.
python() {
    for interpreter in python3 /usr/bin/python3; do
        if "$interpreter" -c "import ${1:-pytest}" >/dev/null 2>&1; then
            echo "$interpreter"
            return 0
        fi
    done
    return 1
}

how_else() {
    cat >&2 <<EOF
Missing here: $1
On Debian or Ubuntu, as root:
    apt-get install -y $1
Elsewhere the same things are called:
    Fedora   gcc hiredis-devel jansson-devel redis (or valkey) python3-pytest
    Arch     gcc hiredis jansson redis (or valkey) python-pytest
    Alpine   not supported: the virtual clock needs glibc (2.34 or newer)
EOF
    exit 1
}

# Ubuntu 22.04 puts a version behind some names.
as_called_here() { # PACKAGE...
    for package; do
        apt-cache show "$package" >/dev/null 2>&1 && echo "$package" && continue
        versioned=$(apt-cache search --names-only "^$package-[0-9.]+$" 2>/dev/null | awk 'NR == 1 { print $1 }')
        echo "${versioned:-$package}"
    done
}

install() {
    wanted=$(missing "$@" | tr '\n' ' ' | sed 's/ $//')
    [ -n "$wanted" ] || return 0
    command -v apt-get >/dev/null || how_else "$wanted"
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo >/dev/null; }; then
        as_root=sudo
    else
        how_else "$wanted"
    fi
    echo "Installing $wanted"
    apt="$as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l apt-get -q"
    # shellcheck disable=SC2086 # the words are packages
    {
        apt-cache show $wanted >/dev/null 2>&1 || $apt update
        wanted=$(as_called_here $wanted | tr '\n' ' ')
        $apt install -y $wanted || { $apt update && $apt install -y $wanted; }
    } || how_else "$wanted"
}

case "${1:-}" in
install)
    shift
    install "$@"
    case " $* " in *" formats "*) fetch_readers ;; esac
    ;;
python) python "${2:-}" || true ;;
has)
    compiler=${CC:-cc}
    if has_header "${2:-}"; then echo yes; fi
    ;;
*)
    echo "usage: $0 install [python3] [pytest] [guests] [libraries] [models] [mariadb] [mariadb-guests] [zookeeper] [zookeeper-guests]" \
        "[bubblewrap] [formats] [clang] [lint] [node] [site] [browser]" \
        "| python [MODULE] | has HEADER" >&2
    exit 2
    ;;
esac
