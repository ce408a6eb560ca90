// SPDX-License-Identifier: MIT
// Files as they are now. Before anything is quoted the file's size, times and inode are compared
// with the index, then its hash. A changed file is extracted again here, within the question, so
// that lines always come from what is on disk.
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/utf8.h"
#include "query/query_folder.h"
#include "query/query_priv.h"
#include "scan/scan.h"
#include "secret/secret.h"

enum {
    MAX_FILE_BYTES = 10 << 20,
    MAX_NEAR_PATHS = 5
};

static ken_status gone(ken_str path, const char *why, ken_err *err)
{
    return KEN_FAIL(err, KEN_ENOTFOUND, "'" KEN_STR_FMT "' %s", KEN_STR_ARG(path), why);
}

static bool is_gone(ken_status st)
{
    return st == KEN_ENOTFOUND || st == KEN_EINVAL || st == KEN_ELIMIT;
}

// A file of a commit, or of the database, is read when its text is needed.
static ken_status find_kept(ken_snapshot *s, ken_str path, ken_fs_stamp *out, ken_err *err)
{
    ken_fs_info info;
    ken_status st = ken_query__stat_file(s, path, &info, err);
    if (!st && info.kind != KEN_FS_FILE)
        st = KEN_FAIL(err, KEN_EINVAL, "'" KEN_STR_FMT "' is no plain file", KEN_STR_ARG(path));
    if (!st)
        *out = info.stamp;
    return st;
}

// Opens the file as it is now; what refuses is kept for the answer.
static ken_status open_text(ken_snapshot *s, ken_str path, query_text *out, ken_fs_stamp *out_stamp,
                            ken_err *err)
{
    ken_err e = { 0 };
    ken_str below = path;
    if (!ken_query__has_files(s, path))
        return gone(path, "is not on disk any more", err);
    int root_fd = s->revision ? -1 : ken_roots_at(&s->roots, &below);
    ken_status st = root_fd < 0 ? find_kept(s, path, out_stamp, &e)
                                : ken_fs_open_under(root_fd, below, &out->fd, out_stamp, &e);
    if (!st)
        return KEN_OK;
    ken_query__set_unread(s, path, &e);
    if (is_gone(st))
        return gone(path, s->revision ? "is not in that commit" : "is not on disk any more", err);
    if (err)
        *err = e;
    return st;
}

static ken_str mutable_masked(ken_str text)
{
    ken_secret_mask((char *)(uintptr_t)text.ptr, text.len); // it is in the arena, ours
    return text;
}

// Reads all of the file, once.
static bool read_raw(query_text *t)
{
    ken_buf buf = KEN_BUF_INIT(MAX_FILE_BYTES + 1);
    ken_err e = { 0 };
    ken_status st = t->fd < 0 ? ken_query__read_file(t->snapshot, t->path, MAX_FILE_BYTES, &buf, &e)
                              : ken_fs_read_fd(t->fd, MAX_FILE_BYTES, &buf, &e);
    if (!st)
        t->text = ken_arena_dup(t->arena, ken_buf_str(&buf));
    else
        ken_query__set_unread(t->snapshot, t->path, &e);
    ken_buf_release(&buf);
    ken_query__close_text(t);
    return !st;
}

static query_cache_slot *slot_of(ken_snapshot *s, int64_t content, bool is_large)
{
    size_t place = (uint64_t)content % (is_large ? QUERY_CACHE_LARGE_SLOTS : QUERY_CACHE_SLOTS);
    return &s->cache.slots[place + (is_large ? QUERY_CACHE_SLOTS : 0)];
}

// NULL when it is not held.
static const query_cache_slot *held_slot(ken_snapshot *s, int64_t content)
{
    for (int is_large = 0; is_large < 2; is_large++) {
        const query_cache_slot *known = slot_of(s, content, is_large);
        if (known->content == content)
            return known;
    }
    return NULL;
}

void ken_query__expect_files(ken_snapshot *s, const uint32_t *files, size_t n)
{
    KEN_VEC(int64_t) contents = { 0 };
    if (!n || !ken_store_is_remote(s->store))
        return;
    bool is_stored = ken_query__is_stored(s, s->rows[files[0]].path);
    for (size_t i = 0; i < n; i++) {
        int64_t content = s->rows[files[i]].content;
        if (is_stored || !held_slot(s, content))
            ken_vec_push(&contents, content);
    }
    (void)!ken_store_expect_contents(s->store, contents.ptr, contents.len,
                                     is_stored ? KEN_EXPECT_TEXT : 0, NULL);
    ken_vec_release(&contents);
}

static ken_status load_facts(ken_snapshot *s, int64_t content, ken_arena *arena, ken_facts *out,
                             ken_err *err)
{
    const query_cache_slot *known = held_slot(s, content);
    if (known) {
        *out = known->facts;
        return KEN_OK;
    }
    query_cache_slot new = { .content = content };
    ken_arena_init(&new.arena, 4096);
    ken_status st = ken_store_load_facts(s->store, content, &new.arena, &new.facts, err);
    bool is_kept = new.arena.used_bytes <= QUERY_CACHE_LARGE_MAX;
    if (st || !is_kept)
        ken_arena_release(&new.arena);
    if (st)
        return st;
    if (!is_kept)
        return ken_store_load_facts(s->store, content, arena, out, err);
    query_cache_slot *slot = slot_of(s, content, new.arena.used_bytes > QUERY_CACHE_ENTRY_MAX);
    ken_arena_release(&slot->arena);
    *slot = new;
    *out = new.facts;
    return KEN_OK;
}

ken_status ken_query__stored_facts(ken_snapshot *s, uint32_t file, ken_arena *arena, ken_facts *out,
                                   ken_err *err)
{
    return load_facts(s, s->rows[file].content, arena, out, err);
}

// The content of the index that has these bytes; 0 when there is none.
static int64_t known_content(ken_snapshot *s, ken_str raw, ken_lang_id lang, ken_arena *arena)
{
    ken_str text = { NULL, 0 };
    uint64_t feature = 0;
    if (!s->feature &&
        !ken_store_load_value(s->store, KEN_STR("index.feature"), arena, &text, NULL) &&
        ken_str_parse_u64(text, &feature))
        s->feature = (uint32_t)feature;
    ken_content_key key = { .sha = ken_sha256_of(raw.ptr, raw.len),
                            .lang = (uint16_t)lang,
                            .feature = s->feature };
    ken_content_info info;
    return s->feature && !ken_store_find_content(s->store, &key, &info, NULL) ? info.id : 0;
}

// A learner that cuts as the index was cut.
static ken_learner *learner_of(ken_snapshot *s, ken_arena *arena)
{
    ken_str text = { NULL, 0 };
    if (!s->learner)
        s->learner = ken_learner_new();
    if (ken_store_load_value(s->store, KEN_STR(KEN_INDEX_CHUNKS), arena, &text, NULL))
        text = KEN_STR("");
    const ken_chunk_opts sizes = ken_chunk_opts_parse(text);
    ken_learner_set_chunks(s->learner, &sizes);
    return s->learner;
}

// The facts of a file whose stamp has changed: those of the index when it has the same bytes.
// `content`: of the file in the index, 0 = not indexed.
static ken_status learn_again(ken_snapshot *s, ken_str path, int64_t content, query_text *t,
                              ken_err *err)
{
    if (!read_raw(t))
        return gone(path, "cannot be read any more", err);
    bool is_generated;
    if (ken_scan_admit_content(path, ken_lang_is_code_path(path), t->text, &is_generated))
        return gone(path, "is not text any more", err);
    ken_lang_id lang = ken_lang_of(path, t->text);
    int64_t known = known_content(s, t->text, lang, t->arena);
    t->text = mutable_masked(t->text);
    t->is_refreshed = !known || known != content;
    if (known && !ken_store_load_facts(s->store, known, t->arena, &t->facts, NULL))
        return KEN_OK;
    ken_learn(learner_of(s, t->arena), lang, t->text, NULL, t->arena, &t->facts, NULL);
    t->facts.is_generated = is_generated;
    return ken_quota_check(err); // a parse that was stopped leaves lines
}

ken_status ken_query__load_text(ken_snapshot *s, uint32_t file, ken_arena *arena, query_text *out,
                                ken_err *err)
{
    query_check_pin(s);
    const ken_file_row *row = &s->rows[file];
    ken_fs_stamp stamp;
    *out = (query_text){ .fd = -1, .arena = arena, .snapshot = s, .path = row->path };
    ken_status st = open_text(s, row->path, out, &stamp, err);
    if (st)
        return st;
    st = KEN_ENOTFOUND;
    if (ken_fs_stamp_eq(stamp, row->stamp)) {
        ken_err e = { 0 };
        st = load_facts(s, row->content, arena, &out->facts, &e);
        if (st)
            ken_query__set_unread(s, row->path, &e);
        if (st && err)
            *err = e;
    }
    if (!st && out->facts.is_masked && !ken_query__need_text(out))
        st = gone(row->path, "cannot be read any more", err);
    else if (st == KEN_ENOTFOUND)
        st = learn_again(s, row->path, row->content, out, err);
    if (st)
        ken_query__close_text(out);
    return st;
}

void ken_query__close_text(query_text *t)
{
    ken_fs_close(t->fd);
    t->fd = -1;
}

bool ken_query__need_text(query_text *t)
{
    if (t->text.ptr)
        return true;
    if (!read_raw(t))
        return false;
    t->text = mutable_masked(t->text);
    return true;
}

// [from, to) of the file, fewer bytes when it ends before.
static ken_str read_range(query_text *t, size_t from, size_t to)
{
    if (!t->text.ptr && t->fd < 0)
        (void)ken_query__need_text(t); // git and a database give a file as a whole
    if (t->text.ptr)
        return ken_str_sub(t->text, from, to);
    if (from >= to || t->fd < 0)
        return KEN_STR("");
    char *p = ken_arena_alloc(t->arena, to - from + 1);
    errno = 0;
    size_t n = ken_fs_read_at(t->fd, from, p, to - from);
    if (n < to - from && errno) { // not just the end of the file
        ken_err e = { 0 };
        (void)KEN_FAIL_ERRNO(&e, errno, "reading a file to quote");
        ken_query__set_unread(t->snapshot, t->path, &e);
    }
    p[n] = '\0';
    return ken_str_n(p, n);
}

ken_str ken_query__slice(query_text *t, ken_span span)
{
    return ken_query__repaired(t->arena, read_range(t, span.start, span.end));
}

enum {
    LINE_GUESS = 120
}; // bytes a line, to begin with

ken_str ken_query__lines_before(query_text *t, uint32_t byte, uint32_t n)
{
    for (size_t want = (size_t)n * LINE_GUESS;; want *= 4) {
        size_t from = byte > want ? byte - want : 0, at;
        ken_str s = read_range(t, from, byte);
        uint32_t seen = 0;
        for (at = s.len; at; at--) { // the line break that ends the last line is not counted
            if (at < s.len && s.ptr[at - 1] == '\n' && ++seen == n)
                break;
        }
        if (seen == n || from == 0)
            return ken_query__repaired(t->arena, ken_str_sub(s, at, s.len));
    }
}

ken_str ken_query__lines_after(query_text *t, uint32_t byte, uint32_t n)
{
    for (size_t want = (size_t)n * LINE_GUESS;; want *= 4) {
        ken_str s = read_range(t, byte, byte + want);
        uint32_t seen = 0;
        for (size_t at = 0; at < s.len; at++)
            if (s.ptr[at] == '\n' && ++seen == n)
                return ken_query__repaired(t->arena, ken_str_sub(s, 0, at + 1));
        if (s.len < want)
            return ken_query__repaired(t->arena, s);
    }
}

ken_str ken_query__signature(query_text *t, uint32_t symbol)
{
    ken_str s = ken_query__slice(t, t->facts.symbols[symbol].signature);
    return ken_view_line(t->arena, s, (ken_span){ 0, (uint32_t)s.len });
}

ken_str ken_query__repaired(ken_arena *arena, ken_str text)
{
    if (ken_utf8_is_valid(text))
        return text;
    ken_buf b = KEN_BUF_INIT(text.len * 3 + 1);
    ken_utf8_repair(&b, text);
    ken_str out = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return out;
}

ken_str ken_view_line(ken_arena *arena, ken_str text, ken_span span)
{
    ken_str s = ken_str_trim(ken_str_sub(text, span.start, span.end));
    char *out = ken_arena_alloc(arena, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        bool is_space = ken_is_space(s.ptr[i]);
        if (is_space && n && out[n - 1] == ' ')
            continue;
        out[n++] = is_space ? ' ' : s.ptr[i];
    }
    out[n] = '\0';
    return ken_query__repaired(arena, ken_str_n(out, n));
}

ken_str ken_view_qualified(ken_arena *arena, const ken_facts *facts, uint32_t symbol)
{
    ken_str name = facts->symbols[symbol].name, last = name;
    int guard = 0;
    for (int32_t p = facts->symbols[symbol].parent; p >= 0 && guard++ < 8;
         p = facts->symbols[p].parent) {
        ken_str outer = facts->symbols[p].name;
        if (ken_str_eq(outer, last))
            continue; // `typedef struct x { … } x` is one thing
        last = outer;
        name = ken_arena_printf(arena, KEN_STR_FMT "." KEN_STR_FMT, KEN_STR_ARG(outer),
                                KEN_STR_ARG(name));
    }
    ken_str clean = ken_query__repaired(arena, name);
    return clean.ptr == facts->symbols[symbol].name.ptr ? ken_arena_dup(arena, clean) : clean;
}

// ---- one file ----------------------------------------------------------------------------------

// A file that the generation lacks because the run has not come to it.
static bool is_unread(const ken_snapshot *s, ken_str path, ken_arena *arena)
{
    int fd = -1;
    ken_fs_stamp stamp;
    ken_str relative = ken_query__relative_path(s, path, arena);
    if (!s->partial.is_partial || !relative.ptr ||
        ken_fs_open_under(ken_roots_at(&s->roots, &relative), relative, &fd, &stamp, NULL))
        return false;
    ken_fs_close(fd);
    return true;
}

ken_status ken_query__fail_unknown(const ken_snapshot *s, ken_str path, ken_arena *arena,
                                   ken_err *err)
{
    if (is_unread(s, path, arena))
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "'" KEN_STR_FMT "' was not looked at yet; ask again when it was",
                        KEN_STR_ARG(path));
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "'" KEN_STR_FMT "' is not in the index; paths are relative to the root of the "
                    "project",
                    KEN_STR_ARG(path));
}

static ken_status unknown_path(const ken_snapshot *s, ken_str path, ken_arena *arena, ken_err *err)
{
    ken_str base = ken_path_base(path), near = { "", 0 };
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_files && n < MAX_NEAR_PATHS; i++) {
        if (!ken_str_eq_fold(ken_path_base(s->rows[i].path), base))
            continue;
        near = ken_arena_printf(arena, KEN_STR_FMT "%s'" KEN_STR_FMT "'", KEN_STR_ARG(near),
                                n++ ? ", " : "", KEN_STR_ARG(s->rows[i].path));
    }
    if (n)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "'" KEN_STR_FMT "' is not in the index; did you mean " KEN_STR_FMT "?",
                        KEN_STR_ARG(path), KEN_STR_ARG(near));
    return ken_query__fail_unknown(s, path, arena, err);
}

// Extracts a file that is not indexed yet, unless it would be skipped.
static ken_status load_new_file(ken_snapshot *s, ken_str path, ken_arena *arena, query_text *out,
                                ken_err *err)
{
    *out = (query_text){ .fd = -1, .arena = arena, .snapshot = s, .path = path };
    ken_skip_reason reason =
        ken_scan_classify_path(path, ken_lang_is_code_path(path), &(ken_scan_opts){ 0 });
    ken_fs_stamp stamp;
    ken_status st = open_text(s, path, out, &stamp, err);
    if (st == KEN_ENOTFOUND)
        return unknown_path(s, path, arena, err);
    if (st)
        return st;
    st = reason ? KEN_FAIL(err, KEN_EPERM, "'" KEN_STR_FMT "' is left out: %s", KEN_STR_ARG(path),
                           ken_skip_text(reason))
                : learn_again(s, path, 0, out, err);
    if (st)
        ken_query__close_text(out);
    return st;
}

// The file of that path, indexed or not yet; *out_file is -1 then.
static ken_status open_path(ken_snapshot *s, ken_str path, ken_arena *arena, query_text *out,
                            int64_t *out_file, ken_err *err)
{
    query_check_pin(s);
    if (!path.len || path.len > 4096 || memchr(path.ptr, '\0', path.len))
        return KEN_FAIL(err, KEN_EINVAL, "file_path: expected a path of 1 to 4096 bytes");
    ken_str relative = ken_query__relative_path(s, path, arena);
    if (!relative.ptr)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "file_path: path traversal detected: '" KEN_STR_FMT
                        "' is outside of the project, whose root is '" KEN_STR_FMT "'",
                        KEN_STR_ARG(path), KEN_STR_ARG(s->info.root));
    int64_t file = ken_query__file_index(s, relative);
    ken_status st = file < 0 ? load_new_file(s, relative, arena, out, err)
                             : ken_query__load_text(s, (uint32_t)file, arena, out, err);
    if (st)
        return st;
    out->path = relative;
    *out_file = file;
    return KEN_OK;
}

ken_status ken_view_file(ken_snapshot *s, ken_str path, ken_arena *arena, ken_file_view *out,
                         ken_err *err)
{
    query_text t = { .fd = -1 };
    int64_t file = -1;
    ken_status st = open_path(s, path, arena, &t, &file, err);
    if (!st && !ken_query__need_text(&t)) {
        ken_query__close_text(&t);
        st = gone(t.path, "cannot be read any more", err);
    }
    if (!st && !t.is_refreshed) // the caller's own: those at hand are the snapshot's
        st = ken_store_load_facts(s->store, s->rows[file].content, arena, &t.facts, err);
    if (st)
        return st;
    *out = (ken_file_view){
        .path = t.path,
        .language = ken_str_c(ken_lang_name((ken_lang_id)t.facts.lang)),
        .text = t.text,
        .facts = KEN_ARENA_NEW(arena, ken_facts),
        .chunk_ids = KEN_ARENA_ARRAY(arena, ken_uuid, t.facts.n_chunks + 1),
        .is_refreshed = t.is_refreshed,
    };
    *out->facts = t.facts;
    for (uint32_t i = 0; i < t.facts.n_chunks; i++)
        out->chunk_ids[i] = ken_uuid_of_chunk(out->path, i);
    return KEN_OK;
}

// ---- lines ------------------------------------------------------------------------------------

typedef struct line_reader {
    uint32_t line, first, last; // the one that is read, from 1; what is wanted
    size_t max_bytes;
    ken_buf text;
    bool is_cut, is_line_cut, is_done;
    uint32_t n_whole; // lines in `text`
    size_t n_kept;    // bytes of these
} line_reader;

static void end_line(line_reader *r)
{
    if (r->line >= r->first) {
        r->n_whole++;
        r->n_kept = r->text.len;
    }
    r->line++;
    r->is_done = r->line > r->last;
}

enum {
    LINES_BLOCK = 256 << 10,
    LINES_SPARE = 4, // so that it is seen where a character ends
};

// A line that has no room ends the reading: it is left out, unless it is the first one.
static void add_piece(line_reader *r, ken_str piece)
{
    if (r->line < r->first)
        return;
    size_t room = r->max_bytes - r->text.len;
    ken_buf_put_str(&r->text, ken_str_sub(piece, 0, room + LINES_SPARE));
    if (piece.len <= room)
        return;
    r->is_cut = r->is_done = true;
    r->is_line_cut = !r->n_whole;
    if (r->is_line_cut) {
        ken_str whole = ken_utf8_clip(ken_buf_str(&r->text), r->max_bytes);
        r->n_kept = whole.len;
        r->n_whole = 1;
    }
}

static void take_block(line_reader *r, ken_str block)
{
    while (block.len && !r->is_done) {
        size_t end = ken_str_find_char(block, '\n');
        bool is_end = end != SIZE_MAX;
        size_t n = is_end ? end + 1 : block.len;
        add_piece(r, ken_str_sub(block, 0, n));
        if (is_end && !r->is_done)
            end_line(r);
        block = ken_str_sub(block, n, block.len);
    }
}

// Block by block, so that what lies behind the wanted lines is not read.
static ken_status read_blocks(query_text *t, line_reader *r, ken_err *err)
{
    char *block = ken_arena_alloc(t->arena, LINES_BLOCK);
    for (uint64_t at = 0; !r->is_done;) {
        errno = 0;
        size_t n = ken_fs_read_at(t->fd, at, block, LINES_BLOCK);
        take_block(r, ken_str_n(block, n));
        at += n;
        if (n == LINES_BLOCK)
            continue;
        if (errno)
            return KEN_FAIL_ERRNO(err, errno, "reading '" KEN_STR_FMT "'", KEN_STR_ARG(t->path));
        break;
    }
    return KEN_OK;
}

static ken_status read_lines(query_text *t, line_reader *r, ken_err *err)
{
    ken_status st = KEN_OK;
    if (t->text.ptr || t->fd < 0) {
        if (!ken_query__need_text(t))
            return gone(t->path, "cannot be read any more", err);
        take_block(r, t->text);
    } else {
        st = read_blocks(t, r, err);
    }
    if (!st && !r->is_done && r->text.len > r->n_kept) // without a break at its end
        end_line(r);
    return st;
}

ken_status ken_read_lines(ken_snapshot *s, const ken_lines_opts *o, ken_arena *arena,
                          ken_lines *out, ken_err *err)
{
    query_text t = { .fd = -1 };
    int64_t file = -1;
    ken_status st = open_path(s, o->path, arena, &t, &file, err);
    if (st)
        return st;
    line_reader r = { .line = 1,
                      .first = o->first ? o->first : 1,
                      .last = o->last ? o->last : UINT32_MAX,
                      .max_bytes = o->max_bytes,
                      .text = KEN_BUF_INIT(o->max_bytes + LINES_SPARE) };
    if (r.first > t.facts.n_lines && t.facts.n_lines)
        st = KEN_FAIL(err, KEN_EINVAL, "line_start: %u is behind the last line, %u", r.first,
                      t.facts.n_lines);
    if (!st)
        st = read_lines(&t, &r, err);
    if (!st) {
        *out = (ken_lines){
            .path = t.path,
            .language = ken_str_c(ken_lang_name((ken_lang_id)t.facts.lang)),
            .first = r.first,
            .last = r.first + r.n_whole - 1,
            .n_lines = t.facts.n_lines,
            .text = ken_query__repaired(
                arena, ken_arena_dup(arena, ken_str_sub(ken_buf_str(&r.text), 0, r.n_kept))),
            .is_cut = r.is_cut,
            .is_line_cut = r.is_line_cut,
            .is_refreshed = t.is_refreshed,
            .is_masked = t.facts.is_masked,
            .n_error_bytes = t.facts.n_error_bytes,
        };
    }
    ken_buf_release(&r.text);
    ken_query__close_text(&t);
    return st;
}

ken_status ken_view_package(ken_snapshot *s, const ken_file_view *view, ken_arena *arena,
                            ken_str *out, ken_err *err)
{
    ken_refs refs = { 0 };
    ken_facts facts;
    ken_status st = KEN_OK;
    int64_t file = ken_query__file_index(s, view->path);
    query_check_pin(s);
    if (file >= 0 && !view->is_refreshed) {
        st = ken_store_load_refs(s->store, s->rows[file].content, view->facts, arena, &refs, err);
    } else {
        ken_learn(learner_of(s, arena), (ken_lang_id)view->facts->lang, view->text, NULL, arena,
                  &facts, &refs);
        st = ken_quota_check(err);
    }
    if (!st)
        *out = ken_arena_dup(arena, refs.package);
    return st;
}

// Ids are derived from path and index, so they are not stored: all of them are worked out until one
// fits, at about a microsecond each.
ken_status ken_find_chunk(ken_snapshot *s, ken_uuid id, ken_arena *arena, ken_str *out_path,
                          uint32_t *out_index, ken_err *err)
{
    query_check_pin(s);
    (void)arena;
    for (uint32_t i = 0; i < s->n_files; i++) {
        // A file that changed since may have a few chunks more.
        uint32_t n = s->contents[i].n_chunks + 8;
        for (uint32_t c = 0; c < n; c++) {
            if (!ken_uuid_eq(ken_uuid_of_chunk(s->rows[i].path, c), id))
                continue;
            *out_path = s->rows[i].path;
            *out_index = c;
            return KEN_OK;
        }
    }
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    return KEN_FAIL(err, KEN_ENOTFOUND, "no chunk has the id %s; search again for a current one",
                    text);
}
