# SPDX-License-Identifier: MIT
# ken_page(<target>): puts the page of web/ into the program (KEN_PAGE, on by default), or that there is none.
#
# It is the same for every preset, so it is made once, in build/page of the source folder, by Node.js and what
# web/package-lock.json names (./dev installs both).
option(KEN_PAGE "Build the page in web/ into ken serve" ON)

function(ken_page target)
    if(NOT KEN_PAGE)
        set(pack ${CMAKE_BINARY_DIR}/gen/${target}/none/page.pack)
        file(CONFIGURE OUTPUT ${pack} CONTENT "ken page 1\n\n")
        ken_embed(${target} OUT page BASE ${CMAKE_BINARY_DIR}/gen/${target}/none FILES ${pack})
        return()
    endif()
    set(web ${CMAKE_SOURCE_DIR}/web)
    set(pack ${CMAKE_SOURCE_DIR}/build/page/page.pack)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/* ${web}/public/*)
    list(FILTER sources EXCLUDE REGEX "/schema\\.d\\.ts$") # types alone, made for checks
    add_custom_command(OUTPUT ${pack}
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/pack_page.py ${pack}
        DEPENDS ${sources} ${web}/index.html ${web}/vite.config.ts ${web}/package-lock.json ${CMAKE_SOURCE_DIR}/tools/pack_page.py
        COMMENT "Page"
        VERBATIM)
    ken_embed(${target} OUT page BASE ${CMAKE_SOURCE_DIR}/build/page FILES ${pack})
endfunction()
