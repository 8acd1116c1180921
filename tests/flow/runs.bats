# Runs of the store in the place of traces: every verb takes them, and a commit pins what they are.
load helper

kineto=$BATS_TEST_DIRNAME/../data/kineto

setup_file() {
    [[ -e $OPTALLY_BUILD/lib/optally/optally-store.so ]] || skip "built without DuckDB"
    cd "$BATS_FILE_TMPDIR" || return
    local store=shop
    mkdir $store
    "$OPTALLY_BUILD/bin/optally" init $store
    "$BATS_TEST_DIRNAME/../golden/make_trace.py" "$BATS_TEST_DIRNAME/../golden/traces/job.txt" recording
    "$OPTALLY_BUILD/bin/optally" import --store $store --name memory "$kineto/training_memory_shapes.json.gz"
    "$OPTALLY_BUILD/bin/optally" import --store $store --name plain "$kineto/plain.json"
    "$OPTALLY_BUILD/bin/optally" import --store $store --name job "$kineto"/rank{0,1}of2.json.gz
    "$OPTALLY_BUILD/bin/optally" import --store $store --name recording recording
    head -c 20000 <(gzip -dc "$kineto/training_memory_shapes.json.gz") >cut.json
    "$OPTALLY_BUILD/bin/optally" import --store $store --name cut --recover cut.json
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return
    export OPTALLY_STORE=$BATS_FILE_TMPDIR/shop
}

# What a run adds to JSON, and where its file lies, aside.
same_but_for_commit() {
    assert_eq "$(sed -E 's/,"commit":"[0-9a-f]{64}"//g' "$2")" "$(cat "$1")"
}

@test "an analysis of a run is that of its trace, to the byte" {
    while read -r run trace; do
        "$optally" analyze --json --limit all $trace >of_trace 2>of_trace.err
        "$optally" analyze --json --limit all --commit head --all-sessions "$run" >of_run 2>of_run.err
        grep -q '"commit":"' of_run
        same_but_for_commit of_trace of_run
        assert_eq "$(cat of_run.err)" "$(cat of_trace.err)"
        "$optally" analyze $trace 2>&1 | sed 1d >of_trace
        "$optally" analyze --commit head --all-sessions "$run" 2>&1 | sed 1d >of_run
        assert_eq "$(cat of_run)" "$(cat of_trace)"
    done <<EOF
memory $kineto/training_memory_shapes.json.gz
plain $kineto/plain.json
job $kineto/rank0of2.json.gz $kineto/rank1of2.json.gz
job:rank1 $kineto/rank1of2.json.gz
recording recording
cut --recover cut.json
EOF
}

@test "every other verb opens what the store keeps" {
    local trace=$kineto/training_memory_shapes.json.gz
    for verb in tally trace "tally --json" "timeline -o -" "timeline --format chrome -o -" \
        "flamegraph --format folded -o -"; do
        "$optally" $verb "$trace" >of_trace
        "$optally" $verb memory >of_run
        cmp of_trace of_run
    done
    "$optally" report -o - "$trace" >of_trace
    "$optally" report -o - memory >of_run
    cmp of_trace of_run
    "$optally" tally recording >of_trace
    rm -rf elsewhere
    mkdir elsewhere
    (cd elsewhere && "$optally" tally recording >../of_run)
    cmp of_trace of_run
}

@test "the tables of a run are those of its trace" {
    rm -rf tables_of_trace tables_of_run
    "$optally" export --jsonl tables_of_trace "$kineto"/rank{0,1}of2.json.gz
    "$optally" export --jsonl tables_of_run --all-sessions job
    diff -r tables_of_trace tables_of_run
}

@test "what was imported with --recover is read so again" {
    "$optally" tally --recover cut.json >of_trace 2>of_trace.err
    "$optally" tally cut >of_run 2>of_run.err
    cmp of_trace of_run
    assert_eq "$(sed "s#cut.json.zst#cut.json#; s#[^ ]*/##g; s# of the unpacked text##" of_run.err)" "$(cat of_trace.err)"
}

@test "a commit pins an answer, whatever is imported or removed later" {
    mkdir pinned
    "$optally" init pinned
    export OPTALLY_STORE=$PWD/pinned
    "$optally" import --name a "$kineto/plain.json"
    local commit
    commit=$(cat pinned/.optally/head)
    "$optally" analyze --json --commit "$commit" a >before
    "$optally" runs --json --commit "$commit" >runs_before
    "$optally" sql --commit "$commit" --format csv 'SELECT run, count(*) FROM members GROUP BY ALL' >sql_before
    "$optally" import --name b "$kineto/compiled.json.gz"
    "$optally" rm a
    "$optally" import --name a "$kineto/rank0of2.json.gz"
    "$optally" analyze --json --commit "$commit" a >after
    cmp before after
    "$optally" analyze --json --commit "${commit:0:8}" a >after
    cmp before after
    "$optally" runs --json --commit "$commit" >runs_after
    cmp runs_before runs_after
    "$optally" sql --commit "$commit" --format csv 'SELECT run, count(*) FROM members GROUP BY ALL' >sql_after
    cmp sql_before sql_after
    "$optally" analyze --json a >now
    ! cmp -s before now
}

@test "one session of several has to be named, unless all are asked for" {
    run -1 --separate-stderr "$optally" analyze job
    assert_eq "$output" ""
    assert_matches "$stderr" "*job*2 sessions*job:rank0*job:rank1*--all-sessions*"
    assert_eq "$(wc -l <<<"$stderr")" 1
    run -0 "$optally" tally --all-sessions job
    run -0 "$optally" tally job:#0
    run -1 "$optally" tally job:rank7
    assert_matches "$output" "*rank7*"
    local session
    session=$("$optally" sql --format csv "SELECT session FROM members WHERE name = 'job' AND position = 1" | tail -n 1)
    "$optally" analyze --json "job:${session:0:10}" >by_id
    "$optally" analyze --json job:rank1 >by_rank
    cmp by_id by_rank
}

@test "a file comes before a run of its name, and with --commit only runs count" {
    cp "$kineto/plain.json" memory
    "$optally" analyze --json memory | grep -qv '"commit"'
    "$optally" analyze --json --commit head memory | grep -q '"commit"'
    rm memory
    run -1 --separate-stderr "$optally" analyze --commit head "$kineto/plain.json"
    assert_matches "$stderr" "*plain.json*"
}

@test "what is neither a trace nor a run is one line, and so is a store that is not there" {
    run -1 --separate-stderr "$optally" analyze nothing.json
    assert_matches "$stderr" "optally analyze: nothing.json: no such file or folder: no run *"
    run -1 --separate-stderr "$optally" tally --store "$PWD/elsewhere" memory
    assert_matches "$stderr" "optally tally: *no store*"
    unset OPTALLY_STORE
    cd /
    run -1 --separate-stderr "$optally" analyze nothing.json
    assert_matches "$stderr" "optally analyze: nothing.json*No such file or directory"
}

@test "a linked trace that has changed is not read as what it was" {
    sed "s/aten::/mine::/" "$kineto/plain.json" >linked.json
    "$optally" import --name linked --link linked.json
    "$optally" tally linked >/dev/null
    echo >>linked.json
    run -1 --separate-stderr "$optally" tally linked
    assert_matches "$stderr" "optally tally: *linked.json*"
    # What was counted of it still stands.
    run -0 "$optally" analyze linked
}

@test "a run and a trace are not read as one" {
    for verb in analyze tally; do
        run -1 --separate-stderr "$optally" $verb plain "$kineto/plain.json"
        assert_matches "$stderr" "optally $verb: *plain.json is a trace, and a run of the store is given with it*"
    done
}

@test "the same session twice counts once, whether its trace is there or not" {
    mkdir lost
    "$optally" init lost
    "$optally" import --store lost --name a "$kineto/plain.json"
    rm -r lost/.optally/artifacts/*
    "$optally" analyze --store lost --json a >once
    "$optally" analyze --store lost --json a a >twice
    cmp once twice

    "$optally" analyze --json job:rank0 >once
    "$optally" analyze --json job:rank0 job:#0 >twice 2>twice.err
    cmp once twice
    assert_matches "$(cat twice.err)" "*counts once*"
}
