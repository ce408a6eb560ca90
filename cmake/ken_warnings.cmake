# SPDX-License-Identifier: MIT
# ken_warnings: an interface target with the flags for our own code only (STYLE.md B1, B3).
# Third-party code never links it.
add_library(ken_warnings INTERFACE)
set(_ken_warn
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla -Wundef
    -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wswitch-enum
    -Wimplicit-fallthrough -Wdouble-promotion -Wnull-dereference
    -fno-common -Wdate-time)
# What is never right, whatever the compiler: code that would call or return something by guess.
list(APPEND _ken_warn
    -Werror=implicit-function-declaration -Werror=implicit-int -Werror=int-conversion
    -Werror=incompatible-pointer-types -Werror=return-type)
# Any other warning stops nobody who only wants to build: newer compilers know more of them. CI has
# the reference compilers, those of Debian 12, and there none passes.
if(KEN_WERROR)
    if((CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION MATCHES "^12\\.") OR
       (CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_C_COMPILER_VERSION MATCHES "^14\\."))
        list(APPEND _ken_warn -Werror)
    else()
        message(STATUS "KEN_WERROR: warnings are errors with gcc 12 and clang 14 only, "
            "this is ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
    endif()
endif()
target_compile_options(ken_warnings INTERFACE "$<$<COMPILE_LANGUAGE:C>:${_ken_warn}>")
target_compile_definitions(ken_warnings INTERFACE _GNU_SOURCE)
