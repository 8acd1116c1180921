# A recording and session daemons that are none of its own.
load helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    note_what_is_there
}

# Starts a session daemon with a session that wants every event, records the fake program beside
# it, and prints what became of the daemon. $1: where it keeps its files.
cat >"$BATS_FILE_TMPDIR/beside" <<'SH'
set -eu
home=$1 optally=$2 fake_program=$3 fake_torch=$4 writer=$5
export LTTNG_HOME=$home
lttng-sessiond --daemonize --no-kernel
trap 'kill "$(cat "$pid_file")"; while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done' EXIT
if [ "$(id -u)" = 0 ]; then pid_file=/run/lttng/lttng-sessiond.pid; else pid_file=$home/.lttng/lttng-sessiond.pid; fi
pid=$(cat "$pid_file")
{
    lttng create foreign --output="$home/foreign"
    lttng enable-event --userspace --all
    lttng start
} >&2
before=$(lttng list foreign)
status=0
"$optally" record --writer "$writer" --no-tally -o "$home/trace" -- "$fake_program" "$fake_torch" 50 >&2 || status=$?
echo "status $status"
kill -0 "$pid" && echo "the daemon runs"
[ "$before" = "$(lttng list foreign)" ] && echo "its session is as it was"
lttng stop foreign >&2
lttng destroy foreign >&2
echo "events in its trace: $(find "$home/foreign" -name 'chan*' -size +0 | wc -l)"
echo "events in ours: $(babeltrace2 "$home/trace" | wc -l)"
SH

expected="status 5
the daemon runs
its session is as it was
events in its trace: 0
events in ours: 100"

@test "root's session daemon that runs already is never touched" {
    need_mounts "a session daemon of root, out of everybody's way"
    mkdir home
    run --separate-stderr unshare -m sh -c '
        mount -t tmpfs none /run && mkdir /run/lttng && mount -t tmpfs none /dev/shm && exec sh "$@"' \
        sh "$BATS_FILE_TMPDIR/beside" "$PWD/home" "$optally" "$fake_program" "$fake_torch" \
        "$OPTALLY_TEST_WRITER"
    echo "$stderr"
    assert_eq "$output" "$expected"
}

@test "an ordinary user's session daemon that runs already is never touched" {
    local home as_user=()
    home=$(mktemp -d /tmp/ot-user.XXXXXX)
    mkdir "$home/bin" "$home/lib" "$home/run"
    cp "$optally" "$fake_program" "$BATS_FILE_TMPDIR/beside" "$home/bin"
    cp -r "$OPTALLY_BUILD/lib/optally" "$home/lib"
    cp -r "$OPTALLY_BUILD/tests/flow/fake" "$home"
    if is_root; then
        chown -R 65534:65534 "$home"
        as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    fi
    cd "$home"
    run --separate-stderr "${as_user[@]}" env HOME="$home" XDG_RUNTIME_DIR="$home/run" \
        sh bin/beside "$home" bin/optally bin/fake_program fake/lib/libtorch_cpu.so \
        "$OPTALLY_TEST_WRITER"
    # What the daemon in the way waited on; a daemon leaves it.
    is_root && rm -f /dev/shm/lttng-ust-wait-8-65534
    local left
    left=$(ls "$home/run")
    cd /
    rm -r "$home"
    echo "$stderr"
    assert_eq "$output" "$expected"
    assert_eq "$left" "" "files left"
}

@test "root's daemon in the way and no right to step aside: one line, the program runs" {
    need_mounts "a session daemon of root, out of everybody's way"
    cat >script <<'SH'
mount -t tmpfs none /run && mkdir /run/lttng && mount -t tmpfs none /dev/shm
lttng-sessiond --daemonize --no-kernel
setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$@"
echo "status $?"
pid=$(cat /run/lttng/lttng-sessiond.pid)
kill -0 "$pid" && echo "the daemon runs"
kill "$pid"
while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
SH
    run --separate-stderr unshare -m sh script env XDG_RUNTIME_DIR="$run_dir" \
        "$optally" record --writer lttng -o t -- sh -c 'exit 5'
    echo "$stderr"
    assert_eq "$output" "status 5
the daemon runs"
    assert_eq "$(grep -c '^optally' <<<"$stderr")" 1 "lines"
    assert_matches "$stderr" "*optally record: an lttng-sessiond of root runs already*; the program runs without being recorded*"
    [[ ! -e t ]]
    assert_nothing_left
}

@test "root without the right to mount records all the same where nobody is in the way" {
    need_mounts "a machine without a session daemon"
    cat >script <<'SH'
mount -t tmpfs none /run && mount -t tmpfs none /dev/shm
setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$@"
echo "status $?"
ls -d /run/lttng
ls -A /dev/shm
SH
    run --separate-stderr unshare -m sh script env XDG_RUNTIME_DIR="$run_dir" \
        "$optally" record --writer lttng --no-tally -o t -- "$fake_program" "$fake_torch" 50
    echo "$stderr"
    assert_eq "$output" "errno changed 0
status 5"
    assert_eq "$(babeltrace2 t | wc -l)" 100 "events"
    assert_nothing_left
}

# Two recordings, the first of which makes /run/lttng and ends while the second runs.
overlap='
mount -t tmpfs none /run && mount -t tmpfs none /dev/shm
"$1" record --writer lttng --no-tally -o one -- "$2" "$3" 50 2 &
sleep 1
"$1" record --writer lttng --no-tally -o two -- "$2" "$3" 50 4
wait
ls -d /run/lttng
ls -A /dev/shm'

@test "recordings of root that overlap do not disturb each other" {
    need_mounts "a machine without /run/lttng"
    run --separate-stderr env XDG_RUNTIME_DIR="$run_dir" \
        unshare -m sh -c "$overlap" sh "$optally" "$fake_program" "$fake_torch"
    echo "$output"
    echo "$stderr"
    assert_eq "$(babeltrace2 one | wc -l)" 200 "events of the first"
    assert_eq "$(babeltrace2 two | wc -l)" 200 "events of the second"
    assert_eq "$(grep -v -e ready -e errno <<<"$output")" "" "what is left"
    assert_eq "$(grep '^optally record' <<<"$stderr")" "" "complaints"
    assert_nothing_left
}
