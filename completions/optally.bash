# bash completion for optally

# Words of a list with commas: what stands before the last comma stays.
_optally_list()
{
    local head=
    [[ $cur == *,* ]] && head=${cur%,*},
    COMPREPLY=($(compgen -P "$head" -W "$1" -- "${cur##*,}"))
    compopt -o nospace
}

_optally()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local verbs='record tally analyze top trace report timeline flamegraph export init import runs log
        show rm gc fsck sql diff mcp doctor help'
    COMPREPLY=()
    # --sort=s comes as three words.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$verbs --help --version" -- "$cur"))
        return
    fi
    local verb=${COMP_WORDS[1]}
    if [[ $verb == help ]]; then
        COMPREPLY=($(compgen -W "${verbs% help}" -- "$cur"))
        return
    fi

    # After "--" stands somebody else's command line.
    local i
    for ((i = 2; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -- ]] || continue
        if ((i + 1 == COMP_CWORD)); then
            COMPREPLY=($(compgen -c -- "$cur"))
        elif declare -F _command_offset >/dev/null; then
            _command_offset $((i + 1))
        else
            compopt -o default
        fi
        return
    done

    case $prev in
    --store | --allow)
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$cur"))
        return
        ;;
    --commit)
        return
        ;;
    -o | --output | --ctf)
        compopt -o filenames
        # A recording is a folder; what others write is a file.
        if [[ $verb == record || $prev == --ctf ]]; then
            COMPREPLY=($(compgen -d -- "$cur"))
        else
            COMPREPLY=($(compgen -f -- "$cur"))
        fi
        return
        ;;
    -f | --file)
        compopt -o filenames
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    --store | --spill)
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$cur"))
        return
        ;;
    --color)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    --writer)
        COMPREPLY=($(compgen -W 'builtin lttng' -- "$cur"))
        return
        ;;
    --sort)
        if [[ $verb == top ]]; then
            COMPREPLY=($(compgen -W 'self calls inclusive mean' -- "$cur"))
        else
            COMPREPLY=($(compgen -W 'time self calls average min max name errors' -- "$cur"))
        fi
        return
        ;;
    --by)
        if [[ $verb == top ]]; then
            COMPREPLY=($(compgen -W 'operator annotation thread' -- "$cur"))
        elif [[ $verb == flamegraph ]]; then
            COMPREPLY=($(compgen -W 'thread' -- "$cur"))
        else
            COMPREPLY=($(compgen -W 'operator thread process rank forward' -- "$cur"))
        fi
        return
        ;;
    --weight)
        COMPREPLY=($(compgen -W 'self calls alloc device' -- "$cur"))
        return
        ;;
    --format)
        if [[ $verb == timeline ]]; then
            COMPREPLY=($(compgen -W 'pftrace chrome' -- "$cur"))
        elif [[ $verb == sql ]]; then
            COMPREPLY=($(compgen -W 'table csv json parquet' -- "$cur"))
        else
            COMPREPLY=($(compgen -W 'svg folded' -- "$cur"))
        fi
        return
        ;;
    --measure)
        COMPREPLY=($(compgen -W 'self device inclusive calls allocated' -- "$cur"))
        return
        ;;
    --scopes)
        _optally_list 'function backward torchscript user static_runtime'
        return
        ;;
    --backends)
        _optally_list 'unknown ze cl cuda omp_target omp hip mpi cxi itt pytorch annotation runtime device
            python sync device_annotation other'
        return
        ;;
    --limit | --small-limit)
        [[ $verb == analyze || $verb == report || $verb == diff || $verb == sql || $verb == log ]] && COMPREPLY=($(compgen -W 'all' -- "$cur"))
        return
        ;;
    --title | --name | --label | --wait | --keep | --timeout | --memory-limit | --threads | --top | --small-below | --max-name-size | --max-size | --window | --interval)
        return
        ;;
    esac

    local options
    case $verb in
    record)
        options='--output --writer --no-tally --force --require-trace --lossy --scopes --seq
            --shapes --memory --max-size --ring --help'
        ;;
    tally)
        options='--thapi --json --csv --extended --sort --top --by --no-self --max-name-size
            --backends --recover --color --strict
            --commit --all-sessions --store --help'
        ;;
    analyze)
        options='--limit --small-limit --small-below --json --csv --recover --color
            --commit --all-sessions --store --help'
        ;;
    top)
        options='--window --interval --sort --by --once --json --help'
        ;;
    trace)
        options='--limit --utc --recover
            --commit --all-sessions --store --help'
        ;;
    report)
        options='--output --limit --title --recover
            --commit --all-sessions --store --help'
        ;;
    timeline)
        options='--output --format --recover
            --commit --all-sessions --store --help'
        ;;
    flamegraph)
        options='--output --format --weight --by --diff --title --recover
            --commit --all-sessions --store --help'
        ;;
    export)
        options='--parquet --csv --jsonl --ctf --force --recover
            --commit --all-sessions --store --help'
        ;;
    mcp)
        options='--allow --read-only --commit --store --timeout --help'
        ;;
    diff)
        options='--baseline --candidate --measure --fail-above --limit --json --csv --markdown --recover --color
            --commit --all-sessions --store --help'
        ;;
    sql)
        options='--file --commit --format --json --csv --output --limit --timeout --memory-limit --threads --spill
            --store --color --help'
        ;;
    init)
        options='--store --help'
        ;;
    import)
        options='--name --label --each --link --recover --keep-going --json --wait --store --help'
        ;;
    runs)
        options='--label --json --csv --commit --color --store --help'
        ;;
    log)
        options='--limit --json --commit --color --store --help'
        ;;
    show)
        options='--json --commit --color --store --help'
        ;;
    rm)
        options='--wait --store --help'
        ;;
    gc)
        options='--keep --prune --json --wait --store --help'
        ;;
    fsck)
        options='--quick --json --store --help'
        ;;
    doctor)
        options='--help'
        ;;
    esac
    if [[ $cur == -* && $prev != --diff ]]; then
        COMPREPLY=($(compgen -W "$options --" -- "$cur"))
    elif [[ $verb == record ]]; then
        compopt -o default
    elif [[ $verb == export || $verb == top || $verb == init ]]; then
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$cur"))
    elif [[ $verb == show || $verb == rm ]]; then
        COMPREPLY=($(compgen -W "$(optally runs --csv 2>/dev/null | tail -n +2 | cut -d, -f2)" -- "$cur"))
    elif [[ $verb == tally || $verb == analyze || $verb == trace || $verb == report ||
        $verb == import || $verb == timeline || $verb == flamegraph || $verb == diff ]]; then
        compopt -o filenames
        # A pattern each: one for all would need extglob, which is off where nobody turned it on.
        mapfile -t COMPREPLY < <(
            compgen -d -- "$cur"
            compgen -f -X '!*.json' -- "$cur"
            compgen -f -X '!*.json.gz' -- "$cur"
            compgen -f -X '!*.json.zst' -- "$cur"
        )
    fi
}

complete -F _optally optally
