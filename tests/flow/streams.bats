# The program's streams, and programs without PyTorch.
load helper

@test "standard input is the program's, 100 kB of any bytes come through" {
    head -c 100000 /dev/urandom >"$BATS_TEST_TMPDIR/bytes"
    record cat -- cat <"$BATS_TEST_TMPDIR/bytes"
    assert_status cat 0
    cmp "$BATS_TEST_TMPDIR/bytes" "$BATS_FILE_TMPDIR/cat.out"
}

@test "standard output and standard error are not mixed with ours" {
    record both --no-tally -- sh -c 'printf "to stdout"; printf "to stderr\n" >&2'
    assert_eq "$(out both)" "to stdout" "stdout"
    assert_matches "$(err both)" "to stderr
optally record: warning: *
optally: the trace is in *"
}

@test "a closed standard input and a closed standard output stay closed" {
    local status=0
    optally record --writer "$OPTALLY_TEST_WRITER" --no-tally -o "$(trace closed)" -- sh -c \
        'test ! -e /proc/self/fd/0 || exit 8; test ! -e /proc/self/fd/1 || exit 9; exit 5' \
        <&- >&- 2>"$BATS_FILE_TMPDIR/closed.err" 3>&- || status=$?
    assert_eq "$status" 5 "exit status ($(err closed))"
}

@test "no file of ours is open in the program" {
    local list='for fd in /proc/$$/fd/*; do echo "${fd##*/}"; done'
    record files --no-tally -- sh -c "$list"
    diff <(sh -c "$list" 3>&-) <(out files)
}

@test "the program's signal mask, process group and session are what they were" {
    record state --no-tally -- sh -c 'grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status'
    diff <(out state) <(sh -c 'grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status')
}

@test "a program without PyTorch: its own status, one warning, a valid empty trace" {
    note_what_is_there
    record none -- /usr/bin/python3 "$programs/no_torch.py"
    assert_status none 7
    assert_nothing_left
    assert_one_complaint none "optally record: warning: /usr/bin/python3 never loaded PyTorch, *"
    assert_eq "$(babeltrace2 "$(ctf none)")" "" "what babeltrace2 says"
    run optally tally "$(trace none)"
    assert_eq "$status" 0 "tally's exit status ($output)"
    run optally trace "$(trace none)"
    assert_eq "$status" 0 "trace's exit status ($output)"
    assert_eq "$output" ""
}

@test "LTTng-UST is not loaded into a program without PyTorch" {
    record none_maps --no-tally -- /usr/bin/python3 "$programs/no_torch.py"
    assert_eq "$(out none_maps)" "tracer True
lttng-ust False"
}

@test "a static program runs, too" {
    command -v ldconfig >/dev/null || PATH=$PATH:/sbin
    record static --no-tally -- "$(command -v ldconfig)" --version
    assert_status static 0
    assert_matches "$(out static)" "ldconfig *"
}
