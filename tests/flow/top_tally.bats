# What the live view counts, held against what the reader of whole recordings does.
load helper

setup() {
    need_python
}

# It knows a recording only piece by piece, and what goes on in it from thread to thread.
@test "of a whole recording the live view says what the tally says" {
    record whole --no-tally -- "$python" "$programs/jit_crossing.py"
    optally top --json --window 600 "$(trace whole)" >"$BATS_TEST_TMPDIR/top.json"
    optally tally --json "$(trace whole)" >"$BATS_TEST_TMPDIR/tally.json"
    /usr/bin/python3 "$programs/top_equals_tally.py" "$BATS_TEST_TMPDIR/top.json" \
        "$BATS_TEST_TMPDIR/tally.json"
}

@test "it does so of a training with several processes" {
    record loader --no-tally -- "$python" "$programs/loader.py"
    optally top --json --window 600 "$(trace loader)" >"$BATS_TEST_TMPDIR/top.json"
    optally tally --json "$(trace loader)" >"$BATS_TEST_TMPDIR/tally.json"
    /usr/bin/python3 "$programs/top_equals_tally.py" "$BATS_TEST_TMPDIR/top.json" \
        "$BATS_TEST_TMPDIR/tally.json"
}
