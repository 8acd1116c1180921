#!/usr/bin/env bash
# One golden case: a folder with
#   cmd or bt   the words after `optally`, or those after `babeltrace2 --plugin-path=...`
#   stdout, stderr, status   what has to come out, byte for byte (OT_BLESS=1 rewrites them)
#   prepare     perhaps a program that does the rest to the traces, in the folder $1
#   as-nobody   perhaps; root then runs the command as the user nobody
# In the words, @NAME stands for the trace that traces/NAME.txt describes, @NAME/PATH for what is
# below it, and @NAME.json for traces/NAME.json itself.
#
# A tally that succeeds is also made by the stock babeltrace2 with the plugin: the bytes have to
# be the same.
#
# usage: run.sh CASE_FOLDER OPTALLY PLUGIN_FOLDER
set -euo pipefail

case_dir=$1 optally=$2 plugin_dir=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C

# For builds with sanitizers: the suppressed frames are beyond what the fast unwinder finds, and
# the sanitizer has to be there before the program that loads the plugin.
preload=$(ldd "$plugin_dir"/babeltrace2-plugin-optally.so | awk '/lib[at]san/ { print $3 }')
export LSAN_OPTIONS=suppressions=$here/lsan.supp:print_suppressions=0
[[ $case_dir == */bad-* ]] && export ASAN_OPTIONS=fast_unwind_on_malloc=0

run_babeltrace2() { LD_PRELOAD=$preload babeltrace2 --plugin-path="$plugin_dir" "$@"; }

# The innermost cause of babeltrace2's error, without its line breaks. All else in it names lines
# of source and addresses.
innermost_cause() {
    awk '/^CAUSED BY/ { cause = ""; next } { sub(/^ +/, ""); cause = cause " " $0 }
         END { print substr(cause, 2) }' "$1"
}

# Options of the tally as parameters of the component.
parameters() {
    local params=() switch='^--(thapi|json|csv|extended)$'
    while [ $# -gt 0 ]; do
        if [[ $1 =~ $switch ]]; then
            params+=("${1#--}=yes")
        elif [[ $1 == --strict ]]; then
            : # changes an exit status and nothing else
        elif [[ $1 == --* ]]; then
            params+=("${1#--}=\"$2\"")
            shift
        fi
        shift
    done
    local IFS=,
    echo "${params[*]}"
}

kind=cmd
[ -e "$case_dir/bt" ] && kind=bt
read -r -a words <"$case_dir/$kind"
inputs=() options=()
for i in "${!words[@]}"; do
    word=${words[$i]}
    if [[ $word == @* ]]; then
        trace=${word#@}
        trace=${trace%%/*}
        if [ -e "$here/traces/$trace" ]; then
            cp "$here/traces/$trace" "$work/$trace"
        elif [ ! -e "$work/$trace" ]; then
            "$here/make_trace.py" "$here/traces/$trace.txt" "$work/$trace"
        fi
        words[$i]=$work/${word#@}
        inputs+=("${words[$i]}")
    elif [ "$i" -gt 0 ]; then
        options+=("$word")
    fi
done
if [ -x "$case_dir/prepare" ]; then
    OT_PRELOAD=$preload OT_PLUGIN_DIR=$plugin_dir "$case_dir/prepare" "$work" || exit $?
fi

runner=()
if [ -e "$case_dir/as-nobody" ] && [ "$(id -u)" = 0 ]; then
    # The build may lie where nobody else may look.
    cp "$optally" "$work/optally"
    optally=$work/optally
    chmod 755 "$work"
    runner=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi

status=0
if [ $kind = cmd ]; then
    ${runner[@]+"${runner[@]}"} "$optally" "${words[@]}" >"$work/out" 2>"$work/err" || status=$?
else
    run_babeltrace2 "${words[@]}" >"$work/out" 2>"$work/raw_err" || status=$?
    innermost_cause "$work/raw_err" >"$work/err"
fi
mkdir "$work/got"
sed "s#$work/##g" "$work/out" >"$work/got/stdout"
sed "s#$work/##g" "$work/err" >"$work/got/stderr"
echo "$status" >"$work/got/status"

if [ -n "${OT_BLESS:-}" ]; then
    cp "$work/got/"* "$case_dir/"
fi
failed=0
for part in stdout stderr status; do
    diff -u "$case_dir/$part" "$work/got/$part" || failed=1
done

if [ "${words[0]:-}" = tally ] && [ "$status" = 0 ] && [ ${#inputs[@]} -gt 0 ]; then
    params=$(parameters ${options[@]+"${options[@]}"})
    run_babeltrace2 "${inputs[@]}" -c filter.optally.interval -c sink.optally.tally \
        ${params:+-p "$params"} >"$work/bt_out" 2>"$work/bt_err" ||
        { echo "babeltrace2 failed"; cat "$work/bt_err"; failed=1; }
    cmp "$work/out" "$work/bt_out" || failed=1
    cmp "$work/err" "$work/bt_err" || failed=1
fi
exit $failed
