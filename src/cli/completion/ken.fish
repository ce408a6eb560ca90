# SPDX-License-Identifier: MIT
# Completion of ken for fish; what may stand at the cursor is asked of the program (ken completion words).
function __ken_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    command $typed[1] completion words -- $typed[2..-1] "$current" 2>/dev/null | while read -l line
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c ken -f -a '(__ken_complete)'
