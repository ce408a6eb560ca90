# SPDX-License-Identifier: MIT
# ken_specs(<target> <folder>): C from the specifications of operations, <folder>/*.json, made at each
# change of one by tools/gen_specs.py: tool_specs.c joins the target, tool_specs.h is there to include.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

function(ken_specs target folder)
    set(dir ${CMAKE_BINARY_DIR}/gen/${target})
    file(GLOB specs CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.json
        ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/shared/*.json)
    add_custom_command(
        OUTPUT ${dir}/tool_specs.c ${dir}/tool_specs.h
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_specs.py ${dir}
        DEPENDS ${specs} ${CMAKE_SOURCE_DIR}/tools/gen_specs.py ${CMAKE_SOURCE_DIR}/tools/specs.py
        COMMENT "Specifications of operations"
        VERBATIM)
    # When configuring too: clang-tidy reads compile commands of a folder that nothing is built in.
    execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_specs.py ${dir}
        RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "ken_specs: ${folder} has a specification that cannot be read")
    endif()
    target_sources(${target} PRIVATE ${dir}/tool_specs.c ${dir}/tool_specs.h)
    target_include_directories(${target} SYSTEM PUBLIC ${dir})
endfunction()
