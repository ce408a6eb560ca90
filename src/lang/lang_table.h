// SPDX-License-Identifier: MIT
// lang_table.h -- the languages, one row each. Ids are stored in indexes: only append.
//
// id, name, grammar ("" = none), extensions, file names, interpreters of a #! line, role.
// `role` is CODE for program text, DOC for prose, DATA for configuration and data. The node table
// of a grammar is src/lang/tables/<name>.nodes; rows with the same grammar may share one ("table"
// column).
#ifndef KEN_LANG_LANG_TABLE_H
#define KEN_LANG_LANG_TABLE_H

// clang-format off
#define KEN_LANG_TABLE(X)                                                                          \
    X(TEXT, "text", "", "", "txt text log rst adoc asciidoc org tex", "README LICENSE COPYING AUTHORS NEWS CHANGES", "", DOC) \
    X(PYTHON, "python", "python", "python", "py pyi pyw pyx pxd", "SConstruct SConscript wscript", "python python2 python3 pypy", CODE) \
    X(JAVASCRIPT, "javascript", "javascript", "javascript", "js jsx mjs cjs es6", "Jakefile", "node nodejs bun deno", CODE) \
    X(TYPESCRIPT, "typescript", "typescript", "typescript", "ts mts cts", "", "ts-node tsx", CODE)   \
    X(TSX, "tsx", "tsx", "typescript", "tsx", "", "", CODE)                                          \
    X(GO, "go", "go", "go", "go", "", "", CODE)                                                      \
    X(RUST, "rust", "rust", "rust", "rs", "", "rust-script", CODE)                                   \
    X(JAVA, "java", "java", "java", "java", "", "", CODE)                                            \
    X(C, "c", "c", "c", "c h", "", "tcc", CODE)                                                      \
    X(CPP, "cpp", "cpp", "cpp", "cc cpp cxx c++ hpp hxx hh h++ ipp inl tpp cu cuh ino", "", "", CODE) \
    X(CSHARP, "csharp", "c_sharp", "csharp", "cs csx", "", "", CODE)                                 \
    X(RUBY, "ruby", "ruby", "ruby", "rb rake gemspec ru rbw podspec thor", "Rakefile Gemfile Vagrantfile Guardfile Podfile Fastfile Brewfile", "ruby jruby", CODE) \
    X(PHP, "php", "php", "php", "php phtml php5 php7 inc", "", "php", CODE)                          \
    X(KOTLIN, "kotlin", "kotlin", "kotlin", "kt kts", "", "kotlin", CODE)                            \
    X(SWIFT, "swift", "swift", "swift", "swift", "", "swift", CODE)                                  \
    X(SCALA, "scala", "scala", "scala", "scala sc sbt", "", "scala", CODE)                           \
    X(HASKELL, "haskell", "haskell", "haskell", "hs lhs hsc", "", "runhaskell runghc stack", CODE)   \
    X(LUA, "lua", "lua", "lua", "lua rockspec", "", "lua luajit", CODE)                              \
    X(ELIXIR, "elixir", "elixir", "elixir", "ex exs", "", "elixir", CODE)                            \
    X(ZIG, "zig", "zig", "zig", "zig zon", "", "", CODE)                                             \
    X(BASH, "bash", "bash", "bash", "sh bash bats zsh ksh ebuild", "PKGBUILD APKBUILD .bashrc .profile .bash_profile .zshrc configure", "sh bash dash zsh ksh bats", CODE) \
    X(HTML, "html", "html", "html", "html htm xhtml", "", "", CODE)                                  \
    X(CSS, "css", "css", "css", "css scss less", "", "", CODE)                                       \
    X(VUE, "vue", "html", "html", "vue svelte", "", "", CODE)                                        \
    X(MARKDOWN, "markdown", "markdown", "markdown", "md markdown mdx mkd", "", "", DOC)              \
    X(SQL, "sql", "sql", "sql", "sql ddl psql", "", "", CODE)                                        \
    X(JSON, "json", "json", "json", "json jsonc json5 geojson webmanifest", ".babelrc .eslintrc .prettierrc", "", DATA) \
    X(YAML, "yaml", "yaml", "yaml", "yaml yml", ".clang-format .clang-tidy", "", DATA)               \
    X(TOML, "toml", "toml", "toml", "toml", "Pipfile", "", DATA)                                     \
    X(DOCKERFILE, "dockerfile", "", "", "dockerfile containerfile", "Dockerfile Containerfile", "", DATA) \
    X(MAKE, "make", "", "", "mk mak make", "Makefile makefile GNUmakefile Kbuild Justfile justfile", "make", CODE) \
    X(CMAKE, "cmake", "", "", "cmake", "CMakeLists.txt", "", CODE)                                   \
    X(CONFIG, "config", "", "", "ini cfg conf cnf properties editorconfig env service desktop gradle bzl bazel tf hcl nix rc plist xml csproj vbproj fsproj sln vcxproj pom xsd wsdl svg proto graphql gql thrift cabal", "BUILD WORKSPACE .gitignore .gitattributes .dockerignore .npmrc .editorconfig Procfile Jenkinsfile go.mod requirements.txt", "", DATA) \
    X(OTHER_CODE, "other", "", "", "m mm pl pm t r jl dart clj cljs cljc erl hrl ml mli fs fsi fsx f f90 f95 for pas pp d nim cr v sv vhd vhdl asm s el lisp scm rkt tcl vim vb groovy awk ps1 psm1 bat cmd coffee elm purs hx sol move cairo gd glsl vert frag hlsl wgsl metal tpl ejs erb haml slim pug jade hbs mustache jinja jinja2 j2 twig liquid astro fish y yy ypp l ll lex m4 jq nu sass styl eex heex leex erubis rl ragel", "", "perl awk tclsh Rscript ocaml fish", CODE)
// clang-format on

#endif
