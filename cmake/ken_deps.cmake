# SPDX-License-Identifier: MIT
# System libraries as imported targets, through pkg-config. docs/dependencies.md says why each is
# here. A missing one stops the configure step with the package to install. For LIBS of a module:
#   SQLite::SQLite3  pcre2::pcre2  jansson::jansson  OpenSSL::Crypto  xxhash::xxhash
#   zstd::zstd  yaml::yaml  utf8proc::utf8proc  Threads::Threads  curl::headers  microhttpd::headers
#   zlib::zlib  cmocka::cmocka (tests)
find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# ken_dep(<target> <pkg-config module> <package>)
function(ken_dep target module package)
    string(MAKE_C_IDENTIFIER "KEN_DEP_${target}" var)
    pkg_check_modules(${var} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(NOT ${var}_FOUND)
        message(FATAL_ERROR
            "'${module}' was not found. Install package ${package}, or run ./dev build, which does.")
    endif()
    add_library(${target} ALIAS PkgConfig::${var})
endfunction()

ken_dep(SQLite::SQLite3  "sqlite3>=3.37" libsqlite3-dev)
ken_dep(pcre2::pcre2     libpcre2-8      libpcre2-dev)
ken_dep(jansson::jansson jansson         libjansson-dev)
ken_dep(OpenSSL::Crypto  libcrypto       libssl-dev)
ken_dep(xxhash::xxhash   libxxhash       libxxhash-dev)
ken_dep(yaml::yaml       yaml-0.1        libyaml-dev)

# ken_archive(<target> <library> <header> <package>)
# The archive where there is one: one library less to load at every start.
function(ken_archive target library header package)
    string(MAKE_C_IDENTIFIER "KEN_${library}" var)
    find_library(${var} NAMES lib${library}.a ${library})
    find_path(${var}_INCLUDE ${header})
    if(NOT ${var} OR NOT ${var}_INCLUDE)
        message(FATAL_ERROR
            "'lib${library}' was not found. Install package ${package}, or run ./dev build.")
    endif()
    add_library(${target} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${var}}
        INTERFACE_INCLUDE_DIRECTORIES ${${var}_INCLUDE})
endfunction()

ken_archive(utf8proc::utf8proc utf8proc utf8proc.h libutf8proc-dev)
ken_archive(zstd::zstd         zstd     zstd.h     libzstd-dev)
ken_archive(zlib::zlib         z        zlib.h     zlib1g-dev)

# ken_headers(<name> <pkg-config module> <package>): <name>::headers, of a library that is loaded at run time.
function(ken_headers name module package)
    pkg_check_modules(KEN_${name} QUIET ${module})
    if(NOT KEN_${name}_FOUND)
        message(FATAL_ERROR
            "'${module}' was not found. Install package ${package}, or run ./dev build.")
    endif()
    add_library(${name}_headers INTERFACE)
    target_include_directories(${name}_headers SYSTEM INTERFACE ${KEN_${name}_INCLUDE_DIRS})
    add_library(${name}::headers ALIAS ${name}_headers)
endfunction()

ken_headers(curl       "libcurl>=7.66"         libcurl4-openssl-dev) # src/httpc/httpc_curl.c
ken_headers(microhttpd "libmicrohttpd>=0.9.71" libmicrohttpd-dev)    # src/httpd/httpd_mhd.c
ken_headers(libpq      "libpq>=14"             libpq-dev)            # src/store/postgres/postgres_lib.c

if(KEN_TESTS)
    ken_dep(cmocka::cmocka cmocka libcmocka-dev)
    ken_dep(libpq::libpq libpq libpq-dev) # tests/postgres_lab.h
endif()
