// SPDX-License-Identifier: MIT
// What handlers of routes have in common, as the graph has it (query_facts.h, which checks read
// too): what a request passes through before them, which types of the tree their parameters have,
// what they call, first and last, and in files of which role they do their work. Habits are looked
// for among the routes of one framework, and among those of them that write.
#include <stdlib.h>

#include "base/path.h"
#include "model/facts.h"
#include "survey/survey_priv.h"
#include "survey/survey_text_priv.h"

enum {
    MARKS_MAX = 64,       // of one handler
    MARKS_LOOKED_AT = 60, // most frequent ones of a framework
    SHOWN_MAX = 8,
    ROLE_FILES_MIN = 3,
    ENDPOINTS_MIN = 2, // that are worth a description
    WRITES_MIN = 4
};

typedef enum mark_kind {
    MARK_PASSES = 'p', // through a guard
    MARK_TAKES = 't',  // a parameter of that type
    MARK_CALLS = 'c',
    MARK_FIRST = 'f',
    MARK_LAST = 'l',
    MARK_HANDS = 'h',  // errors to its last parameter
    MARK_ROLE = 'r',   // calls into files with that ending
    MARK_OPTION = 'o', // named in the decorator that makes the route; '!' when a type of the tree
} mark_kind;

typedef struct handler {
    const ken_handler_fact *f;
    ken_survey_place at;
    ken_str
        marks[MARKS_MAX]; // kind, '!' when it is the tree's own or '-', then the name; none twice
    uint32_t n_marks;
    bool is_writing, has_body;
    bool has_result;                     // its signature says that it gives a type of the tree
    ken_str answer, keys[TEXT_ARGS_MAX]; // of the last answer: call, keys of its object
    size_t n_keys;
} handler;

typedef struct handlers {
    survey *v;
    handler *items;
    size_t n;
    ken_str framework; // in hand
    size_t n_frameworks;
    ken_str text_path, text, bare; // of the file in hand
    survey_words endings;          // of files that count
} handlers;

// ---- marks -------------------------------------------------------------------------------------

static void mark(handlers *a, handler *h, mark_kind kind, bool is_own, ken_str name)
{
    if (!name.len || name.len > 80 || h->n_marks == MARKS_MAX || memchr(name.ptr, '`', name.len))
        return;
    ken_str text = ken_arena_printf(a->v->arena, "%c%c" KEN_STR_FMT, (char)kind, is_own ? '!' : '-',
                                    KEN_STR_ARG(name));
    for (uint32_t i = 0; i < h->n_marks; i++)
        if (ken_str_eq(h->marks[i], text))
            return;
    h->marks[h->n_marks++] = text;
}

static bool has_mark(const handler *h, ken_str text)
{
    for (uint32_t i = 0; i < h->n_marks; i++)
        if (ken_str_eq(h->marks[i], text))
            return true;
    return false;
}

static bool is_among(ken_str name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq_c(name, names[i]))
            return true;
    return false;
}

// With these, frameworks say that something is a route and where its arguments come from: no route
// is without them.
static bool is_routing(ken_str name)
{
    static const char *const names[] = {
        "Controller",   "RestController", "RequestMapping", "ResponseBody", "PathVariable",
        "RequestParam", "RequestBody",    "ModelAttribute", "Injectable",   "Depends",
        "Security",     "Param",          "Query",          "Body",         "Path",
        "Header",       "Route",          "Override",       "uuid.UUID"
    };
    return is_among(name, names, sizeof names / sizeof *names);
}

// `prefix=settings.API_PREFIX` of a router: a constant stops no request.
static bool is_constant(ken_str name)
{
    for (size_t i = name.len; i-- > 0 && name.ptr[i] != '.';)
        if (name.ptr[i] >= 'a' && name.ptr[i] <= 'z')
            return false;
    return true;
}

static bool is_own(const handlers *a, ken_str path)
{
    return path.len && !ken_survey__is_aside(a->v, path);
}

static void mark_guards(handlers *a, handler *h)
{
    for (size_t i = 0; i < h->f->n_guards; i++) {
        const ken_guard *g = &h->f->guards[i];
        if (!g->is_inside && !is_routing(g->name) && !is_constant(g->name))
            mark(a, h, MARK_PASSES, is_own(a, g->to_path), g->name);
    }
}

static void mark_types(handlers *a, handler *h, const ken_part_calls *types)
{
    for (size_t i = 0; i < types->n; i++)
        if (types->items[i].role == KEN_REF_TYPE && is_own(a, types->items[i].to_path))
            mark(a, h, MARK_TAKES, true, types->items[i].name);
}

static uint32_t n_with_ending(const handlers *a, ken_str ending)
{
    const uint64_t *at = ken_map_find(&a->endings.at, ending);
    return at ? a->endings.items.ptr[*at].n : 0;
}

static void mark_role(handlers *a, handler *h, ken_str path)
{
    ken_str ending = ken_survey__ending(path);
    if (ending.len && !ken_str_eq(ending, ken_survey__ending(h->f->path)) &&
        n_with_ending(a, ending) >= ROLE_FILES_MIN)
        mark(a, h, MARK_ROLE, true, ending);
}

// ---- answers -----------------------------------------------------------------------------------

static bool has_hash_comments(ken_str path)
{
    ken_str ext = ken_path_ext(path);
    return ken_str_eq_c(ext, "py") || ken_str_eq_c(ext, "rb") || ken_str_eq_c(ext, "ex");
}

static bool turn_to(handlers *a, ken_str path)
{
    ken_file_view file;
    if (a->text_path.ptr && ken_str_eq(a->text_path, path))
        return a->text.len > 0;
    a->text_path = path;
    a->text = a->bare = KEN_STR("");
    if (ken_view_file(a->v->s, path, a->v->arena, &file, NULL))
        return false;
    a->text = file.text;
    a->bare = ken_survey__text_bare(a->v->arena, file.text, has_hash_comments(path));
    return a->text.len > 0;
}

static size_t byte_of(ken_str text, ken_fact_place at)
{
    ken_str rest = text, line;
    for (uint32_t n = 0; ken_str_line_next(&rest, &line); n++)
        if (n == at.line)
            return (size_t)(line.ptr - text.ptr) + (at.column < line.len ? at.column : line.len);
    return text.len;
}

// What an answer is made with, by the last part of its name.
static bool is_answer(ken_str name)
{
    static const char *const names[] = { "json", "jsonify", "JSONResponse",    "JsonResponse",
                                         "JSON", "render",  "render_template", "send" };
    size_t dot = ken_str_rfind_char(name, '.');
    return is_among(dot == SIZE_MAX ? name : ken_str_sub(name, dot + 1, name.len), names,
                    sizeof names / sizeof *names);
}

// "res.json" of "res.status(200).json(…)", and the keys of the object that it is given.
static void read_answer(handlers *a, handler *h, const ken_call_fact *c)
{
    if (!turn_to(a, h->f->path))
        return;
    size_t at = byte_of(a->text, c->at), end = at;
    while (end < a->bare.len && ken_is_word(a->bare.ptr[end]))
        end++;
    ken_str name = ken_str_sub(a->bare, at, end), root = KEN_STR("");
    if (at && a->bare.ptr[at - 1] == '.')
        root = ken_survey__text_root(a->bare, at - 1);
    h->answer = root.len ? ken_arena_printf(a->v->arena, KEN_STR_FMT "." KEN_STR_FMT,
                                            KEN_STR_ARG(root), KEN_STR_ARG(name))
                         : name;
    while (end < a->bare.len && (a->bare.ptr[end] == '(' || ken_is_space(a->bare.ptr[end])))
        end++;
    h->n_keys = 0;
    if (end < a->bare.len && a->bare.ptr[end] == '{')
        h->n_keys = ken_survey__text_keys(a->bare, a->text, end, h->keys);
}

// Whether one of the names is of the tree and stands within some bytes of the file in hand.
static bool names_own(const handlers *a, const ken_part_calls *names, size_t from, size_t to)
{
    for (size_t i = 0; i < names->n; i++) {
        size_t at = byte_of(a->text, names->items[i].at);
        if (at >= from && at < to && is_own(a, names->items[i].to_path))
            return true;
    }
    return false;
}

// `@router.get("/", response_model=Items)`: what is named beside the path.
static void mark_options(handlers *a, handler *h, const ken_part_calls *names)
{
    ken_str args[TEXT_ARGS_MAX];
    ken_span span = h->f->signature.span;
    if (!span.end || !ken_str_eq(h->f->route.file, h->f->path) || !turn_to(a, h->f->path))
        return;
    size_t line = byte_of(a->text, (ken_fact_place){ .line = h->f->route.line, .column = 1000 });
    ken_str head = ken_str_sub(a->bare, span.start, span.end);
    size_t arrow = ken_str_find(head, KEN_STR("->"));
    h->has_result = arrow != SIZE_MAX && names_own(a, names, span.start + arrow, span.end);
    if (line < span.start || line >= span.end)
        return;                                           // the route is said elsewhere
    while (line > span.start && a->bare.ptr[line] != '@') // its text may stand below its name
        line--;
    size_t open = ken_str_find_char(ken_str_sub(a->bare, line, span.end), '(');
    size_t n = open == SIZE_MAX ? 0 : ken_survey__text_args(a->bare, line + open, args);
    for (size_t i = 0; i < n; i++) {
        size_t equals = ken_str_find_char(args[i], '=');
        ken_str name = ken_str_trim(ken_str_sub(args[i], 0, equals));
        size_t from = (size_t)(args[i].ptr - a->bare.ptr);
        bool is_name = equals != SIZE_MAX && ken_str_eq(ken_survey__text_name(name), name);
        if (is_name)
            mark(a, h, MARK_OPTION, names_own(a, names, from, from + args[i].len), name);
    }
}

static void mark_calls(handlers *a, handler *h, const ken_part_calls *calls)
{
    const ken_call_fact *first = NULL, *last = NULL;
    for (size_t i = 0; i < calls->n; i++) {
        const ken_call_fact *c = &calls->items[i];
        bool is_ours = is_own(a, c->to_path);
        if (c->role == KEN_REF_DECORATE)
            continue;
        if (is_ours) {
            mark(a, h, MARK_CALLS, true, c->to_name);
            mark_role(a, h, c->to_path);
        }
        if (is_answer(c->name))
            read_answer(a, h, c);
        first = first ? first : c;
        last = c;
    }
    if (first && !is_answer(first->name))
        mark(a, h, MARK_FIRST, is_own(a, first->to_path), first->name);
    if (last && last != first && !is_answer(last->name))
        mark(a, h, MARK_LAST, is_own(a, last->to_path), last->name);
}

// `next(error)` behind a `catch`: calls of parameters are no references, so the text is asked.
static void mark_last_parameter(handlers *a, handler *h)
{
    ken_str args[TEXT_ARGS_MAX];
    ken_span span = h->f->body.span;
    if (!h->has_body || h->f->signature.span.end > span.end || !turn_to(a, h->f->path))
        return;
    ken_str body = ken_str_sub(a->bare, span.start, span.end);
    size_t open = ken_str_find_char(body, '('), at = ken_survey__text_find(body, KEN_STR("catch"));
    size_t n = open == SIZE_MAX ? 0 : ken_survey__text_args(body, open, args);
    if (n < 2 || n >= TEXT_ARGS_MAX || at == SIZE_MAX)
        return;
    ken_str name = ken_survey__text_name(args[n - 1]);
    ken_str call = ken_arena_printf(a->v->arena, KEN_STR_FMT "(", KEN_STR_ARG(name));
    if (name.len && ken_survey__text_find(ken_str_sub(body, at, body.len), call) != SIZE_MAX)
        mark(a, h, MARK_HANDS, false, name);
}

// ---- reading -----------------------------------------------------------------------------------

static bool is_writing(ken_str method)
{
    static const char *const methods[] = { "POST", "PUT", "PATCH", "DELETE" };
    return is_among(method, methods, sizeof methods / sizeof *methods);
}

static void read_place(handler *h)
{
    h->at = (ken_survey_place){ h->f->route.file, h->f->route.line, h->f->route.line, false };
    h->has_body = h->f->body.span.end > 0 && h->f->path.len;
    if (!h->has_body)
        return;
    bool is_here = ken_str_eq(h->f->path, h->f->route.file);
    uint32_t first = h->f->first_line;
    if (is_here && h->f->route.line < first)
        first = h->f->route.line;
    h->at = (ken_survey_place){ h->f->path, first, h->f->last_line, false };
}

static ken_status read_all(handlers *a, ken_err *err)
{
    survey *v = a->v;
    ken_part_calls *calls, *types;
    ken_code_part *bodies = KEN_ARENA_ARRAY(v->arena, ken_code_part, a->n + 1),
                  *signatures = KEN_ARENA_ARRAY(v->arena, ken_code_part, a->n + 1);
    for (size_t i = 0; i < a->n; i++) {
        bodies[i] = v->handlers[i].body;
        signatures[i] = v->handlers[i].signature;
        if (!signatures[i].span.end)
            signatures[i].file = UINT32_MAX;
    }
    ken_status st = ken_list_calls(v->s, bodies, a->n, v->o->cancel, v->arena, &calls, err);
    if (!st)
        st = ken_list_names(v->s, signatures, a->n, 1u << KEN_REF_TYPE | 1u << KEN_REF_READ,
                            v->o->cancel, v->arena, &types, err);
    for (size_t i = 0; !st && i < a->n; i++) {
        handler *h = &a->items[i];
        h->f = &v->handlers[i];
        h->is_writing = is_writing(h->f->route.method);
        read_place(h);
        mark_guards(a, h);
        mark_types(a, h, &types[i]);
        mark_options(a, h, &types[i]);
        mark_calls(a, h, &calls[i]);
        mark_last_parameter(a, h);
    }
    return st;
}

// ---- said --------------------------------------------------------------------------------------

static bool is_counted(const handlers *a, const handler *h, mark_kind kind, bool only_writing)
{
    bool needs_body = kind != MARK_PASSES;
    return ken_str_eq(h->f->route.framework, a->framework) && (h->has_body || !needs_body) &&
           (h->is_writing || !only_writing);
}

// What an option says, a result in the signature may say in its place.
static bool is_case(const handlers *a, const handler *h, ken_str text, bool only_writing)
{
    bool is_said = text.ptr[0] == MARK_OPTION && text.ptr[1] == '!' && h->has_result;
    return is_counted(a, h, (mark_kind)text.ptr[0], only_writing) &&
           (!is_said || has_mark(h, text));
}

static survey_tally tally_of(const handlers *a, ken_str text, bool only_writing)
{
    survey_tally t = { .n_all = 0 };
    for (size_t i = 0; i < a->n; i++)
        if (is_case(a, &a->items[i], text, only_writing))
            ken_survey__count(&t, has_mark(&a->items[i], text), a->items[i].at);
    return t;
}

// The folder that holds the framework's routes, as a glob; none when that is the root.
static ken_str_list where_routes_are(const handlers *a)
{
    ken_str common = { NULL, 0 };
    for (size_t i = 0; i < a->n; i++) {
        ken_str path = a->items[i].f->route.file;
        if (!ken_str_eq(a->items[i].f->route.framework, a->framework))
            continue;
        if (!common.ptr)
            common = ken_path_dir(path);
        while (common.len && !ken_survey__is_under(path, common))
            common = ken_path_dir(common);
    }
    if (!common.len)
        return (ken_str_list){ .n = 0 };
    return ken_survey__list1(a->v->arena, ken_survey__glob_below(a->v->arena, common));
}

static void except_aside(handlers *a, ken_rule_check *c)
{
    const ken_str_list *aside = &a->v->aside_handlers;
    ken_str_list all = { KEN_ARENA_ARRAY(a->v->arena, ken_str, c->except.n + aside->n + 1), 0 };
    for (size_t i = 0; i < c->except.n; i++)
        all.items[all.n++] = c->except.items[i];
    for (size_t i = 0; i < aside->n; i++)
        if (!c->in.n || ken_globs_match(&c->in, aside->items[i]))
            all.items[all.n++] = aside->items[i];
    c->except = all;
}

// A check looks at written names; one that begins with a local's is called differently elsewhere.
static void add_check(handlers *a, ken_finding *f, ken_str name, bool only_writing,
                      const survey_tally *t)
{
    static const char *const writing[] = { "POST", "PUT", "PATCH", "DELETE" };
    ken_rule_check c = { .kind = KEN_CHECK_REQUIRE_CALL,
                         .is_of_handlers = true,
                         .in = where_routes_are(a),
                         .names = ken_survey__list1(a->v->arena, name) };
    if (only_writing) {
        c.methods.items = KEN_ARENA_ARRAY(a->v->arena, ken_str, 4);
        while (c.methods.n < 4) {
            c.methods.items[c.methods.n] = ken_str_c(writing[c.methods.n]);
            c.methods.n++;
        }
    }
    if (!ken_survey__except(a->v, t, &c.except) || (!c.in.n && a->n_frameworks > 1))
        return;
    except_aside(a, &c);
    f->check = c;
}

static ken_str routes_without(const handlers *a, ken_str text, bool only_writing)
{
    ken_buf b = KEN_BUF_INIT(2048);
    uint32_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        const handler *h = &a->items[i];
        if (!is_case(a, h, text, only_writing) || has_mark(h, text))
            continue;
        if (n++ < SHOWN_MAX)
            ken_buf_printf(&b, "%s" KEN_STR_FMT " " KEN_STR_FMT, n > 1 ? ", " : "; not ",
                           KEN_STR_ARG(h->f->route.method), KEN_STR_ARG(h->f->route.path));
    }
    if (n > SHOWN_MAX)
        ken_buf_printf(&b, " and %u more", n - SHOWN_MAX);
    ken_str out = ken_arena_dup(a->v->arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return out;
}

typedef struct wording {
    mark_kind kind;
    const char *id, *rule; // the rule ends before the name
    double own, other;     // value; 0 = says nothing
    double least;          // of the share
    bool is_checked;
} wording;

static const wording wordings[] = {
    { MARK_PASSES, "", "pass through", 92, 78, SURVEY_ALWAYS, true },
    { MARK_TAKES, "takes", "take a parameter of type", 90, 0, SURVEY_MOSTLY, false },
    { MARK_OPTION, "option", "say in the decorator of their route", 84, 66, SURVEY_ALWAYS, false },
    { MARK_ROLE, "work in", "do their work in files called", 86, 0, SURVEY_ALWAYS, false },
    { MARK_FIRST, "first", "begin with a call of", 84, 60, SURVEY_ALWAYS, true },
    { MARK_HANDS, "errors", "catch errors and hand them to their last parameter,", 88, 88,
      SURVEY_ALWAYS, false },
    { MARK_LAST, "last", "end with a call of", 84, 72, SURVEY_ALWAYS, true },
    { MARK_CALLS, "calls", "call", 82, 0, SURVEY_ALWAYS, true },
};

static const wording *wording_of(mark_kind kind)
{
    for (size_t i = 0; i < sizeof wordings / sizeof *wordings; i++)
        if (wordings[i].kind == kind)
            return &wordings[i];
    return NULL;
}

static void say(handlers *a, const wording *w, ken_str text, bool only_writing,
                const survey_tally *t)
{
    survey *v = a->v;
    ken_str name = ken_str_sub(text, 2, text.len);
    bool is_ours = text.ptr[1] == '!';
    ken_str id = ken_arena_printf(v->arena, "api %s " KEN_STR_FMT "%s", w->id, KEN_STR_ARG(name),
                                  only_writing ? " on writes" : "");
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_API, is_ours ? w->own : w->other, id, t);
    f->rule = ken_arena_printf(
        v->arena, "Endpoints (" KEN_STR_FMT " route handlers%s) %s %s `%s" KEN_STR_FMT "`.",
        KEN_STR_ARG(a->framework), only_writing ? ", POST, PUT, PATCH and DELETE" : "",
        ken_survey__must(t), w->rule, w->kind == MARK_ROLE ? "*" : "", KEN_STR_ARG(name));
    f->evidence =
        ken_arena_printf(v->arena, "%u of %u handlers outside of tests and examples%s" KEN_STR_FMT,
                         t->n_for, t->n_all,
                         w->kind == MARK_OPTION && is_ours
                             ? " whose signature does not say what type of the tree they give"
                             : "",
                         KEN_STR_ARG(routes_without(a, text, only_writing)));
    bool is_annotation = w->kind == MARK_PASSES && !is_ours && ken_is_upper(name.ptr[0]);
    if (is_annotation)
        f->rule = ken_arena_printf(
            v->arena, "Endpoints (" KEN_STR_FMT " route handlers%s) %s carry `@" KEN_STR_FMT "`.",
            KEN_STR_ARG(a->framework), only_writing ? ", POST, PUT, PATCH and DELETE" : "",
            ken_survey__must(t), KEN_STR_ARG(name));
    bool is_local = ken_str_find_char(name, '.') != SIZE_MAX && !is_ours;
    if (w->is_checked && !is_local)
        add_check(a, f, name, only_writing, t);
}

// Whether what was said about `name` before covers this: a first call is a call as well.
static bool is_said(const survey_words *said, ken_str name)
{
    return ken_map_find(&said->at, name) != NULL;
}

// A guard of routers, or of a class that the handler's is built on, as nobody writes it at a handler.
static bool is_inherited(const ken_handler_fact *f, const ken_guard *g)
{
    return g->kind == KEN_GUARD_ROUTER || !ken_str_eq(g->path, f->path);
}

// Whether the handlers get it from one place, whatever is written in them: `app.use(json())`, a
// base of all controllers.
static bool is_from_one_place(const handlers *a, ken_str text)
{
    ken_str name = ken_str_sub(text, 2, text.len);
    const ken_guard *first = NULL;
    for (size_t i = 0; i < a->n; i++) {
        const ken_handler_fact *f = a->items[i].f;
        bool is_counted = ken_str_eq(f->route.framework, a->framework);
        for (size_t k = 0; is_counted && k < f->n_guards; k++) {
            const ken_guard *g = &f->guards[k];
            if (!ken_str_eq(g->name, name))
                continue;
            first = first ? first : g;
            if (!is_inherited(f, g) || g->at.line != first->at.line ||
                !ken_str_eq(g->path, first->path))
                return false;
        }
    }
    return first != NULL;
}

static void look_at_mark(handlers *a, survey_words *said, ken_str text)
{
    const wording *w = wording_of((mark_kind)text.ptr[0]);
    ken_str name = ken_str_sub(text, 2, text.len);
    bool is_ours = text.ptr[1] == '!';
    if ((is_ours ? w->own : w->other) <= 0 || is_said(said, name))
        return;
    if (w->kind == MARK_PASSES && is_from_one_place(a, text))
        return;
    survey_tally all = tally_of(a, text, false), writing = tally_of(a, text, true);
    double read_share = all.n_all > writing.n_all
                            ? (double)(all.n_for - writing.n_for) / (all.n_all - writing.n_all)
                            : 1;
    if (ken_survey__share(&all) >= w->least) {
        say(a, w, text, false, &all);
    } else if (w->kind != MARK_TAKES && writing.n_all >= WRITES_MIN &&
               ken_survey__share(&writing) >= SURVEY_MOSTLY &&
               (double)writing.n_for / writing.n_all > read_share) {
        say(a, w, text, true, &writing);
    } else {
        return;
    }
    ken_survey__words_add(said, name, a->v->arena);
}

static void find_marks(handlers *a)
{
    survey_words all, said;
    ken_survey__words_init(&all);
    ken_survey__words_init(&said);
    for (size_t i = 0; i < a->v->depends.n; i++)
        ken_survey__words_add(&said, a->v->depends.items[i], a->v->arena);
    for (size_t i = 0; i < a->n; i++)
        for (uint32_t k = 0;
             ken_str_eq(a->items[i].f->route.framework, a->framework) && k < a->items[i].n_marks;
             k++)
            ken_survey__words_add(&all, a->items[i].marks[k], a->v->arena);
    ken_survey__words_sort(&all);
    for (size_t w = 0; w < sizeof wordings / sizeof *wordings; w++)
        for (size_t i = 0; i < all.items.len && i < MARKS_LOOKED_AT * 4; i++)
            if (all.items.ptr[i].text.ptr[0] == (char)wordings[w].kind)
                look_at_mark(a, &said, all.items.ptr[i].text);
    ken_survey__words_release(&all);
    ken_survey__words_release(&said);
}

// ---- answers, said -----------------------------------------------------------------------------

static ken_str common_keys(handlers *a, ken_str call)
{
    survey_words keys;
    ken_buf text = KEN_BUF_INIT(512);
    uint32_t n_all = 0;
    ken_survey__words_init(&keys);
    for (size_t i = 0; i < a->n; i++) {
        const handler *h = &a->items[i];
        bool is_one =
            ken_str_eq(h->f->route.framework, a->framework) && ken_str_eq(h->answer, call);
        n_all += is_one;
        for (size_t k = 0; is_one && k < h->n_keys; k++)
            ken_survey__words_add(&keys, h->keys[k], a->v->arena);
    }
    ken_survey__words_sort(&keys);
    for (size_t i = 0; i < keys.items.len; i++) {
        survey_tally t = { .n_for = keys.items.ptr[i].n, .n_all = n_all };
        if (ken_survey__is_habit(&t))
            ken_buf_printf(&text, "%s" KEN_STR_FMT, text.len ? ", " : "",
                           KEN_STR_ARG(keys.items.ptr[i].text));
    }
    ken_str out = ken_arena_dup(a->v->arena, ken_buf_str(&text));
    ken_buf_release(&text);
    ken_survey__words_release(&keys);
    return out;
}

// How requests are answered is told as a fact: a framework has few ways.
static void find_answers(handlers *a)
{
    survey *v = a->v;
    survey_words calls;
    ken_survey__words_init(&calls);
    for (size_t i = 0; i < a->n; i++)
        if (ken_str_eq(a->items[i].f->route.framework, a->framework) && a->items[i].answer.len)
            ken_survey__words_add(&calls, a->items[i].answer, v->arena);
    ken_survey__words_sort(&calls);
    ken_str call = calls.items.len ? calls.items.ptr[0].text : KEN_STR("");
    ken_survey__words_release(&calls);
    survey_tally t = { .n_all = 0 };
    for (size_t i = 0; call.len && i < a->n; i++)
        if (is_counted(a, &a->items[i], MARK_CALLS, false))
            ken_survey__count(&t, ken_str_eq(a->items[i].answer, call), a->items[i].at);
    if (!call.len || !ken_survey__is_habit(&t))
        return;
    ken_str keys = common_keys(a, call);
    ken_str shown = keys.len ? ken_arena_printf(v->arena, KEN_STR_FMT "({ " KEN_STR_FMT ", … })",
                                                KEN_STR_ARG(call), KEN_STR_ARG(keys))
                             : ken_arena_printf(v->arena, KEN_STR_FMT "(…)", KEN_STR_ARG(call));
    if (!v->out->response_format.ptr)
        v->out->response_format = shown;
    ken_finding *f =
        ken_survey__add(v, KEN_SURVEY_API, keys.len ? 70 : 30, KEN_STR("api answers"), &t);
    f->rule = ken_arena_printf(
        v->arena, "Endpoints (" KEN_STR_FMT " route handlers) %s answer with `" KEN_STR_FMT "`.",
        KEN_STR_ARG(a->framework), ken_survey__must(&t), KEN_STR_ARG(shown));
    f->evidence = ken_arena_printf(v->arena, "%u of %u handlers outside of tests and examples",
                                   t.n_for, t.n_all);
    f->is_fact = !keys.len;
}

// "GET 11, POST 6"
static ken_str methods_of(const handlers *a)
{
    survey_words methods;
    ken_buf b = KEN_BUF_INIT(512);
    ken_survey__words_init(&methods);
    for (size_t i = 0; i < a->n; i++)
        if (ken_str_eq(a->items[i].f->route.framework, a->framework))
            ken_survey__words_add(&methods, a->items[i].f->route.method, a->v->arena);
    ken_survey__words_sort(&methods);
    for (size_t i = 0; i < methods.items.len && i < SHOWN_MAX; i++)
        ken_buf_printf(&b, "%s" KEN_STR_FMT " %u", i ? ", " : "",
                       KEN_STR_ARG(methods.items.ptr[i].text), methods.items.ptr[i].n);
    ken_str out = ken_arena_dup(a->v->arena, ken_buf_str(&b));
    ken_buf_release(&b);
    ken_survey__words_release(&methods);
    return out;
}

// What an endpoint is here, whatever its habits: nothing to obey, something to copy.
static void tell_endpoints(handlers *a)
{
    survey *v = a->v;
    survey_tally t = { .n_all = 0 };
    ken_str_list below = where_routes_are(a);
    for (size_t i = 0; i < a->n; i++)
        if (is_counted(a, &a->items[i], MARK_CALLS, false))
            ken_survey__count(&t, true, a->items[i].at);
    if (t.n_all < ENDPOINTS_MIN)
        return;
    ken_str id = ken_arena_printf(v->arena, "endpoints " KEN_STR_FMT, KEN_STR_ARG(a->framework));
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_API, 10, id, &t);
    f->rule = ken_arena_printf(
        v->arena, "Endpoints are route handlers of " KEN_STR_FMT "%s" KEN_STR_FMT "%s.",
        KEN_STR_ARG(a->framework), below.n ? ", in `" : "",
        KEN_STR_ARG(below.n ? below.items[0] : KEN_STR("")), below.n ? "`" : "");
    f->evidence = ken_arena_printf(
        v->arena, "%u handlers outside of tests and examples; routes by method: " KEN_STR_FMT,
        t.n_all, KEN_STR_ARG(methods_of(a)));
    f->is_fact = true;
}

// ---- the whole ---------------------------------------------------------------------------------

static void list_middleware(handlers *a)
{
    survey *v = a->v;
    survey_words names;
    ken_survey__words_init(&names);
    for (size_t i = 0; i < a->n; i++)
        for (uint32_t k = 0; k < a->items[i].n_marks; k++)
            if (a->items[i].marks[k].ptr[0] == MARK_PASSES)
                ken_survey__words_add(
                    &names, ken_str_sub(a->items[i].marks[k], 2, a->items[i].marks[k].len),
                    v->arena);
    ken_survey__words_sort(&names);
    v->out->middleware = KEN_ARENA_ARRAY(v->arena, ken_str, SHOWN_MAX);
    for (size_t i = 0; i < names.items.len && i < SHOWN_MAX; i++)
        if (names.items.ptr[i].n > 1)
            v->out->middleware[v->out->n_middleware++] = names.items.ptr[i].text;
    ken_survey__words_release(&names);
}

static void say_all(handlers *a)
{
    survey_words frameworks;
    ken_survey__words_init(&frameworks);
    for (size_t i = 0; i < a->n; i++)
        ken_survey__words_add(&frameworks, a->items[i].f->route.framework, a->v->arena);
    ken_survey__words_sort(&frameworks);
    a->n_frameworks = frameworks.items.len;
    for (size_t i = 0; i < frameworks.items.len; i++) {
        a->framework = frameworks.items.ptr[i].text;
        find_marks(a);
        find_answers(a);
        tell_endpoints(a);
    }
    ken_survey__words_release(&frameworks);
    list_middleware(a);
}

ken_status ken_survey__handlers(survey *v, ken_err *err)
{
    handlers a = { .v = v, .n = v->n_handlers };
    a.items = KEN_ARENA_ARRAY(v->arena, handler, a.n + 1);
    memset(a.items, 0, (a.n + 1) * sizeof *a.items);
    ken_survey__words_init(&a.endings);
    for (size_t i = 0; i < v->n_files; i++)
        if (v->files[i].is_code && !v->files[i].is_aside &&
            ken_survey__ending(v->files[i].path).len)
            ken_survey__words_add(&a.endings, ken_survey__ending(v->files[i].path), v->arena);
    ken_status st = read_all(&a, err);
    if (!st)
        say_all(&a);
    ken_survey__words_release(&a.endings);
    return st;
}
