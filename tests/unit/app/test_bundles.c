// SPDX-License-Identifier: MIT
// What a bundle may say of itself, and what becomes of the vectors and the server that the exporter used.
#include <stdlib.h>

#include "app/bundles.h"
#include "base/path.h"
#include "fake_http.h"
#include "test_models.h"

static ken_config *config, *settings;
static ken_app *app;
static ken_arena arena;
static ken_err err;
static ken_project_info project;
static ken_index_report report;
static ken_app_embedding made;
static ken_model_record got;
static const ken_bundle_job no_job = { 0 };

static void start_on(const char *data)
{
    err = (ken_err){ 0 };
    setenv("HOME", ktest_dir(), 1);
    setenv("XDG_CONFIG_HOME", ktest_path("cfg/"), 1);
    setenv("KEN_DATA_DIR", ktest_path(data), 1);
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_config_load(NULL, &config, &err), &err);
    kt_ok_err(ken_app_open(config, &app, &err), &err);
}

static void stop(void)
{
    ken_config_free(settings);
    settings = NULL;
    ken_app_close(app);
    ken_config_free(config);
    ken_arena_release(&arena);
}

static void add_tree(const char *tree)
{
    kt_ok_err(
        ken_app_add_project(app, ken_str_c(ktest_path(tree)), KEN_STR(""), &arena, &project, &err),
        &err);
    kt_ok_err(ken_app_load_settings(app, &project, &settings, &err), &err);
}

static void make_index(const char *tree)
{
    char name[100];
    snprintf(name, sizeof name, "%s/src/alarm.py", tree);
    ktest_write(name, "def alarm(room):\n    return sensor(room).flame\n");
    snprintf(name, sizeof name, "%s/src/pool.py", tree);
    ktest_write(name, "def pool(depth):\n    return ocean(depth)\n");
    add_tree(tree);
    kt_ok_err(ken_app_index(app, &project, NULL, NULL, &arena, &report, &err), &err);
    kt_ok_err(ken_app_embed(app, &project, settings, NULL, NULL, NULL, &arena, &made, &err), &err);
}

static ken_app_export_report export_to(const char *name)
{
    ken_app_export_report r;
    const ken_app_export_opts opts = { .path = ken_str_c(ktest_path(name)),
                                       .program = KEN_STR("9.9.9") };
    kt_ok_err(ken_app_export(app, &project, &opts, NULL, &arena, &r, &err), &err);
    return r;
}

static ken_status import_from(const char *name, const char *tree)
{
    ken_app_bundle *b = NULL;
    ken_app_import_report r;
    const ken_app_import_opts opts = { .is_any_commit = true };
    err = (ken_err){ 0 };
    ken_str root;
    kt_ok(ken_path_real(&arena, ken_str_c(ktest_path(tree)), &root, NULL));
    ken_status st =
        ken_app_open_bundle(app, ken_str_c(ktest_path(name)), NULL, NULL, NULL, &b, &err);
    if (!st)
        st = ken_app_import(app, root, KEN_STR(""), b, &opts, NULL, &arena, &r, &err);
    ken_app_close_bundle(b);
    return st;
}

// ---- what it says of itself ----

// The bundle "good" with another header.
static void repack(const char *name, const ken_bundle_info *info)
{
    ken_bundle *b = NULL;
    kt_ok_err(ken_bundle_open(ktest_path("good"), &b, &err), &err);
    kt_ok_err(ken_bundle_unpack(b, ktest_path("payload"), &no_job, &err), &err);
    ken_bundle_close(b);
    kt_ok_err(ken_bundle_write(ktest_path("payload"), info, ktest_path(name), &no_job, NULL, &err),
              &err);
}

static size_t count_projects(void)
{
    ken_project_info *list;
    size_t n = 0;
    kt_ok_err(ken_app_list_projects(app, &arena, &list, &n, &err), &err);
    return n;
}

KEN_TEST(what_this_ken_cannot_go_on_with_is_refused_by_name)
{
    start_on("data");
    make_index("tree");
    const ken_bundle_info good = export_to("good").info;
    ken_bundle_info info = good;
    info.kind = KEN_STR("postgres");
    repack("kind", &info);
    info = good;
    info.schema++;
    repack("schema", &info);
    info = good;
    info.feature++;
    repack("feature", &info);
    info = good; // a header that does not belong to what is inside
    info.commit = KEN_STR("0123456789012345678901234567890123456789");
    repack("commit", &info);
    stop();
    start_on("other");
    ktest_write("there/a.txt", "a\n");
    kt_status(import_from("kind", "there"), KEN_EVERSION);
    kt_has_str(err.msg, "postgres");
    kt_status(import_from("schema", "there"), KEN_EVERSION);
    kt_has_str(err.msg, "update ken");
    kt_status(import_from("feature", "there"), KEN_EVERSION);
    kt_has_str(err.msg, "9.9.9");
    kt_status(import_from("commit", "there"), KEN_ECORRUPT);
    kt_has_str(err.msg, "header");
    kt_eq_u(count_projects(), 0);
    kt_ok_err(import_from("good", "there"), &err);
    kt_eq_u(count_projects(), 1);
    stop();
}

KEN_TEST(what_is_inside_must_be_sound)
{
    start_on("data");
    make_index("tree");
    const ken_bundle_info good = export_to("good").info;
    ken_bundle *b = NULL;
    kt_ok_err(ken_bundle_open(ktest_path("good"), &b, &err), &err);
    kt_ok_err(ken_bundle_unpack(b, ktest_path("payload"), &no_job, &err), &err);
    ken_bundle_close(b);
    FILE *f = fopen(ktest_path("payload"), "r+b");
    kt_not_null(f);
    kt_eq_i(fseek(f, 5 * 4096 + 100, SEEK_SET), 0);
    kt_eq_u(fwrite("damage", 1, 6, f), 6);
    kt_eq_i(fclose(f), 0);
    kt_ok_err(
        ken_bundle_write(ktest_path("payload"), &good, ktest_path("bad"), &no_job, NULL, &err),
        &err);
    ktest_write("there/a.txt", "a\n");
    kt_status(import_from("bad", "there"), KEN_ECORRUPT);
    kt_has_str(err.msg, "not sound");
    kt_eq_u(count_projects(), 1);                           // the one that exported
    kt_ok_err(ken_app_end_answer(app, KEN_OK, &err), &err); // no index of ours is damaged
    stop();
}

// ---- vectors ----

static size_t n_texts;

static void serve(fake_http *s, const fake_request *q, fake_reply *out)
{
    (void)s;
    json_t *body = json_loadb(q->body.ptr, q->body.len, 0, NULL);
    const json_t *input = json_object_get(body, "input");
    ken_buf_puts(&out->body, "{\"model\":\"elements\",\"embeddings\":[");
    for (size_t i = 0; i < json_array_size(input); i++, n_texts++)
        ken_buf_printf(&out->body, "%s[1,%zu,0.2]", i ? "," : "", n_texts);
    ken_buf_puts(&out->body, "]}");
    json_decref(body);
}

static ken_index_vectors vectors(void)
{
    ken_index_vectors v;
    kt_ok_err(ken_app_load_vectors(app, &project, &arena, &v, &err), &err);
    return v;
}

static void use_server(const fake_http *s)
{
    kt_ok_err(ken_app_use_model(app, &project, KEN_STR("ollama:elements"), ken_str_c(s->url),
                                &arena, &got, &err),
              &err);
}

static void make_vectors(void)
{
    kt_ok_err(ken_app_index(app, &project, NULL, NULL, &arena, &report, &err), &err);
    kt_ok_err(ken_app_embed(app, &project, settings, NULL, NULL, NULL, &arena, &made, &err), &err);
}

KEN_TEST(a_server_that_the_exporter_used_is_not_asked_and_its_vectors_are_replaced)
{
    static fake_http s;
    fake_http_start(&s, serve, NULL);
    start_on("data");
    make_index("tree");
    use_server(&s);
    make_vectors();
    kt_false(vectors().is_builtin);
    kt_has_str(export_to("good").info.model.ptr, "elements");
    stop();
    fake_http_forget(&s);
    start_on("other");
    kt_ok_err(import_from("good", "tree"), &err);
    add_tree("tree");
    kt_eq_u(vectors().record.len, 0);
    make_vectors();
    kt_true(vectors().is_builtin);
    kt_eq_u(vectors().n_active, vectors().n_contents);
    kt_eq_u(report.n_parsed, 0);
    kt_eq_u(s.n_requests, 0);
    stop();
    fake_http_stop(&s);
}

KEN_TEST(vectors_of_the_model_that_is_used_here_too_are_not_made_again)
{
    static fake_http s;
    fake_http_start(&s, serve, NULL);
    start_on("data");
    make_index("tree");
    use_server(&s);
    make_vectors();
    (void)export_to("good");
    stop();
    start_on("other");
    kt_ok_err(import_from("good", "tree"), &err);
    add_tree("tree");
    use_server(&s);
    make_vectors();
    kt_false(vectors().is_builtin);
    kt_eq_u(vectors().n_active, vectors().n_contents);
    kt_eq_u(made.report.n_embedded, 0);
    kt_true(vectors().record.len > 0); // what opens the model here, for questions
    stop();
    fake_http_stop(&s);
}
