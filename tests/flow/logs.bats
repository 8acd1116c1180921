# The logs of the built-in writer: read while they grow, moved, from several machines, of processes
# that end in any way.
load helper

setup() {
    note_what_is_there
    cd "$BATS_TEST_TMPDIR" || return
}

count_calls() { # RECORDING OPERATOR
    optally tally --json "$1" >"$BATS_TEST_TMPDIR/tally.json" &&
        /usr/bin/python3 "$BATS_TEST_DIRNAME/facts.py" tally "$BATS_TEST_TMPDIR/tally.json" calls "$2"
}

has_calls() { # RECORDING OPERATOR COUNT
    [[ $(count_calls "$1" "$2" 2>/dev/null) == "$3" ]]
}

@test "a recording needs no daemon and leaves nothing but its folder" {
    local status=0
    env PATH=/nonexistent XDG_RUNTIME_DIR="$run_dir" "$optally" record -o "$(trace alone)" -- \
        "$fake_program" "$fake_torch" 100 >stdout 2>stderr || status=$?
    assert_eq "$status" 5 "exit status"
    assert_nothing_left
    assert_eq "$(find "$(trace alone)" -type f -printf '%f\n' | grep -v 'oplog$' | sort | xargs)" \
        "optally.clock optally.recording" "files"
    assert_eq "$(find "$(trace alone)" -name '*.oplog' | wc -l)" 1 "logs"
}

@test "a recording can be read while the program runs" {
    record_in_background running --no-tally -- "$fake_program" "$fake_torch" 5000 3
    assert_eq "$(count_calls "$(trace running)" fake::operator)" 5000 "calls so far"
    optally trace "$(trace running)" >events
    assert_eq "$(wc -l <events)" 10000 "events so far"
    optally export --ctf so-far "$(trace running)"
    assert_eq "$(babeltrace2 so-far | wc -l)" 10000 "events of an export"
    await_record running
    assert_status running 5
    assert_calls running fake::operator 5000
    assert_calls running fake::late 5000
    assert_complete running
}

@test "a copy of the folder, elsewhere, reads the same" {
    record here --no-tally -- "$fake_program" "$fake_torch" 500
    cp -r "$(trace here)" copied
    mkdir -p "deep/er with space"
    mv copied "deep/er with space/moved"
    diff <(optally trace "$(trace here)") <(optally trace "deep/er with space/moved")
    diff <(optally tally "$(trace here)") <(optally tally "deep/er with space/moved")
    # One log alone, too.
    diff <(optally tally "$(trace here)") <(optally tally "deep/er with space/moved"/*.oplog)
}

# As another machine would have written them: its name, and its boot.
pretend_host() { # RECORDING NAME
    local log
    for log in "$1"/*.oplog; do
        # base/oplog.h: where host_name and boot_id are in the header.
        head -c 72 /dev/zero | dd of="$log" bs=1 seek=48 conv=notrunc status=none
        printf '%s' "$2" | dd of="$log" bs=1 seek=48 conv=notrunc status=none
        printf '%s' 11111111-2222-3333-4444-555555555555 |
            dd of="$log" bs=1 seek=120 conv=notrunc status=none
    done
    sed -i 's/^boot .*/boot 11111111-2222-3333-4444-555555555555/' "$1/optally.clock"
}

@test "recordings of two machines are read together" {
    record one --no-tally -- "$fake_program" "$fake_torch" 200
    record two --no-tally -- "$fake_program" "$fake_torch" 300
    pretend_host "$(trace two)" other
    optally tally "$(trace one)" "$(trace two)" >both
    assert_matches "$(head -n 1 both)" "BACKEND_PYTORCH | 2 Hostnames | 2 Processes | 2 Threads | "
    grep -qE 'fake::operator .* 500 ' both
    optally export --ctf out "$(trace one)" "$(trace two)"
    assert_eq "$(ls out)" "$(printf '%s\n' "$(uname -n)" optally.export other | LC_ALL=C sort)" "hosts"
    assert_eq "$(babeltrace2 out | wc -l)" 1000 "events"
    diff both <(babeltrace2 --plugin-path="$OPTALLY_BUILD/lib/optally/babeltrace2" out \
        -c filter.optally.interval -c sink.optally.tally)
}

@test "a process that outlives the recording goes on being recorded" {
    record daemon --no-tally -- sh -c \
        "setsid '$fake_program' '$fake_torch' 1000 2 >/dev/null 2>&1 & sleep 0.5"
    assert_status daemon 0
    assert_eq "$(count_calls "$(trace daemon)" fake::operator)" 1000 "calls when the recording ended"
    eventually 10 has_calls "$(trace daemon)" fake::late 1000
    # What is asked of the daemon is over; nothing of the recorder waited for it.
    assert_nothing_left 5
    assert_complete daemon
}

@test "SIGKILL of record leaves logs that read whole" {
    record_in_background gone -- "$fake_program" "$fake_torch" 1000 1
    kill -KILL "$record_pid"
    await_record gone
    eventually 10 has_calls "$(trace gone)" fake::late 1000
    assert_eq "$(tally_fact gone complete kind)" exact "completeness"
    assert_nothing_left 5
}

@test "a program that is killed with all its children leaves logs that read whole" {
    record killed --no-tally -- sh -c "
        '$fake_program' '$fake_torch' 1000 30 & one=\$!
        '$fake_program' '$fake_torch' 2000 30 & two=\$!
        sleep 0.5
        kill -KILL \$one \$two \$\$"
    assert_status killed 137
    assert_calls killed fake::operator 3000
    assert_complete killed
}

@test "several programs at once have a log each" {
    record several --no-tally -- sh -c "for i in 1 2 3 4 5 6 7 8; do
        '$fake_program' '$fake_torch' \${i}00 & done; wait"
    assert_calls several fake::operator 3600
    assert_complete several
    assert_eq "$(find "$(trace several)" -name '*.oplog' | wc -l)" 8 "logs"
}

@test "a process that executes itself has a log for each time" {
    record again --no-tally -- sh -c "
        '$fake_program' '$fake_torch' 10
        exec '$fake_program' '$fake_torch' 20"
    assert_calls again fake::operator 30
    record self --no-tally -- /usr/bin/python3 -c "
import ctypes, os, sys
ctypes.CDLL(sys.argv[1]).fake_torch_run(b'fake::operator', 100)
n = int(sys.argv[2])
if n:
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:-1], str(n - 1)])
" "$fake_torch" 4
    assert_status self 0
    assert_calls self fake::operator 500
    assert_eq "$(facts processes self | wc -l)" 1 "processes"
    assert_eq "$(find "$(trace self)" -name '*.oplog' | wc -l)" 5 "logs"
    assert_complete self
}

@test "children that fork, close everything and leave without a word are recorded" {
    record forks --no-tally -- /usr/bin/python3 -c "
import ctypes, os, sys, threading
run = ctypes.CDLL(sys.argv[1]).fake_torch_run
run(b'fake::parent', 10)
for i in range(10):
    if os.fork() == 0:
        os.closerange(0, 65536)
        thread = threading.Thread(target=run, args=(b'fake::thread', 10))
        thread.start()
        run(b'fake::child', 10)
        thread.join()
        if os.fork() == 0:
            run(b'fake::grandchild', 10)
        os._exit(0)
    os.wait()
    run(b'fake::parent', 10)
" "$fake_torch"
    assert_status forks 0
    # The last grandchildren may still be at it.
    eventually 5 has_calls "$(trace forks)" fake::grandchild 100
    assert_calls forks fake::parent 110
    assert_calls forks fake::child 100
    assert_calls forks fake::thread 100
    assert_complete forks
}

@test "a folder that is taken away stops the recording and not the program" {
    record removed --no-tally -- sh -c "'$fake_program' '$fake_torch' 100000 0.8 &
        sleep 0.4; rm -r '$(trace removed)'; wait \$!"
    assert_status removed 5
    assert_matches "$(err removed)" "*stopped recording: *"
    assert_matches "$(err removed)" "*was removed while the program ran*"
}

@test "a folder that becomes read-only: later processes are not recorded, and that is said" {
    local home
    home=$(mktemp -d /tmp/ot-user.XXXXXX)
    mkdir "$home/bin" "$home/lib" "$home/run"
    cp "$optally" "$fake_program" "$home/bin"
    cp -r "$OPTALLY_BUILD/lib/optally" "$home/lib"
    cp -r "$OPTALLY_BUILD/tests/flow/fake" "$home"
    local as_user=()
    if is_root; then
        chown -R 65534:65534 "$home"
        as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    fi
    local status=0
    (cd "$home" && "${as_user[@]}" env HOME="$home" XDG_RUNTIME_DIR="$home/run" bin/optally record \
        --no-tally -o trace -- sh -c 'bin/fake_program fake/lib/libtorch_cpu.so 100
            chmod 555 trace; exec bin/fake_program fake/lib/libtorch_cpu.so 200') \
        2>stderr >stdout || status=$?
    chmod 755 "$home/trace"
    cp -r "$home/trace" "$(trace locked)"
    rm -r "$home"
    cat stderr
    assert_eq "$status" 5 "exit status"
    assert_eq "$(grep -c '^optally record: warning: 1 process with PyTorch was not traced: cannot make .*: Permission denied' stderr)" 1
    assert_eq "$(count_calls "$(trace locked)" fake::operator)" 100 "calls"
    assert_eq "$(tally_fact locked complete kind)" lower_bound "completeness"
}

@test "a log that is cut short is read to its end, and that is said" {
    record cut --no-tally -- "$fake_program" "$fake_torch" 30000
    truncate -s -100000 "$(trace cut)"/*.oplog
    run --separate-stderr optally tally --json "$(trace cut)"
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_matches "$output" '*"kind":"lower_bound"*'
    assert_matches "$stderr" "optally tally: warning: *"
    # Nothing of it is left but a piece of its header.
    truncate -s 1000 "$(trace cut)"/*.oplog
    run --separate-stderr optally tally "$(trace cut)"
    assert_matches "$output$stderr" "*1 input could not be read to its end*"
    run optally tally --strict "$(trace cut)"
    assert_eq "$status" 1 "exit status of --strict"
}

@test "a log whose events are overwritten by something else: one line, and no crash" {
    record scribbled --no-tally -- "$fake_program" "$fake_torch" 30000
    head -c 65536 /dev/urandom |
        dd of="$(echo "$(trace scribbled)"/*.oplog)" bs=65536 seek=3 conv=notrunc status=none
    local verb
    for verb in tally trace analyze "export --ctf $BATS_TEST_TMPDIR/out"; do
        # shellcheck disable=SC2086
        run --separate-stderr optally $verb "$(trace scribbled)"
        assert_eq "$status" 1 "exit status of $verb ($stderr)"
        assert_matches "$stderr" "optally ${verb%% *}: $(trace scribbled)/*.oplog: chunk 2, *"
        assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr"
    done
    [[ ! -e out ]]
    run --separate-stderr optally tally --recover --csv "$(trace scribbled)"
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_matches "$output" "*fake::operator,*"
    optally export --recover --ctf out "$(trace scribbled)" 2>stderr
    assert_matches "$(cat stderr)" "*the recording is not whole*"
    (($(babeltrace2 out | wc -l) > 10000))
}

@test "two recordings into one folder: the second is refused, the first is whole" {
    record_in_background first --no-tally -- "$fake_program" "$fake_torch" 1000 1
    optally record -o "$(trace first)" -- true 2>stderr
    assert_matches "$(cat stderr)" "optally record: $(trace first) exists: *"
    await_record first
    assert_calls first fake::operator 1000
}
