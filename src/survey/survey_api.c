// SPDX-License-Identifier: MIT
// What the handlers of routes have in common: what a request passes through before them (arguments
// of the route, `use` of its router, decorators, dependencies), what they call first, how they
// check what they are sent, how they answer. Habits are looked for among the routes of one
// framework.
#include <stdlib.h>

#include "base/path.h"
#include "model/facts.h"
#include "survey/survey_priv.h"
#include "survey/survey_text_priv.h"

enum {
    VIEWS_MAX = 1500, // files read for it
    THROUGH_MAX = 12,
    THROUGH_SHOWN = 8,
    LONG_HANDLER = 400 // lines; beyond that something was misread
};

typedef struct api_view {
    ken_file_view file;
    ken_str bare;
    uint32_t *lines; // byte of each
    uint32_t n_lines;
} api_view;

typedef struct handler {
    const ken_route *route;
    ken_survey_place at;
    ken_str through[THROUGH_MAX]; // names, none twice
    uint32_t n_through;
    ken_str body, raw; // bare, and as it stands; empty = not found
} handler;

typedef struct api {
    survey *v;
    ken_map views; // path -> index + 1 into items
    KEN_VEC(api_view *) items;
    KEN_VEC(handler) handlers;
    size_t n_frameworks;
} api;

// ---- texts -------------------------------------------------------------------------------------

static bool has_hash_comments(ken_str path)
{
    ken_str ext = ken_path_ext(path);
    return ken_str_eq_c(ext, "py") || ken_str_eq_c(ext, "rb") || ken_str_eq_c(ext, "ex");
}

static const api_view *view_of(api *a, ken_str path)
{
    bool is_new;
    uint64_t *at = ken_map_put(&a->views, path, a->items.len, &is_new);
    if (!is_new)
        return a->items.ptr[*at];
    api_view *w = NULL;
    ken_arena *arena = a->v->arena;
    ken_file_view file;
    if (a->items.len < VIEWS_MAX && !ken_view_file(a->v->s, path, arena, &file, NULL)) {
        w = KEN_ARENA_NEW(arena, api_view);
        w->file = file;
        w->bare = text_bare(arena, file.text, has_hash_comments(path));
        w->lines = KEN_ARENA_ARRAY(arena, uint32_t, file.facts->n_lines + 2);
        w->n_lines = ken_line_starts(file.text, w->lines, file.facts->n_lines + 1);
    }
    ken_vec_push(&a->items, w);
    return w;
}

static uint32_t line_of(const api_view *w, size_t byte)
{
    return ken_line_of(w->lines, w->n_lines, (uint32_t)byte);
}

// ---- what a request passes through -------------------------------------------------------------

static void pass_through(handler *h, ken_str name)
{
    for (uint32_t i = 0; i < h->n_through; i++)
        if (ken_str_eq(h->through[i], name))
            return;
    if (name.len && h->n_through < THROUGH_MAX)
        h->through[h->n_through++] = name;
}

// "requireAuth", "validate(schema)", "[a, b]", "{ preHandler: [a], schema }".
static void pass_arg(handler *h, ken_str arg)
{
    ken_str parts[TEXT_ARGS_MAX];
    if (arg.len && arg.ptr[0] == '[') {
        size_t n = text_args(arg, 0, parts);
        for (size_t i = 0; i < n; i++)
            pass_through(h, text_name(parts[i]));
    } else if (!ken_str_starts(arg, KEN_STR("async ")) &&
               !ken_str_starts(arg, KEN_STR("function")) && !ken_str_starts(arg, KEN_STR("func")) &&
               ken_str_find(arg, KEN_STR("=>")) == SIZE_MAX) {
        pass_through(h, text_name(arg));
    }
}

// `router.use(requireAuth)` above the route, for all of its file. What stands inside of one, or
// behind one that does not end, is not looked at: a file is gone through once.
static void pass_uses(const api_view *w, handler *h, size_t before)
{
    ken_str rest = ken_str_sub(w->bare, 0, before);
    size_t from = 0, at = 0;
    while ((at = ken_str_find(ken_str_sub(rest, from, rest.len), KEN_STR("router.use("))) !=
           SIZE_MAX) {
        ken_str args[TEXT_ARGS_MAX];
        size_t open = from + at + sizeof "router.use(" - 2, n = text_args(rest, open, args);
        bool has_path = n && strchr("'\"`", args[0].ptr[0]);
        for (size_t i = 0; i < n && !has_path; i++)
            pass_arg(h, args[i]);
        from = text_close(rest, open);
        if (from == SIZE_MAX)
            return;
    }
}

static void set_body(handler *h, const api_view *w, size_t from, size_t to)
{
    h->body = ken_str_sub(w->bare, from, to);
    h->raw = ken_str_sub(w->file.text, from, to);
}

// A handler that is defined by name, here or elsewhere.
static void find_named(api *a, handler *h)
{
    ken_graph_def id = h->route->handler_id;
    if (id.file >= a->v->n_files)
        return;
    const api_view *w = view_of(a, a->v->files[id.file].path);
    if (!w || w->file.is_refreshed || id.def >= w->file.facts->n_symbols)
        return;
    const ken_symbol *s = &w->file.facts->symbols[id.def];
    if (!ken_symbol_is_callable(s->kind) && !ken_symbol_is_variable(s->kind))
        return;
    set_body(h, w, s->span.start, s->span.end);
    h->at = (ken_survey_place){ w->file.path, s->first_line, s->last_line, false };
}

// `router.get('/x', a, b, handler)`: the first string of the route's line, and what follows it.
static bool read_call(api *a, handler *h, const api_view *w)
{
    size_t from = w->lines[h->route->line], quote = from;
    while (quote < w->bare.len && w->bare.ptr[quote] != '\n' && !strchr("'\"`", w->bare.ptr[quote]))
        quote++;
    size_t open = quote;
    while (open > 0 && w->bare.ptr[open] != '(')
        open--;
    ken_str args[TEXT_ARGS_MAX];
    size_t n = text_args(w->bare, open, args), end = text_close(w->bare, open);
    if (n < 2 || end == SIZE_MAX)
        return false;
    for (size_t i = 1; i + 1 < n; i++)
        pass_arg(h, args[i]);
    pass_uses(w, h, from);
    find_named(a, h);
    if (!h->body.len && text_find(args[n - 1], KEN_STR("{")) != SIZE_MAX) {
        size_t at = (size_t)(args[n - 1].ptr - w->bare.ptr);
        set_body(h, w, at, at + args[n - 1].len);
        h->at = (ken_survey_place){ w->file.path, h->route->line, line_of(w, end - 1), false };
    }
    return true;
}

static bool is_route_line(const api *a, ken_str path, uint32_t line)
{
    for (size_t i = 0; i < a->v->n_routes; i++)
        if (a->v->routes[i].line == line && ken_str_eq(a->v->routes[i].file, path))
            return true;
    return false;
}

static ken_str line_text(const api_view *w, uint32_t line)
{
    size_t from = w->lines[line];
    size_t to = line + 1 < w->n_lines ? w->lines[line + 1] : w->bare.len;
    return ken_str_trim(ken_str_sub(w->bare, from, to));
}

// Decorators beside the one that makes the route: those that stand on the lines around it.
static void read_decorators(const api *a, handler *h, const api_view *w)
{
    uint32_t first = h->route->line, last = first;
    while (first && ken_str_starts(line_text(w, first - 1), KEN_STR("@")))
        first--;
    while (last + 1 < w->n_lines && ken_str_starts(line_text(w, last + 1), KEN_STR("@")))
        last++;
    for (uint32_t i = first; i <= last; i++) {
        ken_str text = line_text(w, i);
        if (!is_route_line(a, w->file.path, i))
            pass_through(h, text_name(ken_str_sub(text, 1, text.len)));
    }
    h->at.first_line = first < h->at.first_line ? first : h->at.first_line;
}

// FastAPI's `user = Depends(current_user)`.
static void read_dependencies(handler *h)
{
    size_t def = text_find(h->body, KEN_STR("def ")); // behind the decorators
    ken_str rest = ken_str_sub(h->body, def, h->body.len);
    size_t open = ken_str_find_char(rest, '(');
    ken_str args[TEXT_ARGS_MAX], mark = KEN_STR("Depends(");
    size_t n = open == SIZE_MAX ? 0 : text_args(rest, open, args);
    for (size_t i = 0; i < n; i++) {
        size_t at = text_find(args[i], mark);
        if (at != SIZE_MAX)
            pass_through(h, text_name(ken_str_sub(args[i], at + mark.len, args[i].len)));
    }
}

// `app.use('/api', router)` says where routes lie; it handles none.
static bool is_mount(const api_view *w, const ken_route *route)
{
    return ken_str_eq(route->method, KEN_STR("ANY")) &&
           ken_str_find(line_text(w, route->line), KEN_STR(".use(")) != SIZE_MAX;
}

static void read_handler(api *a, const ken_route *route)
{
    const api_view *w = view_of(a, route->file);
    if (!w || route->line >= w->n_lines || route->is_event || is_mount(w, route))
        return;
    handler h = { .route = route, .at = { route->file, route->line, route->line, false } };
    bool is_decorated = ken_str_starts(line_text(w, route->line), KEN_STR("@"));
    if (is_decorated) {
        find_named(a, &h);
        read_decorators(a, &h, w);
        read_dependencies(&h);
    } else if (!read_call(a, &h, w)) {
        find_named(a, &h);
    }
    if (h.at.last_line - h.at.first_line > LONG_HANDLER)
        h.body = h.raw = KEN_STR("");
    ken_vec_push(&a->handlers, h);
}

// ---- habits ------------------------------------------------------------------------------------

static bool is_of(const handler *h, ken_str framework)
{
    return ken_str_eq(h->route->framework, framework);
}

static bool passes(const handler *h, ken_str name)
{
    for (uint32_t i = 0; i < h->n_through; i++)
        if (ken_str_eq(h->through[i], name))
            return true;
    return false;
}

// The folder that holds all routes, as a glob; none when that is the root.
static ken_str_list where_routes_are(const api *a)
{
    ken_str common = ken_path_dir(a->handlers.ptr[0].route->file);
    for (size_t i = 1; i < a->handlers.len; i++)
        while (common.len && !survey_is_under(a->handlers.ptr[i].route->file, common))
            common = ken_path_dir(common);
    if (!common.len)
        return (ken_str_list){ .n = 0 };
    return survey_list1(a->v->arena, survey_glob_below(a->v->arena, common));
}

static ken_rule_check require(const api *a, ken_str name)
{
    return (ken_rule_check){ .kind = KEN_CHECK_REQUIRE_CALL,
                             .is_of_handlers = true,
                             .in = where_routes_are(a),
                             .names = survey_list1(a->v->arena, name) };
}

static void say_through(api *a, ken_str framework, ken_str name)
{
    survey *v = a->v;
    survey_tally t = { .n_all = 0 };
    for (size_t i = 0; i < a->handlers.len; i++)
        if (is_of(&a->handlers.ptr[i], framework))
            survey_count(&t, passes(&a->handlers.ptr[i], name), a->handlers.ptr[i].at);
    if (!survey_is_habit(&t))
        return;
    ken_str id = ken_arena_printf(v->arena, "api " KEN_STR_FMT, KEN_STR_ARG(name));
    ken_finding *f = survey_add(v, KEN_SURVEY_API, id, &t);
    f->rule =
        ken_arena_printf(v->arena, "Routes (" KEN_STR_FMT ") %s pass through `" KEN_STR_FMT "`.",
                         KEN_STR_ARG(framework), survey_must(&t), KEN_STR_ARG(name));
    f->evidence = ken_arena_printf(v->arena, "%u of %u routes", t.n_for, t.n_all);
    if (a->n_frameworks == 1) // a check cannot tell handlers of one from those of another
        f->check = require(a, name);
}

static void find_through(api *a, ken_str framework)
{
    survey_words names;
    survey_words_init(&names);
    for (size_t i = 0; i < a->handlers.len; i++)
        for (uint32_t k = 0;
             is_of(&a->handlers.ptr[i], framework) && k < a->handlers.ptr[i].n_through; k++)
            survey_words_add(&names, a->handlers.ptr[i].through[k], a->v->arena);
    survey_words_sort(&names);
    for (size_t i = 0; i < names.items.len && i < THROUGH_SHOWN; i++)
        say_through(a, framework, names.items.ptr[i].text);
    survey_words_release(&names);
}

// What handlers whose body is known do; `does` gives a name, or empty.
typedef ken_str handler_fn(const handler *h, ken_arena *arena);

static bool find_common(api *a, ken_str framework, handler_fn *does, survey_tally *t, ken_str *out)
{
    survey_words names;
    survey_words_init(&names);
    for (size_t i = 0; i < a->handlers.len; i++) {
        const handler *h = &a->handlers.ptr[i];
        ken_str name = is_of(h, framework) && h->body.len ? does(h, a->v->arena) : KEN_STR("");
        if (name.len)
            survey_words_add(&names, name, a->v->arena);
    }
    survey_words_sort(&names);
    *out = names.items.len ? names.items.ptr[0].text : KEN_STR("");
    survey_words_release(&names);
    for (size_t i = 0; out->len && i < a->handlers.len; i++) {
        const handler *h = &a->handlers.ptr[i];
        if (is_of(h, framework) && h->body.len)
            survey_count(t, ken_str_eq(does(h, a->v->arena), *out), h->at);
    }
    return out->len && survey_is_habit(t);
}

static ken_str inner(const handler *h)
{
    size_t brace = ken_str_find_char(h->body, '{');
    if (!has_hash_comments(h->at.path))
        return ken_str_sub(h->body, brace, h->body.len);
    size_t def = text_find(h->body, KEN_STR("def "));
    ken_str rest = ken_str_sub(h->body, def, h->body.len);
    return ken_str_sub(rest, ken_str_find_char(rest, '\n'), rest.len);
}

static ken_str first_call(const handler *h, ken_arena *arena)
{
    (void)arena;
    return text_first_call(inner(h));
}

static void find_first_call(api *a, ken_str framework)
{
    survey_tally t = { .n_all = 0 };
    ken_str name;
    if (!find_common(a, framework, first_call, &t, &name))
        return;
    survey *v = a->v;
    ken_str id = ken_arena_printf(v->arena, "api first " KEN_STR_FMT, KEN_STR_ARG(name));
    ken_finding *f = survey_add(v, KEN_SURVEY_API, id, &t);
    f->rule = ken_arena_printf(
        v->arena, "Handlers of routes (" KEN_STR_FMT ") %s call `" KEN_STR_FMT "` first.",
        KEN_STR_ARG(framework), survey_must(&t), KEN_STR_ARG(name));
    f->evidence = ken_arena_printf(v->arena, "%u of %u handlers", t.n_for, t.n_all);
    // A method of a local has a receiver that is called differently elsewhere.
    bool is_plain = ken_str_find_char(name, '.') == SIZE_MAX;
    if (is_plain && a->n_frameworks == 1)
        f->check = require(a, name);
}

// ---- answers -----------------------------------------------------------------------------------

// What an answer is made with. One that begins with '.' is a method: of what, is read.
static const char *const answers[] = { ".json(",           "jsonify(",        "JSONResponse(",
                                       "JsonResponse(",    ".JSON(",          "json.NewEncoder(",
                                       "render json:",     "ResponseEntity.", ".render(",
                                       "render_template(", ".send(",          "->json(",
                                       "Results.Ok(",      "return Ok(" };

static ken_str answer_of(const handler *h, ken_arena *arena)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        size_t at = text_find(h->body, ken_str_c(answers[i]));
        if (at == SIZE_MAX)
            continue;
        ken_str text = ken_str_c(answers[i]);
        if (strchr("(:.", text.ptr[text.len - 1]))
            text.len--;
        if (text.ptr[0] != '.')
            return text;
        ken_str root = text_root(h->body, at);
        return ken_arena_printf(arena, KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(root),
                                KEN_STR_ARG(text));
    }
    return KEN_STR("");
}

// Keys of the object that the answer's call is given; how many.
static size_t answer_keys(const handler *h, ken_str call, ken_str out[TEXT_ARGS_MAX])
{
    ken_str method = ken_str_sub(call, ken_str_find_char(call, '.'), call.len);
    size_t at = ken_str_find(h->body, method.len ? method : call);
    if (at == SIZE_MAX)
        return 0;
    size_t open = at + (method.len ? method.len : call.len);
    while (open < h->body.len && (h->body.ptr[open] == '(' || ken_is_space(h->body.ptr[open])))
        open++;
    if (open >= h->body.len || h->body.ptr[open] != '{')
        return 0;
    return text_keys(h->body, h->raw, open, out);
}

// Keys that nearly all answers have, as "a, b"; empty when there is none.
static ken_str common_keys(api *a, ken_str framework, ken_str call, uint32_t *out_for,
                           uint32_t *out_all)
{
    survey_words keys;
    ken_buf text = KEN_BUF_INIT(512);
    uint32_t n_all = 0;
    survey_words_init(&keys);
    for (size_t i = 0; i < a->handlers.len; i++) {
        const handler *h = &a->handlers.ptr[i];
        ken_str names[TEXT_ARGS_MAX];
        bool is_one =
            is_of(h, framework) && h->body.len && ken_str_eq(answer_of(h, a->v->arena), call);
        size_t n = is_one ? answer_keys(h, call, names) : 0;
        n_all += is_one;
        for (size_t k = 0; k < n; k++)
            survey_words_add(&keys, names[k], a->v->arena);
    }
    survey_words_sort(&keys);
    for (size_t i = 0; i < keys.items.len; i++) {
        survey_tally t = { .n_for = keys.items.ptr[i].n, .n_all = n_all };
        if (!survey_is_habit(&t))
            break;
        ken_buf_printf(&text, "%s" KEN_STR_FMT, i ? ", " : "", KEN_STR_ARG(keys.items.ptr[i].text));
        *out_for = t.n_for;
        *out_all = n_all;
    }
    ken_str out = ken_arena_dup(a->v->arena, ken_buf_str(&text));
    ken_buf_release(&text);
    survey_words_release(&keys);
    return out;
}

static void find_answers(api *a, ken_str framework)
{
    survey *v = a->v;
    survey_tally t = { .n_all = 0 };
    ken_str call;
    if (!find_common(a, framework, answer_of, &t, &call))
        return;
    uint32_t n_for = 0, n_all = 0;
    ken_str keys = common_keys(a, framework, call, &n_for, &n_all);
    ken_str shown = keys.len ? ken_arena_printf(v->arena, KEN_STR_FMT "({ " KEN_STR_FMT ", … })",
                                                KEN_STR_ARG(call), KEN_STR_ARG(keys))
                             : ken_arena_printf(v->arena, KEN_STR_FMT "(…)", KEN_STR_ARG(call));
    if (!v->out->response_format.ptr)
        v->out->response_format = shown;
    ken_finding *f = survey_add(v, KEN_SURVEY_API, KEN_STR("api answers"), &t);
    f->rule = ken_arena_printf(
        v->arena, "Handlers of routes (" KEN_STR_FMT ") %s answer with `" KEN_STR_FMT "`.",
        KEN_STR_ARG(framework), survey_must(&t), KEN_STR_ARG(shown));
    f->evidence = ken_arena_printf(v->arena, "%u of %u handlers", t.n_for, t.n_all);
    if (keys.len)
        f->evidence =
            ken_arena_printf(v->arena, KEN_STR_FMT "; %u of %u such calls have these keys",
                             KEN_STR_ARG(f->evidence), n_for, n_all);
}

// ---- what is sent ------------------------------------------------------------------------------

static bool reads_input(const handler *h)
{
    static const char *const marks[] = { "req.body",      "request.body",   "ctx.request.body",
                                         "request.json",  "get_json(",      ".Bind(",
                                         "ShouldBind",    "BindJSON(",      "request.form",
                                         "$request->all", "json.NewDecoder" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (text_find(h->body, ken_str_c(marks[i])) != SIZE_MAX)
            return true;
    return false;
}

static bool looks_valid(ken_str name)
{
    char low[64];
    if (name.len >= sizeof low)
        return false;
    for (size_t i = 0; i < name.len; i++)
        low[i] = ken_lower(name.ptr[i]);
    return ken_str_find(ken_str_n(low, name.len), KEN_STR("valid")) != SIZE_MAX;
}

static ken_str validation_of(const handler *h, ken_arena *arena)
{
    static const char *const calls[] = { ".safeParse(", ".parse(", ".validate(", "validate(" };
    (void)arena;
    for (uint32_t i = 0; i < h->n_through; i++)
        if (looks_valid(h->through[i]))
            return h->through[i];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t at = text_find(h->body, ken_str_c(calls[i]));
        bool is_json =
            at >= 4 && at != SIZE_MAX && ken_str_eq_c(ken_str_sub(h->body, at - 4, at), "JSON");
        if (at != SIZE_MAX && !is_json)
            return ken_str_n(calls[i], strlen(calls[i]) - 1);
    }
    return KEN_STR("");
}

static void find_validation(api *a, ken_str framework)
{
    survey *v = a->v;
    survey_words names;
    survey_tally t = { .n_all = 0 };
    survey_words_init(&names);
    for (size_t i = 0; i < a->handlers.len; i++) {
        const handler *h = &a->handlers.ptr[i];
        if (!is_of(h, framework) || !h->body.len || !reads_input(h))
            continue;
        ken_str how = validation_of(h, v->arena);
        survey_count(&t, how.len > 0, h->at);
        if (how.len)
            survey_words_add(&names, how, v->arena);
    }
    survey_words_sort(&names);
    if (survey_is_habit(&t)) {
        ken_finding *f = survey_add(v, KEN_SURVEY_API, KEN_STR("api validation"), &t);
        f->rule = ken_arena_printf(
            v->arena,
            "Handlers of routes (" KEN_STR_FMT
            ") that read what they are sent %s validate it, mostly with `" KEN_STR_FMT "`.",
            KEN_STR_ARG(framework), survey_must(&t), KEN_STR_ARG(names.items.ptr[0].text));
        f->evidence =
            ken_arena_printf(v->arena, "%u of %u handlers that read input", t.n_for, t.n_all);
    }
    survey_words_release(&names);
}

// ---- the whole ---------------------------------------------------------------------------------

static void say_all(api *a)
{
    survey *v = a->v;
    survey_words frameworks, middleware;
    survey_words_init(&frameworks);
    survey_words_init(&middleware);
    for (size_t i = 0; i < a->handlers.len; i++) {
        const handler *h = &a->handlers.ptr[i];
        survey_words_add(&frameworks, h->route->framework, v->arena);
        for (uint32_t k = 0; k < h->n_through; k++)
            survey_words_add(&middleware, h->through[k], v->arena);
    }
    survey_words_sort(&frameworks);
    survey_words_sort(&middleware);
    a->n_frameworks = frameworks.items.len;
    for (size_t i = 0; i < frameworks.items.len && frameworks.items.ptr[i].n >= KEN_SURVEY_CASES;
         i++) {
        ken_str framework = frameworks.items.ptr[i].text;
        find_through(a, framework);
        find_first_call(a, framework);
        find_answers(a, framework);
        find_validation(a, framework);
    }
    v->out->middleware = KEN_ARENA_ARRAY(v->arena, ken_str, THROUGH_SHOWN);
    for (size_t i = 0; i < middleware.items.len && i < THROUGH_SHOWN; i++)
        if (middleware.items.ptr[i].n > 1)
            v->out->middleware[v->out->n_middleware++] = middleware.items.ptr[i].text;
    survey_words_release(&frameworks);
    survey_words_release(&middleware);
}

ken_status survey_api(survey *v, ken_err *err)
{
    api a = { .v = v };
    ken_status st = KEN_OK;
    ken_map_init(&a.views);
    for (size_t i = 0; !st && i < v->n_routes; i++) {
        read_handler(&a, &v->routes[i]);
        st = ken_cancel_check(v->o->cancel, err);
    }
    if (!st)
        say_all(&a);
    ken_map_release(&a.views);
    ken_vec_release(&a.items);
    ken_vec_release(&a.handlers);
    return st;
}
