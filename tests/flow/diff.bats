# Comparing runs from the command line: what is said first, what a limit on growth does, and how
# arguments become sides.
load helper

# trace NAME MM_DUR ADD_CALLS: aten::mm takes so long, and there are so many aten::add of 5 us.
trace_of() {
    local i ts=1000
    {
        echo '{"traceEvents": ['
        for ((i = 0; i < $3; i++, ts += 10)); do
            printf '{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": %s, "dur": 5},\n' "$ts"
        done
        printf '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": %s}]}\n' "$2"
    } >"$1.json"
}

setup_file() {
    load helper
    cd "$BATS_FILE_TMPDIR" || return
    local i
    trace_of a 100 10
    trace_of b 130 10
    trace_of c 100 20
    for i in 1 2 3; do
        trace_of "old$i" "$((100 + i))" 10
        trace_of "new$i" "$((200 + i))" 10
        trace_of "like$i" "$((102 - i))" 10
    done
    head -c 500 b.json >cut.json
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return
    [[ -e $OPTALLY_BUILD/lib/optally/optally-store.so ]] || skip "built without DuckDB"
}

# compares STATUS ARGUMENT...: stdout in $output, and without its line breaks in $flat; the last line of
# stderr in $said.
compares() {
    local expected=$1
    shift
    run --separate-stderr optally diff "$@"
    assert_eq "$status" "$expected" "exit status of diff $* ($stderr)"
    said=${stderr##*$'\n'}
    flat=$(tr -s '[:space:]' ' ' <<<"$output")
}

# row NAME: its line of the table.
row() {
    grep -E "  $1\$" <<<"$output"
}

@test "costlier calls and more calls are told apart" {
    compares 0 a.json b.json
    assert_matches "$(row aten::mm)" "*+30.00us *+30.00% *0ns *+30.00us *100.00us *130.00us * aten::mm"
    compares 0 a.json c.json
    assert_matches "$(row aten::add)" "*+50.00us *+100.00% *+50.00us *0ns * 10 -> 20  aten::add"
    assert_matches "$output" "*Host busy *150.00us *200.00us *+50.00us *+33.33%*"
}

@test "what cannot be compared is said before any number" {
    sed 's/"traceEvents"/"deviceProperties": [{"id": 0, "name": "A100"}], "distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents"/' \
        a.json >known.json
    sed 's/A100/V100/' known.json >other.json
    compares 0 known.json other.json
    assert_matches "$output" "*Not the same on both sides*Devices *1 x A100 *1 x V100*Not known to be the same: PyTorch, Host*Host busy*"
    compares 0 known.json b.json
    assert_matches "$flat" "*Not known to be the same: Devices (candidate), PyTorch, Host, World size (candidate), Ranks (candidate)*"
    compares 0 a.json b.json
    assert_matches "$output" "*Nothing that is known of the two sides differs but the numbers.*"
}

@test "real traces of other devices, other sizes and other ranks" {
    local folder=${OPTALLY_TEST_TRACES:-$BATS_TEST_DIRNAME/../../../shared/traces}
    local before=$folder/hta_2022-08_a100_rank3of8_control.json.gz after=$folder/hta_2022-08_v100_rank1of2_test.json.gz
    [[ -e $before && -e $after ]] || skip "no real traces in $folder"
    compares 0 --limit 1 "$before" "$after"
    assert_matches "$output" "*Not the same on both sides*Devices *8 x NVIDIA A100-PG509-200 *2 x Tesla V100-SXM2-16GB*World size *8 *2*Ranks *3 *1*Input shapes *other in * of * operators*Host busy*"
}

@test "a limit on growth: passed, failed, and not judged" {
    compares 0 --fail-above 20% a.json b.json
    assert_eq "$said" "optally diff: passed: Host busy, limit +20%: 150.00us -> 180.00us, +20.00%, no interval"
    compares 3 --fail-above 19.999 a.json b.json
    assert_matches "$said" "optally diff: failed: Host busy, limit +19.999%: *"
    compares 3 --fail-above 50% --fail-above aten::mm=25% a.json b.json
    assert_matches "$said" "optally diff: failed: aten::mm, limit +25%: *"
    compares 0 --fail-above 0% b.json a.json
    compares 1 --recover --fail-above 50% a.json cut.json
    assert_matches "$said" "optally diff: not judged: Host busy, limit +50%: cut.json has lower bounds: *"
    compares 3 --measure calls --fail-above 80% a.json c.json
}

@test "a limit for what is not there, or not comparable, is not judged, and the report is there" {
    compares 1 --fail-above aten::none=5% a.json b.json
    assert_matches "$output" "*Host busy *"
    assert_eq "$said" "optally diff: not judged: aten::none, limit +5%: neither side has an operator of that name"
    compares 1 --json --fail-above aten::none=5% a.json b.json
    assert_matches "$output" '{"schema":"optally.diff/1",*"gate":\[{"operator":"aten::none",*"verdict":"unknown",*'
    sed "s/aten/other/" a.json >other_program.json
    compares 1 --fail-above 5% a.json other_program.json
    assert_eq "$said" "optally diff: not judged: Host busy, limit +5%: hardly the same program, operators of both are 0.00% of self time -> 0.00% of self time"
    compares 1 --fail-above none=5% --fail-above aten::mm=1000% a.json other_program.json
}

@test "a command line that makes no sense is refused before anything is read" {
    compares 2 --fail-above 5%% a.json b.json
    compares 2 --fail-above 5% --measure inclusive none.json b.json
    assert_matches "$said" "*inclusive time has no whole*"
    compares 2 --baseline $(yes none.json | head -n 1001) --candidate b.json
    assert_eq "$said" "optally diff: 1001 runs are given for the baseline; it can have 1000"
}

@test "of many runs the first are named and the others counted, and values can be below 0" {
    local i
    for i in 1 2 3 4 5 6 7 8; do
        printf '{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 5}, {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 12, "args": {"Device Type": 0, "Device Id": -1, "Bytes": -%s, "Addr": 1, "Total Allocated": -64}}]}' "$i" >"many$i.json"
    done
    compares 0 --baseline many[1-7].json --candidate many8.json
    assert_matches "$output" "*Baseline   7 runs: many1.json, *, many6.json and 1 more"$'\n'"Candidate  many8.json"$'\n'"*"
    optally diff --json --baseline many[1-7].json --candidate many8.json >many
    grep -q '"peak_allocated_bytes":{"unit":"bytes","baseline":{"value":-64,"kind":"exact",' many
    grep -q '"input":"many7.json"' many
}

@test "in a comment on a change of code no address becomes a link" {
    sed "s,aten::mm,https://www.a.example," a.json >link.json
    compares 1 --markdown --fail-above https://none.example=5% link.json b.json
    [[ $output == *"https:&#47;/www&#46;a.example"* && $output == *"https:&#47;/none.example"* && $output != *"://"* ]]
}

@test "several runs a side have medians and intervals" {
    compares 0 --baseline old1.json old2.json old3.json --candidate new1.json new2.json new3.json
    assert_matches "$(row aten::mm)" "*+100.00us * \[+98.00us, +102.00us\] * aten::mm"
    assert_matches "$flat" "*Medians of 3 and 3 runs, and 95 % intervals*of the 1 tested here about 0.1 would be, and 1 is. *"
    compares 3 --fail-above aten::mm=90% --baseline old1.json old2.json old3.json --candidate new1.json new2.json new3.json
    assert_matches "$said" "*failed: aten::mm*, \[+98.00us, +102.00us\]"
    compares 0 --fail-above 0% --baseline old1.json old2.json old3.json --candidate like1.json like2.json like3.json
    assert_matches "$(row aten::mm)" "*no evidence  aten::mm"
}

@test "sides end where the next option begins" {
    optally diff --json --baseline old1.json old2.json --candidate new1.json --limit all >plain
    optally diff --candidate new1.json --json --baseline=old1.json old2.json --limit all >turned
    assert_eq "$(cat turned)" "$(cat plain)"
    optally diff --json --limit all --candidate new1.json --baseline old1.json -- old2.json >dashes
    assert_eq "$(cat dashes)" "$(cat plain)"
    compares 2 --baseline a.json --json b.json
    assert_matches "$said" "*'b.json' is of neither side*"
    compares 2 a.json
    assert_matches "$said" "*two runs are compared, and 1 is given*"
    compares 2 a.json b.json c.json
    compares 2 --baseline a.json
    assert_matches "$said" "*no --candidate is given*"
    compares 2
}

@test "a run that is given again counts once" {
    cp a.json twin.json
    run --separate-stderr optally diff --json --baseline a.json twin.json --candidate b.json
    assert_eq "$status" 0 "exit status"
    assert_matches "$stderr" "*warning: twin.json is the same trace as another run of the baseline; it counts once*"
    assert_matches "$output" '*"baseline":{"left_out":1,"runs":\[{"input":"a.json"*'
    compares 0 a.json twin.json
    assert_matches "$said" "*warning: a.json of the baseline is the same trace as twin.json"
}

@test "runs of the store compare as their traces do, also once these are gone" {
    local side
    mkdir -p store && cp a.json store/before.json && cp b.json store/after.json
    cd store
    optally diff --json before.json after.json >of_traces
    optally init >/dev/null 2>&1
    for side in before after; do
        optally import --name "run-$side" "$side.json" >/dev/null 2>&1
        rm "$side.json"
    done
    optally diff --json run-before run-after >of_runs
    /usr/bin/python3 - <<'PYTHON'
import json
traces, runs = (json.load(open(name)) for name in ("of_traces", "of_runs"))
for told in (traces, runs):
    for side in ("baseline", "candidate"):
        for run in told[side]["runs"]:
            assert ("commit" in run) == (told is runs), run
            run.pop("commit", None)
            run["input"] = run["input"].removeprefix("run-").removesuffix(".json")
assert traces == runs
PYTHON
    compares 1 run-before run-none
    assert_matches "$said" "*run-none*"
}

@test "all runs are of the commit that was the newest when the first one was read" {
    mkdir -p pinned && cd pinned
    optally init >/dev/null 2>&1
    optally import --name first ../a.json >/dev/null 2>&1
    # More than a pipe holds: the import begins when the first run was read, and standard input is.
    late_import() {
        printf '{"traceEvents": [%300000s' ""
        optally import --name late ../c.json >/dev/null 2>&1
        tail -n +2 ../b.json
    }
    run --separate-stderr optally diff --baseline first - --candidate late < <(late_import)
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "*no run *late* is in the store*"
    compares 0 first late
}

@test "inputs that cannot be read are an error with their place" {
    compares 1 a.json cut.json
    assert_matches "$said" "optally diff: *cut.json: *ends early*"
    assert_eq "$output" ""
    compares 1 --measure device a.json b.json
    assert_matches "$said" "*no device work was recorded in the baseline"
}

@test "the forms exclude each other, and a limit changes rows alone" {
    compares 2 --json --markdown a.json b.json
    optally diff --json --limit 0 a.json b.json >none
    optally diff --json --limit all a.json b.json >all
    /usr/bin/python3 - <<'PYTHON'
import json
none, every = (json.load(open(name)) for name in ("none", "all"))
assert none["operators"]["not_returned"] == {"operators": 2, "change": 30000}, none["operators"]
for told in (none, every):
    for table in ("operators", "device_work"):
        for member in ("rows", "returned", "truncated", "limit", "not_returned"):
            del told[table][member]
assert none == every
PYTHON
}
