# Input that is no recording, or one that has suffered: one line, exit status 1, no table.
load helper

setup_file() {
    load helper
    record good --no-tally -- "$fake_program" "$fake_torch" 3000
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    bad=$PWD/bad
}

# refuses PATTERN [OPTION...]: of tally and of trace.
refuses() {
    local pattern=$1 verb
    shift
    for verb in tally trace; do
        run --separate-stderr optally "$verb" "$@" "$bad"
        assert_eq "$status" 1 "exit status of $verb ($stderr)"
        assert_eq "$output" "" "stdout of $verb"
        assert_matches "$stderr" "optally $verb: *$pattern*"
        assert_eq "$(wc -l <<<"$stderr")" 1 "lines of $verb's stderr"
    done
}

damaged_copy() {
    cp -r "$(trace good)" "$bad"
    metadata=$(find "$bad" -name metadata)
    stream=$(find "$bad" -name 'pytorch_*' -size +0 ! -name '*.idx' | head -n 1)
}

@test "the recording that the others are made from can be read" {
    assert_calls good fake::operator 3000
}

@test "a path that does not exist" {
    refuses "$bad: No such file or directory"
}

@test "a file that is no trace" {
    echo "what is this" >"$bad"
    refuses "$bad"
}

@test "an empty file" {
    touch "$bad"
    refuses "$bad"
}

@test "an empty folder" {
    mkdir "$bad"
    refuses "$bad"
}

@test "a folder of something else" {
    mkdir "$bad"
    echo photo >"$bad/photo"
    refuses "$bad"
}

@test "a trace without its metadata" {
    damaged_copy
    rm "$metadata"
    refuses "metadata"
}

@test "a trace with metadata that is cut short" {
    damaged_copy
    truncate -s 100 "$metadata"
    refuses "metadata"
}

@test "a trace with a stream that is cut short" {
    damaged_copy
    truncate -s -1000 "$stream"
    run --separate-stderr optally tally "$bad"
    assert_eq "$status" 1 "exit status ($stderr)"
    assert_eq "$output" "" "stdout"
    assert_matches "$stderr" "optally tally: *cut short*"
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr"
}

@test "a folder that may not be read" {
    damaged_copy
    chmod 000 "$bad"
    if is_root; then
        local home
        home=$(mktemp -d /tmp/ot-user.XXXXXX)
        chmod 755 "$home"
        mkdir "$home/bin"
        cp "$optally" "$home/bin"
        mv "$bad" "$home"
        run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
            env HOME=/nonexistent "$home/bin/optally" tally "$home/bad"
        rm -r "$home"
    else
        run --separate-stderr optally tally "$bad"
        chmod 755 "$bad"
    fi
    assert_eq "$status" 1 "exit status ($stderr)"
    assert_eq "$output" "" "stdout"
    assert_matches "$stderr" "optally tally: */bad*Permission denied"
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr"
}

@test "an unknown backend" {
    run --separate-stderr optally tally --backends pytorch,fortran "$(trace good)"
    assert_eq "$status" 2
    assert_eq "$output" ""
    assert_matches "$stderr" "optally tally: *fortran*"
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr"
}
