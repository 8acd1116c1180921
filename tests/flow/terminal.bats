# What people see: tables that fit a real terminal (tmux), colours, characters of any width, the line
# that shows how far something is; and none of it where there is no terminal.
load helper
load terminal

setup_file() {
    trace=$BATS_FILE_TMPDIR/names.json
    /usr/bin/python3 - "$trace" <<'EOF'
import json, sys
names = ["aten::mm", "aten::caf\u00e9", "aten::\u65e5\u672c\u8a9e", "aten::e\u0301", "k" * 200,
         "aten::\U0001f680"]
events = []
for i, name in enumerate(names):
    for k in range(4):
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1,
                       "ts": 10000 * i + 1000 * k, "dur": [600, 150, 80, 70, 60, 40][i], "args": {}})
json.dump({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}, open(sys.argv[1], "w"))
EOF
    export trace
}

teardown() { end_terminal; }

# see WIDTH COMMAND [LOCALE]: what a terminal of that width shows of it, in $BATS_TEST_TMPDIR/screen, and
# with escape sequences in screen.esc.
see() {
    open_terminal "$1" 60 "${3:-}"
    press "clear; PATH=$(dirname "$optally"):\$PATH; $2; echo end-''of-it" Enter
    await_screen end-of-it
    in_tmux capture-pane -pJ | sed -n '/^end-of-it/q; /./p' >"$BATS_TEST_TMPDIR/screen"
    in_tmux capture-pane -pe | sed -n '/^end-of-it/q; /./p' >"$BATS_TEST_TMPDIR/screen.esc"
    end_terminal
}

has() {
    grep -qF -- "$1" "$BATS_TEST_TMPDIR/screen" && return
    echo "nowhere: $1"
    cat "$BATS_TEST_TMPDIR/screen"
    return 1
}

has_no() {
    ! grep -F -- "$1" "$BATS_TEST_TMPDIR/screen"
}

# Joined where the terminal has wrapped them, no line is longer than it is wide.
assert_fits() { check_cells "$1" fits; }

# Rows of a table with pipes: every one of them in the same cells of each.
assert_columns_line_up() { check_cells "$1" lines-up; }

check_cells() {
    /usr/bin/python3 - "$BATS_TEST_TMPDIR/screen" "$@" <<'EOF'
import sys, unicodedata

def cells(text):
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)

places = set()
for line in open(sys.argv[1], encoding="utf-8"):
    line = line.rstrip("\n")
    assert cells(line) <= int(sys.argv[2]), f"{cells(line)} cells: {line}"
    if line.rstrip().endswith("|") and "Hostnames" not in line:
        places.add(tuple(cells(line[:i]) for i, c in enumerate(line) if c == "|")[:4])
assert sys.argv[3] == "fits" or len(places) == 1, places
EOF
}

# --- width ---------------------------------------------------------------------------------------

@test "tables fit the terminal, and say which columns are left out" {
    need_tmux
    local width
    for width in 60 80 100 160; do
        see $width "optally tally '$trace'; optally analyze --limit 9 '$trace'"
        sed -i '/^torch.profiler trace/d' "$BATS_TEST_TMPDIR/screen" # as long as its path
        assert_fits $width
        has "kkk[...]kkk"
    done
    see 80 "optally tally '$trace'"
    has "Left out to fit 80 columns: Average, Min, Max"
    see 160 "optally tally '$trace'; optally analyze '$trace'"
    has_no "Left out"
}

@test "where there is less room, names are shorter and more columns are left out" {
    need_tmux
    see 40 "optally tally --sort calls '$trace'"
    sed -i '/ Hostnames /d' "$BATS_TEST_TMPDIR/screen"
    assert_fits 40
    has "k[...]kk |"
    has "Left out to fit 40 columns: Time(%),"
    see 30 "optally tally --sort calls '$trace'"
    sed -i '/ Hostnames /d' "$BATS_TEST_TMPDIR/screen"
    assert_fits 30
    grep -qx ' *Name |     Self | Calls |' "$BATS_TEST_TMPDIR/screen"
    has "Left out to fit 30 columns:"
    see 40 "optally analyze --limit 9 '$trace'"
    sed -i '/^torch.profiler trace/d; / on 1 track, /d; / shown$/d' "$BATS_TEST_TMPDIR/screen"
    assert_fits 40
}

@test "where nothing more can be left out, it is said how many columns are needed" {
    need_tmux
    see 20 "optally tally '$trace'"
    has "At least 21 columns are needed"
    has_no "to fit"
}

@test "what the rows are sorted by is left out last" {
    need_tmux
    see 80 "optally tally --sort max '$trace'"
    has "Left out to fit 80 columns: Time(%), Average, Min"
    grep -q 'Name .* Max |$' "$BATS_TEST_TMPDIR/screen"
}

@test "names are as long as somebody asked for" {
    need_tmux
    see 100 "optally tally --max-name-size -1 '$trace'"
    has "$(printf 'k%.0s' {1..200})"
    has_no "Left out"
    see 100 "optally tally --max-name-size 10 '$trace'"
    has " kk[...]kkk |"
}

@test "characters of two cells and of none keep the columns in line" {
    need_tmux
    see 80 "optally tally '$trace'"
    has "aten::日本語 |"
    assert_columns_line_up 80
}

@test "where the locale is ASCII, other characters are question marks" {
    need_tmux
    see 80 "optally tally '$trace'; optally analyze '$trace'" C
    has " aten::??? |"
    has " aten::caf? |"
    has "  aten::caf?"
    ! grep -P '[^\x00-\x7f]' "$BATS_TEST_TMPDIR/screen"
    assert_columns_line_up 80
}

# --- colours -------------------------------------------------------------------------------------

has_colour() { grep -q $'\033\\[' "$BATS_TEST_TMPDIR/screen.esc"; }

@test "a terminal has colours, unless somebody minds" {
    need_tmux
    see 80 "optally tally '$trace'"
    grep -qF $'\033[1m\033[31maten::mm' "$BATS_TEST_TMPDIR/screen.esc"
    see 80 "optally analyze '$trace'"
    grep -qF $'\033[1m\033[31maten::mm' "$BATS_TEST_TMPDIR/screen.esc"
    local command
    for command in "NO_COLOR=1 optally tally '$trace'" "TERM=dumb optally tally '$trace'" \
        "optally tally --color never '$trace'" "NO_COLOR=1 optally analyze '$trace'" \
        "optally tally --json '$trace'" "optally tally --csv '$trace'" \
        "optally tally --thapi '$trace'" "optally analyze --csv '$trace'"; do
        see 80 "$command"
        ! has_colour || {
            echo "$command"
            return 1
        }
    done
    see 80 "NO_COLOR= optally tally '$trace'"
    has_colour
    see 80 "NO_COLOR=1 optally tally --color always '$trace'"
    has_colour
}

@test "warnings and errors have colours on a terminal" {
    need_tmux
    see 80 "optally tally --top 1 '$trace' '$trace'"
    grep -qF $'optally tally: \033[1m\033[35mwarning:' "$BATS_TEST_TMPDIR/screen.esc"
    see 80 "optally tally /nonexistent"
    grep -qF $'\033[1m\033[31moptally tally:' "$BATS_TEST_TMPDIR/screen.esc"
    local command
    for command in "tally --color never --top 1 '$trace' '$trace'" "tally --color never /nonexistent" \
        "tally --color never --top x '$trace'" "analyze --color never /nonexistent"; do
        see 80 "optally $command"
        ! has_colour || {
            echo "$command"
            return 1
        }
    done
}

@test "a file has neither colours nor a width nor a locale" {
    local locale
    for locale in C C.UTF-8; do
        COLUMNS=40 LC_ALL=$locale TERM=xterm optally tally "$trace" >"$BATS_TEST_TMPDIR/$locale" 2>&1
        COLUMNS=40 LC_ALL=$locale TERM=xterm optally analyze "$trace" >>"$BATS_TEST_TMPDIR/$locale" 2>&1
    done
    cmp "$BATS_TEST_TMPDIR/C" "$BATS_TEST_TMPDIR/C.UTF-8"
    ! grep -q $'\033' "$BATS_TEST_TMPDIR/C"
    ! grep -q "Left out" "$BATS_TEST_TMPDIR/C"
    optally tally --color always "$trace" >"$BATS_TEST_TMPDIR/always"
    grep -q $'\033\\[1;31m' "$BATS_TEST_TMPDIR/always"
    sed 's/\x1b\[[0-9;]*m//g' "$BATS_TEST_TMPDIR/always" >"$BATS_TEST_TMPDIR/plain"
    optally tally "$trace" | cmp - "$BATS_TEST_TMPDIR/plain"
}

@test "--color takes three words" {
    run -2 optally tally --color sometimes "$trace"
    assert_eq "$output" "optally tally: --color: 'sometimes' is none of: auto, always, never"
}

# --- progress ------------------------------------------------------------------------------------

# slowly SECONDS [TAIL]: the trace, half of it later, and perhaps something else behind it.
slowly() {
    local half=$(($(stat -c %s "$trace") / 2))
    echo "(head -c $half '$trace'; sleep $1; tail -c +$((half + 1)) '$trace'${2:+; echo '$2'})"
}

@test "a line shows how far long work is, and is gone at the end" {
    need_tmux
    open_terminal 80 24
    press "clear; $(slowly 3) | '$optally' tally --top 1 -" Enter
    await_screen 'reading   0:01 '
    eventually 10 shows '1 of 6 rows shown'
    ! shows reading
}

@test "without colours to erase with, or a terminal, there is no such line" {
    need_tmux
    open_terminal 80 24
    press "clear; $(slowly 2) | TERM=dumb '$optally' tally --top 1 -" Enter
    sleep 1.6
    ! shows reading
    eventually 10 shows '1 of 6 rows shown'
    press "clear; $(slowly 2) | '$optally' tally --top 1 - 2>'$BATS_TEST_TMPDIR/err'" Enter
    eventually 10 shows '1 of 6 rows shown'
    assert_eq "$(cat "$BATS_TEST_TMPDIR/err")" ""
}

@test "work that is short shows nothing of it" {
    need_tmux
    open_terminal 80 24
    press "clear; script -qc \"'$optally' tally --top 1 '$trace'\" '$BATS_TEST_TMPDIR/typescript'" Enter
    eventually 10 shows '1 of 6 rows shown'
    ! grep -q $'reading\|\033\\[K' "$BATS_TEST_TMPDIR/typescript"
}

@test "interrupted, it leaves a line of its own to the shell" {
    need_tmux
    open_terminal 80 24
    press "clear; sleep 20 | '$optally' tally --top 1 -" Enter
    await_screen 'reading   0:01'
    press C-c
    await_screen '[130]>'
    ! shows reading
}

@test "an error erases it first" {
    need_tmux
    open_terminal 80 24
    press "clear; $(slowly 2 x) | '$optally' tally -" Enter
    await_screen 'reading   0:01 '
    await_screen '[1]>'
    ! shows reading
    screen | grep -q '^optally tally: standard input: '
}

@test "what prints as it reads shows none to a terminal or a pager" {
    need_tmux
    open_terminal 80 24
    press "clear; $(slowly 2) | '$optally' trace - | cat" Enter
    sleep 1.6
    ! shows reading
    await_screen '[0]>'
    press "clear; $(slowly 3) | '$optally' trace - >'$BATS_TEST_TMPDIR/out'" Enter
    await_screen 'reading   0:01 '
    await_screen '[0]>'
    ! shows reading
    assert_eq "$(wc -l <"$BATS_TEST_TMPDIR/out")" 24
}

# --- completion ----------------------------------------------------------------------------------

@test "TAB completes verbs, options, words and traces" {
    need_tmux
    cp "$trace" "$BATS_TEST_TMPDIR/first.json"
    touch "$BATS_TEST_TMPDIR/first.txt" "$BATS_TEST_TMPDIR/second.json.gz"
    mkdir "$BATS_TEST_TMPDIR/folder"
    open_terminal 140 24
    press "source '$BATS_TEST_DIRNAME/../../completions/optally.bash'; cd '$BATS_TEST_TMPDIR'; clear" Enter
    press 'optally ta' Tab x
    await_screen '> optally tally x'
    press BSpace '--max' Tab 9
    await_screen '> optally tally --max-name-size 9'
    press ' --by ra' Tab x
    await_screen '--by rank x'
    press BSpace 'fi' Tab x
    await_screen '--by rank first.json x'
    press BSpace 'sec' Tab x
    await_screen 'second.json.gz x'
    press BSpace 'fol' Tab x
    await_screen 'folder/x'
    press C-c
    press 'optally tally --by ' Tab Tab
    await_screen 'operator'
    shows forward
}
