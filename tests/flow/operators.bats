# Operators one by one; programs/operators.py says how often it calls each.
load helper

setup_file() {
    load helper
    have_python || return 0
    record ops -- "$python" "$programs/operators.py"
    record narrow --scopes backward,user -- "$python" "$programs/operators.py"
    record quiet --no-tally -- "$python" "$programs/operators.py"
}

setup() {
    need_python
}

@test "the interpreter has the PyTorch that it stands for" {
    assert_matches "$("$python" -c 'import torch; print(torch.__version__)')" "$OPTALLY_TEST_TORCH.*"
}

@test "abs is aten::abs around aten::abs.out" {
    # 7 by the program and two by each of 5 isfinite.
    assert_calls ops aten::abs 17
    assert_calls ops aten::abs.out 17
    assert_eq "$(facts inside ops aten::abs aten::abs.out)" 17 "abs.out inside abs"
    local self inclusive out
    self=$(tally_fact ops get aten::abs self_ns)
    inclusive=$(tally_fact ops get aten::abs inclusive_ns)
    out=$(tally_fact ops get aten::abs.out inclusive_ns)
    ((self > 0 && self < inclusive && out < inclusive && self + out <= inclusive)) || {
        echo "abs: self $self, inclusive $inclusive; abs.out: inclusive $out"
        return 1
    }
}

@test "the trace verb shows the four events of an abs" {
    optally trace "$(trace ops)" | grep -m 1 -A 5 'op_entry: .*name: "aten::abs"' >"$BATS_TEST_TMPDIR/lines"
    cat "$BATS_TEST_TMPDIR/lines"
    local pid at='[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{9} - [^ ]+ - vpid: [0-9]+, vtid: [0-9]+ - lttng_ust_pytorch:'
    pid=$(facts processes ops | cut -d' ' -f1)
    grep -qE "^${at}op_entry: \{ name: \"aten::abs\", overload_name: \"out\" \}$" "$BATS_TEST_TMPDIR/lines"
    grep -qE "^${at}op_exit: \{ name: \"aten::abs\", overload_name: \"out\" \}$" "$BATS_TEST_TMPDIR/lines"
    grep -q "vpid: $pid, vtid: $pid " "$BATS_TEST_TMPDIR/lines"
}

@test "an operator inside itself has its own call and duration" {
    assert_calls ops aten::isfinite 15
    assert_eq "$(facts inside ops aten::isfinite aten::isfinite)" 10 "isfinite inside isfinite"
    assert_eq "$(facts longer-inside ops)" 0
    # An inner call's time is no self time of the outer one: self times do not count twice.
    local self inclusive
    self=$(tally_fact ops get aten::isfinite self_ns)
    inclusive=$(tally_fact ops get aten::isfinite inclusive_ns)
    ((self > 0 && self < inclusive)) || {
        echo "isfinite: self $self, inclusive $inclusive"
        return 1
    }
    assert_self_fits_wall ops
}

@test "an operator that raises has its entry and its exit" {
    assert_eq "$(out ops)" "raised 5" "output"
    assert_calls ops aten::sub.Tensor 3
    assert_calls ops aten::matmul 2
    assert_calls ops aten::mv 2
    assert_complete ops
}

@test "user scopes are events of their own and no operators" {
    assert_eq "$(facts events ops | grep -c '^annotation_entry .* outer$')" 2
    assert_eq "$(facts events ops | grep -c '^annotation_exit .* outer$')" 2
    assert_eq "$(facts events ops | grep -c '^annotation_entry .* inner, "quoted" and ünïcode$')" 4
    assert_eq "$(facts events ops | grep -c '^annotation_exit .* inner, "quoted" and ünïcode$')" 4
    assert_eq "$(tally_fact ops calls outer)" 0 "operators of that name"
    assert_eq "$(tally_fact ops annotations outer)" 2 "annotations"
    assert_calls ops aten::neg 5
}

@test "no event has an empty string in it" {
    # babeltrace2 2.0.4 prints the previous event's value for one.
    assert_eq "$(babeltrace2 "$(ctf ops)" | grep -c '= ""')" 0
    assert_eq "$(facts events ops | grep -c '^annotation_.* (no name)$')" 2
}

@test "--scopes leaves out what was not asked for" {
    assert_status narrow 0
    assert_eq "$(facts events narrow | grep -c '^op_')" 0 "operators"
    assert_eq "$(facts events narrow | grep -c '^annotation_entry .* outer$')" 2
}

@test "--no-tally prints where the trace is and no more" {
    assert_eq "$(err quiet)" "optally: the trace is in $(trace quiet)"
    assert_calls quiet aten::abs 17
}

@test "the babeltrace2 plugin prints the tally that optally prints" {
    ls "$OPTALLY_BUILD"/lib/optally/babeltrace2/babeltrace2-plugin-optally.so || skip "no plugin in this build"
    diff <(optally tally "$(trace ops)") \
        <(babeltrace2 --plugin-path="$OPTALLY_BUILD/lib/optally/babeltrace2" "$(ctf ops)" \
            -c filter.optally.interval -c sink.optally.tally)
}
