// SPDX-License-Identifier: MIT
// ken model: the catalog of embedding models, and the one that a project uses.
#include <inttypes.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/path.h"
#include "cli/cli_print_priv.h"
#include "embed/embed.h"
#include "json/json.h"

enum {
    BENCH_TEXTS = 64
};

static ken_str size_or_dash(cli *x, uint64_t bytes)
{
    return bytes ? ken_figure_size(&x->arena, bytes) : KEN_STR("-");
}

static ken_str count_or_dash(cli *x, uint64_t n)
{
    return n ? ken_figure_count(&x->arena, n) : KEN_STR("-");
}

static void print_record_json(const char *key, const ken_model_record *m)
{
    json_t *top = json_object();
    ken_json_set(top, key, ken_app_model_json(m));
    ken_cli__print_json(top);
}

static ken_status list_models(cli *x, ken_err *err)
{
    ken_model_record *list = NULL;
    size_t n = 0;
    ken_status st = ken_app_list_models(x->app, &x->arena, &list, &n, err);
    if (st)
        return st;
    if (x->is_json) {
        json_t *top = json_object(), *rows = json_array();
        for (size_t i = 0; i < n; i++)
            ken_json_append(rows, ken_app_listed_model_json(x->app, &list[i]));
        ken_json_set(top, "models", rows);
        ken_json_set_u64(top, "total", n);
        ken_cli__print_json(top);
        return KEN_OK;
    }
    ken_table t;
    ken_err why = { 0 };
    ken_table_init(&t, &x->arena, "id|status|>dims|>tokens|>size|code|licence|what");
    for (size_t i = 0; i < n; i++) {
        const ken_model_record *m = &list[i];
        ken_table_add(&t, m->id);
        ken_table_add(&t, ken_app_lacks_runtime(x->app, m, &why)
                              ? KEN_STR("no runtime")
                              : ken_str_c(ken_model_status_word(m->status)));
        ken_table_add(&t, count_or_dash(x, m->dims));
        ken_table_add(&t, count_or_dash(x, m->max_tokens));
        ken_table_add(&t, size_or_dash(x, m->size_bytes));
        ken_table_add(&t, m->code_quality);
        ken_table_add(&t, m->license.len ? m->license : KEN_STR("-"));
        ken_table_add(&t, m->label);
    }
    ken_cli__print_table(x, &t);
    if (why.status)
        ken_cli__note(x, "%s", why.msg);
    return KEN_OK;
}

static ken_str option(cli *x, const char *name)
{
    return ken_str_c(ken_cli__args_get(&x->args, name));
}

// A path of this machine becomes a whole one, so that it means the same from everywhere.
static ken_status source_option(cli *x, const char *name, ken_str *out, ken_err *err)
{
    ken_str s = option(x, name);
    if (ken_str_find(s, KEN_STR("://")) != SIZE_MAX || !s.len) {
        *out = s;
        return KEN_OK;
    }
    return ken_path_real(&x->arena, s, out, err);
}

// What they may be is for ken_app_add_model to say.
static ken_status number_options(cli *x, ken_model_record *m, ken_err *err)
{
    const struct {
        const char *name;
        uint64_t usual, *out;
    } numbers[] = {
        { "dims", 0, &m->dims },          { "max-tokens", 512, &m->max_tokens },
        { "size", 0, &m->size_bytes },    { "ram", 0, &m->ram_bytes },
        { "latency", 0, &m->latency_ms },
    };
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < sizeof numbers / sizeof *numbers; i++)
        st = ken_cli__args_u64(&x->args, numbers[i].name, 0, INT64_MAX, numbers[i].usual,
                               numbers[i].out, err);
    return st;
}

static ken_status add_model(cli *x, ken_str id, ken_err *err)
{
    ken_model_record m = { .id = id,
                           .label = option(x, "label"),
                           .license = option(x, "license"),
                           .languages = option(x, "languages"),
                           .code_quality = option(x, "code-quality"),
                           .pooling = option(x, "pooling"),
                           .sha256 = option(x, "sha256"),
                           .document_prefix = option(x, "document-prefix"),
                           .query_prefix = option(x, "query-prefix") };
    ken_status st = source_option(x, "source", &m.source, err);
    if (!st)
        st = source_option(x, "tokenizer", &m.tokenizer_source, err);
    if (!st)
        st = number_options(x, &m, err);
    if (!st)
        st = ken_app_add_model(x->app, &m, err);
    if (!st)
        st = ken_app_find_model(x->app, id, &x->arena, &m, err);
    if (st)
        return st;
    if (x->is_json)
        print_record_json("model", &m);
    else
        ken_cli__note(x, "added; to get it: ken model download " KEN_STR_FMT, KEN_STR_ARG(id));
    return KEN_OK;
}

typedef struct download_view {
    cli *x;
    cli_progress bar;
} download_view;

static void show_bytes(void *ctx, uint64_t done, uint64_t total)
{
    download_view *v = ctx;
    ken_arena_mark mark = ken_arena_get_mark(&v->x->arena);
    ken_str text = ken_figure_size(&v->x->arena, done);
    if (total)
        text = ken_arena_printf(&v->x->arena, KEN_STR_FMT " of " KEN_STR_FMT, KEN_STR_ARG(text),
                                KEN_STR_ARG(ken_figure_size(&v->x->arena, total)));
    ken_cli__progress_show_part(&v->bar, text.ptr, total ? (double)done / (double)total : 0);
    ken_arena_rewind(&v->x->arena, mark);
}

static ken_status download_model(cli *x, ken_str id, ken_err *err)
{
    download_view v = { .x = x };
    ken_model_record m;
    ken_cli__progress_init(&v.bar, x);
    ken_status st =
        ken_app_download_model(x->app, id, show_bytes, &v, x->cancel, &x->arena, &m, err);
    ken_cli__progress_end(&v.bar);
    if (st)
        return st;
    if (x->is_json)
        print_record_json("model", &m);
    else
        ken_cli__note(x, KEN_STR_FMT " is ready (" KEN_STR_FMT ", SHA-256 " KEN_STR_FMT ")",
                      KEN_STR_ARG(id), KEN_STR_ARG(ken_figure_size(&x->arena, m.size_bytes)),
                      KEN_STR_ARG(m.sha256));
    return KEN_OK;
}

static bool has_its_vectors(cli *x, const ken_project_info *project, const ken_model_record *m)
{
    ken_index_vectors v;
    return ken_str_eq_c(m->provider, "builtin") &&
           !ken_app_load_vectors(x->app, project, &x->arena, &v, NULL) && v.is_builtin && !*v.next;
}

// What `--now` did; else what is to be done, unless there is nothing.
static ken_status follow_choice(cli *x, const ken_project_info *project, const ken_model_record *m,
                                json_t *top, ken_err *err)
{
    json_t *args = NULL, *answer = NULL;
    if (!ken_cli__args_has(&x->args, "now")) {
        if (!x->is_json && !has_its_vectors(x, project, m))
            ken_cli__note(x, "to make its vectors: ken index " KEN_STR_FMT,
                          KEN_STR_ARG(project->root));
        return KEN_OK;
    }
    args = json_object();
    ken_json_set_str(args, "repo_path", project->root);
    if (!x->is_json)
        return ken_cli__print_tool(x, "index_repository", project, args, err);
    ken_status st = ken_cli__call_tool(x, "index_repository", project, args, &answer, err);
    json_t *made = json_object_get(answer, "embedding");
    if (!st)
        ken_json_set(top, "embedding", made ? json_incref(made) : NULL);
    json_decref(answer);
    return st;
}

static void print_choice(cli *x, const ken_project_info *project, const ken_model_record *m)
{
    ken_cli__note(x, KEN_STR_FMT " uses " KEN_STR_FMT, KEN_STR_ARG(project->name),
                  KEN_STR_ARG(m->id));
    if (m->url.len)
        ken_cli__note(x, "its code will be sent to " KEN_STR_FMT, KEN_STR_ARG(m->url));
}

static ken_status use_model(cli *x, ken_str id, ken_err *err)
{
    cli_place place;
    ken_model_record m;
    ken_status st = ken_cli__find_place(x, NULL, &place, err);
    if (!st && !place.is_known)
        st = ken_app_add_project(x->app, place.project.root, KEN_STR(""), &x->arena, &place.project,
                                 err);
    if (!st)
        st = ken_app_use_model(x->app, &place.project, id, option(x, "url"), &x->arena, &m, err);
    if (st)
        return st;
    json_t *top = json_object();
    ken_cli__json_set_project(top, &place.project);
    ken_json_set(top, "model", ken_app_model_json(&m));
    if (!x->is_json)
        print_choice(x, &place.project, &m);
    st = follow_choice(x, &place.project, &m, top, err);
    if (!st && x->is_json)
        ken_cli__print_json(top);
    else
        json_decref(top);
    return st;
}

static ken_status remove_model(cli *x, ken_str id, ken_err *err)
{
    bool is_listed = false;
    ken_status st = ken_app_remove_model(x->app, id, x->cancel, &is_listed, err);
    if (st)
        return st;
    if (x->is_json) {
        json_t *top = json_object();
        ken_json_set_str(top, "id", id);
        ken_json_set_bool(top, "removed", true);
        ken_json_set_bool(top, "is_listed", is_listed);
        ken_cli__print_json(top);
    } else {
        ken_cli__note(x, "removed the files of " KEN_STR_FMT "%s", KEN_STR_ARG(id),
                      is_listed ? ", which stays in the list" : "");
    }
    return KEN_OK;
}

// ---- bench -----------------------------------------------------------------------------------

static ken_status time_it(cli *x, ken_embedder *e, size_t dims, double *out_ms, ken_err *err)
{
    ken_str *texts = KEN_ARENA_ARRAY(&x->arena, ken_str, BENCH_TEXTS);
    float *rows = KEN_ARENA_ARRAY(&x->arena, float, BENCH_TEXTS *dims);
    for (size_t i = 0; i < BENCH_TEXTS; i++) {
        ken_buf b = KEN_BUF_INIT(1 << 14);
        for (size_t k = 0; k < 4 + i % 12; k++)
            ken_buf_printf(&b, "static int handle_%zu(request *r) { return send(r, %zu); }\n", i,
                           k);
        texts[i] = ken_arena_dup(&x->arena, ken_buf_str(&b));
        ken_buf_release(&b);
    }
    int64_t start = ken_clock_mono_ns();
    ken_status st =
        ken_embedder_embed(e, KEN_EMBED_DOCUMENT, texts, BENCH_TEXTS, rows, x->cancel, err);
    *out_ms = (double)(ken_clock_mono_ns() - start) / 1e6;
    return st;
}

static ken_status bench_model(cli *x, ken_str id, ken_err *err)
{
    ken_model_record m;
    ken_embedder *e = NULL;
    size_t dims = 0;
    double ms = 0;
    ken_status st = ken_app_find_model(x->app, id, &x->arena, &m, err);
    if (st)
        return st;
    ken_embed_opts o = ken_app_model_opts(x->config, &m);
    st = ken_embedder_open(&o, &e, err);
    if (!st)
        st = ken_embedder_probe(e, x->cancel, &dims, err);
    if (!st)
        st = time_it(x, e, dims, &ms, err);
    ken_embedder_close(e);
    if (st)
        return st;
    if (x->is_json) {
        json_t *top = json_object();
        ken_json_set_str(top, "id", id);
        ken_json_set_u64(top, "dims", dims);
        ken_json_set_u64(top, "texts", BENCH_TEXTS);
        ken_json_set_real(top, "ms_per_text", ms / (double)BENCH_TEXTS);
        ken_json_set_real(top, "texts_per_second", (double)BENCH_TEXTS * 1000 / ms);
        ken_cli__print_json(top);
    } else {
        ken_cli__print("%.*s: %zu dimensions, %.2f ms a text, %.0f texts a second\n",
                       KEN_STR_ARG(id), dims, ms / (double)BENCH_TEXTS,
                       (double)BENCH_TEXTS * 1000 / ms);
    }
    return KEN_OK;
}

static ken_status run_model(cli *x, ken_err *err)
{
    static const struct {
        const char *name;
        ken_status (*run)(cli *x, ken_str id, ken_err *err);
    } actions[] = {
        { "add", add_model },       { "download", download_model }, { "use", use_model },
        { "remove", remove_model }, { "bench", bench_model },
    };
    const char *action = x->args.n_words ? x->args.words[0] : "list";
    if (!strcmp(action, "list") && x->args.n_words < 2)
        return list_models(x, err);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(action, actions[i].name) && x->args.n_words == 2)
            return actions[i].run(x, ken_str_c(x->args.words[1]), err);
    x->is_usage_error = true;
    return KEN_FAIL(err, KEN_EINVAL,
                    "'ken model %.40s' needs another form: list, or one of add, download, use, "
                    "remove and bench with the id of a model",
                    action);
}

static const cli_opt model_opts[] = {
    { "source", 0, CLI_VALUE, "URI", "add: model.onnx, as https://, file:// or a path", NULL },
    { "tokenizer", 0, CLI_VALUE, "URI", "add: its tokenizer.json or vocab.txt", NULL },
    { "label", 0, CLI_VALUE, "TEXT", "add: what it is, in a few words", NULL },
    { "license", 0, CLI_VALUE, "NAME", "add: its licence, as Apache-2.0", NULL },
    { "languages", 0, CLI_VALUE, "TEXT", "add: of people, en or many", NULL },
    { "code-quality", 0, CLI_VALUE, "HOW", "add: how well it knows code: low, medium or good",
      "low|medium|good" },
    { "dims", 0, CLI_VALUE, "N", "add: numbers of a vector (default: as the model gives them)",
      NULL },
    { "size", 0, CLI_VALUE, "BYTES", "add: of model.onnx, until it is there", NULL },
    { "ram", 0, CLI_VALUE, "BYTES", "add: about the memory that it needs", NULL },
    { "latency", 0, CLI_VALUE, "MS", "add: about the time of one text on one core", NULL },
    { "pooling", 0, CLI_VALUE, "HOW", "add: mean or cls (default: as its name tells)", "mean|cls" },
    { "sha256", 0, CLI_VALUE, "HEX", "add: checksum of model.onnx", NULL },
    { "max-tokens", 0, CLI_VALUE, "N", "add: longer texts are cut (default 512)", NULL },
    { "document-prefix", 0, CLI_VALUE, "TEXT", "add: what it wants before code", NULL },
    { "query-prefix", 0, CLI_VALUE, "TEXT", "add: what it wants before questions", NULL },
    { "url", 0, CLI_VALUE, "URL", "use: the server, for models of one (ollama:NAME)", NULL },
    { "now", 0, CLI_FLAG, NULL, "use: index, and make its vectors", NULL },
};

const cli_command ken_cli__model_command = {
    "model",
    "[list | add ID | download ID | use ID | remove ID | bench ID]",
    "the models that make vectors of code, and which one a project uses",
    "add needs --source and --tokenizer. use takes an id of the list, or a model of a server as\n"
    "PROVIDER:NAME, ollama:nomic-embed-text (embedding.provider names them): then, and only then,\n"
    "code is sent away.\n",
    OPTS(model_opts),
    0,
    2,
    true,
    false,
    run_model,
    NULL,
    0,
    "list|add|download|use|remove|bench"
};
