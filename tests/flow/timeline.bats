# optally timeline: what the command does with files; what is in them the oracle's tests compare with
# Perfetto's own reader.
load helper

event() { # NAME TS DUR [CATEGORY [TID [ARGS]]]
    printf '{"ph": "X", "cat": "%s", "name": "%s", "pid": 10, "tid": %s, "ts": %s, "dur": %s, "args": {%s}}' \
        "${4:-cpu_op}" "$1" "${5:-10}" "$2" "$3" "${6:-}"
}

setup_file() {
    load helper
    cd "$BATS_FILE_TMPDIR" || return
    local rank
    for rank in 0 1; do
        echo "{\"distributedInfo\": {\"rank\": $rank, \"world_size\": 2}, \"traceEvents\": [
            $(event aten::add 1.5 10), $(event aten::mul 2 "$((rank + 1))"),
            $(event work 3 4 kernel 7), $(event overlapping 5 4 kernel 7)],
            \"baseTimeNanoseconds\": 170000000000000000$rank}" >"rank$rank.json"
    done
    sed 's/"baseTimeNanoseconds": [0-9]*/"x": 1/' rank1.json >baseless.json
    head -c 250 rank0.json >cut.json
    record good --no-tally --seq --shapes --memory -- "$fake_program" "$fake_torch" 3000
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cp "$BATS_FILE_TMPDIR"/*.json .
}

draws() { # FILE INPUT...
    run --separate-stderr optally timeline -o "$@"
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_eq "$output" "" "stdout"
}

drawn() {
    /usr/bin/python3 "$BATS_TEST_DIRNAME/pftrace.py" "$@"
}

fails() { # STATUS PATTERN ARGUMENT...
    local expected=$1 pattern=$2
    shift 2
    run --separate-stderr optally timeline "$@"
    assert_eq "$status" "$expected" "exit status ($stderr)"
    assert_matches "$stderr" "optally timeline: $pattern"
}

@test "every slice of a trace is drawn, and what overlaps has a row of its own" {
    draws out.pftrace rank0.json
    diff <(drawn slices out.pftrace) - <<'END'
process, rank 0/10	1700000000000001500	10000	0	aten::add
process, rank 0/10	1700000000000002000	1000	1	aten::mul
process, rank 0/stream 7	1700000000000003000	4000	0	work
process, rank 0/stream 7/stream 7 (row 2)	1700000000000005000	4000	0	overlapping
END
    assert_matches "$stderr" "*note: 1 slice: in another row*"
    assert_matches "$stderr" "*out.pftrace: 4 slices on 3 tracks (*B); open it at https://ui.perfetto.dev*"
}

@test "a recording is drawn call by call" {
    draws out.pftrace "$(trace good)"
    assert_eq "$(drawn count out.pftrace)" "3000 0 0" "slices, points, values"
    assert_eq "$(drawn slices out.pftrace | cut -f 5 | sort | uniq -c | tr -s ' ')" " 3000 fake::operator"         "names"
    # What optally trace prints as entries are the begins.
    diff <(drawn slices out.pftrace | cut -f 3 | awk '{ sum += $1 } END { print sum }') \
        <(optally tally --csv "$(trace good)" | awk -F, '/fake::operator/ { print $6 }')
}

@test "standard output gets the same slices, and nothing else" {
    local input
    for input in rank0.json "$(trace good)"; do
        draws out.pftrace "$input"
        optally timeline -o - "$input" >piped.pftrace 2>said
        diff <(drawn slices out.pftrace) <(drawn slices piped.pftrace)
        assert_matches "$(cat said)" "*standard output: * slices on *"
    done
    optally timeline -o - rank0.json 2>said | cat >piped.pftrace
    diff <(drawn slices piped.pftrace) <(optally timeline -o - rank0.json 2>said | drawn slices /dev/stdin)
}

@test "same input, same bytes" {
    draws one.pftrace rank0.json rank1.json
    draws two.pftrace rank0.json rank1.json
    cmp one.pftrace two.pftrace
    draws one.pftrace "$(trace good)"
    draws two.pftrace "$(trace good)"
    cmp one.pftrace two.pftrace
}

@test "ranks are lined up by their bases; without all of them it is said that they are not" {
    draws out.pftrace rank0.json rank1.json
    assert_eq "$(drawn slices out.pftrace | grep aten::add | cut -f 2 | tr '\n' ' ')" \
        "1700000000000001500 1700000000000001501 " "begins"
    draws out.pftrace rank0.json baseless.json
    assert_matches "$stderr" "*warning: not every trace says what its times count from*"
    assert_eq "$(drawn slices out.pftrace | grep aten::add | cut -f 2 | tr '\n' ' ')" "0 0 " "begins"
    drawn slices out.pftrace | grep -q 'rank 0, not lined up'
}

@test "the same file twice counts once" {
    draws out.pftrace rank0.json ./rank0.json
    assert_eq "$(drawn count out.pftrace)" "4 0 0" "slices"
}

@test "a file that is there is replaced by a whole one, or stays" {
    echo before >out.pftrace
    fails 1 "cut.json: *" -o out.pftrace cut.json
    assert_eq "$(cat out.pftrace)" before "the file"
    draws out.pftrace rank0.json
    assert_eq "$(drawn count out.pftrace)" "4 0 0" "slices"
    fails 1 "rank0.json is an input: *" -o rank0.json rank0.json
    fails 1 "nowhere/out.pftrace: *" -o nowhere/out.pftrace rank0.json
    assert_eq "$(ls | grep -v '^separate-stderr' | tr '\n' ' ')" \
        "baseless.json cut.json out.pftrace rank0.json rank1.json " "files"
}

@test "a full disk is one line, and leaves nothing" {
    [[ -e /dev/full ]] || skip "no /dev/full"
    fails 1 "*No space left on device*" -o /dev/full rank0.json
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines"
}

@test "what is damaged fails, or is skipped and told" {
    fails 1 "cut.json: *" -o out.pftrace cut.json
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines"
    [[ ! -e out.pftrace ]]
    draws out.pftrace --recover cut.json
    assert_matches "$stderr" "*warning: truncated: *not all that ran is there: 1 input could not be read to its end*"
    assert_eq "$(drawn count out.pftrace)" "1 1 0" "slices, and a point that tells it"
    grep -q "what this timeline lacks" out.pftrace
    grep -q "1 input could not be read to its end" out.pftrace
}

@test "a trace of nothing is a timeline of nothing, and said to be" {
    echo '{"traceEvents": []}' >empty.json
    draws out.pftrace empty.json
    assert_matches "$stderr" "*warning: there are no slices to draw*"
    assert_eq "$(drawn count out.pftrace)" "0 0 0" "slices"
}

@test "the format is what the option or the name says" {
    draws out.json rank0.json
    /usr/bin/python3 -c 'import json; assert json.load(open("out.json"))["traceEvents"]'
    draws out2.json --format pftrace rank0.json
    assert_eq "$(drawn count out2.json)" "4 0 0" "slices"
    draws out.pftrace --format chrome rank0.json
    cmp out.json out.pftrace
}

@test "what makes no sense is told in a line" {
    fails 2 "no output given: -o FILE *" rank0.json
    fails 2 "no INPUT given *" -o out.pftrace
    fails 2 "--format: 'svg' is none of pftrace, chrome" --format svg -o out.pftrace rank0.json
    fails 1 "*absent.json*" -o out.pftrace absent.json
    [[ ! -e out.pftrace ]]
}

@test "small memory is enough: what does not fit is sorted in TMPDIR" {
    local i
    {
        echo '{"traceEvents": ['
        awk 'BEGIN { for (i = 600000; i > 0; i--)
            printf "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op%d\", \"pid\": 1, \"tid\": 2, \"ts\": %d, \"dur\": 1.5},\n", i % 7, 2 * i }'
        echo '{}]}'
    } >many.json
    mkdir temp
    TMPDIR=$PWD/temp draws out.pftrace many.json
    assert_eq "$(ls temp)" "" "what is left in TMPDIR"
    assert_eq "$(drawn tracks out.pftrace)" "$(printf 'process/2\t600000\t1\t0')" "tracks"
    TMPDIR=/nowhere fails 1 "*temporary file in /nowhere*" -o no.pftrace many.json
    [[ ! -e no.pftrace ]]
}
