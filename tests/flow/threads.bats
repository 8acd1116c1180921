# Threads of a program: programs/threads.py prints "THREAD KIND COUNT".
load helper

setup_file() {
    load helper
    have_python || return 0
    record threads -- "$python" "$programs/threads.py"
    record autograd -- "$python" "$programs/autograd_threads.py"
}

setup() {
    need_python
}

@test "every Python thread is a thread of the trace, with its own calls" {
    assert_status threads 0
    assert_complete threads
    assert_calls threads aten::neg 500
    local tid kind count n=0
    while read -r tid kind count; do
        [[ $kind == neg ]] || continue
        assert_eq "$(facts in-thread threads "$tid" aten::neg)" "$count" "calls in $tid"
        n=$((n + 1))
    done < <(out threads)
    assert_eq "$n" 4 "threads"
}

@test "the tally by thread has the same calls" {
    optally tally --json --extended "$(trace threads)" >"$BATS_TEST_TMPDIR/json"
    /usr/bin/python3 - "$BATS_TEST_TMPDIR/json" <(out threads) <<'PYTHON'
import json
import sys

sections = json.load(open(sys.argv[1]))["sections"]
told = {
    (section["thread"], row["name"]): row["calls"]
    for section in sections
    for row in section["rows"]
}
for line in open(sys.argv[2]):
    thread, kind, count = line.split()
    name = "aten::neg" if kind == "neg" else "autograd::engine::evaluate_function: SumBackward0"
    seen = told.get((int(thread), name), 0)
    assert seen == int(count), f"thread {thread}: {seen} calls of {name}, must be {count}"
PYTHON
}

@test "backward runs in the thread that asked for it, on a CPU" {
    local tid kind count n=0
    while read -r tid kind count; do
        [[ $kind == backward ]] || continue
        assert_eq "$(facts in-thread threads "$tid" \
            'autograd::engine::evaluate_function: SumBackward0')" "$count" "calls in $tid"
        n=$((n + 1))
    done < <(out threads)
    assert_eq "$n" 4 "threads"
    assert_calls threads "autograd::engine::evaluate_function: SumBackward0" 34
}

@test "self times of every thread fit into its wall time" {
    assert_self_fits_wall threads
}

@test "what autograd runs on threads of its own is there, and counted exactly" {
    assert_status autograd 0
    assert_eq "$(out autograd)" "gradient 1.0" "output"
    assert_complete autograd
    assert_calls autograd DeepBackward 151
    assert_calls autograd aten::neg 151
    local main elsewhere
    main=$(facts processes autograd | head -n 1 | cut -d' ' -f1)
    elsewhere=$((151 - $(facts in-thread autograd "$main" DeepBackward)))
    ((elsewhere > 0 && elsewhere < 151)) || {
        echo "$elsewhere of 151 on other threads than $main"
        return 1
    }
}
