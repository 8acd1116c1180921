# The tracer is a guest: what it must not do to a program, and when it stays away from a PyTorch.
load helper

fake() {
    local name=$1
    shift
    record "$name" --no-tally -- "$fake_program" "$fake_torch" "$@"
}

@test "errno is what it was after every callback, and nothing is printed" {
    fake errno 1000
    assert_status errno 5
    assert_eq "$(out errno)" "errno changed 0" "stdout"
    assert_eq "$(err errno)" "optally: the trace is in $(trace errno)" "stderr"
    assert_calls errno fake::operator 1000
}

@test "nothing is allocated after a thread's first event" {
    local n
    for n in 1000 100000; do
        FLOW_ALLOCATIONS=$BATS_TEST_TMPDIR/$n LD_PRELOAD=$OPTALLY_BUILD/tests/flow/count_malloc.so \
            fake "allocations-$n" "$n"
        assert_status "allocations-$n" 5
        assert_calls "allocations-$n" fake::operator "$n"
    done
    local few many
    few=$(cat "$BATS_TEST_TMPDIR/1000") many=$(cat "$BATS_TEST_TMPDIR/100000")
    # LTTng-UST's own threads allocate a little, now more, now less.
    ((few > 0 && many < few + 100)) || {
        echo "$few allocations for 1000 operators, $many for 100000"
        return 1
    }
}

@test "a libtorch that keeps no observer's context is recorded all the same" {
    FAKE_TORCH=forgetful fake forgetful 1000
    assert_status forgetful 5
    assert_calls forgetful fake::operator 1000
    assert_complete forgetful
}

@test "a libtorch whose callbacks never come is left alone" {
    FAKE_TORCH=silent fake silent 1000
    assert_status silent 5
    assert_eq "$(out silent)" "errno changed 0" "stdout"
    assert_one_complaint silent "optally record: warning: 1 process with PyTorch was not traced: the ABI self-test saw 0 starts and 0 ends *"
    assert_valid_trace silent
    assert_eq "$(facts events silent | wc -l)" 0 "events"
}

@test "a libtorch that lacks a symbol is left alone" {
    mkdir -p "$BATS_TEST_TMPDIR/lib"
    cc -shared -fPIC -o "$BATS_TEST_TMPDIR/lib/libtorch_cpu.so" -x c - <<<'int fake_torch_run(const char *name, int n) { (void)name; (void)n; return 0; }'
    record hollow --no-tally -- "$fake_program" "$BATS_TEST_TMPDIR/lib/libtorch_cpu.so" 10
    assert_status hollow 5
    assert_one_complaint hollow "optally record: warning: 1 process with PyTorch was not traced: PyTorch * does not export *addGlobalCallback*"
    assert_valid_trace hollow
}

@test "a version that is not known yet is traced with one warning" {
    mkdir -p "$BATS_TEST_TMPDIR/lib"
    cp "$fake_torch" "$BATS_TEST_TMPDIR/lib"
    echo "__version__ = '10.2.0+cpu'" >"$BATS_TEST_TMPDIR/version.py"
    record future --no-tally -- "$fake_program" "$BATS_TEST_TMPDIR/lib/libtorch_cpu.so" 10
    assert_status future 5
    assert_one_complaint future "optally record: warning: PyTorch 10.2.0+cpu is outside the range *"
    assert_calls future fake::operator 10
}

@test "a second libtorch in one process changes nothing" {
    mkdir -p "$BATS_TEST_TMPDIR/lib"
    cp "$fake_torch" "$BATS_TEST_TMPDIR/lib"
    record two --no-tally -- /usr/bin/python3 -c "
import ctypes, sys
for path in sys.argv[1:]:
    ctypes.CDLL(path).fake_torch_run(b'fake::operator', 10)
" "$fake_torch" "$BATS_TEST_TMPDIR/lib/libtorch_cpu.so"
    assert_status two 0
    assert_calls two fake::operator 10
}

@test "libraries are loaded by name and by \$ORIGIN as without the tracer" {
    mkdir -p "$BATS_TEST_TMPDIR/sub"
    cd "$BATS_TEST_TMPDIR"
    cc -shared -fPIC -o sub/libflow_inner.so -x c - <<<'int inner(void) { return 3; }'
    cc -shared -fPIC -o libflow_outer.so -Wl,-rpath,"$PWD/sub" -x c - <<'C'
#include <dlfcn.h>
#include <stddef.h>
int outer(void)
{
    int (*inner)(void) = NULL;
    void *by_name = dlopen("libflow_inner.so", RTLD_NOW);
    void *by_origin = dlopen("$ORIGIN/sub/libflow_inner.so", RTLD_NOW);
    if (by_name && by_name == by_origin)
        inner = (int (*)(void))dlsym(by_name, "inner");
    return inner ? inner() : 1;
}
C
    record names --no-tally -- /usr/bin/python3 -c \
        "import ctypes, sys; sys.exit(ctypes.CDLL('$PWD/libflow_outer.so').outer())"
    assert_status names 3
}

@test "--lossy records, too" {
    is_builtin && skip "an option of the lttng writer"
    record lossy --no-tally --lossy -- "$fake_program" "$fake_torch" 500
    assert_status lossy 5
    assert_calls lossy fake::operator 500
}
