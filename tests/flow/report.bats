# The report as a process: where its page goes, and what is in its place after a failure. What is on
# the page is looked at in tests/analysis/test_report.py, and in a browser in tests/browser.
load helper

setup() {
    traces=$BATS_TEST_DIRNAME/../golden/traces
    make_trace=$BATS_TEST_DIRNAME/../golden/make_trace.py
    mkdir "$BATS_TEST_TMPDIR/here"
    cd "$BATS_TEST_TMPDIR/here" || return
    [[ -e $OPTALLY_BUILD/lib/optally/optally-store.so ]] || skip "built without DuckDB"
}

@test "a page is written in silence, and takes the place of the one before" {
    echo before >page.html
    run --separate-stderr optally report -o page.html "$traces/gpu.json"
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_eq "$output$stderr" ""
    assert_matches "$(head -c 100 page.html)" "<!doctype html>*"
    assert_matches "$(tail -c 20 page.html)" "*</html>"
    assert_eq "$(ls)" page.html
}

@test "the same input gives the same bytes, also from standard input and to standard output" {
    optally report -o one.html "$traces/gpu.json"
    optally report -o - "$traces/gpu.json" >two.html
    cmp one.html two.html
    optally report -o - - <"$traces/gpu.json" >stream.html
    optally report --title gpu.json -o titled.html "$traces/gpu.json"
    cmp one.html titled.html
    diff <(sed "s#$traces/gpu.json#-#; s#gpu.json#-#" one.html) stream.html
}

@test "a failure leaves what was there, and nothing else" {
    echo before >page.html
    head -c 700 "$traces/gpu.json" >cut.json
    run --separate-stderr optally report -o page.html cut.json
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "optally report: cut.json: *"
    assert_eq "$(cat page.html)" before
    assert_eq "$(ls | xargs)" "cut.json page.html"
    run --separate-stderr optally report -o nowhere/page.html "$traces/gpu.json"
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "optally report: nowhere/page.html: No such file or directory"
}

@test "an input is not written over" {
    cp "$traces/gpu.json" trace.json
    run --separate-stderr optally report -o trace.json trace.json
    assert_eq "$status" 1 "exit status"
    cmp trace.json "$traces/gpu.json"
}

@test "what is a lower bound says so on the page and on stderr" {
    head -c 700 "$traces/gpu.json" >cut.json
    run --separate-stderr optally report --recover -o page.html cut.json
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_matches "$stderr" "*optally report: warning: lower bounds: *"
    grep -q 'Lower bounds' page.html
    grep -q '<b>≥ ' page.html
    run ! grep -q 'badge exact">' page.html
}

@test "a recording has its host, its version of PyTorch and its processes" {
    optally record --no-tally -o recording -- "$fake_program" "$fake_torch" 3 2>said || cat said
    optally report -o page.html recording
    grep -q "<dt>Host</dt><dd>$(hostname)</dd>" page.html
    grep -q '<dt>PyTorch</dt><dd>[0-9]' page.html
    grep -q 'recording of optally: ' page.html
}

@test "an LTTng/CTF trace has a page, too" {
    "$make_trace" "$traces/job.txt" job
    optally report -o page.html job
    grep -q 'LTTng/CTF trace: ' page.html
}

@test "ranks stand in their order, however they were given" {
    local rank
    for rank in 2 0 1; do
        echo "{\"distributedInfo\": {\"rank\": $rank, \"world_size\": 3}, \"traceEvents\": [{\"ph\": \"X\",
            \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 9}]}" >"rank$rank.json"
    done
    optally report -o page.html rank2.json rank0.json rank1.json
    assert_eq "$(grep -o '<h3>Rank [0-9]' page.html | xargs)" "<h3>Rank 0 <h3>Rank 1 <h3>Rank 2"
    grep -q '3 torch.profiler traces, the parts of one job' page.html
}

@test "without the module for DuckDB it says what is missing" {
    mkdir -p bin
    cp "$optally" bin/optally
    run --separate-stderr bin/optally report -o page.html "$traces/gpu.json"
    assert_eq "$status" 1 "exit status"
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr"
    assert_eq "$(ls)" bin
}
