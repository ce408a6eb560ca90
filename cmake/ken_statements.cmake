# SPDX-License-Identifier: MIT
# ken_statements(<target> OUT <name> LIST <macro> FILES <file>...): the names of SQL statements as a list for C.
#
# A statement stands after a line "-- :NAME" in one of the files. The generated header "embed_<name>.h" has
#   #define <macro>(X) X(NAME) ...
# in the order of the files.
function(ken_statements target)
    cmake_parse_arguments(S "" "OUT;LIST" "FILES" ${ARGN})
    set(dir ${CMAKE_BINARY_DIR}/gen/${target})
    string(TOUPPER ${S_OUT} guard)
    set(list "")
    foreach(f IN LISTS S_FILES)
        get_filename_component(abs ${f} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${abs})
        file(STRINGS ${abs} marks REGEX "^-- :[A-Z0-9_]+$")
        foreach(mark IN LISTS marks)
            string(REGEX REPLACE "^-- :" "" mark "${mark}")
            string(APPEND list " \\\n    X(${mark})")
        endforeach()
    endforeach()
    file(CONFIGURE OUTPUT ${dir}/embed_${S_OUT}.h @ONLY CONTENT
"// Made by ken_statements(); do not edit.
#ifndef KEN_EMBED_${guard}_H
#define KEN_EMBED_${guard}_H

#define ${S_LIST}(X)${list}

#endif
")
    target_include_directories(${target} SYSTEM PRIVATE ${dir})
endfunction()
