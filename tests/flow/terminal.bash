# A real terminal (tmux) for tests that look at what is on it. Loaded behind helper.bash; a file's teardown
# calls end_terminal.

socket() { echo "$run_dir/terminal"; }

in_tmux() { tmux -S "$(socket)" "$@"; }

need_tmux() {
    command -v tmux >/dev/null || skip "tmux is not installed (tools/setup test)"
}

# open_terminal WIDTH HEIGHT [LOCALE]: with a shell in it that says how the last command has ended.
open_terminal() {
    # shellcheck disable=SC2016
    echo 'PS1="[\$?]> "' >"$BATS_TEST_TMPDIR/rc"
    env LC_ALL="${3:-C.UTF-8}" XDG_RUNTIME_DIR="$run_dir" \
        tmux -S "$(socket)" -u -f /dev/null new-session -d -x "$1" -y "$2" \
        "exec bash --noprofile --rcfile '$BATS_TEST_TMPDIR/rc'" 3>&-
    eventually 10 shows '[0]>'
}

end_terminal() {
    [[ ! -S $(socket) ]] || in_tmux kill-server 2>/dev/null || true
}

screen() { in_tmux capture-pane -p; }

shows() { screen | grep -qF -- "$1"; }

press() { in_tmux send-keys "$@"; }

await_screen() {
    eventually 10 shows "$1" && return
    echo "the screen never shows: $1"
    screen
    return 1
}

# The shell has its terminal again, with echo; a full-screen program has left.
assert_terminal_is_back() {
    await_screen "[$1]>"
    press 'stty -a | tr " " "\n" | grep -xE -- "-?(echo|icanon)" | xargs echo "modes:"' Enter
    await_screen 'modes: icanon echo'
    assert_eq "$(in_tmux display-message -p '#{alternate_on} #{cursor_flag}')" '0 1' \
        "alternate screen, cursor"
}
