// SPDX-License-Identifier: MIT
// One file: bytes -> facts and terms. Runs on workers; touches no store.
#include <stdio.h>

#include "index/index_priv.h"
#include "secret/secret.h"

static void make(index_worker *w)
{
    ken_vocabulary words = ken_static_vocabulary(ken_static_builtin());
    w->learner = ken_learner_new();
    w->tokenizer = ken_tokenizer_new(&words);
    w->packer = ken_refs_packer_new();
    w->zip = ken_zip_new();
    ken_learner_limit(w->learner, w->keep_bytes);
    ken_tokenizer_limit(w->tokenizer, w->identifier_bytes);
}

void ken_index__worker_init(index_worker *w, const index_memory *m, size_t n_workers)
{
    *w = (index_worker){ .identifier_bytes = m->identifiers / n_workers,
                         .keep_bytes = m->kept / n_workers };
    make(w);
}

void ken_index__worker_release(index_worker *w)
{
    ken_learner_free(w->learner);
    ken_tokenizer_free(w->tokenizer);
    ken_refs_packer_free(w->packer);
    ken_zip_free(w->zip);
}

void ken_index__worker_renew(index_worker *w)
{
    ken_learner_free(w->learner);
    ken_refs_packer_free(w->packer);
    w->learner = ken_learner_new();
    w->packer = ken_refs_packer_new();
    ken_learner_limit(w->learner, w->keep_bytes);
    w->made_for = 0;
}

void ken_index__worker_empty(index_worker *w)
{
    ken_index__worker_release(w);
    make(w);
    w->made_for = 0;
}

void ken_index__slot_init(index_slot *s)
{
    ken_arena_init(&s->arena, 0);
    s->packed.max = KEN_FACTS_MAX_BYTES;
}

void ken_index__slot_renew(index_slot *s)
{
    ken_index__slot_release(s);
    ken_index__slot_init(s);
    s->made_for = 0;
}

void ken_index__slot_release(index_slot *s)
{
    ken_arena_release(&s->arena);
    ken_buf_release(&s->text);
    ken_buf_release(&s->packed);
    ken_buf_release(&s->packed_refs);
    ken_lex_doc_release(&s->doc);
    ken_vec_release(&s->mentions);
    ken_static_rows_release(&s->vectors);
}

ken_vector_model ken_index__builtin_model(void)
{
    const ken_static_model *m = ken_static_builtin();
    ken_vector_model model = { .n_dims = ken_static_n_dims(m) };
    snprintf(model.name, sizeof model.name, "%s", ken_static_name(m));
    return model;
}

static bool leave_out(index_slot *s, ken_skip_reason reason)
{
    s->skip = reason;
    return false;
}

// What a commit has is there: that it cannot be read is no property of the file, and ends the run.
static ken_status read_committed(const index_job *job, ken_str path, index_slot *s)
{
    ken_status st = ken_revision_read(job->revision, path, (size_t)job->max_file_bytes, job->cancel,
                                      &s->text, &s->err);
    s->failure = st == KEN_ELIMIT ? KEN_OK : st;
    return st;
}

bool ken_index__file_read(const index_job *job, ken_str path, index_slot *s)
{
    s->skip = KEN_SKIP_NONE;
    s->known = (ken_content_info){ 0 };
    s->text.max = (size_t)job->max_file_bytes + 1;
    s->err = (ken_err){ 0 };
    ken_str below = path;
    int root_fd = ken_roots_at(&job->roots, &below);
    ken_status st = job->revision ? read_committed(job, path, s)
                                  : ken_fs_read(root_fd, below.ptr, (size_t)job->max_file_bytes,
                                                &s->text, &s->stamp, &s->err);
    if (st == KEN_ENOMEM) // the fault of the process, not of the file
        s->failure = st;
    if (s->failure)
        return false;
    if (st == KEN_ELIMIT)
        return leave_out(s, KEN_SKIP_TOO_LARGE);
    if (st)
        return leave_out(s, KEN_SKIP_UNREADABLE);
    ken_str text = ken_buf_str(&s->text);
    bool is_code = ken_lang_is_code_path(path);
    ken_skip_reason reason = ken_scan_admit_content(path, is_code, text, &s->is_generated);
    if (!reason && !is_code && ken_scan_is_generated_path(path))
        reason = KEN_SKIP_GENERATED; // it was skipped without extraction
    if (reason && !(reason == KEN_SKIP_SECRET && job->wants_secrets))
        return leave_out(s, reason);
    s->key = (ken_content_key){
        .sha = ken_sha256_of(text.ptr, text.len),
        .lang = (uint16_t)ken_lang_of(path, text),
        .feature = job->feature,
    };
    return true;
}

void ken_index__file_learn(const index_job *job, index_worker *w, ken_str path, index_slot *s)
{
    ken_arena_reset(&s->arena);
    bool is_masked = ken_secret_mask(s->text.ptr, s->text.len) > 0;
    ken_str text = ken_buf_str(&s->text);
    ken_learner_set_chunks(w->learner, &job->chunks);
    ken_learn(w->learner, (ken_lang_id)s->key.lang, text, job->cancel, &s->arena, &s->facts,
              &s->refs);
    ken_mentions_of(&s->refs, &s->mentions);
    s->facts.is_masked = is_masked;
    s->facts.is_generated = s->is_generated;
    size_t n_comments;
    const ken_span *comments = ken_learner_comments(w->learner, &n_comments);
    ken_tokenize(w->tokenizer, text, &s->facts, comments, n_comments, &s->doc);
    s->has_vectors = job->wants_vectors && (!job->only_likely || ken_index__is_likely(path));
    if (s->has_vectors)
        ken_static_embed_bags(ken_static_builtin(), &s->doc.bags, &s->vectors);
    ken_buf_clear(&s->packed);
    ken_facts_pack(&s->facts, &s->packed);
    ken_facts_compress(w->zip, &s->packed);
    ken_buf_clear(&s->packed_refs);
    ken_refs_pack(w->packer, &s->refs, &s->facts, &s->packed_refs);
}
