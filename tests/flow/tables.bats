# optally export --parquet, --csv, --jsonl: the tables of a trace, as other programs find them. What
# is in them is looked at by the unit test, and by those of the store.
load helper

setup() {
    traces=$BATS_TEST_DIRNAME/../golden/traces
    arrow_python=$BATS_TEST_DIRNAME/../../build/venv-test/bin/python
    cd "$BATS_TEST_TMPDIR" || return
    [[ -e $OPTALLY_BUILD/lib/optally/optally-store.so ]] || skip "built without DuckDB"
}

tables='devices memory-0000 memory_devices operators sessions shapes slices-0000 tracks warnings'

@test "each format has all tables, and the same rows in them" {
    "$optally" export --csv csv "$traces/gpu.json"
    "$optally" export --jsonl jsonl "$traces/gpu.json"
    "$optally" export --parquet parquet "$traces/gpu.json"
    python3 - $tables <<'END'
import csv, json, os, sys
for table in sys.argv[1:]:
    assert open(f"parquet/{table}.parquet", "rb").read(4) == b"PAR1", table
    columns = csv.DictReader(open(f"csv/{table}.csv", encoding="utf-8"))
    text = list(columns)
    objects = [json.loads(line) for line in open(f"jsonl/{table}.jsonl", encoding="utf-8")]
    assert len(text) == len(objects), table
    for row, object in zip(text, objects):
        assert list(row) == list(object), table
        for name, value in object.items():
            said = {None: "", True: "true", False: "false"}.get(value, str(value)) \
                if not isinstance(value, int) or isinstance(value, bool) else str(value)
            assert row[name] == said, (table, name, row[name], value)
assert sorted(os.listdir("csv")) == sorted([f"{table}.csv" for table in sys.argv[1:]] + ["optally.export"])
END
}

@test "the slices add up to what the analysis has" {
    "$optally" analyze --limit all --json "$traces/gpu.json" >analysis.json
    "$optally" export --jsonl tables "$traces/gpu.json"
    python3 - <<'END'
import collections, json
def rows(table):
    return [json.loads(line) for line in open(f"tables/{table}.jsonl", encoding="utf-8")]
operators = rows("operators")
sums = collections.defaultdict(lambda: [0, 0, 0])
for slice in rows("slices-0000"):
    operator = operators[slice["operator"]]
    if operator["in_population"]:
        sum = sums[operator["kind"], operator["category"], operator["name"]]
        sum[0] += 1
        sum[1] += slice["dur_ns"]
        sum[2] += slice["self_ns"]
said = {(row["kind"], row["category"], row["name"]): [row["calls"], row["inclusive_ns"], row["self_ns"]]
        for row in json.load(open("analysis.json", encoding="utf-8"))["operators"]["rows"]}
assert said and said == sums, (said, sums)
END
}

@test "Arrow reads the tables of several traces as one" {
    [[ -x $arrow_python ]] || skip "without build/venv-test (tools/setup test)"
    "$optally" export --parquet job "$traces/gpu.json" "$traces/cpu.json"
    "$arrow_python" - <<'END'
import glob
import pyarrow.dataset, pyarrow.parquet
for table in ("sessions", "operators", "slices-0000", "memory-0000", "shapes", "warnings"):
    files = sorted(glob.glob(f"job/session=*/{table}.parquet"))
    assert len(files) == 2, table
    rows = pyarrow.dataset.dataset(files, partitioning="hive").to_table()
    assert rows.num_rows == sum(pyarrow.parquet.ParquetFile(f).metadata.num_rows for f in files)
    assert not any(str(field.type).startswith("uint") for field in rows.schema), rows.schema
    if table == "sessions":
        assert rows["id"].to_pylist() == rows["session"].to_pylist()
END
}

@test "the same trace gives the same bytes, and is written once" {
    cp "$traces/gpu.json" twin.json
    "$optally" export --parquet one "$traces/gpu.json"
    "$optally" export --parquet two "$traces/gpu.json"
    diff -r one two
    run --separate-stderr optally export --parquet both twin.json "$traces/gpu.json"
    assert_eq "$status" 0 "exit status"
    assert_eq "$(ls both | grep -c ^session=)" 1 "folders"
    assert_matches "$stderr" "optally export: warning: $traces/gpu.json is the same trace as one before it*"
}

@test "standard input is a trace like any other" {
    "$optally" export --csv file "$traces/gpu.json"
    "$optally" export --csv stream - <"$traces/gpu.json"
    diff file/slices-0000.csv stream/slices-0000.csv
}

@test "a failure leaves what was there" {
    head -c 700 "$traces/gpu.json" >cut.json
    "$optally" export --parquet tables "$traces/gpu.json"
    cp -r tables before
    run --separate-stderr optally export --parquet tables --force cut.json
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "optally export: cut.json: ends early*"
    run --separate-stderr optally export --parquet tables "$traces/cpu.json"
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "*tables exists: choose another folder, or replace it with --force"
    run --separate-stderr optally export --parquet tables --force missing.json
    assert_eq "$status" 1 "exit status"
    diff -r before tables
    assert_eq "$(ls | grep -v ^separate-stderr-)" "$(printf '%s\n' before cut.json tables)" "what is there"
}

@test "what could be read of a trace is told as that" {
    head -c 700 "$traces/gpu.json" >cut.json
    run --separate-stderr optally export --jsonl tables --recover cut.json
    assert_eq "$status" 0 "exit status"
    assert_matches "$stderr" "*lower bounds: 1 input could not be read to its end*"
    assert_matches "$(cat tables/sessions.jsonl)" '*"recovered":true*"truncated_inputs":1*'
    assert_matches "$(cat tables/warnings.jsonl)" '{"code":"truncated","count":1,"first":"event *'
}

@test "a full disk is one line that names the file" {
    need_mounts "a disk of 16 kB"
    mkdir full
    # shellcheck disable=SC2016
    run --separate-stderr unshare -m bash -c '
        mount -t tmpfs -o size=16k tmpfs full
        "$1" export --parquet full/tables "$2"
        code=$?
        ls full
        exit $code' bash "$optally" "$traces/gpu.json"
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "optally export: */full/tables.new-*.parquet: No space left on device"
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr"
    assert_eq "$output" "" "what is left"
}

@test "formats are chosen one at a time" {
    run --separate-stderr optally export --parquet a --csv b "$traces/gpu.json"
    assert_eq "$status" 2 "exit status"
    assert_eq "$stderr" "optally export: one format at a time: --parquet, --csv, --jsonl or --ctf"
    run --separate-stderr optally export "$traces/gpu.json"
    assert_eq "$status" 2 "exit status"
    assert_matches "$stderr" "optally export: no format given*"
}
