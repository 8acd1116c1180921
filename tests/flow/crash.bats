# Nothing that happened before a SIGKILL is missing from the log, and nothing in it is torn.
load helper

setup_file() {
    load helper
    have_python || return 0
    record crash --no-tally -- "$python" "$programs/crash.py" 100
}

setup() {
    need_python
}

@test "of 100 processes that are killed, each log has all that was done, and reads whole" {
    assert_status crash 0
    assert_eq "$(out crash | wc -l)" 400 "threads that were killed"
    OPTALLY=$optally /usr/bin/python3 "$programs/crash_check.py" "$(trace crash)" \
        "$BATS_FILE_TMPDIR/crash.out"
}

@test "the recording reads as a whole, too" {
    assert_eq "$(tally_fact crash complete unmatched_exits)" 0 "exits without entry"
    assert_eq "$(tally_fact crash complete discarded_events)" 0 "lost events"
    assert_eq "$(optally tally --json --by process "$(trace crash)" 2>/dev/null |
        grep -o '"process":[0-9]*' | sort -u | wc -l)" 100 "processes"
}
