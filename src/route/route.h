// SPDX-License-Identifier: MIT
// route.h -- which calls and decorators are routes and events, and which bind a type to what is
// made for whoever asks for it, by rules of frameworks.
//
// A framework is one YAML file (frameworks/*.yaml; README.md has the form). Its rules are looked up
// for the literals of a file: calls and decorators whose first argument is a text; its bindings for
// the names that a file says.
//
// Ownership: rules own their text. Threads: pure; a set is read-only once made.
// Errors: KEN_EINVAL names the file, the line and what was expected.
#ifndef KEN_ROUTE_ROUTE_H
#define KEN_ROUTE_ROUTE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/refs.h"

enum {
    KEN_ROUTE_NAMES = 24,
    KEN_ROUTE_RULES = 32,
    KEN_ROUTE_WORDS = 8,
    KEN_BINDING_RULES = 8,
    KEN_BINDING_WORDS = 8,
    KEN_ROUTE_FILE_MAX = 64 * 1024
};

// Of a project's own frameworks.
#define KEN_FRAMEWORKS_FOLDER ".ken/frameworks"

// The forms of route calls other than one path in the first argument.
typedef enum ken_route_form {
    KEN_ROUTE_PATH = 0,
    KEN_ROUTE_CHAIN,   // methods are chained to it: `route('/a').get(x).post(y)`
    KEN_ROUTE_INNER,   // methods are its second argument: `route("/a", get(x).post(y))`
    KEN_ROUTE_METHOD,  // the method is its first argument: `Handle("GET", "/a", x)`
    KEN_ROUTE_MOUNT,   // puts the routes of a router under its path, and is none itself
    KEN_ROUTE_INCLUDE, // names the file whose routes are put under the path around it
    KEN_ROUTE_NEST,    // a route, or the prefix of the routes in its arguments
    KEN_ROUTE_GLOBAL,  // a prefix of all routes that its file reaches by imports
    KEN_ROUTE_BARE,    // decorates without being called, and the function's name is the event
} ken_route_form;

typedef struct ken_route_rule {
    ken_str names[KEN_ROUTE_NAMES]; // of what is called
    uint32_t n_names;
    ken_route_form form;
    ken_str method;  // "GET"; empty: the name in capitals
    bool decorates;  // a decorator or an annotation, else a call
    bool is_prefix;  // a prefix of the paths inside: of a type, of a group that is chained
    bool is_event;   // an event's name, not a path
    bool wants_path; // the text must begin with '/'
} ken_route_rule;

// The place of a registration.
typedef enum ken_binding_site {
    KEN_BINDING_CALL = 0, // names the type and what it is bound to: `AddScoped<IFoo, Foo>()`
    KEN_BINDING_TYPE,     // decorates a type, which is bound to what it is built on
    KEN_BINDING_FUNCTION, // decorates a function, whose result is bound to what it makes
    KEN_BINDING_PROVIDER, // is given such a function: `Depends(get_repo)`
    KEN_BINDING_KEY,      // an object's key: `{ provide: A, useClass: B }`
} ken_binding_site;

typedef struct ken_binding_rule {
    ken_str names[KEN_ROUTE_NAMES]; // of what is called or decorates; of KEY: in the file
    ken_str to[KEN_BINDING_WORDS];  // the bound type follows one of these; none: anywhere
    ken_str key;                    // of KEY
    uint32_t n_names, n_to;
    ken_binding_site site;
} ken_binding_rule;

typedef struct ken_framework {
    ken_str name;
    ken_str languages[8], modules[8];
    uint32_t n_languages, n_modules;
    ken_route_rule rules[KEN_ROUTE_RULES];
    uint32_t n_rules;
    // What makes an application, whose paths are whole unless it is mounted itself; a router, whose
    // are not until it is mounted. Types of parameters, too.
    ken_str apps[KEN_ROUTE_WORDS], routers[KEN_ROUTE_WORDS];
    uint32_t n_apps, n_routers;
    // Names of arguments that hold methods, paths, and what stands before the paths.
    ken_str methods[KEN_ROUTE_WORDS], paths[KEN_ROUTE_WORDS], prefixes[KEN_ROUTE_WORDS];
    uint32_t n_methods, n_paths, n_prefixes;
    // Fields of a class that is a handler: what they list runs before it.
    ken_str guards[KEN_ROUTE_WORDS];
    uint32_t n_guards;
    // Bases of such a class that check before it runs, by name.
    ken_str guard_bases[KEN_ROUTE_WORDS];
    uint32_t n_guard_bases;
    // Files of settings, and their keys whose values stand before all paths, in that order.
    ken_str files[KEN_ROUTE_WORDS], settings[KEN_ROUTE_WORDS];
    uint32_t n_files, n_settings;
    bool is_absolute; // a path with a slash stands for itself below a prefix of a type
    ken_binding_rule bindings[KEN_BINDING_RULES];
    uint32_t n_bindings;
    ken_str qualifiers[KEN_BINDING_WORDS]; // decorate the receiver, and choose one of several
    ken_str primary[KEN_BINDING_WORDS];    // decorate the default one of several
    uint32_t n_qualifiers, n_primary;
} ken_framework;

typedef struct ken_frameworks {
    ken_arena arena;
    KEN_VEC(ken_framework) items;
} ken_frameworks;

// Those that are built in.
void ken_frameworks_init(ken_frameworks *f);
void ken_frameworks_release(ken_frameworks *f);
// Whether the file at `path`, relative to a project's root, is a framework of its own.
bool ken_frameworks_is_file(ken_str path);
// Adds one, in place of one of the same name. `file`: for messages.
ken_status ken_frameworks_add(ken_frameworks *f, ken_str file, ken_str yaml, ken_err *err)
    KEN_MUST_USE;

// The rule that a literal of a file in `language` meets, or NULL. The file must import a module of
// the framework.
const ken_route_rule *ken_route_find(const ken_frameworks *f, ken_str language,
                                     const ken_refs *refs, const ken_literal *literal,
                                     const ken_framework **out_framework);

// The rule of one framework that a literal meets, whatever the file imports, or NULL.
const ken_route_rule *ken_route_rule_of(const ken_framework *f, const ken_refs *refs,
                                        const ken_literal *literal);

// Whether a file in `language` with `refs` is one of the framework: it imports a module of it.
bool ken_framework_covers(const ken_framework *f, ken_str language, const ken_refs *refs);
static inline bool ken_words_have(const ken_str *words, uint32_t n, ken_str word)
{
    for (uint32_t i = 0; i < n; i++)
        if (ken_str_eq(words[i], word))
            return true;
    return false;
}

#endif
