# record --max-size, with and without --ring: what is kept, and that what is not is counted.
load helper

chunk=65536

# An operator is two events, 8 bytes each.
setup_file() {
    load helper
    local once="$fake_program $fake_torch"
    record stopped --max-size 1M -- "$fake_program" "$fake_torch" 300000 0.01
    record ringed --max-size 1M --ring -- "$fake_program" "$fake_torch" 300000 0.01
    record latest --max-size 1M --ring -- sh -c "$once 300000; exec $once 20000 0.7"
    record many --max-size 2M --ring -- sh -c "
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            $once 20000 >/dev/null &
            echo \$!
            wait
            sleep 0.1
        done"
    record roomy --max-size 64M -- "$fake_program" "$fake_torch" 3000
}

bytes_of() { # of all logs
    find "$(trace "$1")" -name '*.oplog' -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }'
}

kept() { # NAME: entries and exits that are there
    optally trace "$(trace "$1")" 2>/dev/null | grep -c 'lttng_ust_pytorch:op_'
}

# What is there and what is said to be lost is what there was.
assert_all_counted() {
    local kept lost
    kept=$(kept "$1")
    lost=$(tally_fact "$1" complete discarded_events)
    assert_eq "$((kept + lost))" "$2" "events kept ($kept) and lost ($lost)"
    ((kept > 0 && lost > 0))
    assert_eq "$(tally_fact "$1" complete kind)" lower_bound "completeness"
}

@test "below the limit nothing is lost" {
    assert_status roomy 5
    assert_calls roomy fake::operator 3000
    assert_complete roomy
}

@test "at the limit the process stops recording and goes on, and the loss is counted" {
    assert_status stopped 5
    assert_eq "$(out stopped)" "ready
errno changed 0" "output"
    assert_all_counted stopped 1200000
    (($(bytes_of stopped) <= 1 << 20))
    local lost
    lost=$(tally_fact stopped complete discarded_events)
    assert_one_complaint stopped "optally record: warning: 1 process stopped recording: the recording has reached its --max-size; $lost events were lost"
    assert_matches "$(err stopped)" "*Lower bounds: $lost events were discarded*"
    # The first are there.
    assert_eq "$(tally_fact stopped calls fake::late)" 0 "calls after the limit"
}

@test "in a ring the newest are kept" {
    assert_status ringed 5
    assert_all_counted ringed 1200000
    (($(bytes_of ringed) <= 1 << 20))
    assert_eq "$(complaints ringed)" "" "complaints"
    assert_eq "$(tally_fact ringed calls fake::operator)" 0 "older calls"
    # All but what is being overwritten, the header and the names.
    (($(tally_fact ringed calls fake::late) > (16 - 5) * chunk / 16))
    # They end where the program did.
    optally trace "$(trace ringed)" 2>/dev/null | tail -n 1 | grep -q 'op_exit: { name: "fake::late"'
}

@test "the last process has its events, whatever was before it" {
    assert_all_counted latest $((600000 + 80000))
    (($(tally_fact latest calls fake::late) >= 20000))
}

@test "logs of processes that have ended make room, the oldest first" {
    assert_status many 0
    assert_all_counted many 800000
    (($(bytes_of many) <= 2 << 20))
    grep -q '^overwritten [0-9]' "$(trace many)/optally.recording"
    # What is there is what came last.
    local pid kept=
    for pid in $(out many); do
        if [[ -e $(trace many)/$pid.oplog ]]; then
            kept+=" $pid"
        elif [[ -n $kept ]]; then
            echo "$pid is gone, and before it$kept are there"
            return 1
        fi
    done
    assert_eq "${kept##* }" "$(out many | tail -n 1)" "the newest that is there"
    assert_eq "$(complaints many)" "" "complaints"
}

@test "what starts when the recording is over keeps to its limit, too" {
    record late --no-tally --max-size 1M -- sh -c \
        '(sleep 1; exec "$@") >/dev/null 2>&1 & exit 0' sh "$fake_program" "$fake_torch" 1000000
    has_stopped() { optally tally --json "$(trace late)" 2>/dev/null | grep -q '"discarded_events":[1-9]'; }
    eventually 30 has_stopped
    (($(bytes_of late) <= 1024 * 1024))
}
