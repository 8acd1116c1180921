# Recordings of a program in which one operator was made slower: that one comes first.
load helper

setup_file() {
    load helper
    have_python || return 0
    record before -- "$python" "$programs/slower.py" 2
    record after -- "$python" "$programs/slower.py" 30
}

setup() {
    need_python
    [[ -e $OPTALLY_BUILD/lib/optally/optally-store.so ]] || skip "built without DuckDB"
    assert_status before 0
    assert_status after 0
}

@test "the operator that was made slower is the first row, and its cost is why" {
    optally diff --json --limit 1 "$(trace before)" "$(trace after)" >"$BATS_TEST_TMPDIR/diff"
    /usr/bin/python3 - "$BATS_TEST_TMPDIR/diff" <<'PYTHON'
import json, sys
told = json.load(open(sys.argv[1]))
row = told["operators"]["rows"][0]
assert row["name"] == "flow::slow" and row["presence"] == "both", row
assert row["calls"] == {"baseline": 10, "candidate": 10, "change": 0}, row
assert row["calls_part"] == 0 and row["value_part"] == row["change"] >= 200_000_000, row
assert told["operators"]["change"] == told["aggregates"]["host_busy_time"]["change"], told["operators"]
different = [d["code"] for d in told["differences"] if d["status"] == "different"]
assert different == [], different
PYTHON
}

@test "the limit on growth sees it" {
    run --separate-stderr optally diff --limit 0 --fail-above flow::slow=200% "$(trace before)" "$(trace after)"
    assert_eq "$status" 3 "exit status ($stderr)"
}
