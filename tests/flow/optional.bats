# What is recorded only on demand: --seq, --shapes, --memory. (For one PyTorch more is compared in
# tests/analysis/test_recorded_optional.py.)
load helper

setup_file() {
    have_python || return 0
    record all --no-tally --seq --shapes --memory -- "$python" "$programs/optional.py" "$BATS_FILE_TMPDIR/all.told"
    record none --no-tally -- "$python" "$programs/optional.py" "$BATS_FILE_TMPDIR/none.told"
    record fork --no-tally --memory -- "$python" "$programs/memory_fork.py"
    record device --no-tally --memory -- "$python" "$programs/memory_device.py"
    local name
    for name in all none fork device; do
        optally trace "$(trace "$name")" >"$BATS_FILE_TMPDIR/$name.text"
    done
}

setup() {
    need_python
}

optional() {
    local question=$1 name=$2
    shift 2
    /usr/bin/python3 "$BATS_TEST_DIRNAME/optional.py" "$question" "$BATS_FILE_TMPDIR/$name.text" "$@"
}

@test "sequence numbers and memory events are those of torch.profiler" {
    assert_status all 0
    local told
    told=$(optional told all "$BATS_FILE_TMPDIR/all.told")
    assert_matches "$told" "[1-9]* operators with a sequence number: equal
[1-9]* memory events: equal"
}

@test "the program's own profiler says the same, recorded or not" {
    cmp "$BATS_FILE_TMPDIR/all.told" "$BATS_FILE_TMPDIR/none.told"
}

@test "shapes are recorded, or one line says that this PyTorch does not show them" {
    local _ shapes
    read -r _ shapes _ < <(optional fields all)
    if [[ $OPTALLY_TEST_TORCH == 1.* ]]; then
        assert_one_complaint all "*input shapes are not available with PyTorch 1.*"
        assert_eq "$shapes" 0 "entries with shapes"
    else
        assert_eq "$(complaints all)" "" "complaints"
        ((shapes > 50)) || {
            echo "only $shapes entries with shapes"
            return 1
        }
    fi
}

@test "without the options there is nothing of it, and no library for memory" {
    assert_status none 0
    assert_eq "$(optional fields none)" "0 0 0" "lines with sequence numbers, shapes, memory"
    assert_eq "$(out none)" "the memory library is loaded: False" "stdout"
    assert_eq "$(out all)" "the memory library is loaded: True" "stdout"
}

@test "a forked child reports what it allocates, and releases nothing of its parent's" {
    assert_status fork 0
    local _ parent child status
    read -r _ parent _ child _ status < <(out fork)
    assert_eq "$status" 0 "the child's wait status"
    assert_eq "$(optional memory fork | grep "^$child ")" "$child 308 308
$child -308 0" "the child's memory events"
    assert_eq "$(optional memory fork | grep "^$parent ")" "$parent 4000 4000
$parent 40 4040
$parent -4000 40" "the parent's memory events"
}

@test "memory of other devices has the total that their allocator says" {
    assert_status device 0
    assert_eq "$(grep -o 'optally:memory: .*' "$BATS_FILE_TMPDIR/device.text")" \
        "optally:memory: { bytes: 512, total_allocated: 512, device_type: 1, device_index: 3 }
optally:memory: { bytes: -512, total_allocated: 0, device_type: 1, device_index: 3 }" "memory events"
}
