# SPDX-License-Identifier: MIT
# ken_embed(<target> OUT <name> [BASE <dir>] FILES <file>...): puts files into the program.
#
# For each file f (symbol <f>: its path under BASE with every other character than a-z0-9 as _):
#   const unsigned char ken_embed_<name>_<f>[];      the bytes, 64-byte aligned, a NUL after them
#   const size_t        ken_embed_<name>_<f>_len;    without that NUL
# and a table in the order of FILES:
#   const ken_embed_file ken_embed_<name>_table[];   { path under BASE, data, len }
#   const size_t         ken_embed_<name>_count;
# declared in the generated header "embed_<name>.h". BASE is the current source folder by default.
#
# The assembler copies the bytes (.incbin), so a model of many megabytes costs nothing to build;
# the same bytes as a C initialiser would take gcc seconds and a gigabyte.
function(ken_embed target)
    cmake_parse_arguments(E "" "OUT;BASE" "FILES" ${ARGN})
    if(NOT E_OUT OR NOT E_FILES)
        message(FATAL_ERROR "ken_embed(${target}): needs OUT <name> and FILES <file>...")
    endif()
    if(NOT E_BASE)
        set(E_BASE ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
    set(dir ${CMAKE_BINARY_DIR}/gen/${target})
    set(prefix ken_embed_${E_OUT})
    string(TOUPPER ${E_OUT} guard)

    set(decl "")
    set(data "    .section .rodata\n")
    set(strings "")
    set(table "")
    set(abs_files "")
    set(n 0)
    foreach(f IN LISTS E_FILES)
        get_filename_component(abs ${f} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
        file(RELATIVE_PATH rel ${E_BASE} ${abs})
        string(TOLOWER ${rel} sym)
        string(REGEX REPLACE "[^a-z0-9]" "_" sym ${sym})
        set(sym ${prefix}_${sym})
        list(APPEND abs_files ${abs})
        string(APPEND decl "extern const unsigned char ${sym}[];\nextern const size_t ${sym}_len;\n")
        string(APPEND data
            "    .balign 64\n    .global ${sym}\n    .type ${sym}, %object\n${sym}:\n"
            "    .incbin \"${abs}\"\n${sym}_end:\n    .byte 0\n    .size ${sym}, . - ${sym}\n"
            "    .balign 8\n    .global ${sym}_len\n    .type ${sym}_len, %object\n${sym}_len:\n"
            "    .quad ${sym}_end - ${sym}\n    .size ${sym}_len, 8\n")
        string(APPEND strings "${prefix}_path_${n}:\n    .asciz \"${rel}\"\n")
        string(APPEND table "    .quad ${prefix}_path_${n}, ${sym}, ${sym}_end - ${sym}\n")
        math(EXPR n "${n} + 1")
    endforeach()

    file(CONFIGURE OUTPUT ${dir}/embed_${E_OUT}.s @ONLY CONTENT
"# Made by ken_embed(); do not edit.
${data}${strings}    .balign 8
    .global ${prefix}_count
    .type ${prefix}_count, %object
${prefix}_count:
    .quad ${n}
    .size ${prefix}_count, 8
    .section .data.rel.ro,\"aw\",%progbits
    .balign 8
    .global ${prefix}_table
    .type ${prefix}_table, %object
${prefix}_table:
${table}    .size ${prefix}_table, . - ${prefix}_table
    .section .note.GNU-stack,\"\",%progbits
")
    file(CONFIGURE OUTPUT ${dir}/embed_${E_OUT}.h @ONLY CONTENT
"// Made by ken_embed(); do not edit.
#ifndef KEN_EMBED_${guard}_H
#define KEN_EMBED_${guard}_H

#include <stddef.h>

#ifndef KEN_EMBED_FILE
#define KEN_EMBED_FILE
typedef struct ken_embed_file {
    const char *path;
    const unsigned char *data; // len bytes, then a NUL
    size_t len;
} ken_embed_file;
#endif

${decl}extern const ken_embed_file ${prefix}_table[];
extern const size_t ${prefix}_count;

#endif
")
    set_property(SOURCE ${dir}/embed_${E_OUT}.s APPEND PROPERTY OBJECT_DEPENDS "${abs_files}")
    if(CMAKE_C_COMPILER_ID MATCHES "Clang") # it warns of C options given to the assembler
        set_property(SOURCE ${dir}/embed_${E_OUT}.s
            PROPERTY COMPILE_OPTIONS -Wno-unused-command-line-argument)
    endif()
    target_sources(${target} PRIVATE ${dir}/embed_${E_OUT}.s)
    target_include_directories(${target} SYSTEM PRIVATE ${dir})
endfunction()
