# Programs of several processes.
load helper

setup_file() {
    load helper
    have_python || return 0
    record loader -- "$python" "$programs/loader.py"
    record processes -- "$python" "$programs/processes.py"
    mkdir "$BATS_FILE_TMPDIR/files"
    record children -- "$python" "$programs/children.py" "$BATS_FILE_TMPDIR/files"
}

setup() {
    need_python
}

@test "a DataLoader's two workers are processes of the trace, counted exactly" {
    assert_status loader 0
    assert_eq "$(out loader | grep total)" "total 380.0" "output"
    assert_complete loader
    assert_eq "$(facts processes loader | wc -l)" 3 "processes"
    local who pid workers=0
    while read -r who pid; do
        case $who in
        worker)
            assert_eq "$(facts in-process loader "$pid" aten::neg)" 10 "neg in worker $pid"
            assert_eq "$(facts in-process loader "$pid" aten::stack.out)" 2 "stack in worker $pid"
            workers=$((workers + 1))
            ;;
        main)
            assert_eq "$(facts in-process loader "$pid" aten::neg)" 0 "neg in the main process"
            assert_eq "$(facts in-process loader "$pid" aten::abs)" 4 "abs in the main process"
            ;;
        esac
    done < <(out loader)
    assert_eq "$workers" 2 "workers"
    assert_calls loader aten::neg 20
}

@test "self times fit into wall time in every worker" {
    assert_self_fits_wall loader
}

@test "fork, fork of a fork, exec, subprocess and spawn are traced, each counted exactly" {
    assert_status processes 0
    assert_complete processes
    local kind pid count kinds=
    declare -A counts=()
    while read -r kind pid count; do
        kinds+="$kind "
        counts[$pid]=$((${counts[$pid]:-0} + count))
    done < <(out processes)
    assert_eq "$kinds" "parent fork grandchild exec subprocess spawn parent " "processes that ran"
    for pid in "${!counts[@]}"; do
        assert_eq "$(facts in-process processes "$pid" aten::neg)" "${counts[$pid]}" "neg in $pid"
    done
    assert_eq "$(facts processes processes | wc -l)" 6 "processes in the trace"
    assert_calls processes aten::neg 65
}

@test "the tally names every process" {
    assert_eq "$(optally tally --json --by process "$(trace processes)" |
        grep -o '"process":[0-9]*' | sort -u | wc -l)" 6
    assert_matches "$(err processes)" "*BACKEND_PYTORCH | 1 Hostnames | 6 Processes | 6 Threads | *"
}

@test "children that close all descriptors, execute or just leave are not hurt" {
    assert_status children 0
    assert_eq "$(out children)" "failed 0" "output"
    assert_complete children
    assert_calls children aten::neg 1
}

@test "programs with different PyTorches are one recording" {
    record mixed --no-tally -- sh -c "'$fake_program' '$fake_torch' 10
        exec '$python' -c 'import torch; torch.ones(3).neg()'"
    assert_status mixed 0
    assert_calls mixed fake::operator 10
    assert_calls mixed aten::neg 1
    assert_eq "$(facts processes mixed | wc -l)" 2 "processes"
}

@test "a child's first operator is recorded, also after a second fork" {
    assert_calls children aten::abs 5
    assert_eq "$(facts processes children | wc -l)" 7 "processes with operators"
}

@test "a child that opens files where LTTng-UST's sockets were keeps them, and is recorded" {
    assert_calls children aten::sin 3
}
