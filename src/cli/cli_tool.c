// SPDX-License-Identifier: MIT
// Commands that are operations (src/tool/specs): options and words become arguments, the answer is
// printed as JSON or as text. Which command takes what is in the specification.
#include <inttypes.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"
#include "tool/tool.h"

static const cli_opt no_index_opt = {
    "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL
};

// ---- the table ---------------------------------------------------------------------------------

static cli_opt make_opt(const ken_tool_option *o)
{
    cli_opt_type type = !o->value     ? CLI_FLAG
                        : o->is_maybe ? CLI_MAYBE
                        : o->is_list  ? CLI_LIST
                                      : CLI_VALUE;
    return (cli_opt){ o->name, o->letter, type, o->value, o->text, o->words };
}

static bool has_no_index(const ken_tool_spec *spec)
{
    return spec->is_read_only && spec->command->is_bound;
}

// An option whose value may stand behind it as a word: `--diff REV`.
static bool takes_word(const ken_tool_option *o)
{
    return o->is_maybe && !o->words;
}

cli_command ken_cli__make_command(const ken_tool_spec *spec, ken_arena *arena)
{
    const ken_tool_command *c = spec->command;
    cli_opt *opts = KEN_ARENA_ARRAY(arena, cli_opt, c->n_options + 1);
    size_t n = 0;
    for (size_t i = 0; i < c->n_options; i++)
        opts[n++] = make_opt(&c->options[i]);
    if (has_no_index(spec))
        opts[n++] = no_index_opt;
    cli_command out = { .name = c->name,
                        .usage = c->usage,
                        .summary = c->summary,
                        .details = c->details,
                        .opts = opts,
                        .n_opts = n,
                        .max_words = c->n_words,
                        .needs_app = true,
                        .is_question = !spec->is_job,
                        .run = ken_cli__run_tool,
                        .order = c->order,
                        .spec = spec };
    for (size_t i = 0; i < c->n_options; i++)
        out.max_words += takes_word(&c->options[i]);
    for (size_t i = 0; i < c->n_words; i++) {
        out.min_words += !c->words[i].is_optional;
        if (c->words[i].kind == KEN_WORD_REST)
            out.max_words = SIZE_MAX;
    }
    return out;
}

// ---- options -----------------------------------------------------------------------------------

static const ken_tool_option *find_option(const ken_tool_command *c, const char *name)
{
    for (size_t i = 0; i < c->n_options; i++)
        if (!strcmp(c->options[i].name, name))
            return &c->options[i];
    return NULL;
}

static ken_status number_json(const ken_tool_option *o, const char *text, json_t **out,
                              ken_err *err)
{
    uint64_t n = 0;
    double d = 0;
    bool is_size = o->value && !strcmp(o->value, "SIZE");
    if (is_size && ken_config_parse_size(ken_str_c(text), &n) && n <= INT64_MAX) {
        *out = json_integer((json_int_t)n);
        return KEN_OK;
    }
    if (o->type == KEN_ARG_U64 && ken_str_parse_u64(ken_str_c(text), &n) && n <= INT64_MAX) {
        *out = json_integer((json_int_t)n);
        return KEN_OK;
    }
    if (o->type == KEN_ARG_REAL && ken_str_parse_double(ken_str_c(text), &d)) {
        *out = json_real(d);
        if (*out)
            return KEN_OK;
    }
    return KEN_FAIL(err, KEN_EINVAL, "'--%s' must be a %snumber, not '%.60s'", o->name,
                    o->type == KEN_ARG_U64 && !is_size ? "whole " : "", text);
}

static ken_status value_json(const ken_tool_option *o, const char *text, json_t **out, ken_err *err)
{
    if (o->type == KEN_ARG_U64 || o->type == KEN_ARG_REAL)
        return number_json(o, text, out, err);
    if (o->type == KEN_ARG_STR || o->is_list) {
        *out = ken_json_str(ken_str_c(text));
        return KEN_OK;
    }
    ken_status st = ken_json_parse(ken_str_c(text), out, err);
    return st ? ken_err_wrap(err, "--%s", o->name) : KEN_OK;
}

static json_t *flag_json(const ken_tool_option *o)
{
    if (o->type == KEN_ARG_BOOL)
        return json_boolean(!o->means || strcmp(o->means, "false") != 0);
    return ken_json_str(ken_str_c(o->means ? o->means : "true"));
}

static ken_status set_option(const ken_tool_option *o, const char *text, json_t *args, ken_err *err)
{
    json_t *value = o->value ? NULL : flag_json(o);
    ken_status st = value ? KEN_OK : value_json(o, text ? text : o->bare, &value, err);
    if (st)
        return st;
    if (!o->is_list) {
        ken_json_set(args, o->param, value);
        return KEN_OK;
    }
    json_t *list = json_object_get(args, o->param);
    if (!list) {
        list = json_array();
        ken_json_set(args, o->param, list);
    }
    ken_json_append(list, value);
    return KEN_OK;
}

static ken_status set_options(cli *x, json_t *args, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < x->args.n_given && !st; i++) {
        const cli_given *g = &x->args.given[i];
        const ken_tool_option *o = find_option(x->command->spec->command, g->opt->name);
        if (o && o->param)
            st = set_option(o, g->value, args, err);
    }
    return st;
}

// ---- words -------------------------------------------------------------------------------------

typedef struct reader {
    cli *x;
    json_t *args;
    cli_place place;
    bool has_place;
    ken_str several; // projects, where more than one are named: "*", "a,b"; else empty
    size_t at, end;  // of x->args.words
} reader;

// A name may have a comma in it.
static bool is_known(cli *x, ken_str name)
{
    ken_project_info p;
    return !ken_app_find_project(x->app, name, KEN_STR(""), &x->arena, &p, NULL);
}

static ken_str find_several(cli *x)
{
    const char **list;
    if (!x->command->spec->takes_several)
        return KEN_STR("");
    size_t n = ken_cli__args_list(&x->args, "project", &x->arena, &list);
    ken_str all = KEN_STR("");
    for (size_t i = 0; i < n; i++)
        all = ken_arena_printf(&x->arena, KEN_STR_FMT "%s%s", KEN_STR_ARG(all), i ? "," : "",
                               list[i]);
    bool is_list = ken_str_find_char(all, ',') != SIZE_MAX && (n > 1 || !is_known(x, all));
    return is_list || ken_str_eq_c(all, "*") ? all : KEN_STR("");
}

static ken_status read_place(reader *r, const ken_tool_word *w, const char *path, ken_err *err)
{
    if (r->several.len) { // below the root of each
        ken_json_set_str(r->args, w->param, ken_str_c(path));
        return KEN_OK;
    }
    ken_status st = ken_cli__find_place(r->x, path, &r->place, err);
    if (st)
        return st;
    r->has_place = true;
    if (!w->param)
        return KEN_OK;
    if (w->kind == KEN_WORD_ROOT)
        ken_json_set_str(r->args, w->param, r->place.project.root);
    else if (r->place.below.len && json_object_get(r->args, w->param))
        return KEN_FAIL(err, KEN_EINVAL, "say the folder as %s or as an option, not both", w->name);
    else if (r->place.below.len)
        ken_json_set_str(r->args, w->param, r->place.below);
    return KEN_OK;
}

// A path, which may be new or a file: what it is, is the operation's to find out.
static ken_status read_folder(reader *r, const ken_tool_word *w, const char *path, ken_err *err)
{
    ken_status st = path ? KEN_OK : ken_cli__find_place(r->x, NULL, &r->place, err);
    if (!st)
        ken_json_set_str(r->args, w->param, path ? ken_str_c(path) : r->place.project.root);
    return st;
}

// A path that leads out of the project, or to no file, is left to the operation to refuse by its name.
static ken_status read_file(reader *r, const char *param, ken_str path, ken_err *err)
{
    const char *file = ken_arena_dup(&r->x->arena, path).ptr;
    ken_status st = ken_cli__find_file(r->x, file, &r->place, err);
    if (st)
        return st;
    r->has_place = true;
    ken_json_set_str(r->args, param, r->place.below.len ? r->place.below : path);
    return KEN_OK;
}

// FILE, FILE:LINE, or a symbol.
static ken_status read_target(reader *r, const char *word, ken_err *err)
{
    ken_str all = ken_str_c(word), path = all;
    uint64_t line = 0;
    size_t colon = ken_str_rfind_char(all, ':');
    if (colon != SIZE_MAX && ken_str_parse_u64(ken_str_sub(all, colon + 1, all.len), &line))
        path = ken_str_sub(all, 0, colon);
    ken_str file = ken_arena_dup(&r->x->arena, path);
    if (!line && !ken_fs_exists(file.ptr) && ken_str_find_char(path, '/') == SIZE_MAX) {
        ken_json_set_str(r->args, "symbol", all);
        return KEN_OK;
    }
    ken_status st = read_file(r, "file_path", path, err);
    if (!st && line)
        ken_json_set_str(r->args, "file_path",
                         ken_arena_printf(&r->x->arena, KEN_STR_FMT ":%" PRIu64,
                                          KEN_STR_ARG(r->place.below), line));
    return st;
}

// FILE:LINE, FILE:FIRST-LAST.
static ken_status read_range(reader *r, const char *text, ken_err *err)
{
    ken_str word = ken_str_c(text);
    uint64_t first = 0, last = 0;
    size_t colon = ken_str_rfind_char(word, ':');
    ken_str lines = colon == SIZE_MAX ? KEN_STR("") : ken_str_sub(word, colon + 1, word.len);
    size_t dash = ken_str_find_char(lines, '-');
    bool is_range = colon && ken_str_parse_u64(ken_str_sub(lines, 0, dash), &first);
    last = first;
    if (is_range && dash != SIZE_MAX)
        is_range = ken_str_parse_u64(ken_str_sub(lines, dash + 1, lines.len), &last);
    if (!is_range || first < 1 || last < first || last > UINT32_MAX) {
        r->x->is_usage_error = true;
        return KEN_FAIL(
            err, KEN_EINVAL,
            "'%.200s' is not FILE:LINE or FILE:FIRST-LAST; of a name, 'ken def' says where "
            "it stands, and 'ken refs' who uses it",
            text);
    }
    ken_json_set_u64(r->args, "line_start", first);
    ken_json_set_u64(r->args, "line_end", last);
    return read_file(r, "file_path", ken_str_sub(word, 0, colon), err);
}

static void read_rest(reader *r, const char *param)
{
    ken_buf text = KEN_BUF_INIT(0);
    for (size_t i = r->at; r->at < r->end; r->at++)
        ken_buf_printf(&text, "%s%s", r->at > i ? " " : "", r->x->args.words[r->at]);
    ken_json_set_str(r->args, param, ken_buf_str(&text));
    ken_buf_release(&text);
}

// `--diff REV`, as well as `--diff=REV`: the last word, behind an option that may be without a value.
static void take_for_option(reader *r)
{
    const cli_args *a = &r->x->args;
    const ken_tool_command *c = r->x->command->spec->command;
    bool has_rest = c->n_words && c->words[0].kind == KEN_WORD_REST;
    for (size_t i = 0; i < a->n_given && !has_rest; i++) {
        const ken_tool_option *o = find_option(c, a->given[i].opt->name);
        if (!o || !takes_word(o) || a->given[i].value || !r->end ||
            ken_fs_exists(a->words[r->end - 1]))
            continue;
        ken_json_set_str(r->args, o->param, ken_str_c(a->words[--r->end]));
    }
}

static ken_status read_word(reader *r, const ken_tool_word *w, ken_err *err)
{
    const char *const *words = r->x->args.words;
    switch (w->kind) {
    case KEN_WORD_REST:
        read_rest(r, w->param);
        return KEN_OK;
    case KEN_WORD_PLACE:
    case KEN_WORD_ROOT:
        return read_place(r, w, words[r->at++], err);
    case KEN_WORD_FOLDER:
        return read_folder(r, w, words[r->at++], err);
    case KEN_WORD_FILE:
        return read_file(r, w->param, ken_str_c(words[r->at++]), err);
    case KEN_WORD_TARGET:
        return read_target(r, words[r->at++], err);
    case KEN_WORD_RANGE:
        return read_range(r, words[r->at++], err);
    case KEN_WORD_TEXT:
    default:
        ken_json_set_str(r->args, w->param, ken_str_c(words[r->at++]));
        return KEN_OK;
    }
}

static bool looks_like_path(const char *word)
{
    return word[0] == '/' || !strncmp(word, "./", 2) || !strncmp(word, "../", 3);
}

// Below the root of a project that was named.
static bool is_in_project(cli *x, const char *word)
{
    cli_place place = { 0 };
    ken_err ignored = { 0 };
    if (!ken_cli__args_get(&x->args, "project") || ken_cli__find_place(x, NULL, &place, &ignored))
        return false;
    ken_str real;
    return !ken_cli__resolve_in(x, &place.project, ken_str_c(word), &real, NULL);
}

// After words without end a place is the last of them, when it is there or is written as a path; a
// question that was quoted can only be followed by a place.
static bool ends_in_place(cli *x)
{
    if (x->args.n_words < 2)
        return false;
    const char *last = x->args.words[x->args.n_words - 1];
    bool is_quoted = x->args.n_words == 2 && strchr(x->args.words[0], ' ');
    return is_quoted || looks_like_path(last) || ken_fs_exists(last) || is_in_project(x, last);
}

// A single word before an optional place is that place when it is there, or is written as one below
// the folder we are in: `ken routes .`, but `ken routes /users`.
static bool is_only_place(const reader *r, const ken_tool_command *c)
{
    const char *word = r->x->args.words[0];
    return c->n_words == 2 && c->words[0].kind == KEN_WORD_TEXT && c->words[0].is_optional &&
           c->words[1].kind == KEN_WORD_PLACE && r->end == 1 &&
           (ken_fs_exists(word) || (word[0] == '.' && looks_like_path(word)));
}

static ken_status read_words(reader *r, ken_err *err)
{
    const ken_tool_command *c = r->x->command->spec->command;
    bool has_rest = c->n_words && c->words[0].kind == KEN_WORD_REST, is_split = c->n_words == 2;
    ken_status st = KEN_OK;
    r->end = r->x->args.n_words;
    take_for_option(r);
    const size_t n_words = r->end;
    if (has_rest && is_split && ends_in_place(r->x))
        r->end--;
    for (size_t i = is_only_place(r, c); i < c->n_words && !st; i++) {
        ken_word_kind kind = c->words[i].kind;
        if (i)
            r->end = n_words;
        if (r->at < r->end)
            st = read_word(r, &c->words[i], err);
        else if (kind == KEN_WORD_ROOT)
            st = read_place(r, &c->words[i], NULL, err);
        else if (kind == KEN_WORD_FOLDER)
            st = read_folder(r, &c->words[i], NULL, err);
    }
    if (st || r->at == n_words)
        return st;
    r->x->is_usage_error = true;
    return KEN_FAIL(err, KEN_EINVAL, "'ken %s' does not take '%.60s' as well", c->name,
                    r->x->args.words[r->at]);
}

// ---- the call ----------------------------------------------------------------------------------

static void show_progress(void *ctx, const ken_tool_progress *p)
{
    if (p->indexing) {
        ken_cli__progress_show(ctx, p->indexing);
        return;
    }
    ken_cli__progress_show_part(ctx, p->message, p->total > 0 ? p->done / p->total : 0);
}

ken_status ken_cli__call_tool(cli *x, const char *tool, const ken_project_info *project,
                              json_t *args, json_t **out, ken_err *err)
{
    char id[KEN_UUID_TEXT] = "";
    cli_progress progress;
    ken_tool_verdict verdict = KEN_VERDICT_NONE;
    const ken_tool_spec *spec = x->command->spec;
    ken_tool_ctx ctx = {
        .cancel = x->cancel,
        .on_progress = show_progress,
        .progress_ctx = &progress,
        .max_bytes = SIZE_MAX,
        .is_text = !x->is_json,
        .has_color = x->has_color,
        .is_command = true,
        .out_verdict = &verdict,
        .is_read_only = spec && has_no_index(spec) && ken_cli__args_has(&x->args, "no-index"),
    };
    if (project) {
        ken_uuid_format(project->id, id);
        ctx.project = ken_str_c(id);
    }
    ken_status st = ken_path_real(&x->arena, KEN_STR("."), &ctx.cwd, err);
    ctx.here = ctx.cwd;
    if (!st) {
        ken_cli__progress_init(&progress, x);
        st = ken_tool_call(x->app, tool, args, &ctx, out, err);
        ken_cli__progress_end(&progress);
    }
    json_decref(args);
    x->exit_code = st || verdict == KEN_VERDICT_NONE ? x->exit_code : (int)verdict - 1;
    const char *lacks = st ? NULL : json_string_value(json_object_get(*out, "incomplete"));
    if (lacks)
        ken_cli__warn("the answer may be incomplete: %s", lacks);
    return st;
}

// What a command line calls a parameter; NULL when it has none of that name.
static const char *typed_name(cli *x, const ken_tool_command *c, ken_str param)
{
    for (size_t i = 0; i < c->n_options; i++)
        if (c->options[i].param && ken_str_eq_c(param, c->options[i].param))
            return ken_arena_printf(&x->arena, "--%s", c->options[i].name).ptr;
    for (size_t i = 0; i < c->n_words; i++) {
        bool is_of_range = c->words[i].kind == KEN_WORD_RANGE &&
                           (ken_str_eq_c(param, "line_start") || ken_str_eq_c(param, "line_end"));
        if (is_of_range || (c->words[i].param && ken_str_eq_c(param, c->words[i].param)))
            return c->words[i].name;
    }
    return NULL;
}

static const cli_command *command_of_tool(cli *x, ken_str tool)
{
    for (size_t i = 0; i < x->commands.n; i++) {
        const cli_command *c = &x->commands.items[i];
        if (c->spec && ken_str_eq_c(tool, c->spec->name))
            return c;
    }
    return NULL;
}

static const char *shown_word(cli *x, const ken_tool_command *own, const ken_tool_command **other,
                              ken_str word)
{
    const cli_command *tool = command_of_tool(x, word);
    const char *param = typed_name(x, own, word);
    if (tool)
        *other = tool->spec->command;
    if (tool)
        return ken_arena_printf(&x->arena, "'ken %s'", tool->name).ptr;
    return param || !*other ? param : typed_name(x, *other, word);
}

static bool is_name_part(char c)
{
    return ken_is_word(c) || c == '/' || c == '.' || c == '\'';
}

// Names of two words that stand by themselves, not in a quoted text: file_hint, list_tasks. Behind the name
// of another tool stand parameters of that one: "search_code with search_type text".
static void rename_words(cli *x, ken_str msg, ken_buf *out)
{
    const ken_tool_command *own = x->command->spec->command, *other = NULL;
    for (size_t i = 0, end; i < msg.len; i = end) {
        end = i + 1;
        bool is_start = is_name_part(msg.ptr[i]) && (!i || !is_name_part(msg.ptr[i - 1]));
        while (is_start && end < msg.len && is_name_part(msg.ptr[end]))
            end++;
        ken_str word = ken_str_sub(msg, i, end);
        const char *shown = NULL;
        if (is_start && ken_str_find_char(word, '_') != SIZE_MAX)
            shown = shown_word(x, own, &other, word);
        ken_buf_put_str(out, shown ? ken_str_c(shown) : word);
    }
}

// Names of parameters and of other tools are those of the command line: "args.limit: 99 is over 50".
static void rename_params(cli *x, ken_err *err)
{
    ken_str msg = ken_arena_dup(&x->arena, ken_str_c(err->msg)), prefix = KEN_STR("args.");
    if (!x->command->spec)
        return;
    size_t from = ken_str_starts(msg, prefix) ? prefix.len : 0, end = from;
    while (end < msg.len && (ken_is_word(msg.ptr[end])))
        end++;
    ken_buf text = KEN_BUF_INIT(sizeof err->msg - 1);
    const char *name = from || (end < msg.len && msg.ptr[end] == ':')
                           ? typed_name(x, x->command->spec->command, ken_str_sub(msg, from, end))
                           : NULL;
    if (name)
        ken_buf_puts(&text, name);
    rename_words(x, ken_str_sub(msg, name ? end : from, msg.len), &text);
    snprintf(err->msg, sizeof err->msg, KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&text)));
    ken_buf_release(&text);
}

ken_status ken_cli__print_tool(cli *x, const char *tool, const ken_project_info *project,
                               json_t *args, ken_err *err)
{
    json_t *answer = NULL;
    ken_status st = ken_cli__call_tool(x, tool, project, args, &answer, err);
    if (st)
        return st;
    if (!json_is_string(answer)) {
        ken_cli__print_json(answer);
        return KEN_OK;
    }
    ken_str text = ken_json_text(answer);
    fwrite(text.ptr, 1, text.len, stdout);
    json_decref(answer);
    return KEN_OK;
}

// How it was typed is checked before anything is indexed.
static ken_status check_args(cli *x, const json_t *args, ken_err *err)
{
    ken_status st = ken_tool_check(x->command->spec->name, args, err);
    if (st == KEN_EINVAL) {
        x->is_usage_error = true;
        rename_params(x, err);
    }
    return st;
}

static bool has_param(const ken_tool_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->n_args; i++)
        if (!strcmp(spec->args[i].name, name))
            return true;
    return false;
}

static ken_status find_project(reader *r, const ken_project_info **out, ken_err *err)
{
    cli *x = r->x;
    ken_status st = KEN_OK;
    if (!r->has_place)
        st = ken_cli__find_place(x, NULL, &r->place, err);
    if (!st)
        st = ken_cli__index_unknown(x, &r->place, err);
    *out = st ? NULL : &r->place.project;
    return st;
}

// A question on the terminal before what cannot be taken back; elsewhere the option is needed.
static ken_status confirm(reader *r, ken_err *err)
{
    const ken_tool_command *c = r->x->command->spec->command;
    if (!c->ask || json_object_get(r->args, "confirm") || !isatty(STDIN_FILENO))
        return KEN_OK;
    ken_status st = ken_cli__confirm(c->ask, err);
    if (!st)
        ken_json_set_bool(r->args, "confirm", true);
    return st;
}

ken_status ken_cli__run_tool(cli *x, ken_err *err)
{
    const ken_tool_spec *spec = x->command->spec;
    const ken_project_info *project = NULL;
    const char *named = ken_cli__args_get(&x->args, "project");
    reader r = { .x = x, .args = json_object(), .several = find_several(x) };
    ken_status st = set_options(x, r.args, err);
    if (!st)
        st = read_words(&r, err);
    if (!st)
        st = check_args(x, r.args, err);
    if (!st)
        st = confirm(&r, err);
    if (!st && r.several.len)
        ken_json_set_str(r.args, "project", r.several);
    else if (!st && spec->command->is_bound)
        st = find_project(&r, &project, err);
    else if (!st && !spec->is_of_project && named && has_param(spec, "project"))
        ken_json_set_str(r.args, "project", ken_str_c(named));
    if (st) {
        json_decref(r.args);
        return st;
    }
    st = ken_cli__print_tool(x, spec->name, project, r.args, err);
    if (st)
        rename_params(x, err);
    return st;
}
