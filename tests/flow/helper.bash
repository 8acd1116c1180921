# What the tests of recording share. ctest hands over (CMakeLists.txt):
#   OPTALLY_BUILD            the build tree, which has the shape of an installed one
#   OPTALLY_TEST_WRITER      what --writer is given
#   OPTALLY_TEST_PYTHON      an interpreter, and
#   OPTALLY_TEST_TORCH       the version its PyTorch begins with (tests of one interpreter only)
#
# `record NAME ...` makes a recording once, in setup_file as a rule; the tests then look at
# trace NAME, out NAME, err NAME and status NAME; ctf NAME is what the stock babeltrace2 reads.

: "${OPTALLY_BUILD:?is not set: run these tests through ctest}"
: "${OPTALLY_TEST_WRITER:=builtin}"
: "${OPTALLY_TEST_PYTHON:=}" "${OPTALLY_TEST_TORCH:=}"

bats_require_minimum_version 1.5.0

programs=$BATS_TEST_DIRNAME/programs
python=$OPTALLY_TEST_PYTHON
optally=$OPTALLY_BUILD/bin/optally
fake_torch=$OPTALLY_BUILD/tests/flow/fake/lib/libtorch_cpu.so
fake_program=$OPTALLY_BUILD/tests/flow/fake_program

# Where optally puts sockets and the like. It is short, since names of sockets are (optally turns to
# /tmp otherwise), and this file's alone, so that what is left there was left by these tests.
run_dir=/tmp/ot-flow-$(cksum <<<"$BATS_FILE_TMPDIR" | cut -d' ' -f1)
mkdir -p -m 700 "$run_dir"

# --- interpreters ------------------------------------------------------------------------------

have_python() {
    [[ -x $python ]]
}

# ctest looks for these words and reports the whole file as skipped (CMakeLists.txt).
need_python() {
    have_python || skip "no interpreter for PyTorch $OPTALLY_TEST_TORCH: ${python:-none named} (tools/setup makes it)"
}

is_root() {
    [[ $(id -u) == 0 ]]
}

need_root() {
    is_root || skip "needs root: $1"
}

# Root in a container may lack the right to mount.
need_mounts() {
    need_root "$1"
    unshare -m true 2>/dev/null || skip "no mount namespaces are allowed here: $1"
}

# --- recording ---------------------------------------------------------------------------------

is_builtin() { [[ $OPTALLY_TEST_WRITER == builtin ]]; }

trace() { echo "$BATS_FILE_TMPDIR/$1"; }
out() { cat "$BATS_FILE_TMPDIR/$1.out"; }
err() { cat "$BATS_FILE_TMPDIR/$1.err"; }
status() { cat "$BATS_FILE_TMPDIR/$1.status"; }

# The command optally in the environment of these tests. What it starts inherits the marker
# XDG_RUNTIME_DIR, which is how assert_nothing_left finds it.
#
# A recording that hangs is ended, so that the test fails and the next one can run.
optally() {
    timeout --foreground -k 5 60 env XDG_RUNTIME_DIR="$run_dir" "$optally" "$@"
}

# record NAME [OPTION...] -- COMMAND...
record() {
    local name=$1 status=0
    shift
    optally record --writer "$OPTALLY_TEST_WRITER" -o "$(trace "$name")" "$@" \
        >"$BATS_FILE_TMPDIR/$name.out" 2>"$BATS_FILE_TMPDIR/$name.err" 3>&- || status=$?
    echo "$status" >"$BATS_FILE_TMPDIR/$name.status"
}

# Starts it and comes back when the program has said "ready"; $record_pid is optally's.
record_in_background() {
    local name=$1
    shift
    env XDG_RUNTIME_DIR="$run_dir" "$optally" record --writer "$OPTALLY_TEST_WRITER" \
        -o "$(trace "$name")" "$@" \
        >"$BATS_FILE_TMPDIR/$name.out" 2>"$BATS_FILE_TMPDIR/$name.err" 3>&- &
    record_pid=$!
    eventually 30 grep -qs ready "$BATS_FILE_TMPDIR/$name.out" || {
        err "$name"
        echo "the program is not ready after 30 seconds"
        return 1
    }
}

# Its exit status goes where record leaves it.
await_record() {
    local status=0
    wait "$record_pid" || status=$?
    echo "$status" >"$BATS_FILE_TMPDIR/$1.status"
}

# as_ctf RECORDING COPY: the recording itself if it is a CTF trace, else its export.
as_ctf() {
    if compgen -G "$1/ust" >/dev/null; then
        echo "$1"
    else
        optally export --ctf "$2" "$1" 2>"$2.err" || {
            cat "$2.err" >&2
            return 1
        }
        echo "$2"
    fi
}

# Made once for each recording.
ctf() {
    local copy=$BATS_FILE_TMPDIR/$1.ctf
    if [[ -d $copy ]]; then
        echo "$copy"
    else
        as_ctf "$(trace "$1")" "$copy"
    fi
}

# stock RECORDING: its events as babeltrace2 prints them.
stock() {
    local copy status=0
    copy=$(mktemp -d "$BATS_TEST_TMPDIR/stock.XXXXXX")
    babeltrace2 "$(as_ctf "$1" "$copy")" || status=$?
    rm -rf "$copy" "$copy.err"
    return $status
}

# Outputs of `optally tally` are kept: several tests look at one.
tally_json() {
    local kept=$BATS_FILE_TMPDIR/$1.tally${2:-}.json
    [[ -s $kept ]] || optally tally --json ${2:+--by "$2"} "$(trace "$1")" >"$kept" || return
    echo "$kept"
}

facts() {
    local question=$1 name=$2
    shift 2
    /usr/bin/python3 "$BATS_TEST_DIRNAME/facts.py" "$question" "$(ctf "$name")" "$@"
}

tally_fact() {
    local name=$1
    shift
    /usr/bin/python3 "$BATS_TEST_DIRNAME/facts.py" tally "$(tally_json "$name")" "$@"
}

# --- asserting ---------------------------------------------------------------------------------

assert_eq() {
    [[ $1 == "$2" ]] && return
    echo "${3:-value}: is      '$1'"
    echo "${3:-value}: must be '$2'"
    return 1
}

assert_status() {
    [[ $(status "$1") == "$2" ]] && return
    echo "exit status of $1: is $(status "$1"), must be $2; it said:"
    err "$1"
    return 1
}

# assert_calls NAME OPERATOR COUNT: in the stock reader's text and in our tally.
assert_calls() {
    assert_eq "$(facts calls "$1" "$2")" "$3 $3" "entries and exits of $2"
    assert_eq "$(tally_fact "$1" calls "$2")" "$3" "calls of $2 in the tally"
}

assert_complete() {
    assert_eq "$(facts unpaired "$1")" 0 "entries and exits without partner"
    assert_eq "$(tally_fact "$1" complete kind)" exact "the tally's completeness"
}

# No thread can have worked for longer than it lived.
assert_self_fits_wall() {
    local tid wall busy seen=0
    local json
    json=$(tally_json "$1" thread)
    declare -A walls=()
    while read -r tid wall; do walls[$tid]=$wall; done < <(facts spans "$1")
    while read -r tid busy; do
        seen=$((seen + 1))
        ((busy > 0 && busy <= ${walls[$tid]:-0})) && continue
        echo "thread $tid: self times add up to $busy ns, its events span ${walls[$tid]:-0} ns"
        return 1
    done < <(/usr/bin/python3 "$BATS_TEST_DIRNAME/facts.py" tally "$json" busy)
    assert_eq "$seen" "${#walls[@]}" "threads in the tally"
}

# assert_matches TEXT PATTERN: a bash pattern for the whole of it.
assert_matches() {
    # shellcheck disable=SC2053
    [[ $1 == $2 ]] && return
    echo "is:         $1"
    echo "must match: $2"
    return 1
}

# What optally says in one recording besides the tally and the place of the trace.
complaints() {
    grep -E '^optally( |:)' "$BATS_FILE_TMPDIR/$1.err" | grep -v '^optally: the trace is in ' || true
}

assert_one_complaint() {
    local said
    said=$(complaints "$1")
    # shellcheck disable=SC2053
    [[ $(wc -l <<<"$said") == 1 && $said == $2 ]] && return
    echo "complaints of $1 must be one line like: $2"
    echo "it said:"
    err "$1"
    return 1
}

assert_valid_trace() {
    babeltrace2 "$(ctf "$1")" >/dev/null || {
        echo "babeltrace2 does not read the trace of $1"
        return 1
    }
    optally tally "$(trace "$1")" >/dev/null
}

# eventually SECONDS COMMAND...: tries until it succeeds.
eventually() {
    local deadline=$((SECONDS + $1 + 1))
    shift
    until "$@"; do
        ((SECONDS < deadline)) || return 1
        sleep 0.1
    done
}

# --- what is left ------------------------------------------------------------------------------

# Everything that a recording of this file's could leave, one a line.
leftovers() {
    local environ pid
    for environ in /proc/[0-9]*/environ; do
        if grep -qszF "XDG_RUNTIME_DIR=$run_dir" "$environ" 2>/dev/null; then
            pid=${environ//[!0-9]/}
            [[ $pid == "$$" ]] || echo "process $pid $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null || true)"
        fi
    done
    find "$run_dir" -mindepth 1 -printf 'file %p\n'
    awk '/ optally |optally-/ && / - tmpfs optally/ { print "mount", $5 }' /proc/self/mountinfo
}

# What a test that failed has left running would hold up bats, and be held against other tests.
teardown_file() {
    local what pid rest
    while read -r what pid rest; do
        [[ $what != process ]] || kill -KILL "$pid" 2>/dev/null || true
    done < <(leftovers)
    rm -rf "$run_dir"
}

# What others use, too: only what was not there before counts, and others come and go.
shared_places() {
    find /dev/shm -mindepth 1 \( -name '*lttng*' -o -name '*ust*' -o -name '*optally*' \) 2>/dev/null
    # Whoever records beside us, in another test, holds a lock on it.
    [[ ! -e /run/lttng ]] || grep -q "FLOCK.*:$(stat -c %i /run/lttng 2>/dev/null) " /proc/locks ||
        find /run/lttng 2>/dev/null
    [[ ! -e ${HOME:-/nonexistent}/.lttng ]] || find "$HOME/.lttng"
}

note_what_is_there() {
    leftovers_before=$(leftovers | sort)
    places_before=$(shared_places | sort)
}

new_leftovers() {
    comm -13 <(echo "$leftovers_before") <(leftovers | sort)
}

new_in_shared_places() {
    comm -13 <(echo "$places_before") <(shared_places | sort)
}

none_of() {
    [[ -z $("$1") ]]
}

# assert_nothing_left [SECONDS]: since note_what_is_there.
assert_nothing_left() {
    if none_of new_leftovers || eventually "${1:-0}" none_of new_leftovers; then
        eventually 5 none_of new_in_shared_places && return
    fi
    echo "left behind:"
    new_leftovers
    new_in_shared_places
    return 1
}
