# Forward, backward and optimiser steps of a small network; programs/cnn.py has three steps.
load helper

setup_file() {
    load helper
    have_python || return 0
    record cnn -- "$python" "$programs/cnn.py"
    record profiled -- "$python" "$programs/cnn.py" --profile
    "$python" "$programs/cnn.py" --profile >"$BATS_FILE_TMPDIR/profile"
}

setup() {
    need_python
}

@test "a training program gives the same result and ends the same" {
    assert_status cnn 0
    assert_eq "$(out cnn)" "$("$python" "$programs/cnn.py")" "output"
}

@test "forward, backward and optimiser steps are counted as the program makes them" {
    assert_complete cnn
    assert_calls cnn aten::conv2d 6
    assert_calls cnn aten::relu 6
    assert_calls cnn aten::linear 3
    assert_calls cnn aten::cross_entropy_loss 3
    assert_calls cnn aten::convolution_backward 6
    assert_calls cnn aten::threshold_backward 6
    assert_calls cnn "autograd::engine::evaluate_function: ConvolutionBackward0" 6
    assert_calls cnn ConvolutionBackward0 6
    # Six parameters; momentum comes in with the second step.
    assert_calls cnn aten::mul_.Tensor 12
    assert_calls cnn aten::add_.Tensor 30
}

@test "backward's operators lie inside autograd's, those inside the engine's" {
    assert_eq "$(facts inside cnn ConvolutionBackward0 aten::convolution_backward)" 6
    assert_eq "$(facts inside cnn 'autograd::engine::evaluate_function: ConvolutionBackward0' \
        ConvolutionBackward0)" 6
}

@test "the optimiser's own ranges are annotations, not operators" {
    assert_eq "$(facts events cnn | grep -c '^annotation_entry .* Optimizer.step#SGD.step$')" 3
    assert_eq "$(facts events cnn | grep -c '^annotation_exit .* Optimizer.step#SGD.step$')" 3
    assert_eq "$(tally_fact cnn calls 'Optimizer.step#SGD.step')" 0 "operators of that name"
    assert_eq "$(tally_fact cnn annotations 'Optimizer.step#SGD.step')" 3 "annotations"
}

@test "no operator takes longer than the one around it" {
    assert_eq "$(facts longer-inside cnn)" 0
}

@test "self times of a thread never exceed its wall time" {
    assert_self_fits_wall cnn
}

@test "record prints the tally on stderr and says where the trace is" {
    assert_matches "$(err cnn)" "*BACKEND_PYTORCH | 1 Hostnames | 1 Processes | 1 Threads | *"
    assert_matches "$(err cnn)" "*optally: the trace is in $(trace cnn)"
    assert_eq "$(complaints cnn)" "" "complaints"
}

@test "operator counts equal torch.profiler's, where that sees everything" {
    # torch.profiler lists annotations among the operators.
    grep -v -E ' (Optimizer\.|ProfilerStep)' "$BATS_FILE_TMPDIR/profile" >"$BATS_TEST_TMPDIR/theirs"
    facts names cnn >"$BATS_TEST_TMPDIR/ours"
    sort -k2 "$BATS_TEST_TMPDIR/ours" -o "$BATS_TEST_TMPDIR/ours"
    sort -k2 "$BATS_TEST_TMPDIR/theirs" -o "$BATS_TEST_TMPDIR/theirs"
    if [[ $OPTALLY_TEST_TORCH == 1.* ]]; then
        # It misses events of its first operators: ours has all of its names, never fewer calls.
        join -1 2 -2 2 -t $'\t' -a 2 -e 0 -o 0,1.1,2.1 \
            <(sed 's/ /\t/' "$BATS_TEST_TMPDIR/ours" | LC_ALL=C sort -t $'\t' -k2) \
            <(sed 's/ /\t/' "$BATS_TEST_TMPDIR/theirs" | LC_ALL=C sort -t $'\t' -k2) |
            awk -F '\t' '$2 < $3 { print "ours", $2, "theirs", $3, $1; bad = 1 } END { exit bad }'
    else
        diff "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
    fi
}

@test "torch.profiler and a recording at the same time see the same" {
    assert_status profiled 0
    # The profiler's result is what it is without us (but for what 1.13's misses, which varies).
    [[ $OPTALLY_TEST_TORCH == 1.* ]] || diff "$BATS_FILE_TMPDIR/profile" <(out profiled)
    assert_eq "$(out profiled | grep -c ' aten::conv2d$')" 1 "profiler's rows of conv2d"
    assert_calls profiled aten::conv2d 6
    assert_calls profiled aten::convolution_backward 6
    assert_complete profiled
}
