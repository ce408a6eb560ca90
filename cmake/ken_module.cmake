# SPDX-License-Identifier: MIT
# ken_module(<name> LAYER <n> [DEPS <module>...] SRCS <file>... HDRS <file>... [LIBS <target>...])
#
# One module is one static library ken_<name> from src/<name>/. Paths in SRCS and HDRS are relative
# to that folder (or to src/). DEPS may name only modules of a strictly smaller layer, declared
# before: the one rule that does not bend (STYLE.md, Layers). HDRS are the public headers; each is
# compiled alone. LIBS are third-party targets (dep::sqlite3, ken_treesitter, ...).
#
# ken_all is an interface target with every module, for main.c, fuzz targets and benchmarks.
add_library(ken_all INTERFACE)
set_property(GLOBAL PROPERTY KEN_MODULES "")

function(ken_module name)
    cmake_parse_arguments(M "" "LAYER" "DEPS;SRCS;HDRS;LIBS" ${ARGN})
    if(M_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "ken_module(${name}): unknown arguments '${M_UNPARSED_ARGUMENTS}'")
    endif()
    if(NOT M_LAYER MATCHES "^[0-9]+$")
        message(FATAL_ERROR "ken_module(${name}): LAYER must be a number")
    endif()
    set(target ken_${name})

    foreach(dep IN LISTS M_DEPS)
        get_property(dep_layer GLOBAL PROPERTY KEN_LAYER_${dep})
        if(dep_layer STREQUAL "")
            message(FATAL_ERROR
                "ken_module(${name}): DEPS names '${dep}', which is not declared before it")
        endif()
        if(NOT dep_layer LESS M_LAYER)
            message(FATAL_ERROR
                "ken_module(${name}): layer ${M_LAYER} may not depend on '${dep}' of layer "
                "${dep_layer}; only smaller layers are allowed")
        endif()
    endforeach()
    set_property(GLOBAL PROPERTY KEN_LAYER_${name} ${M_LAYER})
    set_property(GLOBAL APPEND PROPERTY KEN_MODULES ${name})

    set(srcs "")
    set(hdrs "")
    ken__module_paths(${name} srcs ${M_SRCS})
    ken__module_paths(${name} hdrs ${M_HDRS})

    if(srcs)
        add_library(${target} STATIC ${srcs} ${hdrs})
        set(scope PUBLIC)
        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ken_warnings>)
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_include_directories(${target} ${scope} ${CMAKE_SOURCE_DIR}/src)
    list(TRANSFORM M_DEPS PREPEND ken_ OUTPUT_VARIABLE deps)
    target_link_libraries(${target} ${scope} ${deps} ${M_LIBS})
    target_link_libraries(ken_all INTERFACE ${target})

    if(KEN_HEADER_TEST AND hdrs)
        set(tests "")
        foreach(h IN LISTS hdrs)
            file(RELATIVE_PATH rel ${CMAKE_SOURCE_DIR}/src ${h})
            string(MAKE_C_IDENTIFIER ${rel} id)
            set(test ${CMAKE_BINARY_DIR}/headers/${id}.c)
            # Twice: the guard is tested as well.
            file(CONFIGURE OUTPUT ${test} @ONLY CONTENT
                "#include \"${rel}\"\n#include \"${rel}\"\ntypedef int ${id}_compiles;\n")
            list(APPEND tests ${test})
        endforeach()
        add_library(${target}_headers OBJECT ${tests})
        target_link_libraries(${target}_headers PRIVATE ken_warnings ${target})
    endif()
endfunction()

function(ken__module_paths name out)
    set(paths "")
    foreach(f IN LISTS ARGN)
        if(EXISTS ${CMAKE_SOURCE_DIR}/src/${name}/${f})
            list(APPEND paths ${CMAKE_SOURCE_DIR}/src/${name}/${f})
        elseif(EXISTS ${CMAKE_SOURCE_DIR}/src/${f})
            list(APPEND paths ${CMAKE_SOURCE_DIR}/src/${f})
        elseif(IS_ABSOLUTE ${f})
            list(APPEND paths ${f})
        else()
            message(FATAL_ERROR "ken_module(${name}): no file src/${name}/${f}")
        endif()
    endforeach()
    set(${out} ${paths} PARENT_SCOPE)
endfunction()
