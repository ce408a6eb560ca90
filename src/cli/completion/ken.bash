# SPDX-License-Identifier: MIT
# Completion of ken for bash; what may stand at the cursor is asked of the program (ken completion words).
_ken()
{
    local line word kind="" cur=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]/#\~/$HOME}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) kind=-f ;;
            :folders) kind=-d ;;
            *)
                printf -v word %q "${line%%$'\t'*}"
                COMPREPLY+=("$word")
                ;;
        esac
    done < <("$program" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [ -n "$kind" ] || return 0
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen "$kind" -- "$cur")
}
complete -F _ken ken
