# optally timeline --format chrome: mended copies of torch.profiler's traces, and recordings as
# torch.profiler would have written them.
load helper

committed=$BATS_TEST_DIRNAME/../data/kineto

event() { # NAME TS DUR [ARGS]
    printf '{"ph": "X", "cat": "cpu_op", "name": "%s", "pid": 10, "tid": 10, "ts": %s, "dur": %s, "args": {%s}}' \
        "$1" "$2" "$3" "${4:-}"
}

whole() { # [MORE-EVENTS]
    echo "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"A\\u0042\"}],
        \"traceEvents\": [
        $(event aten::add 1.500 10 '"Input Dims": [[4, 4], []], "x": {"y": [1e-3, null, true]}'),
        $(event aten::mul 2 3)${1:+,
        $1}, $(event aten::sub 6 4)],
        \"distributedInfo\": {\"rank\": 3, \"world_size\": 8}, \"baseTimeNanoseconds\": 1711964646000000001}"
}

setup_file() {
    load helper
    record good --no-tally --seq --shapes --memory -- "$fake_program" "$fake_torch" 3000
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# mends [OPTION...] INPUT: writes mended.json
mends() {
    run --separate-stderr optally timeline --format chrome -o mended.json "$@"
    assert_eq "$status" 0 "exit status ($stderr)"
    is_json mended.json
}

# Strictly: what Python takes besides JSON is refused.
is_json() {
    python3 - "$1" <<'END'
import json, sys

def refuse(text):
    raise ValueError(text)

with open(sys.argv[1], encoding="utf-8", errors="strict") as file:
    json.load(file, parse_constant=refuse)
END
}

# same_document A B: but for how they are laid out
same_document() {
    python3 - "$1" "$2" <<'END'
import gzip, json, sys

def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        document = json.loads(file.read(), parse_float=str, parse_int=str)
    return document if isinstance(document, dict) else {"traceEvents": document}

a, b = map(read, sys.argv[1:])
assert list(a) == list(b), (list(a), list(b))
assert a == b, [name for name in a if a[name] != b[name]]
END
}

# What an analysis says, but for how the input calls the categories of its operators.
analysis() {
    optally analyze --json --limit all "$@" | python3 -c '
import json, sys
report = json.load(sys.stdin)
for row in report["operators"]["rows"]:
    del row["category"]
keep = ("population", "aggregates", "coverage", "operators", "graph_launches")
print(json.dumps({name: report[name] for name in keep}, indent=1))'
}

@test "a whole trace is copied with all that it says" {
    whole >whole.json
    mends whole.json
    same_document whole.json mended.json
    local trace
    for trace in "$committed"/*.json "$committed"/*.json.gz; do
        mends "$trace"
        same_document "$trace" mended.json
    done
}

@test "a bare list of events becomes a trace that every tool reads" {
    echo "[$(event aten::add 1 2), $(event aten::mul 4 2)]" >list.json
    mends list.json
    same_document list.json mended.json
}

@test "what JSON forbids inside strings is replaced, also in arguments" {
    whole "$(event 'a\ud800b' 5 0 '"k": "\\"')" >halves.json
    mends halves.json
    assert_matches "$stderr" "*1 byte that JSON does not allow became U+FFFD*"
    grep -q 'a\\ufffdb' mended.json
    whole "$(event "$(printf 'tab\there, \xff and \x01')" 5 0 "$(printf '"k\x02": "\xc3"')")" >bytes.json
    mends bytes.json
    grep -q $'tab\xef\xbf\xbdhere, \xef\xbf\xbd and \xef\xbf\xbd' mended.json
    grep -q $'"k\xef\xbf\xbd": "\xef\xbf\xbd"' mended.json
    optally analyze mended.json >/dev/null
}

@test "damage is left out when asked to recover, and the rest is whole" {
    local damage
    for damage in "$(event 'a"quote' 5 1)" "$(event a 5 1 '"x": NaN')" "$(event a 5 N/A)" \
        "$(event a 5 1 '"x": [1,]')" '{"ph": "X", "name": 1' "$(event 'back\slash' 5 1)"; do
        whole "$damage" >broken.json
        run --separate-stderr optally timeline --format chrome -o refused.json broken.json
        assert_eq "$status" 1 "exit status for $damage"
        [[ ! -e refused.json ]]
        mends --recover broken.json
        assert_matches "$stderr" "*damaged_event*"
        run --separate-stderr optally analyze --json mended.json
        assert_eq "$status" 0 "exit status ($stderr)"
        grep -q '"name":"aten::add"' <<<"$output"
        grep -q '"name":"aten::sub"' <<<"$output"
        grep -q '"rank"' mended.json
    done
}

@test "what a copy lacks is known to who reads it, and to a copy of the copy" {
    whole "$(event a 5 N/A)" >broken.json
    mends --recover broken.json
    mv mended.json first.json
    run --separate-stderr optally tally --json first.json
    assert_matches "$output" '*"kind":"lower_bound"*'
    assert_matches "$stderr" "*1 damaged event was skipped*"
    mends first.json
    cmp mended.json first.json
    assert_matches "$stderr" "*1 damaged event was skipped*"
}

@test "what a trace says that is odd is copied, and nothing is said to be left out" {
    whole '{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 10, "tid": 10, "ts": -5.5, "dur": 3}' >odd.json
    mends odd.json
    grep -q -- -5.5 mended.json
    [[ $stderr != *warning* ]]
    ! grep -q '"optally"' mended.json
}

@test "a truncated trace is mended up to where it ends" {
    whole >whole.json
    local len
    for len in 400 440 480; do
        head -c "$len" whole.json >cut.json
        mends --recover cut.json
        assert_matches "$stderr" "*truncated*"
        optally analyze mended.json >/dev/null
    done
    gzip -k whole.json
    head -c "$(($(stat -c %s whole.json.gz) - 20))" whole.json.gz >cut.json.gz
    mends --recover cut.json.gz
    grep -q aten::add mended.json
}

@test "several traces of torch.profiler do not go into one" {
    whole >a.json
    whole "$(event aten::div 5 1)" >b.json
    run --separate-stderr optally timeline --format chrome -o both.json a.json b.json
    assert_eq "$status" 2 "exit status"
    assert_matches "$stderr" "optally timeline: *one session*"
    [[ ! -e both.json ]]
}

@test "a recording as a trace of torch.profiler has the same analysis" {
    mends "$(trace good)"
    diff <(analysis "$(trace good)") <(analysis mended.json)
    python3 - mended.json <<'END'
import json, sys

document = json.load(open(sys.argv[1], encoding="utf-8"))
assert document["schemaVersion"] == 1 and document["baseTimeNanoseconds"] > 0, document
assert document["host_name"]
phases = {event["ph"] for event in document["traceEvents"]}
assert "X" in phases and phases <= {"X", "i", "M"}, phases
END
}

@test "a chrome trace goes to standard output, too" {
    whole >whole.json
    optally timeline --format chrome -o - whole.json >out.json
    same_document whole.json out.json
}
