# optally flamegraph from the command line: what it reads and writes, and what it refuses. The
# picture itself is in tests/browser, its numbers in tests/oracle.
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
            $(event aten::add 1 10), $(event aten::mul 2 "$((rank + 1))"), $(event 'a;b 7' 20 5)]}" >"rank$rank.json"
    done
    echo "{\"traceEvents\": [$(event aten::add 1 10), $(event aten::gone 12 3)]}" >old.json
    echo '{"traceEvents": []}' >empty.json
    head -c 200 rank0.json >cut.json
    record recorded --no-tally -- "$fake_program" "$fake_torch" 3000
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cp "$BATS_FILE_TMPDIR"/*.json .
}

draws() { # ARGUMENT...
    run --separate-stderr optally flamegraph "$@"
    assert_eq "$status" 0 "exit status ($stderr)"
}

refuses() { # STATUS PATTERN ARGUMENT...
    local expected=$1 pattern=$2
    shift 2
    run --separate-stderr optally flamegraph "$@"
    assert_eq "$status" "$expected" "exit status"
    assert_eq "$output" "" "stdout"
    assert_matches "$stderr" "optally flamegraph: $pattern"
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr"
}

@test "folded stacks hold self times, and names that break no line" {
    draws -o - --format folded rank0.json
    assert_eq "$output" "a:b_7 5000
aten::add 9000
aten::add;aten::mul 1000" "lines"
    assert_eq "$stderr" "" "stderr"
}

@test "the format is that of the ending, or the one that is asked for" {
    draws -o out.folded rank0.json
    grep -qx 'aten::add;aten::mul 1000' out.folded
    draws -o out.svg rank0.json
    grep -q '^<svg xmlns="http://www.w3.org/2000/svg"' out.svg
    draws -o out.txt --format svg rank0.json
    cmp out.txt out.svg
}

@test "the same input gives the same bytes" {
    draws -o one.svg "$(trace recorded)"
    draws -o two.svg "$(trace recorded)"
    cmp one.svg two.svg
}

@test "a recording by its calls" {
    draws -o - --format folded --weight calls "$(trace recorded)"
    assert_eq "$output" "fake::operator 3000" "lines"
}

@test "the ranks of a job share frames, unless they are told apart" {
    draws -o - --format folded --weight calls rank0.json rank1.json
    assert_matches "$output" "*aten::add;aten::mul 2*"
    draws -o - --format folded --weight calls --by thread rank0.json rank1.json
    assert_matches "$output" "rank 0, thread 10 (process 10);*rank 1, thread 10 (process 10);aten::add;aten::mul 1"
    (cat rank0.json && echo) >same.json
    draws -o - --format folded --weight calls --by thread rank0.json same.json
    assert_matches "$output" "rank 0, rank0.json, thread *rank 0, same.json, thread 10 (process 10);aten::add;aten::mul 1"
}

@test "threads have the numbers that the trace gives them" {
    echo "{\"traceEvents\": [$(event aten::add 1 10 cpu_op -1029147072)]}" >negative.json
    draws -o - --format folded --by thread negative.json
    assert_eq "$output" "thread -1029147072 (process 10);aten::add 10000" "lines"
    run optally tally --by thread negative.json
    assert_matches "$output" "*/10/-1029147072 |*"
}

@test "calls that have no frame of their own are told, and of which side they are" {
    /usr/bin/python3 - <<'EOF'
import json
events = [{"ph": "X", "cat": "cpu_op", "name": f"f{i}", "pid": 1, "tid": 1, "ts": i, "dur": 2000 - 2 * i}
          for i in range(515)]
json.dump({"traceEvents": events}, open("deep.json", "w"))
EOF
    draws -o deep.folded deep.json
    assert_matches "$stderr" "optally flamegraph: warning: 3 calls have no frame of their own, since stacks are too deep (512)*"
    draws -o diff.folded --diff deep.json rank0.json
    assert_matches "$stderr" "optally flamegraph: warning: deep.json: 3 calls have no frame of their own*"
    assert_eq "$(wc -l <<<"$stderr")" 1 "lines of stderr"
}

@test "a difference tells both weights, and what is gone" {
    draws -o - --format folded --diff old.json rank0.json
    assert_eq "$output" "a:b_7 0 5000
aten::add 10000 9000
aten::add;aten::mul 0 1000
aten::gone 3000 0" "lines"
    draws -o out.svg --diff old.json rank0.json
    grep -q 'Gone since before: 1 frame, 3.00us, most of it aten::gone (3.00us)' out.svg
    grep -q '<title>rank0.json against old.json</title>' out.svg
}

@test "the other side of a difference may have several ranks" {
    draws -o - --format folded --weight calls --diff rank0.json --diff rank1.json old.json
    assert_matches "$output" "*aten::add 2 1*"
}

@test "what is damaged is refused, or skipped and told in the picture and beside it" {
    refuses 1 "cut.json: *" -o out.svg cut.json
    [[ ! -e out.svg ]]
    draws -o out.svg --recover cut.json
    assert_matches "$stderr" "*lower bounds: *could not be read to*"
    grep -q 'Self time: .* (at least: .*could not be read to' out.svg
}

@test "what was not recorded cannot be drawn, and what would help is said" {
    refuses 1 "rank0.json: holds no memory events*--memory*profile_memory=True" -o out.svg --weight alloc rank0.json
    refuses 1 "rank0.json: holds no work of a device*" -o out.svg --weight device rank0.json
    refuses 1 "empty.json: holds no calls, so there is nothing to draw" -o out.svg empty.json
    refuses 1 "empty.json: holds no calls*" -o out.svg --diff empty.json rank0.json
    [[ ! -e out.svg ]]
}

@test "a failure leaves the file that is there as it was" {
    echo mine >out.svg
    refuses 1 "*cut.json*" -o out.svg cut.json
    assert_eq "$(cat out.svg)" mine "the file"
    refuses 1 "*" -o rank0.json rank0.json
    refuses 1 "*" -o old.json --diff old.json rank0.json
    grep -q aten::gone old.json
    assert_eq "$(find . -name '*.new-*' -o -name '.optally*' | wc -l)" 0 "files left"
}

@test "a full disk is a failure" {
    [[ -e /dev/full ]] || skip "no /dev/full here"
    refuses 1 "*" -o /dev/full rank0.json
}

@test "what makes no sense is named" {
    refuses 2 "no file to write to: -o FILE*" rank0.json
    refuses 2 "no INPUT given*" -o out.svg
    refuses 2 "--format: 'png' is neither*" -o out.svg --format png rank0.json
    refuses 2 "--weight: 'time' is none of*" -o out.svg --weight time rank0.json
    refuses 2 "--by: 'rank' is not thread" -o out.svg --by rank rank0.json
    refuses 2 "--by thread and --diff*" -o out.svg --by thread --diff old.json rank0.json
    refuses 2 "'-' is given twice; it can be read only once" -o out.svg --diff - -
}
