# The store as a process: what is kept and under which names, what a commit still answers, what is
# said of what is damaged, and that a writer which dies leaves the store as it was.
#
# OPTALLY_TEST_KILLS  how many imports are killed (default: 12)
load helper

setup() {
    traces=$BATS_TEST_DIRNAME/../golden/traces
    make_trace=$BATS_TEST_DIRNAME/../golden/make_trace.py
    cd "$BATS_TEST_TMPDIR" || return
    [[ -e $OPTALLY_BUILD/lib/optally/optally-store.so ]] || skip "built without DuckDB"
    unset OPTALLY_STORE
    "$optally" init >/dev/null
}

teardown() {
    local mount
    for mount in "$BATS_TEST_TMPDIR"/mount-*; do
        umount "$mount" 2>/dev/null || true
    done
}

head_of() { cat "${1:-.}/.optally/head"; }

# field FILE PATH: a member of a JSON file, as Python finds it: 'runs[0].name'.
field() {
    /usr/bin/python3 -c 'import json, re, sys
value = json.load(open(sys.argv[1]))
for key, at in re.findall(r"([a-z_]+)|\[(\d+)\]", sys.argv[2]):
    value = value[key] if key else value[int(at)]
print(value)' "$1" "$2"
}

# says PATTERN COMMAND...: fails with exit status 1 and one line like that on stderr.
says() {
    local pattern=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    assert_eq "$status" 1 "exit status of $*" || { cat err; return 1; }
    assert_eq "$(wc -l <err)" 1 "lines on stderr of $*" || { cat err; return 1; }
    assert_matches "$(cat err)" "$pattern"
}

# A rank of a job; the others differ by their rank alone.
rank() {
    sed "s/\"rank\": 1, \"world_size\": 2/\"rank\": $1, \"world_size\": 8/" "$traces/gpu.json"
}

sound() {
    "$optally" fsck >fsck.out 2>&1 || { cat fsck.out; return 1; }
}

@test "a store is found from below, and from where it is named" {
    mkdir -p a/b other
    assert_matches "$(cd a/b && "$optally" runs)" "no runs are in $PWD/.optally *"
    says "*--store: no store is in other: optally init makes one" "$optally" runs --store other
    "$optally" init other >/dev/null
    assert_matches "$("$optally" runs --store other)" "*$PWD/other/.optally*"
    assert_matches "$("$optally" runs --store other/.optally)" "*$PWD/other/.optally*"
    assert_matches "$(OPTALLY_STORE=other "$optally" runs)" "*$PWD/other/.optally*"
    says "*other/.optally is a store already" "$optally" init other
    # It is made where it is looked for.
    "$optally" init --store named >/dev/null
    says "*other/.optally is a store already" env OPTALLY_STORE=other/.optally/ "$optally" init
    assert_eq "$(OPTALLY_STORE=$PWD/env "$optally" init)" "made the store $PWD/env/.optally"
    assert_matches "$(OPTALLY_STORE=env "$optally" runs)" "*$PWD/env/.optally*"
    assert_matches "$("$optally" runs --store named)" "*$PWD/named/.optally*"
    run "$optally" init a --store b
    assert_eq "$status" 2 "exit status of two folders"
    rm -r .optally
    says "*no store is in $PWD or above it: optally init makes one, --store *" "$optally" runs
}

@test "what is kept is what was read, byte for byte, and known by its hash" {
    local hex
    hex=$(sha256sum <"$traces/gpu.json" | cut -d" " -f1)
    gzip -nc "$traces/gpu.json" >packed.json.gz
    "$optally" import "$traces/gpu.json" >said
    assert_matches "$(cat said)" "*gpu  imported: 1 session, 13 operators, *"
    assert_eq "$(zstd -dc .optally/artifacts/"$hex"/gpu.json.zst | sha256sum | cut -d" " -f1)" "$hex"
    "$optally" import packed.json.gz >/dev/null
    cmp packed.json.gz .optally/artifacts/"$(sha256sum <packed.json.gz | cut -d" " -f1)"/packed.json.gz
    "$optally" import - <"$traces/cpu.json" >/dev/null 2>&1
    assert_eq "$("$optally" runs --csv | cut -d, -f2 | tr -d "\r" | paste -sd" ")" "name gpu packed stdin"
    assert_eq "$(ls .optally/tmp)" ""
    sound
}

@test "a recording is kept as its files, under the hash that analyze prints" {
    local hex
    "$make_trace" "$traces/job.txt" job
    ln -s nowhere job/dangling
    chmod -R a-w job
    "$optally" import job/ >/dev/null 2>err
    chmod -R u+w job
    "$optally" analyze --json job >analysis 2>/dev/null
    hex=$(sed "s/.*\"artifact\":\"sha256:\([0-9a-f]*\)\".*/\1/" analysis)
    rm job/dangling
    diff -r job ".optally/artifacts/$hex/job"
    sound
}

@test "one log of a recording is read under its own hash, and not imported" {
    record rec --no-tally -- "$fake_program" "$fake_torch" 100
    local log
    log=$(echo "$(trace rec)"/*.oplog)
    "$optally" analyze --json "$log" >analysis 2>/dev/null
    grep -q "\"artifact\":\"sha256:$(sha256sum <"$log" | cut -d" " -f1)\"" analysis
    says "*is a part of a recording: import the folder that it is in" "$optally" import "$log"
    "$optally" import "$(trace rec)" >/dev/null
    assert_eq "$("$optally" runs --csv | tail -1 | cut -d, -f2)" rec
    sound
}

@test "a folder with the store in it is not copied into itself" {
    "$make_trace" "$traces/nested.txt" rec
    "$optally" init rec >/dev/null
    says "*rec: the store *rec/.optally is in it*" env OPTALLY_STORE=rec "$optally" import rec
}

@test "the same trace is one artifact and one session, alone or as a rank" {
    rank 0 >rank0.json
    rank 1 >rank1.json
    "$optally" import rank0.json >/dev/null
    "$optally" import rank1.json rank0.json --name job >/dev/null
    assert_eq "$(ls .optally/sessions | wc -l)" 2 sessions
    assert_eq "$(ls .optally/artifacts | wc -l)" 2 artifacts
    "$optally" show --json job >job.json
    assert_eq "$(field job.json "sessions[0].rank") $(field job.json "sessions[1].rank")" "0 1" ranks
    # What is there already changes nothing.
    local before
    before=$(head_of)
    "$optally" import rank0.json rank1.json >said
    assert_matches "$(cat said)" "*job  was there already: *as before"
    assert_eq "$(head_of)" "$before" head
    # The same twice in one call, under another name, counts once.
    cp rank0.json twin.json
    "$optally" import rank0.json twin.json >/dev/null 2>err
    assert_matches "$(cat err)" "*twin.json is the same trace as rank0.json; it counts once"
    assert_eq "$(head_of)" "$before" head
    sound
}

@test "names and labels change with another import, and names are of one run" {
    "$optally" import "$traces/gpu.json" --label a=1 --label b=2 >/dev/null
    "$optally" import "$traces/gpu.json" --name best --label b= --label "c=x=y z" >said
    assert_matches "$(cat said)" "*best  changed: *"
    "$optally" import "$traces/gpu.json" --label d=1 >/dev/null
    "$optally" log --json >log
    assert_eq "$(field log "commits[0].message"), $(field log "commits[1].message")" \
        "change best, rename gpu to best"
    "$optally" import "$traces/gpu.json" --label d= >/dev/null
    "$optally" runs --json >runs
    assert_eq "$(field runs "runs[0].labels")" "{'a': '1', 'c': 'x=y z'}" labels
    says "*is called best already*--name" "$optally" import "$traces/gpu-after.json" --name best
    assert_eq "$("$optally" gc --json >gc; field gc items)" "[]" "what is left of that"
    mkdir deep && cp "$traces/cpu.json" deep/best.pt.trace.json
    "$optally" import deep/best.pt.trace.json >/dev/null 2>&1
    assert_eq "$("$optally" runs --csv --label a=1 | tail -n +2 | cut -d, -f2)" best
    assert_eq "$("$optally" runs --csv | tail -n +2 | cut -d, -f2 | paste -sd" ")" "best best-2"
    assert_eq "$("$optally" runs --label nobody)" "none of 2 runs has this label"
    run "$optally" import "$traces/gpu.json" --label novalue
    assert_eq "$status" 2 "exit status of a label without ="
}

@test "odd names and labels" {
    local odd
    odd=$(printf 'o\377d"\n$x.json')
    cp "$traces/gpu.json" "$odd"
    "$optally" import "$odd" --label "$(printf 'k\377=v\n"')" >/dev/null
    "$optally" runs --json >runs
    /usr/bin/python3 -c 'import json
run = json.load(open("runs", encoding="utf-8"))["runs"][0]
assert run["name"] == "o\ufffdd\"\n$x", run
assert run["labels"] == {"k\ufffd": "v\n\""}, run'
    assert_eq "$("$optally" runs | wc -l)" 2 "lines of the table"
    sound
    "$optally" init linked >/dev/null
    says "*its name is not UTF-8*without --link" "$optally" import --store linked --link "$odd"
}

@test "traces that do not look like ranks of one job are told" {
    rank 0 >rank0.json
    rank 1 >rank1.json
    cp "$traces/gpu.json" other.json
    sed "s/\"world_size\": 8/\"world_size\": 8, \"note\": 1/" rank1.json >same.json
    "$optally" import rank0.json rank1.json >/dev/null 2>err
    assert_eq "$(cat err)" ""
    "$optally" import rank0.json other.json >/dev/null 2>err
    assert_matches "$(cat err)" "*rank0.json and other.json do not look like parts of one job: they tell other numbers of ranks; --each *"
    "$optally" import rank0.json rank1.json same.json >/dev/null 2>err
    assert_matches "$(cat err)" "*rank1.json and same.json *: they tell the same rank; --each *"
    "$optally" import --each rank0.json other.json >/dev/null 2>err
    assert_eq "$(cat err)" ""
}

@test "a recording that is being written is imported when it has ended" {
    record_in_background live --no-tally -- "$fake_program" "$fake_torch" 100 30
    local folder status=0
    folder=$(trace live)
    says "*live is still being recorded: import it when its program has ended" "$optally" import "$folder"
    says "*live is still being recorded*" "$optally" import --link "$folder"
    kill "$record_pid"
    await_record live
    "$optally" import --link "$folder" >/dev/null
    sound
}

@test "of ten traces one of which is none nothing is imported, or the rest" {
    local i
    for i in 0 1 2 3 4 5 6 7 8; do rank "$i" >rank$i.json; done
    echo "no trace" >rank9.json
    says "*rank9.json*" "$optally" import rank?.json
    assert_eq "$("$optally" runs --csv | wc -l)" 1 "lines"
    assert_eq "$(find .optally -type f | sort | paste -sd" ")" ".optally/format .optally/lock" files
    says "*rank9.json*" "$optally" import --keep-going rank?.json
    assert_matches "$("$optally" runs --csv | tail -1)" "*,rank0,*,9,*"
    # Each on its own.
    "$optally" import --each rank[0-8].json >said
    assert_eq "$(wc -l <said)" 10 "lines of --each"
    assert_eq "$(ls .optally/sessions | wc -l)" 9 sessions
    sound
}

@test "what is linked stays where it is, and is refused once it has changed" {
    cp "$traces/gpu.json" mine.json
    "$optally" import --link mine.json >said
    assert_eq "$(ls .optally/artifacts)" "" artifacts
    sound
    echo >>mine.json
    "$optally" fsck >out && return 1
    assert_matches "$(cat out)" "*mine.json: has changed since it was imported with --link*"
    rm mine.json
    "$optally" fsck >out && return 1
    assert_matches "$(cat out)" "*mine.json: cannot be read any more*"
    # A later import without --link keeps it.
    cp "$traces/gpu.json" mine.json
    "$optally" import mine.json >said
    assert_matches "$(cat said)" "*mine  changed: *"
    "$optally" gc --keep 1 --prune >/dev/null
    rm mine.json
    sound
}

@test "a commit answers the same after later imports and removals" {
    "$optally" import "$traces/gpu.json" --label a=1 >/dev/null
    local first
    first=$(head_of)
    "$optally" runs --json --commit "$first" >runs.1
    "$optally" show --json gpu --commit "${first:0:6}" >show.1
    "$optally" analyze --json --commit "$first" gpu >analyze.1
    "$optally" tally --json --commit "$first" gpu >tally.1
    "$optally" sql --csv --commit "$first" "SELECT name, calls FROM operators ORDER BY ALL" >sql.1
    assert_eq "$(wc -l <sql.1)" 19 "lines of SQL"
    "$optally" import "$traces/cpu.json" --name more >/dev/null 2>&1
    "$optally" import "$traces/gpu.json" --name else --label a=2 >/dev/null
    "$optally" rm else >said
    assert_matches "$(cat said)" "rm else; 1 run is left*"
    says "*no run 'else'*" "$optally" show else
    "$optally" runs --json --commit "$first" | cmp - runs.1
    "$optally" show --json gpu --commit "$first" | cmp - show.1
    "$optally" analyze --json --commit "$first" gpu | cmp - analyze.1
    "$optally" tally --json --commit "$first" gpu | cmp - tally.1
    "$optally" sql --csv --commit "$first" "SELECT name, calls FROM operators ORDER BY ALL" | cmp - sql.1
    # ... and is forgotten when asked to, with what only it has.
    assert_eq "$("$optally" gc | tail -1)" "nothing to remove: commits name all that is there"
    "$optally" gc --keep 1 >out
    assert_matches "$(tail -1 out)" "*optally gc --prune with the same --keep removes it*"
    "$optally" runs --commit "$first" >/dev/null
    "$optally" gc --keep 1 --prune >/dev/null
    says "*no commit $first*" "$optally" runs --commit "$first"
    assert_eq "$(ls .optally/sessions | wc -l) $(ls .optally/artifacts | wc -l)" "1 1" "what is left"
    assert_matches "$("$optally" log | tail -1)" "Older commits were forgotten*"
    sound
    says "*no run 'gone'*" "$optally" rm gone
}

# What is listed is what analyze says, of whatever is small enough.
@test "figures are those of an analysis" {
    local trace
    for trace in "$traces"/*.json; do
        "$optally" import "$trace" --json >imported 2>/dev/null
        "$optally" analyze --json "$trace" >analysis 2>/dev/null
        /usr/bin/python3 -c 'import json
run = json.load(open("imported"))["runs"][0]
of = {k: a.get("value") for k, a in json.load(open("analysis"))["aggregates"].items()}
for ours, theirs in (("operators", "operators"), ("host_busy_ns", "host_busy_time"),
                     ("device_busy_ns", "device_time_union")):
    assert run[ours] == of[theirs], (ours, run[ours], of[theirs])'
    done
}

@test "log, show and fsck for programs" {
    "$optally" import "$traces/gpu.json" >/dev/null
    "$optally" log --json >log
    assert_eq "$(field log "commits[0].commit") $(field log "commits[0].parent")" "$(head_of) None"
    "$optally" show --json head >show
    assert_eq "$(field show "runs[0].change") $(field show schema)" "added optally.commit-shown/1"
    "$optally" fsck --json >fsck
    assert_eq "$(field fsck whole)" True
    "$optally" import --json "$traces/gpu.json" >import
    assert_eq "$(field import "runs[0].change")" same
    "$optally" gc --json >gc
    assert_eq "$(field gc items)" "[]"
}

@test "what is damaged is named, and importing again mends it" {
    local tables artifact
    "$optally" import "$traces/gpu.json" >/dev/null
    "$optally" import "$traces/cpu.json" >/dev/null 2>&1
    tables=$(grep -l -r gpu.json .optally/sessions | head -1)
    [[ $tables ]] || tables=$(ls -d .optally/sessions/*/sessions.parquet | head -1)
    artifact=$(ls .optally/artifacts/*/gpu.json.zst)
    printf X | dd of="$tables" bs=1 seek=20 conv=notrunc status=none
    printf X | dd of="$artifact" bs=1 seek=200 conv=notrunc status=none
    "$optally" fsck >out && return 1
    grep -q "$tables: is damaged" out
    grep -q "$artifact" out
    assert_eq "$(grep -c "^run .*damaged" out) $(grep -c "^run .*answers" out)" "1 1" "runs"
    assert_eq "$(grep -c "^commit .*answers in part" out)" 2 commits
    "$optally" fsck --quick >quick && return 1
    grep -q "$artifact" quick && return 1
    "$optally" import "$traces/gpu.json" >/dev/null
    sound
}

@test "a damaged manifest is named, the other runs answer, and it can be taken out" {
    local manifest damage
    "$optally" import "$traces/gpu.json" >/dev/null
    manifest=$(ls .optally/runs)
    "$optally" import "$traces/gpu-after.json" --name other >/dev/null
    sed -i "s/gpu/gpX/" ".optally/runs/$manifest"
    damage="*$manifest is damaged: its SHA-256 is not its name; optally fsck*"
    says "$damage" "$optally" runs
    assert_matches "$(tail -1 out)" "*  other"
    says "$damage" "$optally" runs --json
    assert_eq "$(field out "damaged[0].manifest")" "${manifest%.json}"
    "$optally" analyze other >/dev/null
    says "*no run 'gpu'*$damage" "$optally" analyze gpu
    says "$damage" "$optally" show "${manifest:0:8}"
    "$optally" show head >out
    grep -q "damaged  .*$manifest" out
    # A writer leaves it as it is.
    "$optally" import "$traces/gpu.json" --name again >/dev/null
    "$optally" fsck >out && return 1
    grep -q "^manifest  ${manifest:0:12}  damaged" out
    grep -q "^what helps: optally rm MANIFEST" out
    "$optally" rm "${manifest:0:12}" >/dev/null
    assert_eq "$("$optally" runs --csv | tail -n +2 | cut -d, -f2 | paste -sd" ")" "other again"
    # Older commits still name it.
    "$optally" fsck >out && return 1
    grep -q "^what helps: optally gc --keep 1 --prune" out
    "$optally" gc --keep 1 --prune >/dev/null
    sound
}

@test "a damaged newest commit is gone back from as fsck says" {
    local newest how
    "$optally" import "$traces/gpu.json" --name first >/dev/null
    "$optally" import "$traces/gpu-after.json" --name second >/dev/null
    newest=$(head_of)
    echo >>".optally/commits/$newest.json"
    says "*commits/$newest.json is damaged*; optally fsck says*" "$optally" import "$traces/gpu.json"
    "$optally" fsck >out && return 1
    assert_eq "$(grep -c "optally fsck" out)" 0 "lines that name fsck"
    grep -q "^run .*  whole, in no commit that can be read  second$" out
    how=$(sed -n "s/^what helps: .*: echo \([0-9a-f]*\) >.*head. .*/\1/p" out)
    # Likewise if its name is.
    echo x >.optally/head
    "$optally" fsck >out && return 1
    grep -q "^damage: $PWD/.optally/head: is damaged" out
    assert_eq "$(sed -n "s/^what helps: .*: echo \([0-9a-f]*\) >.*head. .*/\1/p" out)" "$how"
    echo "$how" >.optally/head
    "$optally" import "$traces/gpu-after.json" --name second >/dev/null
    assert_eq "$("$optally" runs --csv | tail -n +2 | cut -d, -f2 | paste -sd" ")" "first second"
    sound
}

@test "an older commit that is damaged is forgotten as fsck says" {
    local old
    "$optally" import "$traces/gpu.json" >/dev/null
    old=$(head_of)
    "$optally" import "$traces/gpu-after.json" >/dev/null
    echo >>".optally/commits/$old.json"
    "$optally" fsck >out && return 1
    grep -q "^what helps: optally gc --keep 1 --prune" out
    "$optally" gc --keep 1 --prune >/dev/null
    sound
}

# in_version FILE FROM TO: an object as another version would have written it; prints its id.
in_version() {
    local id
    sed "s#$2#$3#" "$1" >changed
    id=$(sha256sum <changed | cut -d" " -f1)
    cp changed "$(dirname "$1")/$id.json"
    echo "$id"
}

@test "what another version wrote is told from what is damaged" {
    local run commit
    "$optally" import "$traces/gpu.json" >/dev/null
    cp -r .optally sound
    cp -r .optally tables
    run=$(in_version .optally/runs/*.json optally.run/1 optally.run/2)
    commit=$(in_version .optally/commits/*.json '"runs":\["[0-9a-f]*"\]' "\"runs\":[\"$run\"]")
    echo "$commit" >.optally/head
    says "*runs/$run.json: of version 'optally.run/2'; this optally knows optally.run/1: use a newer optally" "$optally" runs
    commit=$(in_version sound/commits/*.json optally.commit/1 optally.commit/9)
    echo "$commit" >sound/head
    says "*commits/$commit.json: of version 'optally.commit/9'*newer optally" "$optally" runs --store sound
    echo optally.store/2 >sound/format
    says "*sound/format: a store of version 'optally.store/2'; this optally knows optally.store/1*" "$optally" runs --store sound
    : >.optally/head
    says "*head is damaged*" "$optally" log
    run=$(in_version tables/runs/*.json optally.tables/1 optally.tables/7)
    commit=$(in_version tables/commits/*.json '"runs":\["[0-9a-f]*"\]' "\"runs\":[\"$run\"]")
    echo "$commit" >tables/head
    assert_eq "$("$optally" runs --store tables --csv | wc -l)" 2 "lines of a run with other tables"
    says "*gpu.json (session *): its tables are of version 'optally.tables/7'*: import it again*" "$optally" analyze --store tables gpu
    says "*'optally.tables/7'*: import it again*" "$optally" sql --store tables "SELECT 1"
    "$optally" tally --store tables gpu >/dev/null 2>&1
    "$optally" import --store tables "$traces/gpu.json" >/dev/null
    "$optally" analyze --store tables gpu >/dev/null
}

@test "one writer at a time, who is named; readers wait for nobody" {
    "$optally" import "$traces/gpu.json" >/dev/null
    mkfifo pipe
    "$optally" import - <pipe >first.out 2>&1 3>&- &
    local pid=$!
    exec 4>pipe
    eventually 10 test -s .optally/lock
    says "*is being written by optally import (process * on *, since ????-??-?? ??:??): *--wait SECONDS" \
        "$optally" import "$traces/cpu.json"
    assert_eq "$("$optally" runs --csv | wc -l)" 2 "lines while it is written"
    "$optally" import --wait 20 "$traces/gpu-after.json" >second.out 2>&1 3>&- 4>&- &
    local second=$!
    cat "$traces/cpu.json" >&4
    exec 4>&-
    wait "$pid"
    wait "$second"
    assert_eq "$("$optally" runs --csv | wc -l)" 4 "lines after both"
    sound
}

@test "readers and writers at once" {
    local i pids=() failed=0
    for i in 0 1 2 3; do rank "$i" >rank$i.json; done
    for i in 0 1 2 3; do
        "$optally" import --wait 60 "rank$i.json" >"import.$i" 2>&1 3>&- &
        pids+=($!)
    done
    for i in 1 2 3 4 5 6 7 8 9 10; do
        "$optally" runs --json >"runs.$i" || failed=1
        "$optally" log >/dev/null || failed=1
    done
    for i in "${pids[@]}"; do wait "$i" || failed=1; done
    assert_eq "$failed" 0 failures
    assert_eq "$("$optally" runs --csv | wc -l)" 5 lines
    assert_eq "$("$optally" log --json >log; field log complete)" True
    sound
}

@test "a store on a read-only disk is read, and writers say so in one line" {
    need_mounts "a read-only mount"
    "$optally" import "$traces/gpu.json" >/dev/null
    mkdir mount-ro
    mount --bind . mount-ro || skip "no bind mounts are allowed here"
    mount -o remount,bind,ro mount-ro
    "$optally" runs --store mount-ro >/dev/null
    "$optally" log --store mount-ro >/dev/null
    "$optally" show --store mount-ro gpu >/dev/null
    "$optally" fsck --store mount-ro >/dev/null
    "$optally" gc --store mount-ro >/dev/null
    says "*cannot be written: Read-only file system" "$optally" import --store mount-ro "$traces/cpu.json"
    says "*cannot be written: Read-only file system" "$optally" rm --store mount-ro gpu
    says "*: Read-only file system" "$optally" init mount-ro/sub
}

@test "a full disk is one line, and nothing is left of the import" {
    need_mounts "a small disk"
    mkdir mount-full
    mount -t tmpfs -o size=256k tmpfs mount-full || skip "no tmpfs is allowed here"
    "$optally" init mount-full >/dev/null
    "$optally" import --store mount-full "$traces/gpu.json" >/dev/null
    local before used
    before=$(find mount-full -type f | sort)
    head -c 150k /dev/urandom >mount-full/ballast
    /usr/bin/python3 -c 'import json, random
random.seed(1)
events = [{"ph": "X", "cat": "cpu_op", "name": "op%d" % random.getrandbits(64), "pid": 1, "tid": 1,
           "ts": 10 * i, "dur": 5} for i in range(4000)]
json.dump({"traceEvents": events}, open("large.json", "w"))'
    says "*No space left on device*" "$optally" import --store mount-full large.json
    rm mount-full/ballast
    assert_eq "$(find mount-full -type f | sort)" "$before" "files"
    "$optally" fsck --store mount-full >/dev/null
}

@test "an import that is interrupted leaves nothing" {
    local signal pid status
    mkfifo pipe
    for signal in INT:130 TERM:143; do
        status=0
        # A shell has its background commands ignore SIGINT.
        /usr/bin/python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$optally" import - <pipe >out 2>err 3>&- &
        pid=$!
        exec 4>pipe
        eventually 10 test -s .optally/lock
        eventually 10 eval '[[ $(ls .optally/tmp) ]]'
        kill -"${signal%:*}" "$pid"
        wait "$pid" || status=$?
        exec 4>&-
        assert_eq "$status $(cat err)" "${signal#*:} optally import: interrupted"
        assert_eq "$(ls .optally/tmp)" "" tmp
    done
    sound
}

@test "an import that is killed leaves the store as it was" {
    local kills=${OPTALLY_TEST_KILLS:-12} i begin took delay whole=0 absent=0 lines how=()
    ((kills > 50)) || how=(--quick)
    "$optally" import "$traces/gpu.json" >/dev/null
    cp -r .optally before
    begin=$(date +%s%N)
    "$optally" import "$traces/cpu.json" --name other >/dev/null 2>&1
    took=$(($(date +%s%N) - begin))
    RANDOM=7
    for ((i = 0; i < kills; i++)); do
        rm -rf .optally
        cp -r before .optally
        delay=$((took * 12 / 10 * (RANDOM % 1000) / 1000))
        "$optally" import "$traces/cpu.json" --name other >/dev/null 2>&1 3>&- &
        local pid=$!
        sleep "$((delay / 1000000000)).$(printf %09d $((delay % 1000000000)))"
        kill -9 "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        flock .optally/lock true # its work has ended, too
        lines=$("$optally" runs --csv | wc -l)
        if [[ $lines == 3 ]]; then
            whole=$((whole + 1))
        else
            assert_eq "$lines" 2 "lines after kill $i"
            absent=$((absent + 1))
        fi
        "$optally" fsck "${how[@]}" >fsck.out 2>&1 || {
            echo "kill $i after $delay ns"
            cat fsck.out
            return 1
        }
    done
    echo "# $kills kills in $took ns: $whole whole, $absent absent" >&3
    # The next writer clears up, and gc the rest.
    "$optally" import "$traces/cpu.json" --name other >/dev/null 2>&1
    assert_eq "$(ls .optally/tmp)" "" "tmp"
    "$optally" gc --prune >/dev/null
    assert_eq "$("$optally" gc --json >gc; field gc items)" "[]"
    sound
}
