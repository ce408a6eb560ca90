// SPDX-License-Identifier: MIT
// One file: bytes -> facts and terms. Runs on workers; touches no store.
#include "base/alloc.h"
#include "base/utf8.h"
#include "chunk/chunk.h"
#include "index/index_priv.h"

enum { HEAD_BYTES = 4096, MAX_EMBEDDED = 200 };
static const int64_t parse_budget_ns = 5000000000;

void index_worker_init(index_worker *w)
{
    w->parser = ken_parser_new();
    w->tokenizer = ken_tokenizer_new();
}

void index_worker_release(index_worker *w)
{
    ken_parser_free(w->parser);
    ken_tokenizer_free(w->tokenizer);
}

void index_slot_release(index_slot *s)
{
    ken_arena_release(&s->arena);
    ken_buf_release(&s->text);
    ken_buf_release(&s->packed);
    ken_extraction_release(&s->extraction);
    ken_lex_doc_release(&s->doc);
    ken_vec_release(&s->line_starts);
}

static bool leave_out(index_slot *s, ken_skip_reason reason)
{
    s->skip = reason;
    return false;
}

bool index_file_read(const index_job *job, ken_str path, index_slot *s)
{
    s->skip = KEN_SKIP_NONE;
    s->known_content = 0;
    s->text.max = (size_t)job->max_file_bytes + 1;
    ken_err err = { 0 };
    ken_status st =
        ken_fs_read(job->root_fd, path.ptr, (size_t)job->max_file_bytes, &s->text, &s->stamp, &err);
    if (st == KEN_ELIMIT)
        return leave_out(s, KEN_SKIP_TOO_LARGE);
    if (st)
        return leave_out(s, KEN_SKIP_UNREADABLE);
    ken_str text = ken_buf_str(&s->text);
    ken_skip_reason reason = ken_scan_classify_content(path, text);
    if (reason)
        return leave_out(s, reason);
    s->key = (ken_content_key){
        .sha = ken_sha256_of(text.ptr, text.len),
        .lang = (uint16_t)ken_lang_of(path, ken_str_sub(text, 0, HEAD_BYTES)),
        .feature = KEN_INDEX_FEATURE,
    };
    return true;
}

// Walks the tree of the whole text, then those of the languages embedded in it.
static void extract(const index_job *job, index_worker *w, index_slot *s, const TSTree *tree)
{
    ken_str text = ken_buf_str(&s->text);
    ken_symbol_extract(ken_lang_rules((ken_lang_id)s->key.lang), tree, text, -1, 0, &s->extraction);
    for (size_t i = 0; i < s->extraction.injections.len && i < MAX_EMBEDDED; i++) {
        ken_injection in = s->extraction.injections.ptr[i];
        const ken_rules *rules = ken_lang_rules(in.lang);
        ken_parse_opts opts = { .cancel = job->cancel, .budget_ns = parse_budget_ns,
                                .ranges = &in.range, .n_ranges = 1 };
        TSTree *inner;
        if (rules && !ken_parser_parse(w->parser, in.lang, text, &opts, &inner, NULL))
            ken_symbol_extract(rules, inner, text, in.parent, in.depth, &s->extraction);
    }
}

static void find_lines(index_slot *s)
{
    ken_str text = ken_buf_str(&s->text);
    uint32_t n = ken_line_starts(text, s->line_starts.ptr, (uint32_t)s->line_starts.cap);
    if (n > s->line_starts.cap) {
        ken_vec_reserve(&s->line_starts, n);
        ken_line_starts(text, s->line_starts.ptr, n);
    }
    s->line_starts.len = n;
}

static void cut(index_slot *s, const TSTree *tree)
{
    const ken_extraction *x = &s->extraction;
    ken_chunk_input in = {
        .text = ken_buf_str(&s->text),
        .line_starts = s->line_starts.ptr,
        .n_lines = (uint32_t)s->line_starts.len,
        .symbols = x->symbols.ptr,
        .n_symbols = (uint32_t)x->symbols.len,
        .tree = tree,
    };
    s->facts.n_chunks = tree ? ken_chunk_tree(&in, NULL, &s->arena, &s->facts.chunks)
                             : ken_chunk_lines(&in, NULL, &s->arena, &s->facts.chunks);
}

void index_file_learn(const index_job *job, index_worker *w, index_slot *s)
{
    ken_arena_reset(&s->arena);
    ken_extraction_clear(&s->extraction);
    ken_scan_mask_secrets(s->text.ptr, s->text.len);
    find_lines(s);
    ken_lang_id lang = (ken_lang_id)s->key.lang;
    TSTree *tree = NULL;
    if (ken_lang_rules(lang)) {
        ken_parse_opts opts = { .cancel = job->cancel, .budget_ns = parse_budget_ns };
        if (ken_parser_parse(w->parser, lang, ken_buf_str(&s->text), &opts, &tree, NULL))
            tree = NULL;
        else
            extract(job, w, s, tree);
    }
    ken_symbol_finish(&s->extraction, ken_buf_str(&s->text), s->line_starts.ptr,
                      (uint32_t)s->line_starts.len);
    s->facts = (ken_facts){
        .lang = s->key.lang,
        .n_bytes = (uint32_t)s->text.len,
        .n_lines = (uint32_t)s->line_starts.len,
        .n_error_bytes = s->extraction.n_error_bytes,
        .is_fallback = !tree && (ken_lang_rules(lang) || ken_lang_misses_grammar(lang)),
        .symbols = s->extraction.symbols.ptr,
        .n_symbols = (uint32_t)s->extraction.symbols.len,
        .imports = s->extraction.imports.ptr,
        .n_imports = (uint32_t)s->extraction.imports.len,
    };
    cut(s, tree);
    ken_parser_reset(w->parser);
    ken_tokenize(w->tokenizer, ken_buf_str(&s->text), &s->facts, s->extraction.comments.ptr,
                 s->extraction.comments.len, &s->doc);
    ken_buf_clear(&s->packed);
    ken_facts_pack(&s->facts, &s->packed);
}
