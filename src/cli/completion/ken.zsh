#compdef ken
# SPDX-License-Identifier: MIT
# Completion of ken for zsh; what may stand at the cursor is asked of the program (ken completion words).
_ken()
{
    local line kind=""
    local -a found
    while IFS= read -r line; do
        case $line in
            :files) kind=_files ;;
            :folders) kind="_files -/" ;;
            *) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done < <("${words[1]/#\~/$HOME}" completion words -- "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
    if (( $#found )); then
        _describe 'ken' found
    fi
    if [[ -n $kind ]]; then
        ${=kind}
    fi
}
if [[ ${funcstack[1]} == _ken ]]; then
    _ken "$@" # loaded by compinit, from a folder of fpath
else
    compdef _ken ken
fi
