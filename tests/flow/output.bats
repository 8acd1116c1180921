# Where a recording goes, what is in its way, and how record is misused. PyTorch is a fake one
# here, which is the same to the tracer and starts faster.
load helper

setup() {
    mkdir "$BATS_TEST_TMPDIR/here"
    cd "$BATS_TEST_TMPDIR/here" || return
    note_what_is_there
}

# A recorded program that writes a file when it runs.
runs=(sh -c 'echo ran >>ran; exit 5')

@test "without -o the recording goes to optally-data/DATE-TIME-NAME" {
    local status=0
    optally record --writer "$OPTALLY_TEST_WRITER" -- "$fake_program" "$fake_torch" 3 2>stderr || status=$?
    assert_eq "$status" 5
    assert_matches "$(ls optally-data)" "20[0-9][0-9][0-1][0-9][0-3][0-9]-[0-2][0-9][0-5][0-9][0-6][0-9]-fake_program"
    assert_matches "$(cat stderr)" "*optally: the trace is in optally-data/20*"
    stock optally-data/* >events
    assert_eq "$(wc -l <events)" 6 "events"
    assert_nothing_left
}

@test "the default name of a Python program is the script's" {
    optally record --writer "$OPTALLY_TEST_WRITER" -- /usr/bin/python3 "$programs/no_torch.py" 2>stderr || true
    assert_matches "$(ls optally-data)" "*-no_torch"
}

@test "-o makes the folders above it" {
    record_into a/b/c
    assert_eq "$(stock a/b/c | wc -l)" 6 "events"
}

# record_into DIR [OPTION...]: the fake program's three operators; sets $status.
record_into() {
    local dir=$1
    shift
    status=0
    optally record --writer "$OPTALLY_TEST_WRITER" --no-tally "$@" -o "$dir" -- "$fake_program" "$fake_torch" 3 >stdout 2>stderr ||
        status=$?
}

assert_says() {
    # shellcheck disable=SC2053
    [[ $(wc -l <stderr) == 1 && $(cat stderr) == $1 ]] && return
    echo "must say one line like: $1"
    cat stderr
    return 1
}

@test "an empty folder is used, a dot is not a name" {
    mkdir empty
    record_into empty
    assert_eq "$status" 5
    assert_eq "$(stock empty | wc -l)" 6 "events"
    record_into ""
    assert_eq "$status" 5
    assert_says "optally record: '' cannot be the name of a folder; the program runs without being recorded"
}

@test "an output that exists is not touched, and the program runs all the same" {
    mkdir there
    echo precious >there/file
    local status=0
    optally record --writer "$OPTALLY_TEST_WRITER" -o there -- "${runs[@]}" 2>stderr || status=$?
    assert_eq "$status" 5
    assert_eq "$(cat ran)" ran "the program's file"
    assert_says "optally record: there exists: choose another with -o, or replace it with --force; the program runs without being recorded"
    assert_eq "$(cat there/*)" precious
    assert_nothing_left
}

@test "with --require-trace the program does not run, and record fails" {
    mkdir there
    echo precious >there/file
    local status=0
    optally record --writer "$OPTALLY_TEST_WRITER" --require-trace -o there -- "${runs[@]}" 2>stderr || status=$?
    assert_eq "$status" 1
    [[ ! -e ran ]]
    assert_says "optally record: there exists: choose another with -o, or replace it with --force"
    assert_nothing_left
}

@test "--force replaces a recording" {
    record_into twice
    touch twice/mark
    record_into twice --force
    assert_eq "$status" 5
    [[ ! -e twice/mark ]]
    assert_eq "$(ls)" "stderr
stdout
twice"
    assert_eq "$(stock twice | wc -l)" 6 "events"
}

@test "--force replaces nothing but a recording" {
    mkdir holiday
    echo photo >holiday/photo
    record_into holiday --force
    assert_eq "$status" 5
    assert_says "optally record: holiday is not a recording of optally, and --force replaces nothing else*"
    assert_eq "$(cat holiday/photo)" photo
    echo text >letter
    record_into letter --force
    assert_says "optally record: letter is not a recording *"
    assert_eq "$(cat letter)" text
    ln -s holiday link
    record_into link --force
    assert_says "optally record: link is not a recording *"
    [[ -L link && $(cat holiday/photo) == photo ]]
}

@test "a folder that cannot be written to: one line, the program runs" {
    mkdir locked
    chmod 555 locked
    if is_root; then
        # Root may write everywhere, but not below a file.
        touch file
        record_into file/trace
        assert_says "optally record: file/trace: Not a directory; the program runs without being recorded"
        assert_eq "$status" 5
        local home
        home=$(mktemp -d /tmp/ot-user.XXXXXX)
        mkdir -m 700 "$home/run"
        chown 65534:65534 "$home/run"
        chmod 755 "$home"
        mkdir "$home/bin" "$home/lib"
        cp "$optally" "$home/bin"
        cp -r "$OPTALLY_BUILD/lib/optally" "$home/lib"
        status=0
        (cd "$home" && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$home" \
            XDG_RUNTIME_DIR="$home/run" bin/optally record --writer "$OPTALLY_TEST_WRITER" -o trace -- sh -c 'exit 5') 2>stderr ||
            status=$?
        local left
        left=$(ls "$home/run")
        rm -r "$home"
        assert_eq "$left" "" "files left"
        assert_eq "$status" 5
        assert_says "optally record: trace: Permission denied; the program runs without being recorded"
    else
        record_into locked/trace
        assert_eq "$status" 5
        assert_says "optally record: locked/trace: Permission denied; the program runs without being recorded"
    fi
    assert_nothing_left
}

@test "a full disk: one line, the program is not held up, what is left can be read" {
    need_mounts "a small file system"
    mkdir small
    SECONDS=0
    unshare -m sh -c '
        mount -t tmpfs -o size=3m none small
        { timeout --foreground -k 5 60 "$@" >stdout 2>stderr; echo $? >status; }
        cp -r small kept' sh \
        env XDG_RUNTIME_DIR="$run_dir" "$optally" record --no-tally --writer "$OPTALLY_TEST_WRITER" \
        -o small/trace -- "$fake_program" "$fake_torch" 300000 3>&-
    cat stderr
    assert_eq "$(cat status)" 5
    assert_eq "$(cat stdout)" "errno changed 0"
    ((SECONDS < 40)) || {
        echo "the program took $SECONDS seconds"
        return 1
    }
    assert_eq "$(grep -c 'No space left on device' stderr)" 1 "lines about the disk"
    stock kept/trace >events
    (($(wc -l <events) > 1000))
    assert_nothing_left 2
}

@test "a command that does not exist is 127, one that cannot run 126, as in a shell" {
    run -127 --separate-stderr optally record -o t -- no-such-command
    assert_eq "$stderr" "optally record: no-such-command: command not found"
    run -127 --separate-stderr optally record -o t -- ./no-such-command
    assert_eq "$stderr" "optally record: ./no-such-command: command not found"
    touch plain
    run --separate-stderr optally record -o t -- ./plain
    assert_eq "$status" 126
    assert_eq "$stderr" "optally record: ./plain: not an executable file"
    run --separate-stderr optally record -o t -- "$PWD"
    assert_eq "$status" 126
    [[ ! -e t ]]
}

@test "a command whose interpreter does not exist runs as little as in a shell" {
    printf '#!/no/such/interpreter\n' >script
    chmod +x script
    run -127 --separate-stderr optally record -o t -- ./script
    assert_eq "$stderr" "optally record: ./script: No such file or directory"
    [[ ! -e t ]]
    assert_nothing_left
}

@test "options that are misused: status 2 and one line that names them" {
    local case
    while read -r case; do
        # shellcheck disable=SC2086
        run --separate-stderr optally record $case
        assert_eq "$status" 2 "exit status of record $case"
        assert_eq "$output" "" "stdout of record $case"
        assert_matches "$stderr" "optally record: *"
        assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr of record $case"
    done <<'CASES'

--nonsense -- true
-x -- true
-o
--writer none -- true
--scopes none -- true
--scopes function, -- true
--output
--max-size
--max-size 0 -- true
--max-size -1 -- true
--max-size 1000K -- true
--max-size 1T -- true
--max-size 99999999999G -- true
--max-size 4M --writer lttng -- true
--ring -- true
--ring --max-size 4M --writer lttng -- true
--seq --writer lttng -- true
--shapes --writer lttng -- true
--memory --writer lttng -- true
--lossy -- true
CASES
    assert_eq "$(ls)" "" "what record made"
}

@test "--help is the usage, on stdout" {
    run --separate-stderr optally record --help
    assert_eq "$status" 0
    assert_matches "$output" "usage: optally record *"
    assert_eq "$stderr" ""
}

@test "without lttng-sessiond: one line with the cure, the program runs" {
    [[ $OPTALLY_TEST_WRITER == lttng ]] || skip "only that writer needs it"
    mkdir path
    local status=0
    PATH=$PWD/path "$optally" record --writer lttng -o t -- /bin/sh -c 'exit 5' 2>stderr || status=$?
    assert_eq "$status" 5
    assert_says "optally record: lttng-sessiond is not installed (apt-get install lttng-tools); the program runs without being recorded"
    [[ ! -e t ]]
    status=0
    PATH=$PWD/path "$optally" record --writer lttng --require-trace -o t -- /bin/sh -c 'exit 5' 2>stderr || status=$?
    assert_eq "$status" 1
    [[ ! -e t ]]
}

@test "a session daemon that does not start: one line, nothing left, the program runs" {
    [[ $OPTALLY_TEST_WRITER == lttng ]] || skip "only that writer needs it"
    mkdir path
    printf '#!/bin/sh\necho "no luck today" >&2\nexit 1\n' >path/lttng-sessiond
    chmod +x path/lttng-sessiond
    local status=0
    env XDG_RUNTIME_DIR="$run_dir" PATH="$PWD/path:$PATH" "$optally" record --writer lttng -o t -- \
        "${runs[@]}" 2>stderr || status=$?
    assert_eq "$status" 5
    assert_says "optally record: lttng-sessiond ended while it started: no luck today; the program runs without being recorded"
    [[ ! -e t ]]
    assert_nothing_left
}

@test "a name of a folder that would move the cursor does not" {
    record_into $'a\nb\e[31m'
    assert_eq "$status" 5
    assert_eq "$(tail -n 1 stderr)" "optally: the trace is in a�b�[31m"
}
