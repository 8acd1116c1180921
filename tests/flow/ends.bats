# Every way for a recording to end, and that nothing of it is left afterwards.
load helper

setup() {
    need_python
    note_what_is_there
}

ends=$programs/ends.py

assert_whole() {
    assert_valid_trace "$1"
    assert_calls "$1" aten::neg 20
}

@test "a program that ends well leaves its status 0 and nothing else" {
    record well -- "$python" "$ends" exits 0
    assert_status well 0
    assert_nothing_left
    assert_whole well
    assert_complete well
}

@test "exit status 3 is record's" {
    record three -- "$python" "$ends" exits 3
    assert_status three 3
    assert_nothing_left
    assert_whole three
    assert_eq "$(complaints three)" "" "complaints"
}

@test "death by SIGKILL is status 137, and what was recorded is kept" {
    record killed -- "$python" "$ends" kills-itself 9
    assert_status killed 137
    assert_nothing_left
    assert_whole killed
}

@test "death by SIGABRT is status 134" {
    record aborted -- "$python" "$ends" kills-itself 6
    assert_status aborted 134
    assert_nothing_left
}

@test "SIGTERM to record reaches the program, whose handler ends as it likes" {
    record_in_background term -- "$python" "$ends" handles-term
    kill -TERM "$record_pid"
    await_record term
    assert_status term 9
    assert_matches "$(out term)" "*asked to end"
    assert_nothing_left
    assert_whole term
}

@test "SIGTERM to record ends a program that does not handle it" {
    record_in_background plain -- "$python" "$ends" waits
    kill -TERM "$record_pid"
    await_record plain
    assert_status plain 143
    assert_nothing_left
    assert_whole plain
}

@test "a program that ignores SIGTERM is waited for" {
    record_in_background deaf -- "$python" "$ends" ignores-term
    kill -TERM "$record_pid"
    await_record deaf
    assert_status deaf 0
    assert_nothing_left
    assert_whole deaf
}

@test "SIGINT to record reaches the program once" {
    # Bash starts background jobs with SIGINT ignored; the program installs a handler all the same.
    record_in_background int -- "$python" "$ends" counts-int
    kill -INT "$record_pid"
    await_record int
    assert_status int 1
    assert_matches "$(out int)" "*interrupts 1"
    assert_nothing_left
    assert_whole int
}

@test "Ctrl-C in a terminal is one SIGINT to the program" {
    local status=0
    env XDG_RUNTIME_DIR="$run_dir" /usr/bin/python3 "$programs/in_terminal.py" \
        "$optally" record --writer "$OPTALLY_TEST_WRITER" --no-tally -o "$(trace ctrlc)" -- \
        "$python" "$ends" counts-int >"$BATS_FILE_TMPDIR/ctrlc.err" 3>&- || status=$?
    assert_eq "$status" 1 "exit status ($(err ctrlc))"
    assert_matches "$(tr -d '\r' <"$BATS_FILE_TMPDIR/ctrlc.err")" "*interrupts 1*"
    assert_nothing_left
    assert_whole ctrlc
}

@test "Ctrl-C kills a program that does not handle it, and record says so" {
    local status=0
    env XDG_RUNTIME_DIR="$run_dir" /usr/bin/python3 "$programs/in_terminal.py" \
        "$optally" record --writer "$OPTALLY_TEST_WRITER" --no-tally -o "$(trace ctrlc2)" -- \
        "$python" "$ends" dies-of-int >"$BATS_FILE_TMPDIR/ctrlc2.err" 3>&- || status=$?
    assert_eq "$status" 130 "exit status ($(err ctrlc2))"
    assert_nothing_left
    assert_whole ctrlc2
}

@test "a full disk holds no program up, and what was written can be read" {
    need_mounts "a small file system"
    cd "$BATS_TEST_TMPDIR"
    mkdir small
    SECONDS=0
    unshare -m sh -c '
        mount -t tmpfs -o size=3m none small
        { timeout --foreground -k 5 60 "$@" >stdout 2>stderr; echo $? >status; }
        cp -r small kept' sh \
        env XDG_RUNTIME_DIR="$run_dir" "$optally" record --no-tally --writer "$OPTALLY_TEST_WRITER" \
        -o small/trace -- "$python" "$programs/many.py" 3>&-
    cat stderr
    assert_eq "$(cat status)" 0 "exit status"
    assert_eq "$(cat stdout)" through "output"
    ((SECONDS < 40)) || {
        echo "the program took $SECONDS seconds"
        return 1
    }
    assert_matches "$(cat stderr)" "*No space left on device*"
    stock kept/trace >events
    (($(wc -l <events) > 1000))
    assert_nothing_left 2
}

@test "SIGKILL of record does not disturb the program, and nothing is left when that is through" {
    record_in_background gone -- "$python" "$ends" is-busy 3
    kill -KILL "$record_pid"
    await_record gone
    assert_status gone 137
    eventually 15 grep -q 'not disturbed' "$BATS_FILE_TMPDIR/gone.out"
    assert_nothing_left 5
}
