# An operator that begins on one thread and ends on another; programs/jit.py says how.
load helper

setup_file() {
    load helper
    have_python || return 0
    record jit -- "$python" "$programs/jit.py"
}

setup() {
    need_python
}

@test "a scripted function that waits for a fork gives its result" {
    assert_status jit 0
    assert_eq "$(out jit)" "result 1000.0" "output"
}

@test "it begins on one thread and ends on another, as the trace shows" {
    assert_eq "$(facts calls jit patient)" "3 3" "entries and exits of patient"
    local stolen
    stolen=$(facts stolen jit patient)
    ((stolen >= 1 && stolen <= 3)) || {
        echo "$stolen of 3 ended on another thread: the program does not do what it is for"
        return 1
    }
}

@test "what was torn apart is reported, not dropped in silence" {
    local stolen
    stolen=$(facts stolen jit patient)
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
    run optally tally "$(trace jit)"
    assert_eq "$status" 0
    run optally tally --strict "$(trace jit)"
    assert_eq "$status" 1
}

@test "self times fit into wall time although calls are torn apart" {
    assert_self_fits_wall jit
}
