// SPDX-License-Identifier: MIT
// Layout: `tokens` is sorted by text; each has the files whose stem holds it and the folders that
// hold it. Folders are few, so a folder's fit is worked out once and then given to its files. Whole
// stems ("clientsession") are tokens of a second, equal structure.
#include "lexical/lexical_path.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/path.h"
#include "base/quota.h"
#include "base/sorted.h"

enum {
    MAX_STEM_TOKENS = 12,
    MAX_FOLDER_TOKENS = 48,
    MIN_PREFIX = 3,
    CHECK_EVERY = 64 // paths between two checks
};

typedef struct path_token {
    ken_str text;
    uint32_t first_file, n_files;     // in stem_files
    uint32_t first_folder, n_folders; // in folder_lists
} path_token;

typedef struct path_file {
    uint32_t folder;
    uint32_t first_token; // in file_tokens
    uint32_t n_tokens;
} path_file;

typedef struct path_folder {
    uint32_t first_token, n_tokens; // in folder_tokens, of the last two folders
    uint32_t first_file, n_files;   // in folder_files
} path_folder;

struct ken_path_index {
    ken_arena arena;
    path_token *tokens, *wholes;
    uint32_t n_tokens, n_wholes;
    path_file *files;
    path_folder *folders;
    uint32_t n_files, n_folders;
    uint32_t *file_tokens, *folder_tokens; // token numbers
    uint32_t *stem_files, *whole_files, *folder_lists, *folder_files;
    float *rarity; // by token: ln(1 + files / files with it)
};

// ---- building ----------------------------------------------------------------------------------

typedef struct pair {
    uint32_t token, owner;
} pair;

typedef KEN_VEC(ken_str) text_list;

typedef struct builder {
    ken_path_index *p;
    ken_map ids;   // stemmed token -> provisional number
    ken_map parts; // token as it stands -> the same: each is stemmed once
    ken_map whole_ids, folder_ids;
    text_list texts, whole_texts;
    KEN_VEC(pair) stems, wholes, folders; // token in file / file / any folder of it
    ken_vec_u32 file_tokens, folder_tokens;
    KEN_VEC(path_folder) folder_list;
} builder;

static uint32_t number_of(ken_map *ids, ken_str text, text_list *texts, ken_arena *arena)
{
    bool is_new;
    uint64_t *v = ken_map_put(ids, text, ids->len, &is_new);
    if (is_new)
        ken_vec_push(texts, ken_arena_dup(arena, text));
    return (uint32_t)*v;
}

static uint32_t number_of_part(builder *b, ken_str part)
{
    bool is_new;
    uint64_t *known = ken_map_put(&b->parts, part, 0, &is_new);
    if (!is_new)
        return (uint32_t)*known;
    char word[KEN_QUERY_WORD + 1];
    memcpy(word, part.ptr, part.len);
    ken_str stem = ken_str_n(word, ken_stem(word, part.len));
    *known = number_of(&b->ids, stem, &b->texts, &b->p->arena);
    return (uint32_t)*known;
}

// The stemmed tokens of a name.
static uint32_t tokens_of(builder *b, ken_str name, uint32_t *out, uint32_t max)
{
    uint32_t n = 0;
    ken_str token;
    while (n < max && ken_token_next(&name, &token)) {
        ken_token_parts parts;
        ken_token_split(token, &parts);
        for (uint32_t i = 0; i < parts.n_parts && n < max; i++)
            out[n++] =
                number_of_part(b, ken_str_n(parts.text + parts.part[i].start, parts.part[i].len));
    }
    return n;
}

static ken_str lower_alnum(ken_str s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len && n < KEN_TOKEN_MAX; i++)
        if (ken_token_class(s.ptr[i]) && ken_token_class(s.ptr[i]) != KEN_TOKEN_MARK)
            out[n++] = s.ptr[i];
    ken_token_fold(out, n);
    return ken_str_n(out, n);
}

static uint32_t folder_of(builder *b, ken_str dir)
{
    bool is_new;
    uint64_t *v = ken_map_put(&b->folder_ids, dir, b->folder_ids.len, &is_new);
    uint32_t id = (uint32_t)*v;
    if (!is_new)
        return id;
    uint32_t tokens[MAX_FOLDER_TOKENS];
    uint32_t n = tokens_of(b, dir, tokens, MAX_FOLDER_TOKENS);
    for (uint32_t i = 0; i < n; i++)
        ken_vec_push(&b->folders, ((pair){ tokens[i], id }));
    ken_str up = ken_path_dir(ken_path_dir(dir));
    ken_str last_two = up.len ? ken_str_sub(dir, up.len + 1, dir.len) : dir;
    path_folder f = { .first_token = (uint32_t)b->folder_tokens.len };
    f.n_tokens = tokens_of(b, last_two, tokens, MAX_FOLDER_TOKENS);
    for (uint32_t i = 0; i < f.n_tokens; i++)
        ken_vec_push(&b->folder_tokens, tokens[i]);
    ken_vec_push(&b->folder_list, f);
    return id;
}

static void add_path(builder *b, uint32_t file, ken_str path)
{
    uint32_t tokens[MAX_STEM_TOKENS];
    char lower[KEN_TOKEN_MAX];
    ken_str stem = ken_path_stem(path);
    path_file *f = &b->p->files[file];
    f->folder = folder_of(b, ken_path_dir(path));
    f->first_token = (uint32_t)b->file_tokens.len;
    f->n_tokens = tokens_of(b, stem, tokens, MAX_STEM_TOKENS);
    for (uint32_t i = 0; i < f->n_tokens; i++) {
        ken_vec_push(&b->file_tokens, tokens[i]);
        ken_vec_push(&b->stems, ((pair){ tokens[i], file }));
    }
    ken_str whole = lower_alnum(stem, lower);
    if (whole.len)
        ken_vec_push(
            &b->wholes,
            ((pair){ number_of(&b->whole_ids, whole, &b->whole_texts, &b->p->arena), file }));
    b->folder_list.ptr[f->folder].n_files++;
}

static int by_text(const void *a, const void *b, void *ctx)
{
    const ken_str *texts = ctx;
    return ken_str_cmp(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

// Numbers tokens in the order of their text; returns old number -> new.
static uint32_t *sort_tokens(ken_path_index *p, const ken_str *texts, uint32_t n, path_token **out)
{
    uint32_t *order = ken_alloc(ken_mul_size(n + 1, sizeof *order));
    uint32_t *renumber = ken_alloc(ken_mul_size(n + 1, sizeof *renumber));
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    union {
        const ken_str *in;
        void *out;
    } ctx = { texts };
    qsort_r(order, n, sizeof *order, by_text, ctx.out);
    *out = KEN_ARENA_ARRAY(&p->arena, path_token, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        renumber[order[i]] = i;
        (*out)[i].text = texts[order[i]];
    }
    ken_free(order);
    return renumber;
}

// Lists of owners by token, from (token, owner) pairs: counting sort. Doubles of one owner are kept
// out, for the pairs of an owner come together.
static uint32_t *lists_of(ken_path_index *p, const pair *pairs, size_t n, const uint32_t *renumber,
                          path_token *tokens, uint32_t n_tokens, bool is_folder)
{
    uint32_t *at = ken_zalloc(ken_mul_size(n_tokens + 1, sizeof *at));
    for (size_t i = 0; i < n; i++)
        at[renumber[pairs[i].token]]++;
    uint32_t sum = 0;
    for (uint32_t t = 0; t < n_tokens; t++) {
        uint32_t count = at[t];
        *(is_folder ? &tokens[t].first_folder : &tokens[t].first_file) = sum;
        at[t] = sum;
        sum += count;
    }
    uint32_t *lists = KEN_ARENA_ARRAY(&p->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        path_token *t = &tokens[renumber[pairs[i].token]];
        uint32_t *count = is_folder ? &t->n_folders : &t->n_files;
        uint32_t *next = &at[renumber[pairs[i].token]];
        if (*count && lists[*next - 1] == pairs[i].owner)
            continue;
        lists[(*next)++] = pairs[i].owner;
        (*count)++;
    }
    ken_free(at);
    return lists;
}

static uint32_t *renumbered(ken_path_index *p, const ken_vec_u32 *list, const uint32_t *renumber)
{
    uint32_t *out = KEN_ARENA_ARRAY(&p->arena, uint32_t, list->len + 1);
    for (size_t i = 0; i < list->len; i++)
        out[i] = renumber[list->ptr[i]];
    return out;
}

static void list_folder_files(ken_path_index *p)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < p->n_folders; i++) {
        p->folders[i].first_file = sum;
        sum += p->folders[i].n_files;
        p->folders[i].n_files = 0;
    }
    p->folder_files = KEN_ARENA_ARRAY(&p->arena, uint32_t, p->n_files + 1);
    for (uint32_t i = 0; i < p->n_files; i++) {
        path_folder *f = &p->folders[p->files[i].folder];
        p->folder_files[f->first_file + f->n_files++] = i;
    }
}

static void weigh_tokens(ken_path_index *p)
{
    p->rarity = KEN_ARENA_ARRAY(&p->arena, float, p->n_tokens + 1);
    for (uint32_t t = 0; t < p->n_tokens; t++)
        p->rarity[t] =
            (float)log1p((double)p->n_files / (p->tokens[t].n_files ? p->tokens[t].n_files : 1));
}

// Each step takes some tens of milliseconds for 100,000 paths.
static ken_status finish(builder *b, ken_err *err)
{
    ken_path_index *p = b->p;
    p->n_tokens = (uint32_t)b->texts.len;
    p->n_wholes = (uint32_t)b->whole_texts.len;
    p->n_folders = (uint32_t)b->folder_list.len;
    p->folders = ken_arena_copy(&p->arena, b->folder_list.ptr, p->n_folders, sizeof *p->folders);
    uint32_t *new_id = sort_tokens(p, b->texts.ptr, p->n_tokens, &p->tokens);
    ken_status st = ken_quota_check(err);
    uint32_t *new_whole = st ? NULL : sort_tokens(p, b->whole_texts.ptr, p->n_wholes, &p->wholes);
    if (!st)
        st = ken_quota_check(err);
    if (!st) {
        p->stem_files =
            lists_of(p, b->stems.ptr, b->stems.len, new_id, p->tokens, p->n_tokens, false);
        p->folder_lists =
            lists_of(p, b->folders.ptr, b->folders.len, new_id, p->tokens, p->n_tokens, true);
        p->whole_files =
            lists_of(p, b->wholes.ptr, b->wholes.len, new_whole, p->wholes, p->n_wholes, false);
        st = ken_quota_check(err);
    }
    if (!st) {
        p->file_tokens = renumbered(p, &b->file_tokens, new_id);
        p->folder_tokens = renumbered(p, &b->folder_tokens, new_id);
        list_folder_files(p);
        weigh_tokens(p);
    }
    ken_free(new_id);
    ken_free(new_whole);
    return st;
}

ken_status ken_path_index_new(const ken_str *paths, size_t n, ken_path_index **out, ken_err *err)
{
    ken_path_index *p = ken_zalloc(sizeof *p);
    ken_arena_init(&p->arena, 0);
    builder b = { .p = p };
    ken_map_init(&b.ids);
    ken_map_init(&b.parts);
    ken_map_init(&b.whole_ids);
    ken_map_init(&b.folder_ids);
    p->n_files = (uint32_t)n;
    p->files = KEN_ARENA_ARRAY(&p->arena, path_file, n + 1);
    ken_status st = KEN_OK;
    for (size_t i = 0; i < n && !st; i++) {
        add_path(&b, (uint32_t)i, paths[i]);
        if (i % CHECK_EVERY == 0)
            st = ken_quota_check(err);
    }
    if (!st)
        st = finish(&b, err);
    ken_map_release(&b.ids);
    ken_map_release(&b.parts);
    ken_map_release(&b.whole_ids);
    ken_map_release(&b.folder_ids);
    ken_vec_release(&b.texts);
    ken_vec_release(&b.whole_texts);
    ken_vec_release(&b.stems);
    ken_vec_release(&b.wholes);
    ken_vec_release(&b.folders);
    ken_vec_release(&b.file_tokens);
    ken_vec_release(&b.folder_tokens);
    ken_vec_release(&b.folder_list);
    if (st)
        ken_path_index_free(p);
    else
        *out = p;
    return st;
}

void ken_path_index_free(ken_path_index *p)
{
    if (!p)
        return;
    ken_arena_release(&p->arena);
    ken_free(p);
}

// ---- matching ----------------------------------------------------------------------------------

typedef struct matcher {
    const ken_path_index *p;
    const ken_lex_query *q;
    ken_path_match *m;
    float *best; // by token: how well any term fits it
} matcher;

// 1 when equal, less when one begins the other.
static float fuzzy(ken_str a, ken_str b)
{
    if (ken_str_eq(a, b))
        return 1;
    ken_str s = a.len < b.len ? a : b, l = a.len < b.len ? b : a;
    if (s.len < MIN_PREFIX || !ken_str_starts(l, s))
        return 0;
    return s.len > MIN_PREFIX ? 0.8F : 0.5F;
}

static uint32_t lower_bound(const path_token *tokens, uint32_t n, ken_str text)
{
    return (uint32_t)KEN_FIRST_STR(path_token, text, tokens, n, text);
}

typedef void found_fn(matcher *m, uint32_t term, uint32_t token, float fit);

// Calls back for every token of which `text` is the beginning, or that is the beginning of it.
static void find_tokens(matcher *m, const path_token *tokens, uint32_t n, ken_str text,
                        uint32_t term, found_fn *fn)
{
    uint32_t at = lower_bound(tokens, n, text);
    for (uint32_t i = at; i < n && ken_str_starts(tokens[i].text, text); i++) {
        float fit = fuzzy(text, tokens[i].text);
        if (fit > 0)
            fn(m, term, i, fit);
    }
    for (size_t len = MIN_PREFIX; len < text.len; len++) {
        ken_str head = ken_str_sub(text, 0, len);
        uint32_t i = lower_bound(tokens, n, head);
        if (i < n && ken_str_eq(tokens[i].text, head))
            fn(m, term, i, fuzzy(text, head));
    }
}

static float *array_of(ken_path_match *m, float **slot)
{
    if (!*slot && m->spare.len)
        *slot = m->spare.ptr[--m->spare.len];
    if (!*slot)
        *slot = ken_zalloc(ken_mul_size(m->n_files + 1, sizeof **slot));
    return *slot;
}

static void raise_to(matcher *m, float *array, uint32_t file, float value)
{
    if (array[file] < value)
        array[file] = value;
    if (!m->m->is_listed[file]) {
        m->m->is_listed[file] = 1;
        ken_vec_push(&m->m->files, file);
    }
}

static void found_token(matcher *m, uint32_t term, uint32_t token, float fit)
{
    const path_token *t = &m->p->tokens[token];
    if (t->n_files) {
        float *stem = array_of(m->m, &m->m->file_name[term]);
        for (uint32_t i = 0; i < t->n_files; i++)
            raise_to(m, stem, m->p->stem_files[t->first_file + i], fit);
    }
    for (uint32_t i = 0; i < t->n_folders; i++) {
        float *folder = array_of(m->m, &m->m->folder[term]);
        const path_folder *f = &m->p->folders[m->p->folder_lists[t->first_folder + i]];
        for (uint32_t j = 0; j < f->n_files; j++)
            raise_to(m, folder, m->p->folder_files[f->first_file + j], fit);
    }
    if (m->best[token] <= 0)
        ken_vec_push(&m->m->met, token);
    if (m->best[token] < fit)
        m->best[token] = fit;
}

static void found_whole(matcher *m, uint32_t term, uint32_t token, float fit)
{
    const path_token *t = &m->p->wholes[token];
    if (m->q->terms[term].is_whole && fit < 1)
        return;
    float *stem = array_of(m->m, &m->m->file_name[term]);
    for (uint32_t i = 0; i < t->n_files; i++)
        raise_to(m, stem, m->p->whole_files[t->first_file + i], fit);
}

static void match_terms(matcher *m)
{
    for (uint32_t t = 0; t < m->q->n_terms; t++) {
        const ken_query_term *term = &m->q->terms[t];
        ken_str text = ken_str_n(term->text, term->len);
        if (!term->is_whole)
            find_tokens(m, m->p->tokens, m->p->n_tokens, text, t, found_token);
        if (term->is_whole || text.len > 3)
            find_tokens(m, m->p->wholes, m->p->n_wholes, text, t, found_whole);
    }
}

// Share of each file name that the question explains; rare tokens count more.
static void name_precision(matcher *m)
{
    const ken_path_index *p = m->p;
    for (size_t k = 0; k < m->m->met.len; k++) {
        const path_token *t = &p->tokens[m->m->met.ptr[k]];
        for (uint32_t i = 0; i < t->n_files; i++) {
            uint32_t file = p->stem_files[t->first_file + i];
            const path_file *f = &p->files[file];
            float sum = 0, all = 0;
            for (uint32_t j = 0; j < f->n_tokens; j++) {
                uint32_t token = p->file_tokens[f->first_token + j];
                sum += p->rarity[token] * m->best[token];
                all += p->rarity[token];
            }
            if (all > 0)
                raise_to(m, m->m->name_precision, file, sum / all);
        }
    }
    for (uint32_t s = 0; s < m->q->n_file_names; s++) {
        ken_str stem = ken_str_c(m->q->file_names[s]);
        uint32_t w = lower_bound(p->wholes, p->n_wholes, stem);
        if (w == p->n_wholes || !ken_str_eq(p->wholes[w].text, stem))
            continue;
        for (uint32_t i = 0; i < p->wholes[w].n_files; i++)
            raise_to(m, m->m->name_precision, p->whole_files[p->wholes[w].first_file + i], 1);
    }
}

static void folder_fit(matcher *m)
{
    const ken_path_index *p = m->p;
    for (size_t k = 0; k < m->m->met.len; k++) {
        const path_token *t = &p->tokens[m->m->met.ptr[k]];
        for (uint32_t i = 0; i < t->n_folders; i++) {
            const path_folder *f = &p->folders[p->folder_lists[t->first_folder + i]];
            float sum = 0;
            for (uint32_t j = 0; j < f->n_tokens; j++)
                sum += m->best[p->folder_tokens[f->first_token + j]];
            for (uint32_t j = 0; j < f->n_files && f->n_tokens; j++)
                raise_to(m, m->m->folder_fit, p->folder_files[f->first_file + j],
                         sum / (float)f->n_tokens);
        }
    }
}

void ken_path_match_release(ken_path_match *m)
{
    for (int t = 0; t < KEN_QUERY_TERMS; t++) {
        ken_free(m->file_name[t]);
        ken_free(m->folder[t]);
    }
    for (size_t i = 0; i < m->spare.len; i++)
        ken_free(m->spare.ptr[i]);
    ken_vec_release(&m->spare);
    ken_free(m->pool);
    ken_free(m->is_listed);
    ken_free(m->best);
    ken_vec_release(&m->files);
    ken_vec_release(&m->met);
    *m = (ken_path_match){ 0 };
}

// Zeroes what the last question touched, and only that.
static void put_back(ken_path_match *m, float **slot)
{
    if (!*slot)
        return;
    for (size_t i = 0; i < m->files.len; i++)
        (*slot)[m->files.ptr[i]] = 0;
    ken_vec_push(&m->spare, *slot);
    *slot = NULL;
}

static void prepare(const ken_path_index *p, ken_path_match *m)
{
    size_t n = p->n_files + 1;
    if (m->n_files != p->n_files || m->n_tokens != p->n_tokens || !m->pool) {
        ken_path_match_release(m);
        m->n_files = p->n_files;
        m->n_tokens = p->n_tokens;
        m->pool = ken_zalloc(ken_mul_size(3 * n, sizeof *m->pool));
        m->is_listed = ken_zalloc(n);
        m->best = ken_zalloc(ken_mul_size(p->n_tokens + 1, sizeof *m->best));
        m->name_precision = m->pool;
        m->name_fit = m->pool + n;
        m->folder_fit = m->pool + 2 * n;
        return;
    }
    for (int t = 0; t < KEN_QUERY_TERMS; t++) {
        put_back(m, &m->file_name[t]);
        put_back(m, &m->folder[t]);
    }
    for (size_t i = 0; i < m->files.len; i++) {
        uint32_t file = m->files.ptr[i];
        m->name_precision[file] = m->name_fit[file] = m->folder_fit[file] = 0;
        m->is_listed[file] = 0;
    }
    for (size_t i = 0; i < m->met.len; i++)
        m->best[m->met.ptr[i]] = 0;
    ken_vec_clear(&m->files);
    ken_vec_clear(&m->met);
}

void ken_path_index_match(const ken_path_index *p, const ken_lex_query *q, ken_path_match *out)
{
    prepare(p, out);
    matcher m = { .p = p, .q = q, .m = out, .best = out->best };
    match_terms(&m);
    name_precision(&m);
    folder_fit(&m);
}

void ken_path_match_weigh(ken_path_match *m, const ken_lex_query *q, const double *weights)
{
    double all = 0, share[KEN_QUERY_TERMS];
    for (uint32_t t = 0; t < q->n_terms; t++) {
        share[t] = weights[t] * pow(0.7, q->terms[t].position);
        all += share[t];
    }
    for (size_t i = 0; i < m->files.len && all > 0; i++) {
        uint32_t file = m->files.ptr[i];
        double sum = 0;
        for (uint32_t t = 0; t < q->n_terms; t++)
            if (m->file_name[t])
                sum += share[t] * (double)m->file_name[t][file];
        m->name_fit[file] = (float)sqrt((double)m->name_precision[file] * sum / all);
    }
}
