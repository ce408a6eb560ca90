# SPDX-License-Identifier: MIT
# Flags that hold for the whole program: no position-independent executable (start-up then
# relocates nothing), sanitizers, link-time optimisation, no paths of the build machine.
add_compile_options(-fno-pie -ffunction-sections -fdata-sections)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
else() # __FILE__ only: debuggers want to find the source
    add_compile_options("-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")
endif()
add_link_options(-no-pie -Wl,--gc-sections -Wl,--as-needed -Wl,-O1)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    find_program(KEN_LLD ld.lld)
    if(KEN_LLD)
        add_link_options(-fuse-ld=lld)
    endif()
endif()

if(KEN_SANITIZE)
    add_compile_options($<$<COMPILE_LANGUAGE:C>:-fsanitize=${KEN_SANITIZE}>)
    add_link_options(-fsanitize=${KEN_SANITIZE})
    if(KEN_SANITIZE MATCHES "undefined")
        add_compile_options($<$<COMPILE_LANGUAGE:C>:-fno-sanitize-recover=undefined>)
    endif()
endif()
# The thread sanitizer takes the counters of coverage for races: with it libFuzzer mutates without them.
if(KEN_FUZZ AND NOT KEN_SANITIZE MATCHES "thread")
    add_compile_options($<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
endif()

if(KEN_LTO)
    # Parallel back end; warnings were given when each file was compiled.
    add_compile_options($<$<COMPILE_LANGUAGE:C>:-flto=auto> $<$<COMPILE_LANGUAGE:C>:-fno-fat-lto-objects>)
    add_link_options(-flto=auto -O2 -g1)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        find_program(KEN_GCC_AR gcc-ar)
        find_program(KEN_GCC_RANLIB gcc-ranlib)
        if(KEN_GCC_AR AND KEN_GCC_RANLIB)
            set(CMAKE_AR ${KEN_GCC_AR})
            set(CMAKE_RANLIB ${KEN_GCC_RANLIB})
        endif()
    endif()
endif()
