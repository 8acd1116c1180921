# What optally doctor says of an interpreter and of the machine.
load helper

setup() {
    need_python
}

@test "doctor finds everything for an interpreter with PyTorch" {
    run optally doctor -- "$python"
    echo "$output"
    assert_eq "$status" 0
    grep -q "^  ok       PyTorch $OPTALLY_TEST_TORCH" <<<"$output"
    grep -q '^  ok       ABI self-test passed' <<<"$output"
    grep -q '^  ok       lttng-sessiond 2\.' <<<"$output"
    grep -q '^  ok       DuckDB' <<<"$output"
    ! grep -q '^  missing' <<<"$output"
}

@test "doctor leaves nothing behind" {
    note_what_is_there
    optally doctor -- "$python" >/dev/null
    assert_nothing_left
}

@test "doctor says how to get PyTorch for an interpreter without it" {
    # -I and -S: the interpreter without any installed package.
    run optally doctor -- "$python" -I -S
    echo "$output"
    assert_eq "$status" 1
    grep -q '^  missing  PyTorch in .*pip install torch' <<<"$output"
}

@test "doctor says how to get lttng-sessiond" {
    mkdir "$BATS_TEST_TMPDIR/path"
    PATH=$BATS_TEST_TMPDIR/path run "$optally" doctor -- "$python"
    echo "$output"
    assert_eq "$status" 1
    grep -q '^  missing  lttng-sessiond: apt-get install lttng-tools' <<<"$output"
    grep -q "^  ok       PyTorch $OPTALLY_TEST_TORCH" <<<"$output"
}

@test "doctor names an interpreter that does not exist" {
    run optally doctor -- "$BATS_TEST_TMPDIR/none"
    echo "$output"
    assert_eq "$status" 1
    grep -q "^  missing  $BATS_TEST_TMPDIR/none: no such command" <<<"$output"
}
