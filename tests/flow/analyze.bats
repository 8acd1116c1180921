# The analysis as a process: what it reads from, what is missing, and where its output goes.
load helper

setup() {
    traces=$BATS_TEST_DIRNAME/../golden/traces
    make_trace=$BATS_TEST_DIRNAME/../golden/make_trace.py
    cd "$BATS_TEST_TMPDIR" || return
    [[ -e $OPTALLY_BUILD/lib/optally/optally-store.so ]] || skip "built without DuckDB"
}

@test "standard input is a trace like any other" {
    "$optally" analyze --json "$traces/gpu.json" >file
    "$optally" analyze --json - <"$traces/gpu.json" >stream
    assert_eq "$(sed 's#"path":"[^"]*"#"path":"-"#' file)" "$(cat stream)"
}

@test "a trace is named by the bytes that were read, packed or not" {
    gzip -c "$traces/gpu.json" >gpu.json.gz
    for trace in "$traces/gpu.json" gpu.json.gz; do
        local hex
        hex=$(sha256sum <"$trace" | cut -d' ' -f1)
        assert_matches "$("$optally" analyze --json "$trace")" "*\"artifact\":\"sha256:$hex\"*"
    done
}

@test "a folder is named as the manual says" {
    "$make_trace" "$traces/job.txt" job
    mkdir "job/a folder"
    echo more >"job/a folder/file"
    ln -s "a folder/file" job/link
    ln -s nowhere job/dangling
    ln -s . job/loop
    local hex
    hex=$(cd job && find -L . -type f -printf '%P\n' 2>/dev/null | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum)
    assert_matches "$("$optally" analyze --json job/)" "*\"artifact\":\"sha256:${hex%% *}\"*"
}

@test "of a trace that is given twice one counts, whichever can be read again" {
    "$optally" analyze --json "$traces/gpu.json" >once
    "$optally" analyze --json - "$traces/gpu.json" <"$traces/gpu.json" >twice 2>stderr
    assert_eq "$(cat twice)" "$(cat once)"
    assert_eq "$(cat stderr)" \
        "optally analyze: warning: $traces/gpu.json is the same trace as -; it counts once"
}

@test "twins beside a third input that cannot be read again are an error" {
    cp "$traces/gpu.json" twin.json
    run --separate-stderr optally analyze "$traces/gpu.json" twin.json - <"$traces/cpu.json"
    assert_eq "$status" 1 "exit status"
    assert_matches "$stderr" "*cannot be read again*"
}

# counts_once VERB INPUT TWIN...: both are read as INPUT alone, with a line on stderr for each TWIN.
counts_once() {
    local verb=$1 input=$2 twin
    shift 2
    "$optally" "$verb" --json "$input" >once 2>said_once
    "$optally" "$verb" --json "$input" "$@" >twice 2>said_twice
    assert_eq "$(cat twice)" "$(cat once)" "stdout of $verb"
    for twin; do
        local how="is the same trace as $input"
        [[ $twin != "$input" ]] || how="is given twice"
        assert_eq "$(sed -n "1p" said_twice)" "optally $verb: warning: $twin $how; it counts once"
        sed -i 1d said_twice
    done
    assert_eq "$(cat said_twice)" "$(cat said_once)" "stderr of $verb"
}

@test "a file or folder counts once, under whatever names it is given" {
    "$make_trace" "$traces/nested.txt" recording
    ln -s recording link
    cp "$traces/gpu.json" trace.json
    ln trace.json hard.json
    local verb
    for verb in analyze tally; do
        counts_once "$verb" recording recording/ link ./recording
        counts_once "$verb" trace.json trace.json hard.json
    done
}

@test "a recording and its copy count once" {
    "$make_trace" "$traces/nested.txt" recording
    cp -r recording copy
    counts_once analyze recording copy
}

@test "a tally of standard input and of the file that it is counts once" {
    "$optally" tally --csv "$traces/gpu.json" >once
    "$optally" tally --csv - "$traces/gpu.json" <"$traces/gpu.json" >twice 2>stderr
    assert_eq "$(cat twice)" "$(cat once)"
    assert_eq "$(head -n 1 stderr)" \
        "optally tally: warning: $traces/gpu.json is the same trace as -; it counts once"
}

@test "two recordings are two" {
    "$make_trace" "$traces/nested.txt" one
    "$make_trace" "$traces/job.txt" other
    local verb
    for verb in analyze tally; do
        "$optally" "$verb" one other >stdout 2>stderr
        assert_eq "$(grep -c 'same trace' stderr || true)" 0
    done
}

# remedy OPTION... INPUT: the same of both verbs.
remedy() {
    local verb said=
    for verb in analyze tally; do
        "$optally" "$verb" --json "$@" <cut.json >stdout 2>/dev/null && return 1
        said+=$(sed 's/.*"remediation":\[//; s/\]}$//; s/optally tally/optally analyze/' stdout)$'\n'
    done
    uniq <<<"${said%$'\n'}"
}

@test "recovery is offered for what is cut or damaged, and for nothing else" {
    local recover='"--recover keeps what is whole, as lower bounds"'
    local other='"give a trace that torch.profiler exported, a recording, or a run of the store"'
    "$make_trace" "$traces/nested.txt" recording
    mkdir folder
    head -c 2000 "$traces/gpu.json" >cut.json
    sed 's/"aten::addmm"/"aten::"addmm"/' "$traces/gpu.json" >damaged.json
    sed '0,/"ph"/s//"ph"x/' "$traces/gpu.json" >first.json
    echo '{"a": 1}' >other.json
    echo '{"traceEvents": [{"ph": "X", "name": "x", "cat": "v8", "ts": 1, "dur": 1}]}' >foreign.json
    assert_eq "$(remedy cut.json)" "$recover"
    assert_eq "$(remedy damaged.json)" "$recover"
    assert_eq "$(remedy first.json)" "$recover"
    assert_eq "$(remedy -)" "$recover"
    assert_eq "$(remedy --recover other.json)" "$other"
    local input
    for input in folder other.json foreign.json "cut.json recording" "$BATS_TEST_FILENAME"; do
        # shellcheck disable=SC2086
        assert_eq "$(remedy $input)" "$other" "remedy for $input"
    done
    assert_eq "$(remedy --nonsense cut.json)" '"optally analyze --help says what there is"'
    assert_eq "$(remedy nowhere.json)" ""
}

@test "a reader that goes away ends it in silence" {
    "$optally" analyze --limit all "$traces/gpu.json" 2>stderr | head -1 >/dev/null
    assert_eq "$(cat stderr)" ""
}

@test "an output that cannot be written is an error" {
    local status=0
    "$optally" analyze "$traces/gpu.json" >/dev/full 2>stderr || status=$?
    assert_eq "$status" 1
    assert_eq "$(cat stderr)" "optally analyze: cannot write the output: No space left on device"
}

@test "nothing is printed of an analysis that fails" {
    head -c 2000 "$traces/gpu.json" >cut.json
    local status=0
    "$optally" analyze cut.json >stdout 2>stderr || status=$?
    assert_eq "$status" 1
    assert_eq "$(cat stdout)" ""
    assert_eq "$(wc -l <stderr)" 1
}

@test "an optally that was built without DuckDB says so, and tallies all the same" {
    mkdir -p bin lib/optally
    cp "$optally" bin/
    cp "$OPTALLY_BUILD"/lib/optally/liboptally-tracer.so lib/optally/
    local status=0
    bin/optally analyze --json "$traces/gpu.json" >stdout 2>stderr || status=$?
    assert_eq "$status" 1
    assert_matches "$(cat stderr)" "optally analyze: this optally was built without DuckDB*"
    assert_matches "$(cat stdout)" '{"code":"missing",*"remediation":\["*'
    bin/optally tally "$traces/gpu.json" >/dev/null
}

@test "an installed optally that lost DuckDB's library says so, and tallies all the same" {
    [[ -e $OPTALLY_BUILD/lib/optally/libduckdb.so ]] || skip "DuckDB's library is the system's"
    cmake --install "$OPTALLY_BUILD" --prefix "$PWD/installed" >/dev/null
    rm installed/lib/optally/libduckdb.so
    local status=0
    env -u LD_LIBRARY_PATH installed/bin/optally analyze --json "$traces/gpu.json" >stdout 2>stderr || status=$?
    assert_eq "$status" 1
    assert_matches "$(cat stderr)" "optally analyze: DuckDB cannot be loaded (install optally again): *libduckdb*"
    assert_eq "$(wc -l <stderr)" 1
    assert_matches "$(cat stdout)" '{"code":"missing",*"remediation":\["optally doctor says what is missing*'
    installed/bin/optally tally "$traces/gpu.json" >/dev/null
}

@test "completion in a plain bash offers traces and folders, and no other files" {
    mkdir folder
    touch "a b.json" c.json.gz d.json.zst e.txt f.gz
    local offered
    # shellcheck disable=SC2016
    offered=$(env -i PATH="$PATH" bash --norc -c 'compopt() { :; }
        source "$1"
        COMP_WORDS=(optally analyze "") COMP_CWORD=2
        _optally
        printf "%s\n" "${COMPREPLY[@]}"' bash "$BATS_TEST_DIRNAME/../../completions/optally.bash" | sort)
    assert_eq "$offered" $'a b.json\nc.json.gz\nd.json.zst\nfolder'
}
