# Traces of torch.profiler from the command line: where they come from, several at once, what is
# none of them, and what is made to hurt.
load helper

event() { # NAME TS DUR [CATEGORY [TID]]
    printf '{"ph": "X", "cat": "%s", "name": "%s", "pid": 10, "tid": %s, "ts": %s, "dur": %s}' \
        "${4:-cpu_op}" "$1" "${5:-10}" "$2" "$3"
}

setup_file() {
    load helper
    cd "$BATS_FILE_TMPDIR" || return
    local rank
    for rank in 0 1; do
        echo "{\"distributedInfo\": {\"rank\": $rank, \"world_size\": 2}, \"traceEvents\": [
            $(event aten::add 1.5 10), $(event aten::mul 2 "$((rank + 1))"),
            $(event kernel 3 4 kernel 7)]}" >"rank$rank.json"
    done
    gzip -k rank0.json rank1.json
    cat rank0.json.gz >members.json.gz
    head -c 230 rank0.json >cut.json
    sed 's/aten::mul/aten::"mul"/' rank0.json >damaged.json
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return
}

# tallies FILE...: the calls of both operators, whatever else there is.
tallies() {
    run --separate-stderr optally tally --csv "$@"
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_matches "$output" "*aten::add,1,0,10000,*"
}

refuses() { # PATTERN INPUT...
    local pattern=$1 verb
    shift
    for verb in tally trace analyze; do
        run --separate-stderr optally "$verb" "$@"
        assert_eq "$status" 1 "exit status of $verb ($stderr)"
        # Events go out as they are read.
        [[ $verb == trace ]] || assert_eq "$output" "" "stdout of $verb"
        assert_matches "$stderr" "optally $verb: *$pattern*"
        assert_eq "$(wc -l <<<"$stderr")" 1 "lines of $verb's stderr"
    done
}

@test "plain, packed, and from standard input" {
    tallies rank0.json
    tallies rank0.json.gz
    optally tally --csv - <rank0.json.gz | grep -q '^6,pytorch,aten::add,1,0,10000,'
    cat rank0.json | optally analyze - | grep -q aten::add
}

@test "the ranks of a job, as one and side by side" {
    run --separate-stderr optally tally --csv rank0.json rank1.json.gz
    assert_matches "$output" "*aten::add,2,0,20000,*"
    run --separate-stderr optally tally --csv --by rank rank1.json.gz rank0.json
    assert_eq "$status" 0 "exit status"
    grep -q '^6,pytorch,0,rank0.json,2,0,11000,' <<<"$output"
    grep -q '^6,pytorch,1,rank1.json.gz,2,0,12000,' <<<"$output"
}

@test "self times can be left out" {
    run --separate-stderr optally tally --csv --no-self rank0.json
    grep -q '^6,pytorch,aten::add,1,0,10000,,10000,' <<<"$output"
    run --separate-stderr optally tally --no-self --sort self rank0.json
    assert_eq "$status" 2 "exit status"
}

@test "every event, one line each" {
    run --separate-stderr optally trace --utc rank0.json
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_eq "$(wc -l <<<"$output")" 3 "lines"
    assert_matches "${lines[0]}" '00:00:00.000001500 - * - vpid: 10, vtid: 10 - cpu_op: { name: "aten::add"*dur: 10000 ns*'
}

@test "a damaged trace is an error with its place, or a lower bound" {
    refuses 'damaged.json: event 2 (byte [0-9]*)' damaged.json
    run --separate-stderr optally tally --csv --recover damaged.json
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_matches "$output" "*aten::add,1,*"
    assert_matches "$stderr" "*warning: damaged_event: 1 damaged event was skipped; first: *event 2*"
    assert_matches "$stderr" "*warning: lower bounds: *"
    run --separate-stderr optally tally --recover --strict damaged.json
    assert_eq "$status" 1 "exit status of --strict"
}

@test "a trace that ends early is an error that says how much was read, or a lower bound" {
    refuses 'cut.json: *ends early*1 event*--recover' cut.json
    run --separate-stderr optally tally --csv --recover cut.json
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_matches "$stderr" "*warning: truncated: *"
}

@test "several inputs of which one is broken, or of another kind" {
    refuses 'damaged.json: event 2' rank0.json damaged.json
    mkdir -p folder && : >folder/metadata
    refuses 'folder' rank0.json folder
}

# --- what is none --------------------------------------------------------------------------------

foreign() { # NAME PATTERN, the bytes on standard input
    mkdir -p foreign
    cat >"foreign/$1"
    refuses "foreign/$1: $2" "foreign/$1"
}

@test "what it seems to be is said of other files" {
    foreign empty '*empty*' </dev/null
    foreign page.html '*HTML*' <<<'<!DOCTYPE html><html><body>404</body></html>'
    foreign other.json '*' <<<'{"a": [1, 2]}'
    foreign words.txt '*' <<<'Dear reader, this is no trace.'
    foreign trace.pftrace '*Perfetto*' < <(printf '\x0a\x0c\x08\x01\x10\x02\x18\x03\x50\x01\x58\x01\x60\x01')
    foreign devtools.json '*Chrome trace of something else: none of its 2 events *torch.profiler exported*' <<<'{"traceEvents": [
        {"ph": "X", "cat": "devtools.timeline", "name": "RunTask", "pid": 1, "tid": 2, "ts": 1, "dur": 2},
        {"ph": "I", "cat": "v8", "name": "V8", "pid": 1, "tid": 2, "ts": 3}]}'
    foreign list.json '*Chrome trace of something else*' <<<'[{"a": 1}, {"b": 2}]'
    foreign xz.json.xz '*xz*unpack*gzip or zstd*' < <(printf '\xfd7zXZ\0\0\4')
    tar cf - rank0.json | foreign ranks.tar '*tar*unpack*'
    tar czf - rank0.json | foreign ranks.tar.gz '*tar*unpack*'
}

@test "what it seems to be is said of standard input" {
    local row
    for row in HTML:'<html><body>404</body></html>' text:'Dear reader' Perfetto:$'\n\x04\x50\x01\x18\x02\n\x02\x50\x01'; do
        run --separate-stderr bash -c "printf %s '${row#*:}' | '$optally' tally --recover -"
        assert_eq "$status" 1 "exit status of ${row%%:*} ($stderr)"
        assert_matches "$stderr" "optally tally: standard input: *${row%%:*}*"
    done
    run --separate-stderr bash -c "tar cf - rank0.json | '$optally' tally -"
    assert_eq "$status" 1 "exit status of tar ($stderr)"
    assert_matches "$stderr" "optally tally: standard input: a tar archive: unpack it *"
}

@test "packed data that is broken at its start is not called empty" {
    local way
    mkdir -p foreign
    head -c 12 rank0.json.gz >foreign/start.json.gz
    refuses 'start.json.gz: gzip data ends early, after 0 unpacked bytes (byte 12 of the file)' foreign/start.json.gz
    for way in foreign/start.json.gz -; do
        run --separate-stderr optally tally --recover "$way" <foreign/start.json.gz
        assert_eq "$status" 1 "exit status of --recover $way ($stderr)"
        assert_matches "$stderr" "*: gzip data ends early, after 0 unpacked bytes (byte 12 of the file)*"
    done
    gzip </dev/null | foreign empty.gz '*nothing is packed in it*'
}

@test "packed data that something follows is not said to end early" {
    { cat rank0.json.gz && echo garbage; } >followed.json.gz
    refuses 'followed.json.gz: gzip data is followed by something else' followed.json.gz
    run --separate-stderr optally tally --csv --recover followed.json.gz
    assert_eq "$status" 0 "exit status ($stderr)"
    assert_matches "$stderr" "*warning: truncated: 1 input could not be read to its end*"
}

@test "standard input can be given once" {
    run --separate-stderr optally tally - - <rank0.json
    assert_eq "$status" 2 "exit status ($stderr)"
    assert_matches "$stderr" "optally tally: *'-' is given twice*"
}

@test "flows without partners, and slices alone, are whole traces" {
    echo "[$(event aten::add 1.5 10), {\"ph\": \"f\", \"cat\": \"ac2g\", \"id\": 7, \"ts\": 2, \"bp\": \"e\"}]" >flows.json
    echo "[$(event aten::add 1.5 10)]" >slices.json
    local file
    for file in flows.json slices.json; do
        run --separate-stderr optally tally --csv --strict "$file"
        assert_eq "$status" 0 "exit status of $file ($stderr)"
        assert_eq "$stderr" "" "stderr of $file"
    done
}

@test "a folder of traces is no trace" {
    mkdir -p many && cp rank0.json rank1.json many
    refuses 'many: *files' many
    mkdir -p deep/run && cp rank0.json deep/run
    refuses 'deep: a folder of folders of JSON files: *deep/\*/\*.json' deep
}

# --- what is made to hurt ------------------------------------------------------------------------

@test "bombs end in one line, within bounded memory" {
    python3 "$programs/make_bombs.py" .
    local name
    for name in numbers name space deep deep-header nested; do
        run --separate-stderr bash -c "ulimit -v 600000; exec '$optally' tally $name.json.gz"
        assert_eq "$status" 1 "exit status of $name ($stderr)"
        assert_matches "$stderr" "optally tally: $name.json.gz: *"
        assert_eq "$(wc -l <<<"$stderr")" 1 "lines of $name"
    done
    run --separate-stderr bash -c "ulimit -v 2000000; exec '$optally' tally names.json.gz"
    assert_eq "$status" 1 "exit status of names ($stderr)"
    assert_matches "$stderr" "optally tally: names.json.gz: more than * operators*"
}
