# An operator that begins on one thread and ends on another; programs/jit.py says how.
load helper

setup_file() {
    load helper
    have_python || return 0
    record jit -- "$python" "$programs/jit.py"
    ! is_builtin || record crossing -- "$python" "$programs/jit_crossing.py"
}

setup() {
    need_python
}

# How many of `patient` ended on another thread than they began on.
stolen() {
    if is_builtin; then
        optally trace "$(trace jit)" | grep -c 'op_exit: { name: "patient", .*ended_on_vtid: '
    else
        facts stolen jit patient
    fi
}

@test "a scripted function that waits for a fork gives its result" {
    assert_status jit 0
    assert_eq "$(out jit)" "result 1000.0" "output"
}

@test "it begins on one thread and ends on another, as the trace shows" {
    assert_eq "$(facts calls jit patient)" "3 3" "entries and exits of patient"
    local stolen
    stolen=$(stolen)
    ((stolen >= 1 && stolen <= 3)) || {
        echo "$stolen of 3 ended on another thread: the program does not do what it is for"
        return 1
    }
}

@test "the built-in writer tears nothing apart" {
    is_builtin || skip "the lttng writer's events do not say which call an exit ends"
    assert_eq "$(tally_fact jit complete kind)" exact "completeness"
    assert_eq "$(tally_fact jit complete unmatched_exits)" 0 "unmatched exits"
    assert_eq "$(tally_fact jit complete unclosed_entries)" 0 "unclosed entries"
    assert_eq "$(tally_fact jit get patient calls)" 3 "calls"
    assert_eq "$(tally_fact jit get patient errors)" 0 "errors"
    # What it waited for is part of it: each waits for 2000 neg.
    assert_eq "$(complaints jit)" "" "complaints"
}

@test "calls that end in another order than they began in reverse are told apart, too" {
    is_builtin || skip "the lttng writer's events do not say which call an exit ends"
    assert_status crossing 0
    assert_eq "$(out crossing)" "result 3000.0" "output"
    assert_eq "$(tally_fact crossing complete kind)" exact "completeness"
    assert_eq "$(tally_fact crossing calls aten::neg)" 7500 "calls of neg"
    assert_eq "$(tally_fact crossing calls '<forked function>')" 30 "forked functions"
    optally trace "$(trace crossing)" | grep -q 'op_exit: { name: "<forked function>", .*ended_on_vtid: '
    # What CTF cannot say is said.
    run --separate-stderr optally export --ctf "$BATS_TEST_TMPDIR/out" "$(trace crossing)"
    assert_matches "$stderr" "optally export: note: * ended while calls that began later were open: *"
    assert_eq "$(babeltrace2 "$BATS_TEST_TMPDIR/out" | grep -c '_entry\|_exit')" \
        "$(optally trace "$(trace crossing)" | wc -l)" "events"
}

@test "of the lttng writer's recording, what was torn apart is reported, not dropped in silence" {
    is_builtin && skip "the built-in writer tears nothing apart"
    local stolen
    stolen=$(stolen)
    assert_eq "$(tally_fact jit complete unmatched_exits)" "$stolen" "unmatched exits"
    assert_eq "$(tally_fact jit complete unclosed_entries)" "$stolen" "unclosed entries"
    assert_eq "$(tally_fact jit complete kind)" lower_bound "completeness"
    assert_matches "$(err jit)" "*$stolen call* ended that were never seen to begin*"
    assert_matches "$(err jit)" "*$stolen call* began that were never seen to end (patient)*"
    assert_eq "$(tally_fact jit get patient errors)" "$stolen" "errors"
}

@test "every other operator's count is right" {
    assert_calls jit aten::neg 6000
    assert_calls jit aten::abs 3
    assert_calls jit aten::sin 11
    assert_calls jit "<forked function>" 3
}

@test "incompleteness changes no exit status unless --strict" {
    local incomplete=1
    is_builtin && incomplete=0
    run optally tally "$(trace jit)"
    assert_eq "$status" 0
    run optally tally --strict "$(trace jit)"
    assert_eq "$status" $incomplete
}

@test "self times fit into wall time although calls end elsewhere" {
    assert_self_fits_wall jit
}
