// SPDX-License-Identifier: MIT
// A project whose vectors come from a server or an ONNX model, from the choice to the answer.
#include <stdlib.h>

#include "app/app.h"
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
static ken_search_result found;
static double least = 0.7; // cosine of what semantic search finds

// ---- a server that knows fire and water --------------------------------------------------------

static size_t n_texts;

static bool has_any(const char *text, const char *a, const char *b)
{
    return strstr(text, a) || strstr(text, b);
}

static void serve(fake_http *s, const fake_request *q, fake_reply *out)
{
    (void)s;
    json_t *body = json_loadb(q->body.ptr, q->body.len, 0, NULL);
    const json_t *input = json_object_get(body, "input");
    ken_buf_puts(&out->body, "{\"model\":\"elements\",\"embeddings\":[");
    for (size_t i = 0; i < json_array_size(input); i++, n_texts++) {
        const char *t = json_string_value(json_array_get(input, i));
        ken_buf_printf(&out->body, "%s[%d,%d,0.2]", i ? "," : "", has_any(t, "flame", "burn"),
                       has_any(t, "ocean", "swim"));
    }
    ken_buf_puts(&out->body, "]}");
    json_decref(body);
}

// ---- the project -------------------------------------------------------------------------------

static void start(void)
{
    err = (ken_err){ 0 };
    n_texts = 0;
    setenv("HOME", ktest_dir(), 1);
    setenv("XDG_CONFIG_HOME", ktest_path("cfg/"), 1);
    setenv("KEN_DATA_DIR", ktest_path("data"), 1);
    setenv("KEN_ONNX_RUNTIME", MODELS_RUNTIME, 1);
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_config_load(NULL, &config, &err), &err);
    kt_ok_err(ken_app_open(config, &app, &err), &err);
    ktest_write("tree/src/alarm.py", "def alarm(room):\n    return sensor(room).flame\n");
    ktest_write("tree/src/pool.py", "def pool(depth):\n    return ocean(depth)\n");
    ktest_write("tree/src/words.py", "def split(line):\n    return line.split()\n");
    kt_ok_err(ken_app_add_project(app, ken_str_c(ktest_path("tree")), KEN_STR(""), &arena, &project,
                                  &err),
              &err);
    kt_ok_err(ken_app_load_settings(app, &project, &settings, &err), &err);
}

static void stop(void)
{
    ken_config_free(settings);
    ken_app_close(app);
    ken_config_free(config);
    ken_arena_release(&arena);
}

static ken_status try_index(void)
{
    kt_ok_err(ken_app_index(app, &project, NULL, NULL, &arena, &report, &err), &err);
    return ken_app_embed(app, &project, settings, NULL, NULL, NULL, &arena, &made, &err);
}

static void make_index(void)
{
    kt_ok_err(try_index(), &err);
}

static void use(const char *ref, const char *url)
{
    kt_ok_err(ken_app_use_model(app, &project, ken_str_c(ref), ken_str_c(url), &arena, &got, &err),
              &err);
}

static ken_status try_ask(ken_search_mode mode, const char *query)
{
    ken_snapshot *s = NULL;
    ken_search_opts o = { .mode = mode, .threshold = mode == KEN_SEARCH_SEMANTIC ? least : 0 };
    err = (ken_err){ 0 };
    kt_ok_err(ken_app_borrow(app, &project, &s, &err), &err);
    ken_status st = ken_search(s, ken_str_c(query), &o, NULL, &arena, &found, &err);
    ken_app_give_back(app, &project, s);
    return st;
}

static const char *ask(ken_search_mode mode, const char *query)
{
    kt_ok_err(try_ask(mode, query), &err);
    return found.n_hits ? ken_arena_dup(&arena, found.hits[0].path).ptr : "";
}

static ken_index_vectors vectors(void)
{
    ken_index_vectors v;
    kt_ok_err(ken_app_load_vectors(app, &project, &arena, &v, &err), &err);
    return v;
}

KEN_TEST(a_server_answers_until_it_is_gone)
{
    fake_http server;
    start();
    fake_http_start(&server, serve, NULL);
    make_index();
    kt_false(made.was_needed); // the built-in model needs no stage
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "where to swim"), "");
    use("ollama:elements", server.url);
    fake_http_forget(&server);
    kt_eq_u(n_texts, 0); // choosing sends nothing
    kt_true(vectors().is_builtin);
    make_index();
    kt_true(made.report.is_active);
    kt_eq_u(made.report.n_embedded, 3);
    kt_has_str(ken_app_embedding_text(&made, &arena).ptr, "3 chunks embedded by elements");
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "where to swim"), "src/pool.py");
    kt_eq_str(ask(KEN_SEARCH_AUTO, "what may burn"), "src/alarm.py");
    kt_true(vectors().made_at_ms > 0);
    kt_eq_u(vectors().cost.n_texts, 3);
    kt_true(vectors().n_bytes > 3 * 64);
    fake_http_stop(&server);
    // Questions that were asked before are remembered; others are answered by words.
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "where to swim"), "src/pool.py");
    kt_eq_text(found.note, "");
    kt_eq_str(ask(KEN_SEARCH_AUTO, "split a line"), "src/words.py");
    kt_has_str(ken_arena_dup(&arena, found.note).ptr, "ranked by words alone: ");
    kt_true(try_ask(KEN_SEARCH_SEMANTIC, "split a line") != KEN_OK);
    stop();
}

KEN_TEST(a_server_that_cannot_leaves_the_vectors_there_are)
{
    fake_http server;
    start();
    fake_http_start(&server, serve, NULL);
    make_index();
    use("tei:elements", server.url); // it speaks another language
    make_index();
    kt_true(made.note.len > 0);
    kt_false(made.report.is_active);
    kt_true(vectors().is_builtin);
    kt_eq_str(ask(KEN_SEARCH_AUTO, "split a line"), "src/words.py");
    kt_eq_text(found.note, "");
    // Whoever asks for the state later is told, until it works.
    ken_str why = { "", 0 };
    kt_true(made.failed != KEN_OK);
    kt_eq_i(ken_app_load_embed_failure(app, &project, &arena, &why), made.failed);
    kt_true(ken_str_eq(why, made.note));
    use("ollama:elements", server.url);
    make_index();
    kt_ok(ken_app_load_embed_failure(app, &project, &arena, &why));
    fake_http_stop(&server);
    stop();
}

static size_t n_allowed;

// A server that somebody ends: it answers n_allowed requests more.
static void serve_some(fake_http *s, const fake_request *q, fake_reply *out)
{
    if (n_allowed) {
        n_allowed--;
        serve(s, q, out);
    } else {
        out->status = 400;
    }
}

KEN_TEST(a_server_that_goes_away_has_not_worked_for_nothing)
{
    fake_http server;
    setenv("KEN_EMBEDDING_BATCH_SIZE", "1", 1);
    setenv("KEN_EMBEDDING_CONCURRENCY", "1", 1);
    start();
    fake_http_start(&server, serve_some, NULL);
    use("ollama:elements", server.url);
    n_allowed = 1 + 2; // the dimensions, two of three chunks
    make_index();
    kt_true(made.note.len > 0);
    kt_true(vectors().is_builtin);
    kt_eq_u(vectors().n_next, 2);
    kt_eq_u(vectors().next_cost.n_texts, 2);
    kt_eq_u(vectors().cost.n_texts, 0); // the built-in model's cost nothing extra
    n_allowed = 1 + 1;
    make_index();
    kt_eq_text(made.note, "");
    kt_eq_u(made.report.n_embedded, 1);
    kt_false(vectors().is_builtin);
    kt_eq_u(vectors().cost.n_texts, 3); // of both runs
    fake_http_stop(&server);
    stop();
    unsetenv("KEN_EMBEDDING_BATCH_SIZE");
    unsetenv("KEN_EMBEDDING_CONCURRENCY");
}

KEN_TEST(settings_may_want_a_failure)
{
    fake_http server;
    setenv("KEN_EMBEDDING_ON_UNAVAILABLE", "error", 1);
    start();
    fake_http_start(&server, serve, NULL);
    make_index();
    use("tei:elements", server.url);
    kt_true(try_index() != KEN_OK);
    kt_true(vectors().is_builtin); // and the index is as good as before
    fake_http_stop(&server);
    stop();
    unsetenv("KEN_EMBEDDING_ON_UNAVAILABLE");
}

// While a second model is made, the first one answers, asked with its own record.
KEN_TEST(the_model_before_answers_until_the_next_is_whole)
{
    fake_http server;
    start();
    fake_http_start(&server, serve, NULL);
    use("ollama:elements", server.url);
    make_index();
    use("tei:others", server.url);
    make_index();
    kt_true(made.note.len > 0);
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "where to swim"), "src/pool.py");
    use("builtin", "");
    n_texts = 0;
    make_index();
    kt_true(made.was_needed);
    kt_true(vectors().is_builtin);
    kt_eq_str(ask(KEN_SEARCH_AUTO, "split a line"), "src/words.py");
    kt_eq_u(n_texts, 0);
    fake_http_stop(&server);
    stop();
}

KEN_TEST(an_onnx_model_answers)
{
    models_or_skip();
    least = 0;
    start();
    ken_model_record m = { .id = KEN_STR("minilm"),
                           .source = KEN_STR(MODELS_MINILM),
                           .tokenizer_source = KEN_STR(MODELS_DIR "all-MiniLM-L6-v2/vocab.txt"),
                           .max_tokens = 256 };
    ken_str real;
    kt_ok(ken_path_real(&arena, m.source, &real, NULL));
    m.source = real;
    kt_ok(ken_path_real(&arena, m.tokenizer_source, &real, NULL));
    m.tokenizer_source = real;
    kt_ok_err(ken_app_add_model(app, &m, &err), &err);
    kt_ok_err(ken_app_download_model(app, m.id, NULL, NULL, NULL, &arena, &got, &err), &err);
    use("minilm", "");
    make_index();
    kt_eq_text(made.note, "");
    kt_eq_u(made.report.n_embedded, 3);
    kt_eq_u(vectors().n_dims, 384);
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "fire detector"), "src/alarm.py");
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "how deep is the sea"), "src/pool.py");
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "cut text into words"), "src/words.py");
    stop();
}
