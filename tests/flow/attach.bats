# How the tracer gets into a program, with a real PyTorch.
load helper

setup() {
    need_python
}

neg_once='import torch; torch.set_num_threads(1); torch.ones(3).neg()'

@test "OPTALLY_TORCH_LIBRARY_PATH keeps to a libtorch below that folder" {
    local folder
    folder=$("$python" -c 'import torch, os
print(*{os.path.dirname(os.path.realpath(line.split()[-1]))
    for line in open("/proc/self/maps") if "libtorch_cpu" in line})')
    mkdir -p "$BATS_TEST_TMPDIR/elsewhere"

    OPTALLY_TORCH_LIBRARY_PATH=$folder record below -- "$python" -c "$neg_once"
    assert_calls below aten::neg 1
    LTTNG_UST_PYTORCH_LIBRARY_PATH=$folder record thapi -- "$python" -c "$neg_once"
    assert_calls thapi aten::neg 1
    OPTALLY_TORCH_LIBRARY_PATH=$BATS_TEST_TMPDIR/elsewhere record other -- "$python" -c "$neg_once"
    assert_status other 0
    assert_valid_trace other
    assert_eq "$(facts events other | wc -l)" 0 "events"
    assert_one_complaint other "optally record: warning: *"
}

@test "what the user preloads is kept" {
    LD_PRELOAD=$OPTALLY_BUILD/tests/flow/preloaded.so record preload --no-tally -- "$python" -c "
import os
$neg_once
print(os.environ['FLOW_PRELOADED'], os.environ['LD_PRELOAD'].split(':')[-1])"
    assert_status preload 0
    assert_eq "$(out preload)" "yes $OPTALLY_BUILD/tests/flow/preloaded.so" "what the program sees"
    assert_calls preload aten::neg 1
}

@test "PyTorch is found in a script that starts the interpreter" {
    printf '#!/bin/sh\n"%s" -c "%s"\nexit 6\n' "$python" "$neg_once" >"$BATS_TEST_TMPDIR/script"
    chmod +x "$BATS_TEST_TMPDIR/script"
    record script -- "$BATS_TEST_TMPDIR/script"
    assert_status script 6
    assert_calls script aten::neg 1
}

@test "a program that is linked against libtorch is traced from its start" {
    local site where=() standard=c++20 cxx=$OPTALLY_BUILD/tests/flow/cxx-$OPTALLY_TEST_TORCH
    site=$("$python" -c 'import torch; print(torch.__path__[0])')
    if [[ -d $site/include/ATen ]]; then
        where=(-I"$site/include" -L"$site/lib" -Wl,-rpath,"$site/lib")
    else
        # Debian's headers and library are where the compiler looks anyway; 1.13 is C++14.
        [[ -d /usr/include/ATen ]] || skip "this PyTorch has no headers (Debian: libtorch-dev)"
        standard=c++17
    fi
    # Compiling takes long; the tests of the other writer use the same program.
    [[ $cxx -nt $programs/cxx.cpp ]] || {
        g++ -std=$standard -O0 -w -D_GLIBCXX_USE_CXX11_ABI="$("$python" -c \
            'import torch; print(int(torch.compiled_with_cxx11_abi()))')" \
            "${where[@]}" "$programs/cxx.cpp" -o "$cxx.$$" -Wl,--no-as-needed -ltorch_cpu -lc10
        mv "$cxx.$$" "$cxx"
    }
    record cxx -- "$cxx"
    assert_status cxx 4
    assert_eq "$(out cxx)" "sum -3" "output"
    assert_calls cxx aten::neg 21
    assert_complete cxx
}

@test "an installation in a folder with a space works" {
    local there="$BATS_FILE_TMPDIR/x y: z"
    mkdir -p "$there/bin" "$there/lib"
    cp "$optally" "$there/bin"
    cp -r "$OPTALLY_BUILD/lib/optally" "$there/lib"
    optally="$there/bin/optally"
    record space -- "$python" -c "$neg_once"
    assert_status space 0
    assert_eq "$(complaints space)" "" "complaints"
    assert_calls space aten::neg 1
    record space-without -- true
    assert_eq "$(err space-without | wc -l)" 2 "lines"
    assert_matches "$(err space-without)" "*true never loaded PyTorch*the trace is in*"
    run babeltrace2 "$(ctf space-without)"
    assert_eq "$status $output" "0 " "babeltrace2"
    run optally doctor -- "$python"
    assert_eq "$status" 0 "doctor"
}

@test "an ordinary user records as root does" {
    is_root || skip "the whole suite runs as an ordinary user already"
    local home as_user
    home=$(mktemp -d /tmp/ot-user.XXXXXX)
    mkdir -p "$home/run" "$home/bin" "$home/lib"
    cp "$optally" "$home/bin"
    cp -r "$OPTALLY_BUILD/lib/optally" "$home/lib"
    chown -R 65534:65534 "$home"
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups
        env HOME="$home" TMPDIR="$home" XDG_RUNTIME_DIR="$home/run" LC_ALL=C.UTF-8)
    if ! (cd "$home" && "${as_user[@]}" "$python" -c '') 2>/dev/null; then
        rm -r "$home"
        skip "an ordinary user cannot run $python"
    fi

    local status=0
    (cd "$home" && "${as_user[@]}" "$home/bin/optally" record --writer "$OPTALLY_TEST_WRITER" \
        -o trace -- "$python" -c "$neg_once; raise SystemExit(8)") \
        >"$BATS_FILE_TMPDIR/user.out" 2>"$BATS_FILE_TMPDIR/user.err" 3>&- || status=$?
    cp -r "$home/trace" "$(trace user)"
    local left
    left=$(find "$home" -mindepth 1 \( -path "$home/run/*" -o -name '.lttng*' \))
    rm -r "$home"
    assert_eq "$status" 8 "exit status ($(err user))"
    assert_calls user aten::neg 1
    assert_eq "$left" "" "files left"
}
