# SPDX-License-Identifier: MIT
# cmake -DKEN_OUT=<dir> -DKEN_NODE_MODULES=<dir> -DKEN_CC=<compiler> -P build.cmake
# Builds the grammar libraries into KEN_OUT unless they are there. Presets share the result, so a
# lock keeps two builds that run at the same time from doing it twice.
file(MAKE_DIRECTORY ${KEN_OUT})
file(LOCK ${KEN_OUT}/lock GUARD PROCESS TIMEOUT 1800)
if(EXISTS ${KEN_OUT}/done)
    return()
endif()
message(STATUS "compiling the grammars, once for all presets")
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${KEN_OUT}/work
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=${KEN_CC}
    -DKEN_NODE_MODULES=${KEN_NODE_MODULES} -DKEN_OUT=${KEN_OUT}
    OUTPUT_QUIET RESULT_VARIABLE st)
if(NOT st EQUAL 0)
    message(FATAL_ERROR "configuring the grammars failed")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${KEN_OUT}/work RESULT_VARIABLE st)
if(NOT st EQUAL 0)
    message(FATAL_ERROR "compiling the grammars failed")
endif()
file(REMOVE_RECURSE ${KEN_OUT}/work) # the objects: as large again as the libraries
file(WRITE ${KEN_OUT}/done "")
