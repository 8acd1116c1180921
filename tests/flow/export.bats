# optally export --ctf: a recording for the readers of CTF. Real programs are in operators.bats and
# the others, which look at the export with the stock babeltrace2.
load helper

setup_file() {
    load helper
    record good --no-tally -- "$fake_program" "$fake_torch" 3000
    record limited --no-tally --max-size 1M -- "$fake_program" "$fake_torch" 300000
    record ringed --no-tally --max-size 1M --ring -- "$fake_program" "$fake_torch" 300000
    record nothing --no-tally -- true
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

says() { # PATTERN: in the one line of stderr
    assert_matches "$stderr" "optally export: $1"
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr"
}

# The tally of the export, made by the stock command, is that of the recording.
assert_same_tally() {
    optally export --ctf "$1.ctf" "$(trace "$1")"
    diff <(optally tally "$(trace "$1")" 2>&1) \
        <(babeltrace2 --plugin-path="$OPTALLY_BUILD/lib/optally/babeltrace2" "$1.ctf" \
            -c filter.optally.interval -c sink.optally.tally 2>&1)
    diff <(optally tally --json "$(trace "$1")") <(optally tally --json "$1.ctf") || true
}

@test "the stock babeltrace2 and our plugin tally an export as optally the recording" {
    assert_same_tally good
    assert_eq "$(babeltrace2 good.ctf | wc -l)" 6000 "events"
}

@test "losses are told by the export as by the recording" {
    optally tally "$(trace limited)" | grep -E '^Lower bounds: [0-9]+ events were discarded'
    assert_same_tally limited
    optally tally "$(trace ringed)" | grep -E '^Lower bounds: [0-9]+ events were discarded'
    assert_same_tally ringed
}

@test "times are the same to the nanosecond" {
    optally export --ctf out "$(trace good)"
    diff <(optally trace "$(trace good)") <(optally trace out)
}

@test "the trace looks as LTTng's does" {
    optally export --ctf out "$(trace good)"
    local host
    host=$(uname -n)
    babeltrace2 --names=all --fields=trace,trace:hostname,trace:domain,loglevel out >text ||
        babeltrace2 out >text
    grep -q "lttng_ust_pytorch:op_entry" text
    grep -qF "hostname = \"$host\"" out/*/metadata
    grep -qF 'domain = "ust"' out/*/metadata
    babeltrace2 out | head -n 1 | grep -qE \
        "^\[[0-9:.]+\] \(\+\?\.\?+\) ${host//./\\.} lttng_ust_pytorch:op_entry: \{ vpid = [0-9]+, vtid = [0-9]+ \}, \{ name = \"fake::operator\", overload_name = \"default\" \}\$"
}

@test "the same recording gives the same bytes" {
    optally export --ctf one "$(trace good)"
    optally export --ctf two "$(trace good)"
    diff -r one two
}

@test "several recordings are one export" {
    optally export --ctf out "$(trace good)" "$(trace nothing)"
    assert_eq "$(babeltrace2 out | wc -l)" 6000 "events"
}

@test "a recording of nothing is a valid trace" {
    optally export --ctf out "$(trace nothing)"
    run babeltrace2 out
    assert_eq "$status $output" "0 " "babeltrace2"
}

@test "what exists is not touched unless --force, and then only an export" {
    mkdir there
    echo precious >there/file
    run --separate-stderr optally export --ctf there "$(trace good)"
    assert_eq "$status" 1
    says "there exists: choose another folder, or replace it with --force"
    run --separate-stderr optally export --ctf there --force "$(trace good)"
    assert_eq "$status" 1
    says "there is not an export of optally, and --force replaces nothing else: *"
    assert_eq "$(cat there/*)" precious
    run --separate-stderr optally export --ctf there/file --force "$(trace good)"
    says "there/file is not an export *"
    mkdir empty
    optally export --ctf empty "$(trace nothing)"
    run --separate-stderr optally export --ctf empty "$(trace good)"
    says "empty exists: *"
    optally export --ctf empty --force "$(trace good)"
    assert_eq "$(babeltrace2 empty | wc -l)" 6000 "events"
    assert_eq "$(find . -maxdepth 1 -name '*.new-*' -o -maxdepth 1 -name '*.old-*')" "" "left behind"
}

@test "an input that is none leaves no folder behind" {
    local input
    echo text >text
    mkdir hollow
    for input in text hollow nowhere "$OPTALLY_BUILD"; do
        run --separate-stderr optally export --ctf out "$input"
        assert_eq "$status" 1 "exit status for $input"
        says "*$input*"
        [[ ! -e out ]]
    done
    optally export --ctf trace "$(trace good)"
    run --separate-stderr optally export --ctf out trace
    assert_eq "$status" 1
    says "trace (LTTng/CTF trace folder): --ctf takes recordings of the built-in writer alone *"
    assert_eq "$(find . -maxdepth 1 -name 'out*')" ""
}

@test "a full disk: one line, nothing left" {
    need_mounts "a small file system"
    mkdir small
    run --separate-stderr unshare -m sh -c '
        mount -t tmpfs -o size=64k none small
        "$@" || { status=$?; ls -A small; exit $status; }' sh \
        "$optally" export --ctf small/out "$(trace good)"
    assert_eq "$status" 1
    assert_eq "$output" "" "what is left"
    says "*No space left on device"
}

@test "an interrupt ends it also where it waits for input, and leaves nothing" {
    local form pid status
    mkfifo pipe
    exec 8<>pipe
    for form in --parquet --csv --jsonl; do
        # A silent pipe, and those that have said how they begin.
        [[ $form == --parquet ]] || printf '{"traceEvents":[' >&8
        "$optally" export "$form" out - <pipe 2>stderr 3>&- 8>&- &
        pid=$! status=0
        eventually 10 compgen -G 'out.new-*' >/dev/null
        kill -TERM "$pid"
        wait "$pid" || status=$?
        assert_eq "$status" 143 "exit status of $form"
        assert_eq "$(cat stderr)" "optally export: interrupted"
        assert_eq "$(find . -maxdepth 1 -name 'out*')" ""
    done
    exec 8>&-
}

@test "a limit of the system that kills it leaves nothing" {
    run --separate-stderr sh -c 'ulimit -f 4; exec "$@"' sh "$optally" export --ctf out "$(trace good)"
    assert_eq "$status" 153 "exit status"
    says "ended by signal 25 (*"
    assert_eq "$(find . -maxdepth 1 -name 'out*')" ""
}

@test "misuse: status 2 and one line" {
    local case
    while read -r case; do
        # shellcheck disable=SC2086
        run --separate-stderr optally export $case
        assert_eq "$status" 2 "exit status of export $case"
        says "*"
    done <<'CASES'

x
--ctf
--ctf out
--nonsense --ctf out x
CASES
    [[ ! -e out ]]
}

# sinks OUT FOLDER: draws an export with the component.
sinks() {
    run --separate-stderr babeltrace2 --plugin-path="$OPTALLY_BUILD/lib/optally/babeltrace2" "$2" \
        -c filter.optally.interval -c sink.optally.timeline -p "path=\"$1\""
}

@test "the babeltrace2 component draws an export, into a file that is put there whole" {
    optally export --ctf good.ctf "$(trace good)"
    mkdir out
    echo old >out/drawn.pftrace
    chmod 640 out/drawn.pftrace
    sinks out/drawn.pftrace good.ctf
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_eq "$output" "" "stdout"
    assert_eq "$stderr" "sink.optally.timeline: 3000 slices on 1 track in out/drawn.pftrace"
    assert_eq "$(ls out)" drawn.pftrace "files"
    assert_eq "$(stat -c %a out/drawn.pftrace)" 640 "mode"
    # Nothing that was sorted or written is left behind by a failure either, nor is the old file lost.
    echo old >out/drawn.pftrace
    run --separate-stderr babeltrace2 --plugin-path="$OPTALLY_BUILD/lib/optally/babeltrace2" good.ctf \
        -c sink.optally.timeline -p 'path="out/drawn.pftrace"'
    assert_eq "$status" 1 "exit status"
    assert_eq "$(cat out/drawn.pftrace)" old "the file"
    assert_eq "$(ls out)" drawn.pftrace "files"
    run --separate-stderr bash -c "babeltrace2 --plugin-path=\"$OPTALLY_BUILD/lib/optally/babeltrace2\" good.ctf \
        -c filter.optally.interval -c sink.optally.timeline -p 'path=\"/dev/full\"'"
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "*/dev/full: cannot write the output: No space left on device*"
}
