# SPDX-License-Identifier: MIT
# ken_man_pages(<target>): makes and installs the man pages, one for the program and one a command, whenever
# <target> is built and what they are made of has changed (tools/gen_man.py).
function(ken_man_pages target)
    set(dir ${CMAKE_BINARY_DIR}/man/man1)
    file(GLOB specs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/tool/specs/*.json)
    add_custom_command(
        OUTPUT ${dir}/ken.1
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_man.py ${dir} ${PROJECT_VERSION}
        DEPENDS ${specs} ${CMAKE_SOURCE_DIR}/src/cli/cli_help.c ${CMAKE_SOURCE_DIR}/src/cli/cli.c
                ${CMAKE_SOURCE_DIR}/src/config/config_keys.h ${CMAKE_SOURCE_DIR}/tools/gen_man.py
                ${CMAKE_SOURCE_DIR}/tools/gen_docs.py ${CMAKE_SOURCE_DIR}/tools/specs.py
        COMMENT "Man pages"
        VERBATIM)
    add_custom_target(man_pages DEPENDS ${dir}/ken.1)
    add_dependencies(${target} man_pages)
    install(DIRECTORY ${dir} DESTINATION ${CMAKE_INSTALL_MANDIR})
endfunction()
