# Queries over a store as a process: formats, limits, the guard, what is pinned, the prompt on a terminal.
load helper
load terminal

golden=$BATS_TEST_DIRNAME/../golden/traces
kineto=$BATS_TEST_DIRNAME/../data/kineto

# The runs that the manual's queries speak of.
setup_file() {
    [[ -e $OPTALLY_BUILD/lib/optally/optally-store.so ]] || skip "built without DuckDB"
    local cli=$OPTALLY_BUILD/bin/optally
    cd "$BATS_FILE_TMPDIR" || return
    export OPTALLY_STORE="$BATS_FILE_TMPDIR/it's [a] name=*"
    mkdir "$OPTALLY_STORE"
    /usr/bin/python3 - "$golden/gpu.json" odd.json <<'EOF'
import json, sys
trace = json.load(open(sys.argv[1]))
trace["traceEvents"].append({"ph": "X", "cat": "cpu_op", "name": "odd", "pid": 100, "tid": 1, "ts": 500})
json.dump(trace, open(sys.argv[2], "w"))
EOF
    "$cli" init "$OPTALLY_STORE"
    "$cli" import --name before --label gpu=a100 "$golden/gpu.json"
    first=$("$cli" sql --json 'SELECT 1' | sed -E 's/.*"commit":"([0-9a-f]+)".*/\1/')
    export first
    "$cli" import --name after "$golden/gpu-after.json"
    "$cli" import --name job "$kineto"/rank{0,1}of2.json.gz
    "$cli" import --name odd odd.json
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() { end_terminal; }

sql() { optally sql "$@"; }

# `run --separate-stderr` keeps its files in the folder of the test.
none_but_bats() { find . -type f ! -name 'separate-stderr*'; }

# --- the manual ----------------------------------------------------------------------------------

# Over real traces, too, where they are.
@test "every query of the manual has an answer" {
    local folder=${OPTALLY_TEST_TRACES:-$BATS_TEST_DIRNAME/../../../shared/traces}
    mkdir queries ranks
    cp -r "$OPTALLY_STORE" store
    export OPTALLY_STORE=$PWD/store
    if [[ -d $folder ]]; then
        tar -C ranks -xf "$folder/param_2023-09_v100_dlrm_8ranks.tar.gz"
        optally import --name ranks ranks/*/*.json >/dev/null
        optally import --name alexnet "$folder/hta_2023-09_a100_alexnet_cuda_sync.json.gz" >/dev/null
    fi
    awk -v OUT=queries -f "$BATS_TEST_DIRNAME/sql_queries.awk" \
        "$BATS_TEST_DIRNAME/../../docs/man/optally-sql.1"
    local query n=0
    for query in queries/*; do
        sql --json -f "$query" >answer || { cat "$query"; return 1; }
        [[ $(<answer) != *'"total_rows":0,'* ]] || { echo "no rows:"; cat "$query"; return 1; }
        n=$((n + 1))
    done
    ((n >= 12)) || { echo "only $n queries"; return 1; }
    [[ -d $folder ]] || skip "over generated traces only: no folder $folder (OPTALLY_TEST_TRACES)"
}

# --- numbers -------------------------------------------------------------------------------------

@test "a session counts once, in however many runs it is" {
    optally import --store "$OPTALLY_STORE" --name rank0 "$kineto/rank0of2.json.gz" >/dev/null
    local question="SELECT count(DISTINCT session) = count(*) FROM sessions WHERE path LIKE '%rank0of2%'"
    assert_eq "$(sql --csv "$question" | tail -1)" $'true\r'
    assert_eq "$(sql --csv "SELECT count(*) FROM members JOIN sessions USING (session)
        WHERE path LIKE '%rank0of2%'" | tail -1)" $'2\r'
}

@test "slices and operators say the same" {
    assert_eq "$(sql --csv "SELECT count(*) FROM operators o
        LEFT JOIN (SELECT session, operator, count(*) AS n, sum(dur_ns) AS sum, sum(self_ns) AS self
                   FROM slices GROUP BY ALL) s USING (session, operator)
        WHERE coalesce(n, 0) <> calls - errors OR coalesce(sum, 0) <> inclusive_ns
           OR coalesce(self, 0) <> self_ns" | tail -1)" $'0\r'
}

@test "a session and a window of time read only what can be in them" {
    local session
    session=$(sql --csv 'SELECT min(session) FROM sessions' | tail -1 | tr -d '\r')
    sql "EXPLAIN SELECT name FROM slices WHERE session = '$session'" >plan
    grep -q 'Scanning Files: 1/5 ' plan || { cat plan; return 1; }
    ! grep -q dur_ns plan || return 1
    sql 'EXPLAIN SELECT name FROM slices WHERE ts_ns < 50000' >plan
    grep -q 'ts_ns<50000' plan || { cat plan; return 1; }
}

@test "the same query gives the same bytes" {
    local n query='SELECT m.name AS run, o.kind, s.name, caller, sum(s.self_ns) AS self_ns
        FROM slices s JOIN members m USING (session) JOIN operators o USING (session, operator) GROUP BY ALL'
    for n in 1 2 3 4; do
        sql --csv "$query" >"$n.csv"
        sql --format parquet -o "$n.parquet" "$query"
        cmp 1.csv "$n.csv"
        cmp 1.parquet "$n.parquet"
    done
    sql --csv --threads 2 "$query" >threads.csv
    cmp <(sort 1.csv) <(sort threads.csv)
}

@test "a commit answers what it did" {
    assert_eq "$(sql --csv --commit "$first" 'SELECT name FROM runs' | tr -d '\r' | paste -sd,)" "name,before"
    assert_eq "$(sql --csv --commit "${first:0:8}" 'SELECT count(*) FROM sessions' | tail -1)" $'1\r'
    run --separate-stderr sql --commit 0000 'SELECT 1'
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "optally sql: *0000*"
}

@test "a store without runs has all views" {
    optally init empty
    assert_eq "$(sql --store empty --csv 'SELECT count(*) FROM slices, warnings, runs' | tail -1)" $'0\r'
    assert_eq "$(sql --store empty --csv 'SHOW TABLES' | wc -l)" 13
}

# --- formats -------------------------------------------------------------------------------------

@test "Parquet is written whole or not at all" {
    sql --format parquet -o out.parquet 'SELECT * FROM slices ORDER BY start_ns -- all'
    cp out.parquet before
    run --separate-stderr sql --format parquet -o out.parquet 'SELECT nosuch FROM slices'
    assert_eq "$status" 2 "exit status"
    cmp out.parquet before
    run --separate-stderr sql --format parquet -o out.parquet 'EXPLAIN SELECT 1'
    assert_eq "$status" 2 "exit status"
    cmp out.parquet before
    assert_eq "$(echo ./*parquet before)" "./out.parquet before"
    run --separate-stderr sql --format parquet 'SELECT 1'
    assert_eq "$status" 2 "exit status"
    local python=$BATS_TEST_DIRNAME/../../build/venv-test/bin/python
    [[ -x $python ]] || skip "no pyarrow (tools/setup test)"
    sql --format parquet --limit 3 -o three.parquet 'FROM slices' 2>said
    assert_matches "$(cat said)" "optally sql: 3 of * rows *"
    assert_eq "$("$python" -c 'import pyarrow.parquet as p
print(p.read_table("three.parquet").num_rows, p.read_table("out.parquet").num_rows)')" \
        "3 $(sql --csv 'SELECT count(*) FROM slices' | tail -1 | tr -d '\r')"
}

@test "answers go to a file, but to none of the store" {
    sql -o out.csv --csv 'SELECT 7 AS seven'
    assert_eq "$(cat out.csv)" $'seven\r\n7\r'
    run --separate-stderr sql -o "$OPTALLY_STORE/.optally/head" 'SELECT 1'
    assert_eq "$status" 1 "exit status"
    sql --json 'SELECT 1' >/dev/null
}

@test "a query comes from a file or standard input, too" {
    echo 'SELECT 5 AS five; -- the end' >query.sql
    local expected=$'five\r\n5\r'
    assert_eq "$(sql --csv -f query.sql)" "$expected"
    assert_eq "$(sql --csv <query.sql)" "$expected"
    assert_eq "$(sql --csv -f - <query.sql)" "$expected"
    printf 'SELECT 1\0' >binary
    run --separate-stderr sql -f binary
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "*not a text*"
    run --separate-stderr sql -f query.sql 'SELECT 1'
    assert_eq "$status" 2 "exit status"
}

@test "JSON has integers of any size, and errors as an object" {
    sql --json "SELECT 9007199254740993 AS big, 'nan'::DOUBLE AS nan, labels FROM runs WHERE name = 'before'" >out
    assert_matches "$(cat out)" '*"rows":\[{"big":9007199254740993,"nan":null,"labels":{"gpu":"a100"}}\]*'
    run --separate-stderr sql --json 'SELECT nosuch FROM runs'
    assert_eq "$status" 2 "exit status"
    assert_matches "$output" '{"code":"usage","message":"Binder Error:*LINE 1: SELECT nosuch*'
    assert_matches "$output" '*"remediation":\["SHOW TABLES*'
}

@test "an error shows the place" {
    run --separate-stderr sql 'SELECT name FORM runs x'
    assert_eq "$status" 2 "exit status"
    assert_eq "${stderr_lines[0]}" 'optally sql: Parser Error: syntax error at or near "runs"'
    assert_eq "${stderr_lines[1]}" 'LINE 1: SELECT name FORM runs x'
    assert_eq "${stderr_lines[2]}" '                         ^'
}

# --- what may not be -----------------------------------------------------------------------------

@test "nothing is read or written but the tables of the commit" {
    local before after file statement
    before=$(cd "$OPTALLY_STORE" && find . -type f -exec sha256sum {} + | sort)
    file=$(find "$OPTALLY_STORE" -name operators.parquet | head -1)
    for statement in "COPY runs TO '$PWD/new.csv'" "COPY runs TO '$file' (USE_TMP_FILE false)" \
        "EXPLAIN ANALYZE COPY runs TO '$file' (FORMAT parquet, USE_TMP_FILE false)" \
        "FROM read_blob('$file')" "ATTACH '$PWD/new.db'" "FROM 'https://localhost/x.parquet'" \
        "FROM enable_logging(storage := 'file', storage_path := '$PWD/new.log')" \
        "SELECT 1) TO '$PWD/new.csv' (FORMAT csv); --"; do
        run --separate-stderr sql "$statement"
        assert_eq "$status" 2 "exit status of $statement"
    done
    run --separate-stderr sql --format parquet -o out.parquet "$statement"
    assert_eq "$status" 2 "exit status as Parquet"
    after=$(cd "$OPTALLY_STORE" && find . -type f -exec sha256sum {} + | sort)
    assert_eq "$after" "$before"
    assert_eq "$(none_but_bats)" ""
}

@test "a file that is damaged or gone is named" {
    cp -r "$OPTALLY_STORE" store
    export OPTALLY_STORE=$PWD/store
    local folders file
    folders=(store/.optally/sessions/*)
    chmod -R u+w "${folders[@]}"
    file=${folders[0]}/shapes.parquet
    head -c 200 "$file" >short && cp short "$file"
    check_named shapes.parquet 'SELECT count(*) FROM shapes'
    rm "${folders[1]}/tracks.parquet"
    check_named tracks.parquet 'SELECT 1'
    rm "${folders[0]}"/slices-*
    check_named slices-0000.parquet 'SELECT 1'
}

@test "tables of another version are refused" {
    local folders python=$BATS_TEST_DIRNAME/../../build/venv-test/bin/python
    [[ -x $python ]] || skip "no pyarrow (tools/setup test)"
    cp -r "$OPTALLY_STORE" store
    export OPTALLY_STORE=$PWD/store
    folders=(store/.optally/sessions/*)
    chmod -R u+w "${folders[@]}"
    "$python" - "${folders[0]}/sessions.parquet" <<'EOF'
import sys, pyarrow as a, pyarrow.parquet as p
table = p.ParquetFile(sys.argv[1]).read()
i = table.schema.get_field_index("extractor")
p.write_table(table.set_column(i, "extractor", a.array(["optally.tables/7"] * len(table))), sys.argv[1])
EOF
    run --separate-stderr sql 'SELECT 1'
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "optally sql: *version 'optally.tables/7'*: import it again"
}

@test "what was read is named, and a row of a table is one line" {
    assert_eq "$(sql --csv "SELECT bytes FROM artifacts WHERE paths::VARCHAR LIKE '%odd.json%'" | tail -1)" \
        "$(wc -c <"$BATS_FILE_TMPDIR/odd.json")"$'\r'
    assert_eq "$(sql --limit 1 "SELECT E'a\nb' AS x" | sed -n 2p)" "a b"
}

check_named() {
    run --separate-stderr sql --json "$2"
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "optally sql: *$1*optally fsck says what is damaged?"
    assert_matches "$output" '{"code":"bad_input",*'
}

@test "time and memory are bounded" {
    run --separate-stderr sql --timeout 1 'SELECT count(*) FROM range(1000000000000)'
    assert_eq "$status" 1 "exit status"
    assert_eq "$stderr" "optally sql: not done after 1.00s (--timeout)"
    run --separate-stderr sql --memory-limit 32M 'SELECT i, count(*) FROM range(100000000) t(i) GROUP BY i'
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "optally sql: Out of Memory Error*--memory-limit*"
    assert_eq "${#stderr_lines[@]}" 1 "lines"
    assert_eq "$(none_but_bats)" ""
}

# Some of DuckDB's functions count no memory and hear no interrupt.
endless="SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))"

@test "time and memory are bounded inside one function, too" {
    # An address sanitizer takes more than all of it.
    grep -q fsanitize=address "$OPTALLY_BUILD/CMakeCache.txt" || ulimit -v 8000000
    local query
    for query in 'SELECT len(range(200000000))' "SELECT length(repeat('x', 1000000000))"; do
        run --separate-stderr sql --memory-limit 64M "$query"
        assert_eq "$status" 1 "exit status of $query"
        assert_matches "$stderr" "optally sql: Out of Memory Error*--memory-limit*"
    done
    mkdir spill
    run --separate-stderr sql --json --timeout 1 --spill spill -o out.json "$endless"
    assert_eq "$status" 1 "exit status"
    assert_eq "$stderr" "optally sql: not done after 1.00s (--timeout)"
    assert_matches "$output" '{"code":"io","message":"not done after*'
    assert_eq "$(none_but_bats)$(ls -A spill)" ""
}

@test "what does not fit into memory goes where it may, and that is no place to read from" {
    local query='SELECT count(*) FROM (SELECT i, count(*) FROM range(3000000) t(i) GROUP BY i)'
    run --separate-stderr sql --csv --memory-limit 100M "$query"
    assert_eq "$status" 1 "exit status"
    mkdir spill
    echo secret >spill/x.csv
    assert_eq "$(sql --csv --memory-limit 100M --spill spill "$query" | tail -1)" $'3000000\r'
    run --separate-stderr sql --spill spill "FROM '$PWD/spill/x.csv'"
    assert_eq "$status" 2 "exit status"
    assert_eq "$(ls spill)" "x.csv"
}

@test "a signal ends a query and leaves nothing" {
    sql --format parquet -o out.parquet 'SELECT count(*) FROM range(1000000000000)' 3>&- &
    local pid=$!
    sleep 0.5
    pkill -TERM -P "$pid" || kill "$pid"
    run wait "$pid"
    ((status > 128)) || [[ $status == 1 ]]
    assert_eq "$(none_but_bats)" ""
}

@test "a second signal ends what the first one cannot" {
    "$OPTALLY_BUILD/bin/optally" sql --format parquet -o out.parquet "$endless" 2>said 3>&- &
    local pid=$!
    sleep 0.4
    kill "$pid"
    sleep 0.1
    kill "$pid"
    local status=0
    wait "$pid" || status=$?
    assert_eq "$status" 143 "exit status"
    assert_eq "$(cat said)" "optally sql: interrupted"
    rm said
    assert_eq "$(none_but_bats)" ""
}

@test "what makes no sense is said" {
    local row
    for row in '--format=xml|*none of: table, csv, json, parquet' '--csv --json|*one format' \
        '--timeout=x|*not a number of seconds' '--threads=0|*from 1 to*' '--memory-limit=1K|*16M*' '--spill=/nonexistent|*spill*' \
        '--limit=x|*all*'; do
        # shellcheck disable=SC2086
        run --separate-stderr sql ${row%%|*} 'SELECT 1'
        assert_eq "$status" 2 "exit status of $row"
        assert_matches "$stderr" "optally sql: ${row#*|}"
    done
    run --separate-stderr sql --store /nonexistent 'SELECT 1'
    assert_eq "$status" 1 "exit status"
}

# --- the prompt ----------------------------------------------------------------------------------

@test "a terminal has a prompt with lines, completion, a history, and an end" {
    need_tmux
    open_terminal 90 40
    press "XDG_STATE_HOME=$PWD/state $optally sql" Enter
    await_screen '.help helps'
    press -l 'SELECT na'
    press Tab
    press -l ", sessions"
    press Enter
    await_screen '...>'
    press -l "FROM runs WHERE name = 'job'; SELECT nosuch\\;"
    press Enter
    await_screen 'job          2'
    await_screen 'LINE 1: SELECT nosuch'
    press -l '.schema warnings'
    press Enter
    await_screen 'column_type'
    press -l 'SELECT count(*) FROM range(1000000000000)\;'
    press Enter
    sleep 0.3
    press C-c
    await_screen 'interrupted'
    press -l 'thrown away'
    press C-c
    press -l "SELECT 'still ' || 'here' AS x\\;"
    press Enter
    await_screen 'still here'
    press -l "$endless\\;"
    press Enter
    sleep 0.3
    press C-c
    sleep 0.1
    press C-c
    await_screen 'begins anew'
    press -l "SELECT 'once ' || 'more' AS x\\;"
    press Enter
    await_screen 'once more'
    press -l 'quit'
    press Enter
    assert_terminal_is_back 0
    grep -q 'FROM\\040runs' state/optally/sql_history
}
