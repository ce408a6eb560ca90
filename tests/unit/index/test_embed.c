// SPDX-License-Identifier: MIT
// Vectors of another model than the built-in one: made after a run, in parts, and used once all are
// there.
#include "embed/embed_ops.h"
#include "index_lab.h"
#include "vector/vector.h"

enum {
    ODD_DIMS = 100 // no multiple of what is stored
};

// A model that knows two meanings, whatever words say them: fire and water. It counts what it is
// asked.
typedef struct fake {
    ken_embedder_backend base;
    size_t n_texts, n_questions;
    size_t stop_after; // texts; then the caller stops. 0 = never
    ken_cancel stop;
    bool is_gone;
    size_t max_tokens, longest; // that it takes; bytes of the longest document
    ken_buf log;                // every document
} fake;

static void fake_close(ken_embedder_backend *b)
{
    (void)b;
}

static void fake_describe(const ken_embedder_backend *b, ken_embed_self *out)
{
    *out = (ken_embed_self){ .model = "elements",
                             .version = "1",
                             .dims = ODD_DIMS,
                             .max_tokens = ((const fake *)(const void *)b)->max_tokens,
                             .url = "",
                             .key_detail = "",
                             .max_concurrency = 1 };
}

static bool says(ken_str text, const char *const *words)
{
    for (; *words; words++)
        if (ken_str_find(text, ken_str_c(*words)) != SIZE_MAX)
            return true;
    return false;
}

static ken_status fake_embed(ken_embedder_backend *b, const ken_embed_batch *batch, ken_err *err)
{
    static const char *const fire[] = { "fire", "flame", "burn", NULL };
    static const char *const water[] = { "water", "ocean", "swim", NULL };
    fake *f = (fake *)b;
    if (f->is_gone)
        return KEN_FAIL(err, KEN_EIO, "elements: nobody answers");
    for (size_t i = 0; i < batch->n; i++) {
        float *v = batch->out + i * batch->dims;
        memset(v, 0, batch->dims * sizeof *v);
        v[0] = says(batch->texts[i], fire) ? 1 : 0;
        v[batch->dims - 1] = says(batch->texts[i], water) ? 1 : 0;
        v[1] = 0.2F;
        if (batch->kind == KEN_EMBED_QUERY) {
            f->n_questions++;
            continue;
        }
        f->n_texts++;
        f->longest = batch->texts[i].len > f->longest ? batch->texts[i].len : f->longest;
        ken_buf_put_str(&f->log, batch->texts[i]);
        ken_buf_puts(&f->log, "\n----\n");
    }
    if (f->stop_after && f->n_texts >= f->stop_after)
        ken_cancel_set(&f->stop);
    return KEN_OK;
}

static const ken_embedder_ops fake_ops = {
    .name = "fake",
    .close = fake_close,
    .describe = fake_describe,
    .embed = fake_embed,
};

static fake model;
static index_lab lab;
static ken_index_embed_report made;

static ken_embedder *open_model(void)
{
    ken_embedder *e = NULL;
    ken_embed_opts o = { .document_prefix = "", .query_prefix = "" };
    model.base.ops = &fake_ops;
    kt_ok(ken_embedder__wrap(&model.base, &o, &e, NULL));
    return e;
}

static ken_status open_for_snapshot(void *ctx, ken_embedder **out, ken_err *err)
{
    (void)ctx;
    (void)err;
    *out = open_model();
    return KEN_OK;
}

static bool only_likely;

static ken_status try_embed(bool is_builtin, size_t batch)
{
    ken_embedder *e = is_builtin ? NULL : open_model();
    ken_index_embed_opts o = { .batch = batch,
                               .record = KEN_STR("the record"),
                               .only_likely = only_likely };
    lab.err = (ken_err){ 0 };
    ken_status st = ken_index_embed(lab.store, lab.root, e, &o, &model.stop, &made, &lab.err);
    ken_embedder_close(e);
    return st;
}

static void embed(void)
{
    kt_ok_err(try_embed(false, 0), &lab.err);
}

static ken_index_vectors vectors(void)
{
    ken_index_vectors v;
    kt_ok_err(ken_index_load_vectors(lab.store, &lab.arena, &v, &lab.err), &lab.err);
    return v;
}

static void start(void)
{
    ken_buf_release(&model.log);
    model = (fake){ .n_texts = 0 };
    only_likely = false;
    lab_start(&lab);
    lab_write(&lab, "src/alarm.py", "def alarm(room):\n    return sensor(room).flame\n");
    lab_write(&lab, "src/pool.py", "def pool(depth):\n    return ocean(depth)\n");
    lab_write(&lab, "src/text.py", "def split(line):\n    return line.split()\n");
    lab_run(&lab);
}

static void stop(void)
{
    lab_end(&lab);
    ken_buf_release(&model.log);
}

static ken_search_result asked;

// The best file, asked of a new snapshot; "" when there is none.
static const char *ask(ken_search_mode mode, const char *query)
{
    static char path[200];
    ken_snapshot *s = lab_open(&lab);
    ken_snapshot_set_embedder(s, open_for_snapshot, NULL);
    ken_search_opts o = { .mode = mode, .threshold = mode == KEN_SEARCH_SEMANTIC ? 0.7 : 0 };
    lab.err = (ken_err){ 0 };
    kt_ok_err(ken_search(s, ken_str_c(query), &o, NULL, &lab.arena, &asked, &lab.err), &lab.err);
    snprintf(path, sizeof path, KEN_STR_FMT,
             KEN_STR_ARG(asked.n_hits ? asked.hits[0].path : KEN_STR("")));
    lab_close(s);
    return path;
}

KEN_TEST(another_model_answers_once_all_has_its_vectors)
{
    start();
    kt_true(vectors().is_builtin);
    kt_eq_u(vectors().n_active, 3);
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "something burns"), ""); // the built-in model says otherwise
    uint64_t before = lab_generation(&lab);
    embed();
    kt_true(made.is_active);
    kt_eq_u(made.n_embedded, 3);
    kt_eq_u(made.n_texts, 3);
    kt_eq_u(made.generation, before + 1); // readers go on to it
    kt_eq_u(lab_generation(&lab), before + 1);
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "something burns"), "src/alarm.py");
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "where to swim"), "src/pool.py");
    kt_eq_str(ask(KEN_SEARCH_AUTO, "where to swim"), "src/pool.py");
    ken_index_vectors v = vectors();
    kt_false(v.is_builtin);
    kt_eq_u(v.n_active, 3);
    kt_eq_u(v.n_dims, 128); // 100 and zeros
    kt_has_str(v.active, "elements 100 ");
    kt_eq_str(v.next, "");
    kt_eq_text(v.record, "the record");
    // What the model read.
    kt_has_str(model.log.ptr, "src/pool.py (python)\npublic function pool\ndef pool(depth):");
    stop();
}

// A model that takes less than a chunk reads all of it, in texts that each say where they stand.
KEN_TEST(a_chunk_over_the_limit_of_the_model_is_read_to_its_end)
{
    start();
    ken_buf code = KEN_BUF_INIT(0);
    ken_buf_puts(&code, "def tide(beach):\n");
    for (int i = 0; i < 20; i++)
        ken_buf_printf(&code, "    beach.level_%d = measure(beach, %d)\n", i, i);
    ken_buf_puts(&code, "    return ocean(beach)\n");
    lab_write_n(&lab, "src/tide.py", code.ptr, code.len);
    ken_buf_release(&code);
    lab_run(&lab);
    model.max_tokens = 100;
    embed();
    kt_eq_u(made.n_texts, 4); // chunks
    kt_true(model.n_texts > 6);
    kt_true(model.longest <= 300);
    kt_has_str(model.log.ptr, "src/tide.py (python)\npublic function tide\ndef tide(beach):\n");
    kt_has_str(model.log.ptr, "    return ocean(beach)\n");
    kt_eq_u(vectors().n_active, 4);
    lab_write(&lab, "src/pool.py", "def pool(depth):\n    return depth\n");
    lab_run(&lab);
    embed();
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "where to swim"), "");
    stop();
}

KEN_TEST(nothing_new_embeds_nothing)
{
    start();
    embed();
    uint64_t before = lab_generation(&lab);
    model.n_texts = 0;
    lab_run(&lab);
    embed();
    kt_eq_u(model.n_texts, 0);
    kt_eq_u(lab_generation(&lab), before);
    stop();
}

KEN_TEST(a_changed_file_alone_is_embedded_again)
{
    start();
    embed();
    model.n_texts = 0;
    lab_write(&lab, "src/text.py", "def douse(line):\n    return water(line)\n");
    lab_run(&lab);
    kt_eq_u(vectors().n_active, 2); // no vectors of the built-in model beside the others
    embed();
    kt_eq_u(model.n_texts, 1);
    kt_eq_u(made.n_embedded, 1);
    ask(KEN_SEARCH_SEMANTIC, "where to swim");
    kt_eq_u(asked.n_hits, 2);
    stop();
}

KEN_TEST(a_stopped_stage_goes_on_where_it_was)
{
    char name[40], text[80];
    start();
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "gen/f%02d.py", i);
        snprintf(text, sizeof text, "def burn_%d():\n    return %d\n", i, i);
        lab_write(&lab, name, text);
    }
    lab_run(&lab);
    uint64_t before = lab_generation(&lab);
    model.stop_after = 10;
    kt_status(try_embed(false, 4), KEN_ECANCELLED);
    kt_false(made.has_model_failed);
    size_t n_first = model.n_texts;
    kt_true(n_first < 23);
    ken_index_vectors v = vectors();
    kt_true(v.is_builtin);
    kt_eq_u(v.n_active, 23);
    kt_eq_u(v.n_next, n_first);
    kt_has_str(v.next, "elements 100 ");
    kt_eq_u(lab_generation(&lab), before);
    kt_eq_str(ask(KEN_SEARCH_AUTO, "pool depth"), "src/pool.py"); // the old ones answer
    kt_eq_u(model.n_questions, 0);
    model.stop = (ken_cancel){ 0 };
    model.stop_after = 0;
    embed();
    kt_eq_u(model.n_texts, 23); // none twice
    kt_true(made.is_active);
    kt_eq_u(vectors().n_active, 23);
    stop();
}

KEN_TEST(a_file_that_changed_since_the_run_waits_for_the_next)
{
    start();
    lab_write(&lab, "src/pool.py", "def pool(depth):\n    return flame(depth)\n");
    embed();
    kt_false(made.is_active);
    kt_eq_u(made.n_left, 1);
    kt_eq_u(made.n_embedded, 2);
    kt_true(vectors().is_builtin);
    lab_run(&lab);
    embed();
    kt_true(made.is_active);
    kt_eq_u(model.n_texts, 3);
    ask(KEN_SEARCH_SEMANTIC, "something burns");
    kt_eq_u(asked.n_hits, 2);
    stop();
}

KEN_TEST(a_model_that_is_gone_leaves_what_there_is)
{
    start();
    model.is_gone = true;
    kt_status(try_embed(false, 0), KEN_EIO);
    kt_true(made.has_model_failed);
    kt_true(vectors().is_builtin);
    kt_eq_str(ask(KEN_SEARCH_AUTO, "pool depth"), "src/pool.py");
    kt_eq_text(asked.note, "");
    stop();
}

KEN_TEST(a_question_without_its_model_is_answered_by_words)
{
    start();
    embed();
    model.is_gone = true;
    kt_eq_str(ask(KEN_SEARCH_AUTO, "pool depth"), "src/pool.py");
    kt_eq_text(asked.note, "ranked by words alone: elements: nobody answers");
    ken_snapshot *s = lab_open(&lab);
    ken_search_opts o = { .mode = KEN_SEARCH_SEMANTIC, .threshold = 0.7 };
    ken_snapshot_set_embedder(s, open_for_snapshot, NULL);
    kt_status(ken_search(s, KEN_STR("pool"), &o, NULL, &lab.arena, &asked, &lab.err), KEN_EIO);
    kt_has_str(lab.err.msg, "nobody answers");
    model.is_gone = false; // and is asked again when it is back
    kt_ok_err(ken_search(s, KEN_STR("swim"), &o, NULL, &lab.arena, &asked, &lab.err), &lab.err);
    kt_eq_u(asked.n_hits, 1);
    lab_close(s);
    stop();
}

KEN_TEST(a_question_is_embedded_once)
{
    start();
    embed();
    ken_snapshot *s = lab_open(&lab);
    ken_search_opts o = { .mode = KEN_SEARCH_SEMANTIC, .threshold = 0.7 };
    ken_snapshot_set_embedder(s, open_for_snapshot, NULL);
    for (int i = 0; i < 3; i++)
        kt_ok(ken_search(s, KEN_STR("swim"), &o, NULL, &lab.arena, &asked, &lab.err));
    kt_eq_u(model.n_questions, 1);
    // A snapshot that was open before the built-in model is chosen again moves on with it.
    kt_ok_err(try_embed(true, 0), &lab.err);
    lab_again(&lab, s);
    o.threshold = 0;
    kt_ok(ken_search(s, KEN_STR("pool of depth"), &o, NULL, &lab.arena, &asked, &lab.err));
    kt_eq_u(model.n_questions, 1);
    kt_eq_text(asked.hits[0].path, "src/pool.py");
    lab_close(s);
    stop();
}

KEN_TEST(the_built_in_model_comes_back_without_parsing)
{
    static const char *const queries[] = { "pool depth", "sensor of a room", "split a line" };
    start();
    char *before = lab_describe(&lab, queries, 3);
    embed();
    kt_ok_err(try_embed(true, 0), &lab.err);
    kt_true(made.is_active);
    kt_eq_u(made.n_embedded, 3);
    ken_index_vectors v = vectors();
    kt_true(v.is_builtin);
    kt_eq_u(v.n_active, 3);
    kt_eq_u(v.record.len, 0);
    char *after = lab_describe(&lab, queries, 3); // every score is the same
    kt_eq_str(after, before);
    ken_free(before);
    ken_free(after);
    lab_write(&lab, "src/new.py", "def fresh():\n    pass\n");
    lab_run(&lab);
    kt_eq_u(vectors().n_active, 4); // and runs make its vectors again
    stop();
}

KEN_TEST(a_choice_that_was_not_gone_through_with_leaves_nothing)
{
    start();
    model.stop_after = 1;
    kt_status(try_embed(false, 1), KEN_ECANCELLED);
    kt_eq_u(vectors().n_next, 1);
    model.stop = (ken_cancel){ 0 };
    kt_ok_err(try_embed(true, 0), &lab.err);
    kt_eq_u(made.n_embedded, 0);
    kt_eq_str(vectors().next, "");
    ken_segment_info *segments;
    size_t n;
    kt_ok(ken_store_list_segments(lab.store, KEN_SEGMENT_VECTORS, &lab.arena, &segments, &n, NULL));
    kt_eq_u(n, 1);
    stop();
}

KEN_TEST(secrets_do_not_reach_the_model)
{
    start();
    lab_write(&lab, "src/key.py",
              "def connect():\n    return open('AKIAIOSFODNN7EXAMPL2')  # fire\n");
    lab_run(&lab);
    embed();
    kt_has_str(model.log.ptr, "src/key.py");
    kt_true(!strstr(model.log.ptr, "AKIAIOSFODNN7EXAMPL2"));
    stop();
}

// ---- which files, and in which order -----------------------------------------------------------

static void add_less_likely(void)
{
    lab_write(&lab, "a/tests/test_tide.py", "def test_tide():\n    assert ocean(1)\n");
    lab_write(&lab, "a/notes.md", "# Notes\n\nHow deep the ocean is.\n");
}

KEN_TEST(what_is_likely_wanted_is_embedded_first)
{
    start();
    add_less_likely();
    lab_run(&lab);
    model.stop_after = 3;
    kt_eq_i(try_embed(false, 1), KEN_ECANCELLED);
    kt_has_str(model.log.ptr, "src/alarm.py");
    kt_has_str(model.log.ptr, "src/pool.py");
    kt_has_str(model.log.ptr, "src/text.py");
    kt_null(strstr(model.log.ptr, "test_tide"));
    stop();
}

KEN_TEST(vectors_of_likely_files_alone_make_a_model_answer)
{
    start();
    add_less_likely();
    lab_run(&lab);
    only_likely = true;
    embed();
    kt_true(made.is_active);
    kt_eq_u(made.n_embedded, 3);
    kt_eq_str(ask(KEN_SEARCH_SEMANTIC, "where to swim"), "src/pool.py");
    ken_index_vectors v = vectors();
    kt_eq_u(v.n_active_chunks, 3); // what is left out is told
    kt_eq_u(v.n_chunks, 5);
    kt_eq_str(ask(KEN_SEARCH_AUTO, "test_tide"), "a/tests/test_tide.py"); // by its name
    only_likely = false;
    embed();
    kt_eq_u(made.n_embedded, 2);
    kt_eq_u(vectors().n_active_chunks, 5);
    stop();
}

KEN_TEST(vectors_that_a_run_left_out_are_made_when_they_are_wanted)
{
    start();
    add_less_likely();
    lab.opts.only_likely = true;
    lab_run(&lab);
    kt_eq_u(vectors().n_active_chunks, 3);
    bool lacks = false;
    kt_ok(ken_index_lacks_vectors(lab.store, true, &lacks, NULL));
    kt_false(lacks);
    kt_ok(ken_index_lacks_vectors(lab.store, false, &lacks, NULL));
    kt_true(lacks);
    uint64_t before = lab_generation(&lab);
    kt_ok_err(try_embed(true, 0), &lab.err);
    kt_eq_u(vectors().n_active_chunks, 5);
    kt_eq_u(lab_generation(&lab), before + 1);
    kt_ok(ken_index_lacks_vectors(lab.store, false, &lacks, NULL));
    kt_false(lacks);
    stop();
}
