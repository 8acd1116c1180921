# The analysis as a process: what it reads from, what is missing, and where its output goes.
load helper

setup() {
    traces=$BATS_TEST_DIRNAME/../golden/traces
    make_trace=$BATS_TEST_DIRNAME/../golden/make_trace.py
    cd "$BATS_TEST_TMPDIR" || return
    [[ -e $OPTALLY_BUILD/lib/optally/optally-store.so ]] || skip "built without DuckDB"
}

@test "standard input is a trace like any other" {
    "$optally" analyze --json "$traces/gpu.json" >file
    "$optally" analyze --json - <"$traces/gpu.json" >stream
    assert_eq "$(sed 's#"path":"[^"]*"#"path":"-"#' file)" "$(cat stream)"
}

@test "a trace is named by the bytes that were read, packed or not" {
    gzip -c "$traces/gpu.json" >gpu.json.gz
    for trace in "$traces/gpu.json" gpu.json.gz; do
        local hex
        hex=$(sha256sum <"$trace" | cut -d' ' -f1)
        assert_matches "$("$optally" analyze --json "$trace")" "*\"artifact\":\"sha256:$hex\"*"
    done
}

@test "a folder is named as the manual says" {
    "$make_trace" "$traces/job.txt" job
    mkdir "job/a folder"
    echo more >"job/a folder/file"
    ln -s "a folder/file" job/link
    ln -s nowhere job/dangling
    ln -s . job/loop
    local hex
    hex=$(cd job && find -L . -type f -printf '%P\n' 2>/dev/null | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum)
    assert_matches "$("$optally" analyze --json job/)" "*\"artifact\":\"sha256:${hex%% *}\"*"
}

@test "of a trace that is given twice one counts, whichever can be read again" {
    "$optally" analyze --json "$traces/gpu.json" >once
    "$optally" analyze --json - "$traces/gpu.json" <"$traces/gpu.json" >twice 2>stderr
    assert_eq "$(cat twice)" "$(cat once)"
    assert_eq "$(cat stderr)" \
        "optally analyze: warning: $traces/gpu.json is the same trace as -; it counts once"
}

@test "a reader that goes away ends it in silence" {
    "$optally" analyze --limit all "$traces/gpu.json" 2>stderr | head -1 >/dev/null
    assert_eq "$(cat stderr)" ""
}

@test "an output that cannot be written is an error" {
    local status=0
    "$optally" analyze "$traces/gpu.json" >/dev/full 2>stderr || status=$?
    assert_eq "$status" 1
    assert_eq "$(cat stderr)" "optally analyze: cannot write the output: No space left on device"
}

@test "nothing is printed of an analysis that fails" {
    head -c 2000 "$traces/gpu.json" >cut.json
    local status=0
    "$optally" analyze cut.json >stdout 2>stderr || status=$?
    assert_eq "$status" 1
    assert_eq "$(cat stdout)" ""
    assert_eq "$(wc -l <stderr)" 1
}

@test "an optally that was built without DuckDB says so, and tallies all the same" {
    mkdir -p bin lib/optally
    cp "$optally" bin/
    cp "$OPTALLY_BUILD"/lib/optally/liboptally-tracer.so lib/optally/
    local status=0
    bin/optally analyze --json "$traces/gpu.json" >stdout 2>stderr || status=$?
    assert_eq "$status" 1
    assert_matches "$(cat stderr)" "optally analyze: this optally was built without DuckDB*"
    assert_matches "$(cat stdout)" '{"code":"missing",*"remediation":\["*'
    bin/optally tally "$traces/gpu.json" >/dev/null
}
