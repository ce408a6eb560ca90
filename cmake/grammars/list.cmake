# SPDX-License-Identifier: MIT
# name=folder under node_modules that holds parser.c and, for some, scanner.c.
# Names are what src/lang knows a grammar by and, after tree_sitter_, its C function.
set(KEN_GRAMMARS
    python=tree-sitter-python/src
    javascript=tree-sitter-javascript/src
    typescript=tree-sitter-typescript/typescript/src
    tsx=tree-sitter-typescript/tsx/src
    go=tree-sitter-go/src
    rust=tree-sitter-rust/src
    java=tree-sitter-java/src
    c=tree-sitter-c/src
    cpp=tree-sitter-cpp/src
    c_sharp=tree-sitter-c-sharp/src
    ruby=tree-sitter-ruby/src
    php=tree-sitter-php/php/src
    kotlin=@tree-sitter-grammars/tree-sitter-kotlin/src
    swift=tree-sitter-swift/src
    scala=tree-sitter-scala/src
    haskell=tree-sitter-haskell/src
    lua=@tree-sitter-grammars/tree-sitter-lua/src
    elixir=tree-sitter-elixir/src
    zig=@tree-sitter-grammars/tree-sitter-zig/src
    bash=tree-sitter-bash/src
    html=tree-sitter-html/src
    css=tree-sitter-css/src
    markdown=@tree-sitter-grammars/tree-sitter-markdown/tree-sitter-markdown/src
    sql=@derekstride/tree-sitter-sql/src
    json=tree-sitter-json/src
    yaml=@tree-sitter-grammars/tree-sitter-yaml/src
    toml=@tree-sitter-grammars/tree-sitter-toml/src)

# ken_grammars_present(<node_modules> <out>): the entries of KEN_GRAMMARS whose source is there.
function(ken_grammars_present modules out)
    set(present "")
    foreach(entry IN LISTS KEN_GRAMMARS)
        string(REGEX REPLACE "^[^=]*=" "" path ${entry})
        if(EXISTS ${modules}/${path}/parser.c)
            list(APPEND present ${entry})
        endif()
    endforeach()
    set(${out} ${present} PARENT_SCOPE)
endfunction()
