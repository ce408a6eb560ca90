# SPDX-License-Identifier: MIT
# The tree-sitter runtime and the grammars, from node_modules (package-lock.json pins them):
#   ken_treesitter  the runtime, compiled in each preset (with its sanitizers), and its headers
#   ken_grammars    every grammar that is there, and ken_grammar_table (src/lang/lang_grammar.h)
# A grammar that is missing in node_modules is left out; the runtime must be there.
include(${CMAKE_CURRENT_LIST_DIR}/grammars/list.cmake)
set(_modules ${CMAKE_SOURCE_DIR}/node_modules)
set(_ts ${_modules}/tree-sitter/vendor/tree-sitter/lib)
if(NOT EXISTS ${_ts}/src/lib.c)
    message(FATAL_ERROR "The tree-sitter runtime is not in node_modules. "
        "Run ./dev build, or npm ci and configure again.")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/package-lock.json ${_modules}/.package-lock.json)

add_library(ken_treesitter STATIC ${CMAKE_CURRENT_LIST_DIR}/treesitter_runtime.c)
target_include_directories(ken_treesitter SYSTEM PUBLIC ${_ts}/include)
target_include_directories(ken_treesitter PRIVATE ${_ts}/src ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(ken_treesitter PRIVATE _GNU_SOURCE)
target_compile_options(ken_treesitter PRIVATE -w)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(ken_treesitter PRIVATE -O3)
endif()
if(KEN_SANITIZE MATCHES "undefined")
    target_compile_options(ken_treesitter PRIVATE -fno-sanitize=undefined)
endif()

# The libraries are keyed by what they are made from, so that a change of the lock file, of the
# compiler or of the set of grammars makes new ones, and going back finds the old ones.
find_program(KEN_GRAMMAR_CC NAMES gcc cc clang REQUIRED)
execute_process(COMMAND ${KEN_GRAMMAR_CC} --version OUTPUT_VARIABLE _cc_version)
ken_grammars_present(${_modules} _present)
file(SHA256 ${CMAKE_SOURCE_DIR}/package-lock.json _lock_hash)
file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/grammars/CMakeLists.txt _project_hash)
file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/grammars/scanner_memory.h _memory_hash)
string(SHA256 _key
    "${_lock_hash} ${_project_hash} ${_memory_hash} ${_cc_version} ${CMAKE_SYSTEM_PROCESSOR} ${_present}")
string(SUBSTRING ${_key} 0 12 _key)
set(_out ${CMAKE_SOURCE_DIR}/build/grammars/${_key})

add_custom_command(
    OUTPUT ${_out}/done
    BYPRODUCTS ${_out}/libken_grammars.a ${_out}/libken_grammars.so
    COMMAND ${CMAKE_COMMAND} -DKEN_OUT=${_out} -DKEN_NODE_MODULES=${_modules}
        -DKEN_CC=${KEN_GRAMMAR_CC} -P ${CMAKE_CURRENT_LIST_DIR}/grammars/build.cmake
    COMMENT "Grammars"
    USES_TERMINAL VERBATIM)
add_custom_target(ken_grammars_build DEPENDS ${_out}/done)

set(_decls "")
set(_rows "")
list(LENGTH _present _n)
foreach(_entry IN LISTS _present)
    string(REGEX REPLACE "=.*$" "" _name ${_entry})
    string(APPEND _decls "const TSLanguage *tree_sitter_${_name}(void);\n")
    string(APPEND _rows "    { \"${_name}\", tree_sitter_${_name} },\n")
endforeach()
set(_table ${CMAKE_BINARY_DIR}/gen/ken_grammar_table.c)
file(CONFIGURE OUTPUT ${_table} @ONLY CONTENT
"// Made by cmake/ken_grammars.cmake; do not edit.
#include \"lang/lang_grammar.h\"

${_decls}
const ken_grammar_entry ken_grammar_table[] = {
${_rows}    { NULL, NULL },
};

const size_t ken_grammar_count = ${_n};
")

add_library(ken_grammars STATIC ${_table})
target_include_directories(ken_grammars PRIVATE ${CMAKE_SOURCE_DIR}/src
    PUBLIC ${CMAKE_CURRENT_LIST_DIR}/grammars)
add_dependencies(ken_grammars ken_grammars_build)
if(KEN_GRAMMARS_SHARED)
    set(_lib ${_out}/libken_grammars.so)
    set(CMAKE_BUILD_RPATH ${_out})
else()
    set(_lib ${_out}/libken_grammars.a)
endif()
target_link_libraries(ken_grammars PUBLIC ken_treesitter ${_lib})
