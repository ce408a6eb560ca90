// SPDX-License-Identifier: MIT
// How names are found, language by language.
#include "graph/graph_priv.h"

enum {
    FAMILY_OTHER = 0,
    FAMILY_C,
    FAMILY_JS,
    FAMILY_JVM,
    FAMILY_OWN, // and further ones: each language its own
};

// What nothing is known of: imports only, and nothing implied.
static const graph_policy plain = { .family = FAMILY_OTHER };

#define OWN(lang) ((uint8_t)(FAMILY_OWN + KEN_LANG_##lang))

static const graph_policy policies[KEN_LANG_COUNT] = {
    [KEN_LANG_PYTHON] = { OWN(PYTHON), .hides_class = true, .calls_class = true,
                          .shows_imports = true, .restates = true, .has_all_in_sight = true },
    [KEN_LANG_JAVASCRIPT] = { FAMILY_JS, .hides_class = true, .makes_of_functions = true,
                              .restates = true },
    [KEN_LANG_TYPESCRIPT] = { FAMILY_JS, .hides_class = true, .makes_of_functions = true,
                              .restates = true },
    [KEN_LANG_TSX] = { FAMILY_JS, .hides_class = true, .makes_of_functions = true,
                       .restates = true },
    [KEN_LANG_VUE] = { FAMILY_JS, .hides_class = true, .makes_of_functions = true,
                       .restates = true },
    [KEN_LANG_HTML] = { FAMILY_JS, .hides_class = true, .makes_of_functions = true,
                        .restates = true },
    [KEN_LANG_GO] = { OWN(GO), GRAPH_PACKAGE_FOLDER, .hides_class = true, .has_method_sets = true },
    [KEN_LANG_RUST] = { OWN(RUST), .hides_class = true, .splits_members = true,
                        .shows_imports = true },
    [KEN_LANG_JAVA] = { FAMILY_JVM, GRAPH_PACKAGE_DECLARED, .sees_members = true,
                        .splits_members = true, .types_calls = true },
    [KEN_LANG_KOTLIN] = { FAMILY_JVM, GRAPH_PACKAGE_DECLARED, .sees_members = true,
                          .calls_class = true, .splits_members = true, .has_open_types = true },
    [KEN_LANG_SCALA] = { FAMILY_JVM, GRAPH_PACKAGE_DECLARED, .sees_members = true,
                         .calls_class = true },
    [KEN_LANG_C] = { FAMILY_C, .includes = true },
    [KEN_LANG_CPP] = { FAMILY_C, .sees_members = true, .calls_class = true, .includes = true },
    [KEN_LANG_CSHARP] = { OWN(CSHARP), GRAPH_PACKAGE_DECLARED, .sees_members = true,
                          .has_open_types = true, .has_all_in_sight = true },
    [KEN_LANG_RUBY] = { OWN(RUBY), GRAPH_PACKAGE_GLOBAL, .sees_members = true,
                        .has_open_types = true },
    [KEN_LANG_PHP] = { OWN(PHP), GRAPH_PACKAGE_DECLARED, .hides_class = true, .restates = true,
                       .has_all_in_sight = true },
    [KEN_LANG_SWIFT] = { OWN(SWIFT), GRAPH_PACKAGE_TARGET, .sees_members = true,
                         .calls_class = true, .has_open_types = true },
    [KEN_LANG_HASKELL] = { OWN(HASKELL), .hides_class = true, .has_all_in_sight = true },
    [KEN_LANG_LUA] = { OWN(LUA), .hides_class = true, .makes_of_functions = true, .restates = true,
                       .keeps_private = true },
    [KEN_LANG_ELIXIR] = { OWN(ELIXIR), GRAPH_PACKAGE_GLOBAL, .sees_members = true },
    [KEN_LANG_ZIG] = { .family = OWN(ZIG), .has_all_in_sight = true },
    [KEN_LANG_BASH] = { OWN(BASH), .includes = true },
};

const graph_policy *graph_policy_of(uint16_t lang)
{
    return lang < KEN_LANG_COUNT && policies[lang].family ? &policies[lang] : &plain;
}
