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
    local verbs='record tally analyze top trace report timeline flamegraph export doctor help'
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
        else
            COMPREPLY=($(compgen -W 'svg folded' -- "$cur"))
        fi
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
        [[ $verb == analyze || $verb == report ]] && COMPREPLY=($(compgen -W 'all' -- "$cur"))
        return
        ;;
    --title | --top | --small-below | --max-name-size | --max-size | --window | --interval)
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
            --backends --recover --color --strict --help'
        ;;
    analyze)
        options='--limit --small-limit --small-below --json --csv --recover --color --help'
        ;;
    top)
        options='--window --interval --sort --by --once --json --help'
        ;;
    trace)
        options='--limit --utc --recover --help'
        ;;
    report)
        options='--output --limit --title --recover --help'
        ;;
    timeline)
        options='--output --format --recover --help'
        ;;
    flamegraph)
        options='--output --format --weight --by --diff --title --recover --help'
        ;;
    export)
        options='--ctf --force --recover --help'
        ;;
    doctor)
        options='--help'
        ;;
    esac
    if [[ $cur == -* && $prev != --diff ]]; then
        COMPREPLY=($(compgen -W "$options --" -- "$cur"))
    elif [[ $verb == record ]]; then
        compopt -o default
    elif [[ $verb == export || $verb == top ]]; then
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$cur"))
    elif [[ $verb == tally || $verb == analyze || $verb == trace || $verb == report ||
        $verb == timeline || $verb == flamegraph ]]; then
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
