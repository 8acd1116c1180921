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
    grep -q '^  ok       clock: ' <<<"$output"
    grep -q '^  ok       files of the current folder can be mapped' <<<"$output"
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

@test "LTTng is optional, and doctor says how to get it" {
    mkdir "$BATS_TEST_TMPDIR/path"
    ln -s "$(command -v babeltrace2)" "$BATS_TEST_TMPDIR/path"
    PATH=$BATS_TEST_TMPDIR/path run "$optally" doctor -- "$python"
    echo "$output"
    assert_eq "$status" 0
    grep -q '^  optional lttng-sessiond is not there: apt-get install lttng-tools' <<<"$output"
    grep -q "^  ok       PyTorch $OPTALLY_TEST_TORCH" <<<"$output"
}

@test "doctor says where there is no room to record" {
    need_mounts "a folder that cannot be written to"
    run unshare -m sh -c 'mount -t tmpfs -o ro none /mnt && cd /mnt && exec "$@"' sh \
        "$optally" doctor -- "$python"
    echo "$output"
    grep -q '^  warning  the current folder cannot be written to' <<<"$output"
}

@test "doctor names an interpreter that does not exist" {
    run optally doctor -- "$BATS_TEST_TMPDIR/none"
    echo "$output"
    assert_eq "$status" 1
    grep -q "^  missing  $BATS_TEST_TMPDIR/none: no such command" <<<"$output"
}
