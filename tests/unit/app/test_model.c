// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "app/app_model_priv.h"
#include "fake_http.h"
#include "index/index_priv.h"
#include "test_models.h"

#define VOCAB "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n"

enum {
    MODEL_BYTES = 200000
};

static ken_config *config;
static ken_app *app;
static ken_arena arena;
static ken_err err;
static ken_model_record got;

static void setup(const char *data)
{
    err = (ken_err){ 0 };
    setenv("HOME", ktest_dir(), 1);
    setenv("XDG_CONFIG_HOME", ktest_path("cfg/"), 1);
    setenv("KEN_DATA_DIR", ktest_path(data), 1);
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_config_load(NULL, &config, &err), &err);
    kt_ok_err(ken_app_open(config, &app, &err), &err);
}

static void teardown(void)
{
    ken_app_close(app);
    ken_config_free(config);
    ken_arena_release(&arena);
}

static void add(const char *id, const char *source, const char *tokenizer, const char *sha256)
{
    kt_ok_err(ken_app_add_model(app,
                                &(ken_model_record){ .id = ken_str_c(id),
                                                     .source = ken_str_c(source),
                                                     .tokenizer_source = ken_str_c(tokenizer),
                                                     .sha256 = ken_str_c(sha256) },
                                &err),
              &err);
}

static ken_status download(const char *id)
{
    return ken_app_download_model(app, ken_str_c(id), NULL, NULL, NULL, &arena, &got, &err);
}

static bool is_listed;

static ken_status drop(const char *id)
{
    return ken_app_remove_model(app, ken_str_c(id), NULL, &is_listed, &err);
}

static ken_model_status status_of(const char *id)
{
    ken_model_record m;
    kt_ok_err(ken_app_find_model(app, ken_str_c(id), &arena, &m, &err), &err);
    return m.status;
}

// ---- downloads -------------------------------------------------------------------------------

static char model[MODEL_BYTES + 1];

// "/m.onnx" with ranges; its first answer breaks off in the middle.
static void serve(fake_http *s, const fake_request *q, fake_reply *out)
{
    bool *is_cut = s->ctx;
    if (strstr(q->path, "vocab")) {
        ken_buf_puts(&out->body, VOCAB);
        return;
    }
    size_t from = 0;
    const char *range = strstr(q->head.ptr, "Range: bytes=");
    if (range && range < q->head.ptr + q->head.len)
        from = (size_t)strtoul(range + 13, NULL, 10);
    if (from) {
        out->status = 206;
        snprintf(out->headers, sizeof out->headers, "Content-Range: bytes %zu-%d/%d\r\n", from,
                 MODEL_BYTES - 1, MODEL_BYTES);
    }
    ken_buf_put(&out->body, model + from, MODEL_BYTES - from);
    if (*is_cut)
        out->cut_at = MODEL_BYTES / 2;
    *is_cut = false;
}

KEN_TEST(a_download_goes_on_where_it_stopped)
{
    fake_http server;
    bool is_cut = true;
    char source[96], vocab[96];
    memset(model, 'm', MODEL_BYTES);
    setup("data");
    fake_http_start(&server, serve, &is_cut);
    snprintf(source, sizeof source, "%s/m.onnx", server.url);
    snprintf(vocab, sizeof vocab, "%s/vocab.txt", server.url);
    add("m", source, vocab, "");
    kt_eq_u(status_of("m"), KEN_MODEL_PENDING);
    kt_status(download("m"), KEN_EIO);
    kt_eq_u(status_of("m"), KEN_MODEL_ERROR);
    fake_http_forget(&server);
    kt_ok_err(download("m"), &err);
    kt_has_str(server.log[1].ptr, "Range: bytes=100000-");
    kt_eq_u(got.status, KEN_MODEL_READY);
    kt_eq_u(got.size_bytes, MODEL_BYTES);
    kt_true(ken_str_eq(ktest_read(got.path.ptr), ken_str_n(model, MODEL_BYTES)));
    kt_eq_u(got.sha256.len, 64); // kept from now on
    kt_ok(ken_fs_remove(got.path.ptr, NULL));
    kt_eq_u(status_of("m"), KEN_MODEL_MISSING);
    // What lies there is not a beginning of it: found by the checksum, and fetched whole.
    ktest_write("data/models/m/model.onnx.part", "something else");
    kt_ok_err(download("m"), &err);
    kt_true(ken_str_eq(ktest_read(got.path.ptr), ken_str_n(model, MODEL_BYTES)));
    memset(model, 'x', MODEL_BYTES); // another file under the same name
    kt_status(download("m"), KEN_ECORRUPT);
    kt_has_str(err.msg, "is not the model: its SHA-256 is");
    kt_eq_u(status_of("m"), KEN_MODEL_ERROR);
    fake_http_stop(&server);
    teardown();
}

// "/away/…" has nothing, and another version of the vocabulary's beginning must not stay.
static void serve_mirror(fake_http *s, const fake_request *q, fake_reply *out)
{
    (void)s;
    if (strstr(q->path, "/away/")) {
        out->status = 403;
        return;
    }
    ken_buf_puts(&out->body, strstr(q->path, "vocab") ? VOCAB : "a model");
}

KEN_TEST(a_mirror_takes_the_place_of_what_cannot_be_had)
{
    fake_http server;
    char source[96], vocab[96], mirrors[300];
    fake_http_start(&server, serve_mirror, NULL);
    snprintf(source, sizeof source, "%s/away/m.onnx", server.url);
    snprintf(vocab, sizeof vocab, "%s/away/vocab.txt", server.url);
    snprintf(mirrors, sizeof mirrors, "http://other=http://127.0.0.1:1,%s/away=%s/here", server.url,
             server.url);
    setup("data");
    add("m", source, vocab, "");
    kt_true(download("m") != KEN_OK);
    teardown();
    setenv("KEN_EMBEDDING_MIRRORS", mirrors, 1);
    setup("data");
    kt_ok_err(download("m"), &err);
    kt_eq_text(ktest_read(got.path.ptr), "a model");
    teardown();
    setenv("KEN_EMBEDDING_MIRRORS", "hf-mirror.com", 1);
    setup("data");
    kt_status(download("m"), KEN_EINVAL);
    kt_has_str(err.msg, "'embedding.mirrors' has 'hf-mirror.com', which is not FROM=TO");
    teardown();
    unsetenv("KEN_EMBEDDING_MIRRORS");
    fake_http_stop(&server);
}

KEN_TEST(files_of_this_machine_are_copied_and_checked)
{
    setup("data");
    const char *source = ktest_write("in/model.onnx", "bytes of a model");
    const char *vocab = ktest_write("in/vocab.txt", VOCAB), *bad = ktest_write("in/bad.txt", "a\n");
    char uri[512];
    snprintf(uri, sizeof uri, "file://%s", source);
    add("a", uri, vocab, "9DC5AAC4B7F3CD2B1C5B6B1D4B8C5C5D5B9A6A8AE3B1A7F35C10D22E0B0C1D2E");
    kt_status(download("a"), KEN_ECORRUPT);
    add("b", uri, bad, "");
    kt_status(download("b"), KEN_ECORRUPT);
    kt_has_str(err.msg, "[CLS]");
    add("c", source, vocab, "");
    kt_ok_err(download("c"), &err);
    kt_eq_text(ktest_read(got.path.ptr), "bytes of a model");
    kt_ok_err(drop("c"), &err);
    kt_false(is_listed);
    kt_false(ken_fs_exists(ktest_path("data/models/c/model.onnx")));
    kt_status(ken_app_find_model(app, KEN_STR("c"), &arena, &got, &err), KEN_ENOTFOUND);
    kt_has_str(err.msg, "ken model list");
    kt_ok_err(drop("all-MiniLM-L6-v2"), &err);
    kt_true(is_listed);
    kt_eq_u(status_of("all-MiniLM-L6-v2"), KEN_MODEL_PENDING); // came with ken, stays in the list
    kt_status(drop("builtin"), KEN_EINVAL);
    kt_status(drop("c"), KEN_ENOTFOUND);
    kt_status(download("builtin"), KEN_EINVAL);
    teardown();
}

static ken_model_record usual(void)
{
    return (ken_model_record){ .id = KEN_STR("x"),
                               .source = KEN_STR("https://models.example.org/model.onnx"),
                               .tokenizer_source = KEN_STR("/vocab.txt") };
}

static void is_refused(const ken_model_record *m, const char *message)
{
    err = (ken_err){ 0 };
    kt_status(ken_app_add_model(app, m, &err), KEN_EINVAL);
    kt_has_str(err.msg, message);
}

KEN_TEST(a_text_of_a_model_that_cannot_be_is_refused)
{
    static char long_text[1002];
    memset(long_text, 'l', sizeof long_text - 1);
    const ken_str too_long = ken_str_c(long_text);
    const struct {
        size_t at; // in the record
        ken_str value;
        const char *message;
    } rows[] = {
#define T(name) offsetof(ken_model_record, name)
        { T(id), KEN_STR("../x"), "id: " },
        { T(id), KEN_STR(""), "id: " },
        { T(source), KEN_STR(""), "source: must be an https:, http: or file:///" },
        { T(source), KEN_STR("ftp://a"), "or an absolute path, not 'ftp://a'" },
        { T(source), KEN_STR("model.onnx"), "source: must be" },
        { T(source), KEN_STR("https://me:secret@host/m"), "source: a URL must not hold a user" },
        { T(tokenizer_source), KEN_STR("http://"), "tokenizer_source: 'http://' is not" },
        { T(sha256), KEN_STR("12"), "sha256: a SHA-256 has 64 hexadecimal digits, not '12'" },
        { T(pooling), KEN_STR("max"), "pooling: must be mean or cls, not 'max'" },
        { T(code_quality), KEN_STR("best"),
          "code_quality: must be low, medium or good, not 'best'" },
        { T(label), too_long, "label: must have at most 200 bytes, not 1001" },
        { T(license), KEN_STR("a\nb"), "license: must be UTF-8 without control characters" },
        { T(languages), KEN_STR("\xff"), "languages: must be UTF-8" },
        { T(query_prefix), too_long, "query_prefix: must have at most 1000 bytes" },
        { T(document_prefix), KEN_STR("a\x1b[1m"), "document_prefix: must be UTF-8 without" },
#undef T
    };
    setup("data");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ken_model_record m = usual();
        memcpy((char *)&m + rows[i].at, &rows[i].value, sizeof rows[i].value);
        is_refused(&m, rows[i].message);
        kt_null(strstr(err.msg, "secret"));
    }
    ken_model_record taken = usual();
    taken.id = KEN_STR("all-MiniLM-L6-v2");
    kt_status(ken_app_add_model(app, &taken, &err), KEN_EEXIST);
    kt_has_str(err.msg, "id: there is a model 'all-MiniLM-L6-v2' already");
    teardown();
}

KEN_TEST(a_number_of_a_model_that_cannot_be_is_refused)
{
    const struct {
        size_t at;
        uint64_t value;
        const char *message;
    } rows[] = {
#define T(name) offsetof(ken_model_record, name)
        { T(dims), 4097, "dims: must be 1 to 4096, or 0 where it is not known, not 4097" },
        { T(max_tokens), 7, "max_tokens: must be 8 to 1000000" },
        { T(size_bytes), UINT64_MAX, "size_bytes: must be 1 to 17592186044416" },
        { T(ram_bytes), UINT64_C(1) << 45, "ram_bytes: must be" },
        { T(latency_ms), 3600001, "latency_ms: must be 1 to 3600000" },
#undef T
    };
    setup("data");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ken_model_record m = usual();
        memcpy((char *)&m + rows[i].at, &rows[i].value, sizeof rows[i].value);
        is_refused(&m, rows[i].message);
    }
    ken_model_record m = usual();
    m.document_prefix = KEN_STR("Instruct:\n\tcode: ");
    m.license = KEN_STR("Apache-2.0");
    m.dims = 4096;
    m.latency_ms = 3600000;
    kt_ok_err(ken_app_add_model(app, &m, &err), &err);
    kt_ok_err(ken_app_find_model(app, m.id, &arena, &got, &err), &err);
    kt_eq_text(got.license, "Apache-2.0");
    kt_eq_u(got.dims, 4096);
    kt_eq_text(got.document_prefix, "Instruct:\n\tcode: ");
    teardown();
}

// ---- the model of a project ------------------------------------------------------------------

static ken_project_info add_project_at(const char *folder)
{
    ken_project_info p;
    char file[200];
    snprintf(file, sizeof file, "%s/a.c", folder);
    ktest_write(file, "int a;\n");
    kt_ok_err(
        ken_app_add_project(app, ken_str_c(ktest_path(folder)), KEN_STR(""), &arena, &p, &err),
        &err);
    return p;
}

static ken_project_info add_project(void)
{
    return add_project_at("repo");
}

static ken_status use(const ken_project_info *p, const char *ref, const char *url)
{
    return ken_app_use_model(app, p, ken_str_c(ref), ken_str_c(url), &arena, &got, &err);
}

static void now_uses(const ken_project_info *p, const char *provider, const char *id,
                     const char *url)
{
    ken_model_record m;
    kt_ok_err(ken_app_project_model(app, p, config, &arena, &m, &err), &err);
    kt_eq_text(m.provider, provider);
    kt_eq_text(m.id, id);
    kt_eq_text(m.url, url);
}

KEN_TEST(code_is_sent_away_only_by_choice)
{
    setenv("OLLAMA_BASE_URL", "http://127.0.0.1:9999", 1);
    setup("data");
    ken_project_info p = add_project();
    now_uses(&p, "builtin", "builtin", ""); // a variable alone chooses nothing
    kt_ok_err(use(&p, "ollama:nomic-embed-text:v1.5", ""), &err);
    now_uses(&p, "ollama", "nomic-embed-text:v1.5", "http://127.0.0.1:9999");
    kt_eq_text(got.license, "Apache-2.0");
    kt_ok_err(use(&p, "tei:bge", "http://127.0.0.1:8081/"), &err);
    now_uses(&p, "tei", "bge", "http://127.0.0.1:8081");
    kt_eq_text(got.license, ""); // a name of one's own tells nothing
    kt_status(use(&p, "tei:bge", "ftp://x"), KEN_EINVAL);
    kt_status(use(&p, "nomic-embed-text", ""), KEN_EINVAL); // not downloaded
    kt_has_str(err.msg, "ken model download nomic-embed-text");
    kt_status(use(&p, "builtin", "http://x"), KEN_EINVAL);
    kt_status(use(&p, "unheard-of", ""), KEN_ENOTFOUND);
    now_uses(&p, "tei", "bge", "http://127.0.0.1:8081"); // what failed changed nothing
    kt_ok_err(use(&p, "builtin", ""), &err);
    now_uses(&p, "builtin", "builtin", "");
    teardown();
    unsetenv("OLLAMA_BASE_URL");
}

KEN_TEST(a_project_that_moves_brings_the_record_of_its_model)
{
    models_or_skip();
    char db[512];
    setenv("KEN_ONNX_RUNTIME", MODELS_RUNTIME, 1);
    setup("data");
    add("mine", MODELS_MINILM, MODELS_DIR "all-MiniLM-L6-v2/vocab.txt", "");
    kt_ok_err(download("mine"), &err);
    ken_project_info p = add_project();
    kt_ok_err(use(&p, "mine", ""), &err);
    kt_eq_u(got.dims, 384);
    snprintf(db, sizeof db, "%s", p.db_path.ptr);
    ken_embed_opts o = ken_app_model_opts(config, &got);
    ken_embedder *e = NULL;
    kt_ok_err(ken_embedder_open(&o, &e, &err), &err);
    kt_eq_str(ken_embedder_info(e).model, "mine");
    ken_embedder_close(e);
    teardown();
    // Another machine: nothing but the index came along.
    setup("other");
    p.db_path = ken_str_c(db);
    ken_model_record m;
    kt_ok_err(ken_app_project_model(app, &p, config, &arena, &m, &err), &err);
    kt_eq_text(m.id, "mine");
    kt_eq_u(m.status, KEN_MODEL_PENDING);
    kt_eq_u(status_of("mine"), KEN_MODEL_PENDING); // in the catalog again, with its source
    kt_ok_err(download("mine"), &err);
    kt_eq_u(got.status, KEN_MODEL_READY);
    teardown();
    unsetenv("KEN_ONNX_RUNTIME");
}

// ---- removing one that is used ---------------------------------------------------------------

// As the index of a project keeps a record; without a runtime here, choosing it would fail.
static void keep(const ken_project_info *p, const char *key, const char *id)
{
    ken_store *store = NULL;
    ken_buf text = KEN_BUF_INIT(64 * 1024);
    ken_app__write_model(&(ken_model_record){ .id = ken_str_c(id), .provider = KEN_STR("onnx") },
                         &text);
    kt_ok_err(ken_store_open(&(ken_store_opts){ .path = p->db_path.ptr }, &store, &err), &err);
    kt_ok_err(ken_store_write_value(store, ken_str_c(key), ken_buf_str(&text), &err), &err);
    ken_store_close(store);
    ken_buf_release(&text);
}

KEN_TEST(a_model_that_projects_use_is_not_removed)
{
    setup("data");
    add("mine", ktest_write("in/model.onnx", "bytes"), ktest_write("in/vocab.txt", VOCAB), "");
    kt_ok_err(download("mine"), &err);
    ken_project_info chose = add_project_at("chose"), kept = add_project_at("kept"),
                     other = add_project_at("other");
    keep(&chose, KEN_APP_MODEL_KEY, "mine");
    keep(&kept, KEN_APP_MODEL_KEY, "another"); // chosen since; vectors of the other answer still
    keep(&kept, INDEX_ACTIVE_RECORD, "mine");
    keep(&other, KEN_APP_MODEL_KEY, "mine-2");
    kt_status(drop("mine"), KEN_EBUSY);
    kt_has_str(err.msg, "model: 'mine' is used by the projects 'chose', 'kept'; choose");
    kt_true(ken_fs_exists(ktest_path("data/models/mine/model.onnx")));
    kt_eq_u(status_of("mine"), KEN_MODEL_READY);
    kt_ok_err(ken_app_archive_project(app, &chose, true, &err), &err); // it may be taken up again
    kt_ok_err(ken_app_remove_project(app, &kept, &err), &err);
    kt_status(drop("mine"), KEN_EBUSY);
    kt_has_str(err.msg, "the project 'chose';");
    keep(&chose, KEN_APP_MODEL_KEY, "mine-2");
    kt_ok_err(drop("mine"), &err);
    kt_false(ken_fs_exists(ktest_path("data/models/mine/model.onnx")));
    teardown();
}

// Settings name it for whoever chose none.
KEN_TEST(a_model_of_settings_is_not_removed)
{
    setenv("KEN_EMBEDDING_PROVIDER", "onnx", 1);
    setenv("KEN_EMBEDDING_MODEL", "mine", 1);
    setup("data");
    add("mine", "/m.onnx", "/vocab.txt", "");
    ken_project_info other = add_project_at("other");
    (void)add_project_at("told");
    keep(&other, KEN_APP_MODEL_KEY, "mine-2");
    kt_status(drop("mine"), KEN_EBUSY);
    kt_has_str(err.msg, "is used by the project 'told';");
    teardown();
    unsetenv("KEN_EMBEDDING_PROVIDER");
    unsetenv("KEN_EMBEDDING_MODEL");
    setup("data");
    kt_ok_err(drop("mine"), &err);
    teardown();
}

KEN_TEST(a_refusal_names_as_many_projects_as_fit)
{
    setup("data");
    add("mine", "/m.onnx", "/vocab.txt", "");
    for (int i = 0; i < 12; i++) {
        char folder[120];
        snprintf(folder, sizeof folder, "%060d", i);
        ken_project_info p = add_project_at(folder);
        keep(&p, KEN_APP_MODEL_KEY, "mine");
    }
    kt_status(drop("mine"), KEN_EBUSY);
    kt_has_str(err.msg, "and 9 more; choose another there first");
    teardown();
}
