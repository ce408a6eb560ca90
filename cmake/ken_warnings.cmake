# SPDX-License-Identifier: MIT
# ken_warnings: an interface target with the flags for our own code only (STYLE.md B1, B3).
# Third-party code never links it.
add_library(ken_warnings INTERFACE)
set(_ken_warn
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla -Wundef
    -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wswitch-enum
    -Wimplicit-fallthrough -Wdouble-promotion -Wnull-dereference
    -Wno-empty-translation-unit -fno-common -Wdate-time)
if(KEN_WERROR)
    list(APPEND _ken_warn -Werror)
endif()
target_compile_options(ken_warnings INTERFACE "$<$<COMPILE_LANGUAGE:C>:${_ken_warn}>")
target_compile_definitions(ken_warnings INTERFACE _GNU_SOURCE)
