# The live view of a recording: of a fake program that runs operators, says "ready", waits, and runs
# others; on a real terminal (tmux) and without one.
load helper
load terminal

teardown() {
    end_terminal
    if [[ ${record_pid:-} ]]; then
        kill "$record_pid" 2>/dev/null || true
        wait "$record_pid" 2>/dev/null || true
    fi
}

# run_program NAME COUNT SECONDS: in the background, once it has run its first COUNT operators.
run_program() {
    record_in_background "$1" --no-tally -- "$fake_program" "$fake_torch" "$2" "$3"
}

# --- without a terminal ------------------------------------------------------------------------

@test "--once prints what runs, and what has run in the window" {
    run_program once 2000 30
    run optally top --once --window 60 "$(trace once)"
    echo "$output"
    assert_eq "$status" 0
    [[ ${lines[0]} == "optally top: "*"fake_program"*"running"* ]]
    grep -q '1 process  1 thread ' <<<"$output"
    grep -qE '^ +[0-9.]+% .* fake::operator$' <<<"$output"
    ! grep -q lost <<<"$output"
}

@test "JSON counts every call of the window" {
    run_program json 2000 30
    optally top --json --window 60 "$(trace json)" >"$BATS_TEST_TMPDIR/top.json"
    run /usr/bin/python3 -c '
import json, sys
top = json.load(open(sys.argv[1]))
row, = top["operators"]
thread, = top["threads"]
print(top["state"], row["name"], row["calls"], thread["calls"], top["events"], thread["in"])
assert 0 < row["self_ns"] == row["inclusive_ns"] == thread["busy_ns"] <= top["window_ns"]
' "$BATS_TEST_TMPDIR/top.json"
    assert_eq "$output" "running fake::operator 2000 2000 4000 None"
}

@test "where there is no terminal it prints once; --by and --sort choose" {
    run_program plain 100 30
    run optally top --by thread --sort calls --window 60 "$(trace plain)"
    echo "$output"
    assert_eq "$status" 0
    grep -q '^threads by calls, last ' <<<"$output"
    grep -qE ' fake_program +-$' <<<"$output"
}

@test "the newest recording that runs is the one that is meant" {
    cd "$BATS_TEST_TMPDIR"
    run optally top --once
    assert_eq "$status" 1
    assert_eq "$output" "optally top: no recording runs in optally-data: start one with optally record, or name its folder"
    optally record --no-tally -o optally-data/2-ended -- "$fake_program" "$fake_torch" 1 \
        >/dev/null 2>&1 || true
    run optally top --once
    assert_eq "$status" 1
    env XDG_RUNTIME_DIR="$run_dir" "$optally" record --no-tally -o optally-data/1-runs -- \
        "$fake_program" "$fake_torch" 10 30 >out 2>err 3>&- &
    record_pid=$!
    eventually 10 grep -qs ready out
    run optally top --json
    assert_matches "$output" '{"recording":"optally-data/1-runs",*'
}

@test "of a recording that has ended it shows the last seconds" {
    record ended --no-tally -- "$fake_program" "$fake_torch" 500
    run optally top --once "$(trace ended)"
    echo "$output"
    assert_eq "$status" 0
    grep -q ' ended ' <<<"$output"
    grep -q ' 0 of 1 process ' <<<"$output"
    grep -q ' fake::operator$' <<<"$output"
}

@test "what cannot be watched is one line" {
    cd "$BATS_TEST_TMPDIR"
    mkdir empty lttng
    printf 'optally recording 1\nwriter lttng\ncommand x\n' >lttng/optally.recording
    touch file
    run optally top --once empty
    assert_eq "$status $output" "1 optally top: empty: not a recording of optally"
    run optally top --once lttng
    assert_eq "$status $output" "1 optally top: lttng: a recording of the writer 'lttng': only those of the built-in writer can be watched"
    run optally top --once gone
    assert_eq "$status $output" "1 optally top: gone: No such file or directory"
    run optally top --once file
    assert_eq "$status $output" "1 optally top: file: not a folder: give that of a recording"
}

@test "misuse is one line and exit status 2" {
    for args in '--window 0 x' '--window nan x' '--interval 1s x' '--sort x y' '--by x y' 'a b'; do
        # shellcheck disable=SC2086
        run optally top $args
        assert_eq "$status" 2 "status of $args"
        assert_eq "${#lines[@]}" 1 "lines of $args"
    done
}

# --- in a terminal -----------------------------------------------------------------------------

@test "the view lives, keys choose what it shows, and q gives the terminal back" {
    need_tmux
    run_program live 2000 5
    open_terminal 80 24
    press "$optally top --window 60 --interval 0.2 '$(trace live)'" Enter
    await_screen fake::operator
    shows running
    shows 'operators by self, last '
    press s
    await_screen 'operators by calls, '
    press t t
    await_screen 'threads by calls, '
    await_screen fake_program
    press t '?'
    await_screen 'scroll'
    press '?'
    await_screen fake::late
    await_screen ' ended '
    press q
    assert_terminal_is_back 0
}

@test "it fits into a small terminal, also one that becomes small" {
    need_tmux
    run_program small 100 60
    open_terminal 100 30
    press "$optally top --window 60 '$(trace small)'" Enter
    await_screen fake::operator
    in_tmux resize-window -x 40 -y 10
    await_screen 'operators by self, '
    eventually 5 shows '  Self%  Calls/s Operator'
    shows fake::operator
    press p
    await_screen paused
    press q
    assert_terminal_is_back 0
}

@test "the terminal is given back while it is stopped, and by every signal that ends it" {
    need_tmux
    run_program stopped 100 60
    open_terminal 80 24
    press "$optally top --window 60 '$(trace stopped)'" Enter
    await_screen fake::operator
    press C-z
    await_screen Stopped
    press 'clear; echo between; fg' Enter
    await_screen fake::operator
    ! shows between
    press C-c
    assert_terminal_is_back 130
    local signal
    for signal in TERM HUP; do
        press "clear; $optally top --window 60 '$(trace stopped)'" Enter
        await_screen fake::operator
        kill -s "$signal" "$(pgrep -f "^$optally top .*$(trace stopped)")"
        assert_terminal_is_back $((128 + $(kill -l "$signal")))
    done
}

@test "a folder that goes ends it with one line" {
    need_tmux
    run_program goes 100 60
    open_terminal 80 24
    cp -r "$(trace goes)" "$BATS_TEST_TMPDIR/copy"
    press "$optally top --window 60 --interval 0.2 '$BATS_TEST_TMPDIR/copy'" Enter
    await_screen fake::operator
    rm -r "$BATS_TEST_TMPDIR/copy"
    await_screen 'No such file or directory'
    assert_terminal_is_back 1
}

@test "a terminal of a type that nobody knows is one line" {
    need_tmux
    run_program type 100 60
    open_terminal 80 24
    press "TERM=nonsense $optally top '$(trace type)'" Enter
    await_screen "cannot draw in a terminal of type 'nonsense' (TERM): --once prints"
    assert_terminal_is_back 1
    press "TERM=dumb $optally top '$(trace type)'" Enter
    await_screen "cannot draw in a terminal of type 'dumb' (TERM)"
    assert_terminal_is_back 1
}
