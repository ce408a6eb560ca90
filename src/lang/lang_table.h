// SPDX-License-Identifier: MIT
// lang_table.h -- the languages, one row each: what is true of a language and can be said as data.
//
// A row has the id, the name, the driver (src/graph/languages/<driver>.c: what is true of the
// language and needs code; `none` for what has no references) and fields of ken_language; a field
// that is left out is 0. Ids are stored in indexes: only append rows. What its syntax means is said
// in tables/<table>.nodes and tables/<table>.refs; rows may share tables, grammars and drivers.
//
// Ownership: static, constant. Threads: any. Errors: none.
#ifndef KEN_LANG_LANG_TABLE_H
#define KEN_LANG_LANG_TABLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ken_lang_role {
    KEN_LANG_ROLE_NONE = 0,
    KEN_LANG_ROLE_CODE, // program text
    KEN_LANG_ROLE_DOC,  // prose
    KEN_LANG_ROLE_DATA, // configuration and data
} ken_lang_role;

// Which files see each other's definitions without an import.
typedef enum ken_package_rule {
    KEN_PACKAGE_NONE = 0, // none
    KEN_PACKAGE_FOLDER,   // those of a folder are one package
    KEN_PACKAGE_DECLARED, // those that declare the same package
    KEN_PACKAGE_TARGET,   // those of a build target
    KEN_PACKAGE_GLOBAL,   // all
} ken_package_rule;

// Which files are written for what people see: pages, components, styles.
typedef enum ken_frontend_rule {
    KEN_FRONTEND_NONE = 0,
    KEN_FRONTEND_BY_FOLDER, // those whose folder or extension says so
    KEN_FRONTEND_ALL,
} ken_frontend_rule;

// Lists are words separated by a space; texts that are not given are NULL. In patterns `a*b` is what
// begins with a and ends with b (ken_str_fits).
typedef struct ken_language {
    // ---- files and syntax ----------------------------------------------------------------------
    const char *name;
    const char *aliases;        // what else people call it
    const char *extensions;     // of its files, in lower case
    const char *file_names;     // of files that no extension tells
    const char *interpreters;   // of a #! line
    const char *grammar;        // NULL: it has none, files are cut by lines
    const char *grammar_source; // its folder below node_modules, in one row of each grammar
    const char *table;          // of node and reference table
    ken_lang_role role;
    bool is_fallback; // files of which nothing is known are said to be in it
    bool is_markup;   // it defines much, and nothing that is called
    bool has_preprocessor;
    bool has_prose; // lang_prose.h reads its code blocks and links
    ken_frontend_rule frontend;
    const char *frontend_extensions; // with BY_FOLDER: extensions of files that always are

    // ---- what names mean -----------------------------------------------------------------------
    uint16_t family; // a ken_lang_id: languages of one family may name each other's definitions
    ken_package_rule package;
    // Definitions and scopes.
    bool sees_members;      // bare names see the members of the types around
    bool hides_class;       // what is in a class is not seen from its methods without a prefix
    bool hides_fields;      // a field has no bare name
    bool hides_extended;    // an extension does not see the members of the type that it extends
    bool shows_extensions;  // an extension is seen and imported by its bare name, as all else
    bool keeps_private;     // what is private is seen in its file only
    bool keeps_variables;   // so are variables at the top of a file
    bool opens_records;     // an enumerator that is declared in a record is seen around it
    bool opens_tests;       // groups of tests are no scope
    bool has_inner_modules; // modules are written inside files, with imports of their own
    // A bare name that was not found is of the language or of a package: imports are the only way
    // in, or every namespace in sight was asked.
    bool has_all_in_sight;
    // What may have one name.
    bool restates;         // of several functions of one name the last holds: no overloads
    bool overloads;        // functions of one name differ by what they take
    bool names_arguments;  // an argument may say the parameter it is for (`%labels` of its table)
    bool labels_functions; // and must, in their order: labels are part of a function's name
    bool names_numbers;    // types of numbers are called like all others: `Int`
    bool widens_numbers;   // a number is handed on as one of a wider type
    bool splits_members;   // a field and a method: what is called is the method
    bool has_fields_apart; // and they are written in different pieces of the type
    bool splits_modules;   // a module and a function
    bool has_functions_apart; // a function and a variable
    bool has_types_apart;     // a type and a function or constructor
    bool has_macro_names;     // a macro and a function
    bool has_companions;      // a class and an object, which is no type
    bool means_by_role;       // what has the name but is of another kind is not meant
    // Types.
    bool has_open_types;          // a type may be written in several pieces that share its name
    bool implies_constructors;    // a type may be made without a constructor that is written
    bool has_method_sets;         // a type implements each interface whose methods it has
    bool makes_of_functions;      // `new f()`; functions and variables get members by assignment
    bool has_mapped_types;        // types are made of others and some of their keys: Pick<T, K>
    const char *self_type;        // a result of this name is what the method is called on
    const char *decorator_suffix; // a decorator X may be class X and this
    // Namespaces.
    bool sees_outer_packages; // from inside package a.b what is in package a is seen
    bool sees_global;         // what is in no namespace is seen everywhere
    bool hides_global_types;  // but for its types
    bool names_in_full;       // a.b.C names a definition without an import
    // Imports.
    bool includes;                // they are textual: what they lead to counts as well
    bool shows_imports;           // what a file imports can be imported from it
    bool exports_imports;         // and nothing is said about which of it is meant for others
    bool lists_exports;           // an import without a module lists what the file exports
    bool passes_names_on;         // `export { a } from 'm'`: what the file itself does not see
    bool has_default_exports;     // a module may be one thing as a whole, beside what it exports
    bool has_declaration_files;   // x.d.ts declares what is in x.js
    bool imports_from_scope;      // an import may begin with any name in sight
    bool imports_namespaces;      // what an import names may be a namespace, or outside of any
    bool opens_namespaces;        // an import of everything is of a namespace, not of a type
    bool imports_lead_outside;    // what an import names and is not found is not in the tree
    bool binds_first_part;        // `import a.b.c` makes `a` known
    const char *module_separator; // between a module and one inside it; NULL = "."
    // Values.
    bool calls_class;      // calling a class makes an object
    bool calls_self;       // so does calling the word for this type
    bool calls_by_name;    // naming a function is calling it
    bool calls_attributes; // naming an attribute is calling it
    bool applies_objects;  // calling an object that has no class calls its method `apply`
    bool loops_by_methods; // a loop calls a method of what it goes over
    bool keeps_outside;    // what packages outside of the tree give is nothing of the tree

    // ---- what is used without being named ------------------------------------------------------
    const char *entry_names;       // patterns: the language itself calls these
    const char *own_names;         // functions that give a module all of its own names
    const char *program_package;   // what is in a package of this name is imported by nobody
    const char *package_file;      // nor is what is in a folder without a file of this name
    bool exports_by_header;        // what others may use is declared below a folder `include`
    const char *declaration_files; // patterns: what is in these may be used by anybody
    const char *test_names;        // patterns: files called so are tests wherever they stand
    const char *test_marks; // patterns: what has a decoration of this name is one, in any file

    // ---- what people call things ---------------------------------------------------------------
    const char *folder_stem; // a file of this name without extension is imported as its folder
} ken_language;

// clang-format off
// What JavaScript, its dialects and the pages that hold it have in common.
#define KEN_LANG_OF_JS                                                                             \
    .family = KEN_LANG_JAVASCRIPT, .hides_class = true, .makes_of_functions = true,                \
    .restates = true, .passes_names_on = true, .has_default_exports = true,                        \
    .has_declaration_files = true, .has_mapped_types = true,                                       \
    .folder_stem = "index"

#define KEN_LANG_TABLE(X)                                                                          \
    X(TEXT, "text", none, .role = KEN_LANG_ROLE_DOC,                                               \
      .extensions = "txt text log rst adoc asciidoc org tex",                                      \
      .file_names = "README LICENSE COPYING AUTHORS NEWS CHANGES",                                 \
      .is_fallback = true)                                                                         \
    X(PYTHON, "python", python, .role = KEN_LANG_ROLE_CODE,                                        \
      .grammar = "python", .grammar_source = "tree-sitter-python/src", .table = "python",          \
      .extensions = "py pyi pyw pyx pxd", .file_names = "SConstruct SConscript wscript",           \
      .interpreters = "python python2 python3 pypy", .aliases = "py",                              \
      .family = KEN_LANG_PYTHON, .hides_class = true, .calls_class = true, .shows_imports = true,  \
      .restates = true, .has_all_in_sight = true, .self_type = "Self", .lists_exports = true,      \
      .exports_imports = true, .binds_first_part = true, .entry_names = "__*__",                   \
      .own_names = "globals",                                                                      \
      .package_file = "__init__.py",                                                               \
      .test_names = "test_*.py *_test.py conftest*", .folder_stem = "__init__")                    \
    X(JAVASCRIPT, "javascript", js, .role = KEN_LANG_ROLE_CODE,                                    \
      .grammar = "javascript", .grammar_source = "tree-sitter-javascript/src",                     \
      .table = "javascript", .extensions = "js jsx mjs cjs es6", .file_names = "Jakefile",         \
      .interpreters = "node nodejs bun deno", .aliases = "js jsx mjs",                             \
      KEN_LANG_OF_JS, .frontend = KEN_FRONTEND_BY_FOLDER, .frontend_extensions = "jsx")            \
    X(TYPESCRIPT, "typescript", js, .role = KEN_LANG_ROLE_CODE,                                    \
      .grammar = "typescript", .grammar_source = "tree-sitter-typescript/typescript/src",          \
      .table = "typescript", .extensions = "ts mts cts", .interpreters = "ts-node tsx",            \
      .aliases = "ts", .declaration_files = "*.d.ts *.d.mts *.d.cts",                              \
      KEN_LANG_OF_JS, .frontend = KEN_FRONTEND_BY_FOLDER)                                          \
    X(TSX, "tsx", js, .role = KEN_LANG_ROLE_CODE,                                                  \
      .grammar = "tsx", .grammar_source = "tree-sitter-typescript/tsx/src",                        \
      .table = "typescript", .extensions = "tsx",                                                  \
      KEN_LANG_OF_JS, .frontend = KEN_FRONTEND_ALL)                                                \
    X(GO, "go", go, .role = KEN_LANG_ROLE_CODE,                                                    \
      .grammar = "go", .grammar_source = "tree-sitter-go/src", .table = "go",                      \
      .extensions = "go", .aliases = "golang",                                                     \
      .family = KEN_LANG_GO, .package = KEN_PACKAGE_FOLDER, .hides_class = true,                   \
      .has_method_sets = true, .imports_lead_outside = true, .keeps_outside = true,                \
      .entry_names = "init", .program_package = "main",                                            \
      .test_names = "*_test.go")                                                                   \
    X(RUST, "rust", rust, .role = KEN_LANG_ROLE_CODE,                                              \
      .grammar = "rust", .grammar_source = "tree-sitter-rust/src", .table = "rust",                \
      .extensions = "rs", .interpreters = "rust-script", .aliases = "rs",                          \
      .family = KEN_LANG_RUST, .hides_class = true, .splits_members = true, .shows_imports = true, \
      .has_fields_apart = true, .has_inner_modules = true, .splits_modules = true,                 \
      .has_macro_names = true, .calls_self = true, .module_separator = "::",                       \
      .test_marks = "test *_test rstest test_case", .folder_stem = "mod")                          \
    X(JAVA, "java", java, .role = KEN_LANG_ROLE_CODE,                                              \
      .grammar = "java", .grammar_source = "tree-sitter-java/src", .table = "java",                \
      .extensions = "java",                                                                        \
      .family = KEN_LANG_JAVA, .package = KEN_PACKAGE_DECLARED, .sees_members = true,              \
      .splits_members = true, .overloads = true,                              \
      .names_in_full = true, .test_names = "*Test.java *Tests.java",                               \
      .test_marks = "Test ParameterizedTest RepeatedTest TestFactory TestTemplate")\
    X(C, "c", c, .role = KEN_LANG_ROLE_CODE,                                                       \
      .grammar = "c", .grammar_source = "tree-sitter-c/src", .table = "c",                         \
      .extensions = "c h", .interpreters = "tcc",                                                  \
      .family = KEN_LANG_C, .includes = true, .opens_records = true, .has_preprocessor = true,     \
      .exports_by_header = true,                                                                   \
      .test_names = "*_test.c")                                                                    \
    X(CPP, "cpp", c, .role = KEN_LANG_ROLE_CODE,                                                   \
      .grammar = "cpp", .grammar_source = "tree-sitter-cpp/src", .table = "cpp",                   \
      .extensions = "cc cpp cxx c++ hpp hxx hh h++ ipp inl tpp cu cuh ino", .aliases = "c++",      \
      .overloads = true, .implies_constructors = true,                                             \
      .family = KEN_LANG_C, .includes = true, .sees_members = true, .calls_class = true,           \
      .has_preprocessor = true,                                                                    \
      .test_names = "*_test.cc *_test.cpp")                                                        \
    X(CSHARP, "csharp", csharp, .role = KEN_LANG_ROLE_CODE,                                        \
      .grammar = "c_sharp", .grammar_source = "tree-sitter-c-sharp/src", .table = "csharp",        \
      .extensions = "cs csx", .aliases = "c# cs",                                                  \
      .overloads = true, .implies_constructors = true,                                             \
      .names_arguments = true, .widens_numbers = true,                                             \
      .family = KEN_LANG_CSHARP, .package = KEN_PACKAGE_DECLARED, .sees_members = true,            \
      .has_open_types = true, .has_all_in_sight = true, .sees_outer_packages = true,               \
      .sees_global = true, .opens_namespaces = true, .hides_extended = true,                       \
      .decorator_suffix = "Attribute", .entry_names = "Main",                                      \
      .test_names = "*Test.cs *Tests.cs",                                                          \
      .test_marks = "Fact Theory Test TestCase TestCaseSource TestMethod DataTestMethod")          \
    X(RUBY, "ruby", ruby, .role = KEN_LANG_ROLE_CODE,                                              \
      .grammar = "ruby", .grammar_source = "tree-sitter-ruby/src", .table = "ruby",                \
      .extensions = "rb rake gemspec ru rbw podspec thor",                                         \
      .file_names = "Rakefile Gemfile Vagrantfile Guardfile Podfile Fastfile Brewfile",            \
      .interpreters = "ruby jruby", .aliases = "rb",                                               \
      .family = KEN_LANG_RUBY, .package = KEN_PACKAGE_GLOBAL, .sees_members = true,                \
      .has_open_types = true, .keeps_variables = true, .calls_attributes = true,                   \
      .test_names = "*_test.rb *_spec.rb")                                                         \
    X(PHP, "php", php, .role = KEN_LANG_ROLE_CODE,                                                 \
      .grammar = "php", .grammar_source = "tree-sitter-php/php/src", .table = "php",               \
      .extensions = "php phtml php5 php7 inc", .interpreters = "php",                              \
      .family = KEN_LANG_PHP, .package = KEN_PACKAGE_DECLARED, .hides_class = true,                \
      .restates = true, .has_all_in_sight = true, .sees_global = true, .hides_global_types = true, \
      .imports_namespaces = true, .has_functions_apart = true, .entry_names = "__*",               \
      .test_names = "*Test.php *Tests.php")                                                        \
    X(KOTLIN, "kotlin", kotlin, .role = KEN_LANG_ROLE_CODE,                                        \
      .grammar = "kotlin", .grammar_source = "@tree-sitter-grammars/tree-sitter-kotlin/src",       \
      .table = "kotlin", .extensions = "kt kts", .interpreters = "kotlin", .aliases = "kt",        \
      .overloads = true, .implies_constructors = true,                                             \
      .names_arguments = true, .names_numbers = true,                                              \
      .family = KEN_LANG_JAVA, .package = KEN_PACKAGE_DECLARED, .sees_members = true,              \
      .calls_class = true, .splits_members = true, .has_open_types = true, .names_in_full = true,  \
      .shows_extensions = true,                                                                    \
      .test_names = "*Test.kt *Tests.kt",                                                          \
      .test_marks = "Test ParameterizedTest RepeatedTest TestFactory TestTemplate")\
    X(SWIFT, "swift", swift, .role = KEN_LANG_ROLE_CODE,                                           \
      .grammar = "swift", .grammar_source = "tree-sitter-swift/src", .table = "swift",             \
      .extensions = "swift", .interpreters = "swift",                                              \
      .overloads = true, .implies_constructors = true,                                             \
      .names_arguments = true, .labels_functions = true, .names_numbers = true,                    \
      .family = KEN_LANG_SWIFT, .package = KEN_PACKAGE_TARGET, .sees_members = true,               \
      .calls_class = true, .has_open_types = true,                                                 \
      .test_names = "*Test.swift *Tests.swift", .test_marks = "Test")                              \
    X(SCALA, "scala", scala, .role = KEN_LANG_ROLE_CODE,                                           \
      .grammar = "scala", .grammar_source = "tree-sitter-scala/src", .table = "scala",             \
      .extensions = "scala sc sbt", .interpreters = "scala",                                       \
      .overloads = true, .implies_constructors = true,                                             \
      .names_arguments = true, .names_numbers = true, .widens_numbers = true,                      \
      .family = KEN_LANG_JAVA, .package = KEN_PACKAGE_DECLARED, .sees_members = true,              \
      .calls_class = true, .names_in_full = true, .sees_outer_packages = true,                     \
      .imports_from_scope = true, .has_companions = true, .applies_objects = true,                 \
      .calls_by_name = true, .loops_by_methods = true,                                             \
      .test_names = "*Test.scala *Tests.scala")                                                    \
    X(HASKELL, "haskell", haskell, .role = KEN_LANG_ROLE_CODE,                                     \
      .grammar = "haskell", .grammar_source = "tree-sitter-haskell/src", .table = "haskell",       \
      .extensions = "hs lhs hsc", .interpreters = "runhaskell runghc stack", .aliases = "hs",      \
      .family = KEN_LANG_HASKELL, .hides_class = true, .has_all_in_sight = true,                   \
      .has_types_apart = true, .means_by_role = true)                                              \
    X(LUA, "lua", lua, .role = KEN_LANG_ROLE_CODE,                                                 \
      .grammar = "lua", .grammar_source = "@tree-sitter-grammars/tree-sitter-lua/src",             \
      .table = "lua", .extensions = "lua rockspec", .interpreters = "lua luajit",                  \
      .family = KEN_LANG_LUA, .hides_class = true, .makes_of_functions = true, .restates = true,   \
      .keeps_private = true)                                                                       \
    X(ELIXIR, "elixir", elixir, .role = KEN_LANG_ROLE_CODE,                                        \
      .grammar = "elixir", .grammar_source = "tree-sitter-elixir/src", .table = "elixir",          \
      .extensions = "ex exs", .interpreters = "elixir", .aliases = "ex",                           \
      .family = KEN_LANG_ELIXIR, .package = KEN_PACKAGE_GLOBAL, .sees_members = true,              \
      .opens_tests = true,                                                                         \
      .test_names = "*_test.ex *_test.exs")                                                        \
    X(ZIG, "zig", zig, .role = KEN_LANG_ROLE_CODE,                                                 \
      .grammar = "zig", .grammar_source = "@tree-sitter-grammars/tree-sitter-zig/src",             \
      .table = "zig", .extensions = "zig zon",                                                     \
      .family = KEN_LANG_ZIG, .has_all_in_sight = true, .hides_fields = true,                      \
      .test_names = "*_test.zig")                                                                  \
    X(BASH, "bash", bash, .role = KEN_LANG_ROLE_CODE,                                              \
      .grammar = "bash", .grammar_source = "tree-sitter-bash/src", .table = "bash",                \
      .extensions = "sh bash bats zsh ksh ebuild",                                                 \
      .file_names = "PKGBUILD APKBUILD .bashrc .profile .bash_profile .zshrc configure",           \
      .interpreters = "sh bash dash zsh ksh bats", .aliases = "sh shell",                          \
      .family = KEN_LANG_BASH, .includes = true, .has_functions_apart = true,                      \
      .means_by_role = true)                                                                       \
    X(HTML, "html", html, .role = KEN_LANG_ROLE_CODE,                                              \
      .grammar = "html", .grammar_source = "tree-sitter-html/src", .table = "html",                \
      .extensions = "html htm xhtml",                                                              \
      KEN_LANG_OF_JS, .is_markup = true, .frontend = KEN_FRONTEND_ALL)                             \
    X(CSS, "css", css, .role = KEN_LANG_ROLE_CODE,                                                 \
      .grammar = "css", .grammar_source = "tree-sitter-css/src", .table = "css",                   \
      .extensions = "css scss less", .aliases = "scss",                                            \
      .is_markup = true, .frontend = KEN_FRONTEND_ALL)                                             \
    X(VUE, "vue", js, .role = KEN_LANG_ROLE_CODE,                                                  \
      .grammar = "html", .table = "html", .extensions = "vue svelte",                              \
      KEN_LANG_OF_JS, .frontend = KEN_FRONTEND_ALL)                                                \
    X(MARKDOWN, "markdown", none, .role = KEN_LANG_ROLE_DOC,                                       \
      .grammar = "markdown",                                                                       \
      .grammar_source = "@tree-sitter-grammars/tree-sitter-markdown/tree-sitter-markdown/src",     \
      .table = "markdown", .extensions = "md markdown mdx mkd", .aliases = "md",                   \
      .has_prose = true)                                                                           \
    X(SQL, "sql", none, .role = KEN_LANG_ROLE_CODE,                                                \
      .grammar = "sql", .grammar_source = "@derekstride/tree-sitter-sql/src", .table = "sql",      \
      .extensions = "sql ddl psql")                                                                \
    X(JSON, "json", none, .role = KEN_LANG_ROLE_DATA,                                              \
      .grammar = "json", .grammar_source = "tree-sitter-json/src", .table = "json",                \
      .extensions = "json jsonc json5 geojson webmanifest",                                        \
      .file_names = ".babelrc .eslintrc .prettierrc")                                              \
    X(YAML, "yaml", none, .role = KEN_LANG_ROLE_DATA,                                              \
      .grammar = "yaml", .grammar_source = "@tree-sitter-grammars/tree-sitter-yaml/src",           \
      .table = "yaml", .extensions = "yaml yml", .file_names = ".clang-format .clang-tidy",        \
      .aliases = "yml")                                                                            \
    X(TOML, "toml", none, .role = KEN_LANG_ROLE_DATA,                                              \
      .grammar = "toml", .grammar_source = "@tree-sitter-grammars/tree-sitter-toml/src",           \
      .table = "toml", .extensions = "toml", .file_names = "Pipfile")                              \
    X(DOCKERFILE, "dockerfile", none, .role = KEN_LANG_ROLE_DATA,                                  \
      .extensions = "dockerfile containerfile", .file_names = "Dockerfile Containerfile")          \
    X(MAKE, "make", none, .role = KEN_LANG_ROLE_CODE,                                              \
      .extensions = "mk mak make",                                                                 \
      .file_names = "Makefile makefile GNUmakefile Kbuild Justfile justfile",                      \
      .interpreters = "make")                                                                      \
    X(CMAKE, "cmake", none, .role = KEN_LANG_ROLE_CODE,                                            \
      .extensions = "cmake", .file_names = "CMakeLists.txt")                                       \
    X(CONFIG, "config", none, .role = KEN_LANG_ROLE_DATA,                                          \
      .extensions = "ini cfg conf cnf properties editorconfig env service desktop gradle "         \
                    "bzl bazel tf hcl nix rc plist xml csproj vbproj fsproj sln vcxproj pom "      \
                    "xsd wsdl svg proto graphql gql thrift cabal",                                 \
      .file_names = "BUILD WORKSPACE .gitignore .gitattributes .dockerignore .npmrc "              \
                    ".editorconfig Procfile Jenkinsfile go.mod requirements.txt")                  \
    X(OTHER_CODE, "other", none, .role = KEN_LANG_ROLE_CODE,                                       \
      .extensions = "m mm pl pm t r jl dart clj cljs cljc erl hrl ml mli fs fsi fsx f f90 "        \
                    "f95 for pas pp d nim cr v sv vhd vhdl asm s el lisp scm rkt tcl vim vb "      \
                    "groovy awk ps1 psm1 bat cmd coffee elm purs hx sol move cairo gd glsl "       \
                    "vert frag hlsl wgsl metal tpl ejs erb haml slim pug jade hbs mustache "       \
                    "jinja jinja2 j2 twig liquid astro fish y yy ypp l ll lex m4 jq nu sass "      \
                    "styl eex heex leex erubis rl ragel",                                          \
      .interpreters = "perl awk tclsh Rscript ocaml fish",                                         \
      .test_names = "*_test.dart")
// clang-format on

#endif
