# SPDX-License-Identifier: MIT
# KEN_GRAMMARS: name=folder under node_modules that holds parser.c and, for some, scanner.c, of each
# row of src/lang/lang_table.h that says where its grammar lies. Names are what src/lang knows a
# grammar by and, after tree_sitter_, its C function.
set(_table ${CMAKE_CURRENT_LIST_DIR}/../../src/lang/lang_table.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_table})
file(READ ${_table} _rows)
string(REGEX MATCHALL "\\.grammar = \"[^\"]*\",[^\"]*\\.grammar_source = \"[^\"]*\"" _rows "${_rows}")
set(KEN_GRAMMARS "")
foreach(_row IN LISTS _rows)
    string(REGEX REPLACE "^[^\"]*\"([^\"]*)\"[^\"]*\"([^\"]*)\"$" "\\1=\\2" _row "${_row}")
    list(APPEND KEN_GRAMMARS ${_row})
endforeach()
if(NOT KEN_GRAMMARS)
    message(FATAL_ERROR "no grammar is named in src/lang/lang_table.h")
endif()

# ken_grammars_present(<node_modules> <out>): the entries of KEN_GRAMMARS whose source is there.
function(ken_grammars_present modules out)
    set(present "")
    foreach(entry IN LISTS KEN_GRAMMARS)
        string(REGEX REPLACE "^[^=]*=" "" path ${entry})
        if(EXISTS ${modules}/${path}/parser.c)
            list(APPEND present ${entry})
        endif()
    endforeach()
    set(${out} ${present} PARENT_SCOPE)
endfunction()
