// SPDX-License-Identifier: MIT
// A statement is a word with its arguments, up to the end of the line; `do` and `{` open a block
// that knows the paths and the module around it, `end` and `}` close it.
#include "route/route_rails.h"

#include "base/vec.h"

enum {
    BLOCKS_MAX = 32,
    ACTIONS = 7,
    STATEMENT_MAX = 4096, // bytes that are read
    NAMES_MAX = 64,       // of one statement: the options are searched for each
    PATH_MAX_BYTES = 2000
};

typedef enum block_kind {
    BLOCK_OTHER = 0, // as the block around
    BLOCK_RESOURCES, // many of one kind
    BLOCK_RESOURCE,  // one
    BLOCK_MEMBER,
    BLOCK_COLLECTION,
} block_kind;

typedef struct block {
    block_kind kind;
    ken_str path;               // before what is nested inside
    ken_str member, collection; // of RESOURCES and RESOURCE
    ken_str module, controller; // "/admin", "articles"
} block;

typedef struct rails_reader {
    ken_str text;
    size_t at;
    ken_arena *arena;
    block blocks[BLOCKS_MAX];
    uint32_t n_blocks, n_lost; // lost: opened deeper than is kept
    KEN_VEC(ken_rails_route) found;
} rails_reader;

static const struct {
    const char *name, *method, *rest;
    bool is_member, has_one; // of one thing; of `resource` as well
} actions[ACTIONS] = {
    { "index", "GET", "", false, false },    { "new", "GET", "/new", false, true },
    { "create", "POST", "", false, true },   { "show", "GET", "", true, true },
    { "edit", "GET", "/edit", true, true },  { "update", "PATCH", "", true, true },
    { "destroy", "DELETE", "", true, true },
};

// ---- text ---------------------------------------------------------------------------------------

static bool is_name_char(char c)
{
    return ken_is_word(c) || c == '-' || c == '?';
}

static ken_str word_at(ken_str t, size_t at)
{
    size_t end = at;
    while (end < t.len && ken_is_word(t.ptr[end]))
        end++;
    return ken_str_sub(t, at, end);
}

// Behind the quotes that open at `at`.
static size_t behind_quotes(ken_str t, size_t at)
{
    char quote = t.ptr[at++];
    while (at < t.len && t.ptr[at] != quote && t.ptr[at] != '\n')
        at++;
    return at < t.len && t.ptr[at] == quote ? at + 1 : at;
}

// Where a statement ends: before `do`, a block's brace, the end of its line.
static size_t statement_end(ken_str t, size_t at)
{
    int depth = 0;
    char last = '\0';
    while (at < t.len) {
        char c = t.ptr[at];
        if (c == '"' || c == '\'') {
            at = behind_quotes(t, at);
            last = c;
            continue;
        }
        bool is_end =
            depth <= 0 && ((c == '\n' && last != ',') || c == ';' || c == '}' || c == '#' ||
                           (c == '{' && last != ',' && last != ':' && last != '>'));
        if (is_end)
            return at;
        if (c == '#')
            while (at + 1 < t.len && t.ptr[at + 1] != '\n')
                at++;
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        bool begins = !at || !ken_is_word(t.ptr[at - 1]);
        if (depth <= 0 && begins && ken_str_eq_c(word_at(t, at), "do"))
            return at;
        last = ken_is_space(c) ? last : c;
        at++;
    }
    return at;
}

// A symbol, a text or a bare word that begins at `at`; *out_end behind it.
static ken_str value_at(ken_str t, size_t at, size_t *out_end)
{
    if (at < t.len && (t.ptr[at] == '"' || t.ptr[at] == '\'')) {
        *out_end = behind_quotes(t, at);
        bool is_closed = *out_end > at + 1 && t.ptr[*out_end - 1] == t.ptr[at];
        return ken_str_sub(t, at + 1, *out_end - is_closed);
    }
    size_t from = at < t.len && t.ptr[at] == ':' ? at + 1 : at, end = from;
    while (end < t.len && is_name_char(t.ptr[end]))
        end++;
    *out_end = end;
    return ken_str_sub(t, from, end);
}

// Whether a symbol or a text begins there.
static bool begins_value(ken_str t, size_t at)
{
    return at < t.len && (t.ptr[at] == ':' || t.ptr[at] == '"' || t.ptr[at] == '\'');
}

static size_t behind_space(ken_str t, size_t at)
{
    while (at < t.len && ken_is_space(t.ptr[at]))
        at++;
    return at;
}

// Where the value of `key: value` begins among the arguments; 0 = it is not there.
static size_t option_at(ken_str args, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = 0; i + len < args.len; i++) {
        if (args.ptr[i] == '"' || args.ptr[i] == '\'') {
            i = behind_quotes(args, i) - 1;
            continue;
        }
        bool begins = !i || (!ken_is_word(args.ptr[i - 1]) && args.ptr[i - 1] != ':');
        if (begins && !memcmp(args.ptr + i, key, len) && args.ptr[i + len] == ':')
            return behind_space(args, i + len + 1);
    }
    return 0;
}

static ken_str option(ken_str args, const char *key)
{
    size_t at = option_at(args, key), end;
    return at ? value_at(args, at, &end) : KEN_STR("");
}

// Whether a list (`[:a, :b]`, `%i[a b]`) or a single value names the word.
static bool names(ken_str args, size_t at, const char *word)
{
    size_t open = at;
    while (open < args.len && open < at + 3 && args.ptr[open] != '[' && args.ptr[open] != '(')
        open++;
    bool is_list = open < args.len && open < at + 3 && (open == at || args.ptr[at] == '%');
    size_t end = at;
    if (!is_list)
        return ken_str_eq_c(value_at(args, at, &end), word);
    for (size_t i = open + 1; i < args.len && args.ptr[i] != ']' && args.ptr[i] != ')'; i++) {
        ken_str it = word_at(args, i);
        if (!it.len)
            continue;
        if (ken_str_eq_c(it, word))
            return true;
        i += it.len - 1;
    }
    return false;
}

// ---- paths and controllers ----------------------------------------------------------------------

static ken_str joined(rails_reader *r, ken_str a, ken_str b)
{
    while (b.len && b.ptr[0] == '/')
        b = ken_str_sub(b, 1, b.len);
    bool is_short = a.len + b.len < PATH_MAX_BYTES;
    return b.len && is_short ? ken_arena_printf(r->arena, KEN_STR_FMT "/" KEN_STR_FMT,
                                                KEN_STR_ARG(a), KEN_STR_ARG(b))
                             : a;
}

static ken_str singular(rails_reader *r, ken_str name)
{
    if (name.len > 3 && ken_str_ends(name, KEN_STR("ies")))
        return ken_arena_printf(r->arena, KEN_STR_FMT "y",
                                KEN_STR_ARG(ken_str_sub(name, 0, name.len - 3)));
    bool has_s =
        name.len > 1 && ken_str_ends(name, KEN_STR("s")) && !ken_str_ends(name, KEN_STR("ss"));
    return has_s ? ken_str_sub(name, 0, name.len - 1) : name;
}

// "AdminPanel" of admin_panel, "Api::V1" of api/v1.
static ken_str camel(rails_reader *r, ken_str name)
{
    char *out = ken_arena_alloc(r->arena, name.len * 2 + 1);
    size_t n = 0;
    bool is_first = true;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '/')
            out[n++] = ':', out[n++] = ':';
        else if (c != '_')
            out[n++] = is_first && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
        is_first = c == '/' || c == '_';
    }
    return ken_str_n(out, n);
}

typedef struct target {
    ken_str controller, action; // "admin/articles", "show"
} target;

static target target_of(rails_reader *r, ken_str module, ken_str controller, ken_str action)
{
    if (!controller.len || !action.len)
        return (target){ KEN_STR(""), KEN_STR("") };
    return (target){ joined(r, module, controller), action };
}

static const block *top(const rails_reader *r)
{
    return &r->blocks[r->n_blocks - 1];
}

static void emit(rails_reader *r, const char *method, ken_str path, target to, size_t byte)
{
    if (r->found.len >= KEN_RAILS_ROUTES_MAX)
        return;
    ken_rails_route route = { .method = ken_str_c(method),
                              .path = path.len ? path : KEN_STR("/"),
                              .action = to.action,
                              .byte = (uint32_t)byte };
    ken_str name = to.controller;
    while (name.len && name.ptr[0] == '/')
        name = ken_str_sub(name, 1, name.len);
    if (name.len) {
        route.handler = ken_arena_printf(r->arena, KEN_STR_FMT "Controller." KEN_STR_FMT,
                                         KEN_STR_ARG(camel(r, name)), KEN_STR_ARG(to.action));
        route.file = ken_arena_printf(r->arena, "controllers/" KEN_STR_FMT "_controller.rb",
                                      KEN_STR_ARG(name));
    }
    ken_vec_push(&r->found, route);
}

// ---- statements ---------------------------------------------------------------------------------

static bool has_action(ken_str args, const char *name)
{
    size_t only = option_at(args, "only"), except = option_at(args, "except");
    return only ? names(args, only, name) : !except || !names(args, except, name);
}

static block nested_in(rails_reader *r, block_kind kind, ken_str base, ken_str name,
                       ken_str controller)
{
    block b = *top(r);
    bool is_many = kind == BLOCK_RESOURCES;
    b.kind = kind;
    b.collection = base;
    b.member = is_many ? joined(r, base, KEN_STR(":id")) : base;
    b.path = is_many ? ken_arena_printf(r->arena, KEN_STR_FMT "/:" KEN_STR_FMT "_id",
                                        KEN_STR_ARG(base), KEN_STR_ARG(singular(r, name)))
                     : base;
    b.controller = controller;
    return b;
}

// `resources :a, :b, only: …`; the block that may follow is of the last.
static block add_resources(rails_reader *r, block_kind kind, ken_str args, size_t byte)
{
    block inner = *top(r);
    inner.kind = BLOCK_OTHER;
    size_t end, at = behind_space(args, 0);
    for (int n = 0; n < NAMES_MAX && begins_value(args, at); n++) {
        ken_str name = value_at(args, at, &end), path = option(args, "path");
        ken_str own = option(args, "controller"), module = option(args, "module");
        bool is_many = kind == BLOCK_RESOURCES;
        ken_str plural =
            is_many ? name : ken_arena_printf(r->arena, KEN_STR_FMT "s", KEN_STR_ARG(name));
        inner = nested_in(r, kind, joined(r, top(r)->path, path.len ? path : name), name,
                          own.len ? own : plural);
        inner.module = joined(r, inner.module, module);
        for (size_t i = 0; i < ACTIONS; i++) {
            if ((!is_many && !actions[i].has_one) || !has_action(args, actions[i].name))
                continue;
            ken_str base = actions[i].is_member ? inner.member : inner.collection;
            emit(r, actions[i].method, joined(r, base, ken_str_c(actions[i].rest)),
                 target_of(r, inner.module, inner.controller, ken_str_c(actions[i].name)), byte);
        }
        at = behind_space(args, end);
        at = at < args.len && args.ptr[at] == ',' ? behind_space(args, at + 1) : args.len;
    }
    return inner;
}

// `namespace :admin`, `scope "/api", module: "api"`.
static block add_scope(rails_reader *r, bool is_namespace, ken_str args)
{
    block b = *top(r);
    size_t end, at = behind_space(args, 0);
    ken_str first = begins_value(args, at) ? value_at(args, at, &end) : KEN_STR("");
    ken_str path = option(args, "path"), module = option(args, "module");
    if (is_namespace && !module.len)
        module = first;
    b.kind = BLOCK_OTHER;
    b.path = joined(r, b.path, option_at(args, "path") ? path : first);
    if (module.len)
        b.module = joined(r, b.module, module);
    ken_str controller = option(args, "controller");
    b.controller = controller.len ? controller : b.controller;
    return b;
}

static ken_str base_of(rails_reader *r, ken_str args)
{
    const block *b = top(r);
    ken_str on = option(args, "on");
    if (b->kind == BLOCK_MEMBER || ken_str_eq_c(on, "member"))
        return b->member;
    return b->kind == BLOCK_COLLECTION || ken_str_eq_c(on, "collection") ? b->collection : b->path;
}

// "articles#index" of `to:` or `"/x" => "articles#index"`; else the action of the block's
// controller.
static target named_handler(rails_reader *r, ken_str args, ken_str name)
{
    ken_str to = option(args, "to");
    size_t arrow = ken_str_find(args, KEN_STR("=>")), end;
    if (!to.len && arrow != SIZE_MAX)
        to = value_at(args, behind_space(args, arrow + 2), &end);
    size_t hash = ken_str_find_char(to, '#');
    if (hash != SIZE_MAX)
        return target_of(r, top(r)->module, ken_str_sub(to, 0, hash),
                         ken_str_sub(to, hash + 1, to.len));
    ken_str controller = option(args, "controller"), action = option(args, "action");
    action = action.len ? action : to.len ? to : name;
    bool is_action = ken_str_find_char(action, '/') == SIZE_MAX;
    return is_action ? target_of(r, top(r)->module,
                                 controller.len ? controller : top(r)->controller, action)
                     : (target){ KEN_STR(""), KEN_STR("") };
}

static void add_verb(rails_reader *r, const char *method, ken_str args, size_t byte)
{
    size_t at = behind_space(args, 0), end;
    for (int n = 0; n < NAMES_MAX && begins_value(args, at); n++) { // `get :a, :b`
        ken_str name = value_at(args, at, &end);
        emit(r, method, joined(r, base_of(r, args), name), named_handler(r, args, name), byte);
        at = behind_space(args, end);
        at = at < args.len && args.ptr[at] == ',' ? behind_space(args, at + 1) : args.len;
    }
}

static void add_root(rails_reader *r, ken_str args, size_t byte)
{
    size_t at = behind_space(args, 0), end = at;
    bool is_text = at < args.len && (args.ptr[at] == '"' || args.ptr[at] == '\'');
    ken_str to = is_text ? value_at(args, at, &end) : option(args, "to");
    size_t hash = ken_str_find_char(to, '#');
    target by = hash == SIZE_MAX ? (target){ KEN_STR(""), KEN_STR("") }
                                 : target_of(r, top(r)->module, ken_str_sub(to, 0, hash),
                                             ken_str_sub(to, hash + 1, to.len));
    emit(r, "GET", top(r)->path, by, byte);
}

static const char *verb_of(ken_str word)
{
    static const char *const verbs[][2] = { { "get", "GET" },       { "post", "POST" },
                                            { "put", "PUT" },       { "patch", "PATCH" },
                                            { "delete", "DELETE" }, { "match", "ANY" } };
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (ken_str_eq_c(word, verbs[i][0]))
            return verbs[i][1];
    return NULL;
}

// Reads a statement and the block that it may open.
static block say(rails_reader *r, ken_str word, ken_str args, size_t byte)
{
    block b = *top(r);
    const char *verb = verb_of(word);
    if (verb)
        add_verb(r, verb, args, byte);
    else if (ken_str_eq_c(word, "root"))
        add_root(r, args, byte);
    else if (ken_str_eq_c(word, "resources"))
        return add_resources(r, BLOCK_RESOURCES, args, byte);
    else if (ken_str_eq_c(word, "resource"))
        return add_resources(r, BLOCK_RESOURCE, args, byte);
    else if (ken_str_eq_c(word, "namespace") || ken_str_eq_c(word, "scope"))
        return add_scope(r, ken_str_eq_c(word, "namespace"), args);
    else if (ken_str_eq_c(word, "member"))
        b.kind = BLOCK_MEMBER;
    else if (ken_str_eq_c(word, "collection"))
        b.kind = BLOCK_COLLECTION;
    return b;
}

static void open_block(rails_reader *r, const block *b)
{
    if (r->n_blocks < BLOCKS_MAX)
        r->blocks[r->n_blocks++] = *b;
    else
        r->n_lost++;
}

static void close_block(rails_reader *r)
{
    if (r->n_lost)
        r->n_lost--;
    else if (r->n_blocks > 1)
        r->n_blocks--;
}

// `if` and its like at the head of a line end with `end`, too.
static bool opens_alone(ken_str word)
{
    static const char *const words[] = { "if",    "unless", "case",  "while",  "until",
                                         "begin", "def",    "class", "module", "for" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_c(word, words[i]))
            return true;
    return false;
}

static ken_str without_brackets(ken_str args)
{
    args = ken_str_trim(args);
    bool has_both = args.len > 1 && args.ptr[0] == '(' && args.ptr[args.len - 1] == ')';
    return has_both ? ken_str_trim(ken_str_sub(args, 1, args.len - 1)) : args;
}

static void read_statement(rails_reader *r)
{
    ken_str t = r->text, word = word_at(t, r->at);
    size_t byte = r->at, end = statement_end(t, r->at + word.len);
    size_t from = byte + word.len, to = end - from > STATEMENT_MAX ? from + STATEMENT_MAX : end;
    block b = say(r, word, without_brackets(ken_str_sub(t, from, to)), byte);
    bool has_do = ken_str_eq_c(word_at(t, end), "do");
    bool has_brace = end < t.len && t.ptr[end] == '{';
    if (has_do || has_brace || opens_alone(word))
        open_block(r, &b);
    r->at = end + (has_do ? 2 : has_brace ? 1 : 0);
    size_t bar = behind_space(t, r->at);
    if ((has_do || has_brace) && bar < t.len && t.ptr[bar] == '|') { // |x|
        size_t close = ken_str_find_char(ken_str_sub(t, bar + 1, t.len), '|');
        r->at = close == SIZE_MAX ? t.len : bar + close + 2;
    }
}

static void read_next(rails_reader *r)
{
    ken_str t = r->text;
    char c = t.ptr[r->at];
    if (c == '#') {
        while (r->at < t.len && t.ptr[r->at] != '\n')
            r->at++;
    } else if (c == '}') {
        close_block(r);
        r->at++;
    } else if (ken_str_eq_c(word_at(t, r->at), "end")) {
        close_block(r);
        r->at += 3;
    } else if (ken_is_word(c)) {
        read_statement(r);
    } else {
        r->at++;
    }
}

bool ken_rails_is_file(ken_str path)
{
    return ken_str_ends(path, KEN_STR("config/routes.rb")) ||
           (ken_str_find(path, KEN_STR("config/routes/")) != SIZE_MAX &&
            ken_str_ends(path, KEN_STR(".rb")));
}

size_t ken_rails_routes(ken_str text, ken_arena *arena, ken_rails_route **out)
{
    rails_reader r = { .text = text, .arena = arena, .n_blocks = 1 };
    bool draws = ken_str_find(text, KEN_STR("routes.draw")) != SIZE_MAX;
    while (draws && r.at < text.len)
        read_next(&r);
    size_t n = r.found.len;
    *out = ken_arena_copy(arena, r.found.ptr, n, sizeof **out);
    ken_vec_release(&r.found);
    return n;
}
