// SPDX-License-Identifier: MIT
// Files as a commit has them. The first run of git prints their ids and sizes, the second
// the contents one behind the other, which are separated by their sizes.
#include "history/history_priv.h"
#include "secret/secret.h"

enum {
    SHOW_MS = 30000,
    BATCH_FILES = 200, // of one run
    BATCH_BYTES = 8 << 20,
    LINE_BYTES = HISTORY_MAX_PATH * 4 + 200 // of what git prints of one path
};

static const char *const text_words[] = {
#define X(name, word) [KEN_HISTORY_TEXT_##name] = (word),
    KEN_HISTORY_TEXT_TABLE(X)
#undef X
};

const char *ken_history_text_word(ken_history_text_state s)
{
    return s <= KEN_HISTORY_TEXT_LEFT ? text_words[s] : text_words[KEN_HISTORY_TEXT_OTHER];
}

typedef struct show_job {
    const char *root, *id;
    const ken_cancel *cancel;
    ken_arena *arena;
    const ken_str *paths;
    ken_history_text *texts;
    const char **ids; // by path: of its content; NULL = there is none to read
    uint64_t *sizes;
    ken_map by_path; // path -> its number
    ken_arena scratch;
} show_job;

static ken_status run(const show_job *j, const char *const *argv, size_t max_bytes,
                      ken_proc_result *out, ken_err *err)
{
    ken_proc_result r;
    ken_status st = ken_git_run(&(ken_proc_opts){ .argv = argv,
                                                  .cwd = j->root,
                                                  .timeout_ms = SHOW_MS,
                                                  .max_out_bytes = max_bytes,
                                                  .cancel = j->cancel },
                                &r, err);
    if (st)
        return st;
    if (!r.exit_code) {
        *out = r;
        return KEN_OK;
    }
    ken_str why = ken_history__words(j->arena, ken_proc_complaint(&r), 200);
    st = KEN_FAIL(err, KEN_EUNSUPPORTED, "git ended with %d: " KEN_STR_FMT, r.exit_code,
                  KEN_STR_ARG(why));
    ken_proc_result_release(&r);
    return st;
}

// ---- what there is -----------------------------------------------------------------------------

// "100644 blob <id>    1234\tpath"
static void take_entry(show_job *j, ken_str line)
{
    ken_str mode = ken_history__take(&line, ' '), type = ken_history__take(&line, ' '),
            id = ken_history__take(&line, ' '), size = ken_str_trim(ken_history__take(&line, '\t'));
    const uint64_t *at = ken_map_find(&j->by_path, line);
    if (!at)
        return;
    ken_history_text *t = &j->texts[*at];
    uint64_t n = 0;
    bool is_file = ken_str_starts(mode, KEN_STR("100")) && ken_str_eq(type, KEN_STR("blob")) &&
                   ken_is_object_id(id) && ken_str_parse_u64(size, &n);
    t->state = !is_file                     ? KEN_HISTORY_TEXT_OTHER
               : n > KEN_HISTORY_TEXT_BYTES ? KEN_HISTORY_TEXT_LARGE
                                            : KEN_HISTORY_TEXT_THERE;
    j->ids[*at] = is_file ? ken_arena_dup(&j->scratch, id).ptr : NULL;
    j->sizes[*at] = n;
}

static ken_status list(show_job *j, size_t from, size_t to, ken_err *err)
{
    const char **argv = KEN_ARENA_ARRAY(&j->scratch, const char *, to - from + 6);
    size_t n = 0;
    argv[n++] = "ls-tree";
    argv[n++] = "-l";
    argv[n++] = "-z";
    argv[n++] = j->id;
    argv[n++] = "--";
    for (size_t i = from; i < to; i++)
        argv[n++] = ken_arena_dup(&j->scratch, j->paths[i]).ptr;
    ken_proc_result r;
    ken_status st = run(j, argv, (to - from) * LINE_BYTES, &r, err);
    if (st)
        return st;
    ken_str rest = ken_buf_str(&r.out), line;
    while (ken_str_split_next(&rest, '\0', &line))
        if (line.len)
            take_entry(j, line);
    ken_proc_result_release(&r);
    return KEN_OK;
}

// ---- contents ----------------------------------------------------------------------------------

static bool is_wanted(const show_job *j, size_t i)
{
    return j->texts[i].state == KEN_HISTORY_TEXT_THERE && j->sizes[i];
}

// Contents of the files from `from` to `to`, which are `n_bytes` together.
static ken_status show(show_job *j, size_t from, size_t to, uint64_t n_bytes, ken_err *err)
{
    const char **argv = KEN_ARENA_ARRAY(&j->scratch, const char *, to - from + 2);
    size_t n = 0, at = 0;
    argv[n++] = "show";
    for (size_t i = from; i < to; i++)
        if (is_wanted(j, i))
            argv[n++] = j->ids[i];
    ken_proc_result r = { 0 };
    ken_status st = n > 1 ? run(j, argv, n_bytes + 1, &r, err) : KEN_OK;
    if (st || n == 1)
        return st;
    const size_t n_printed = r.out.len;
    if (n_printed != n_bytes || !r.out.ptr) {
        ken_proc_result_release(&r);
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "git printed %zu bytes of %llu", n_printed,
                        (unsigned long long)n_bytes);
    }
    for (size_t i = from; i < to; i++) {
        if (!is_wanted(j, i))
            continue;
        char *text = ken_arena_alloc(j->arena, j->sizes[i] + 1);
        memcpy(text, r.out.ptr + at, j->sizes[i]);
        text[j->sizes[i]] = '\0';
        ken_secret_mask(text, j->sizes[i]);
        j->texts[i].text = ken_str_n(text, j->sizes[i]);
        at += j->sizes[i];
    }
    ken_proc_result_release(&r);
    return KEN_OK;
}

static ken_status show_all(show_job *j, size_t n, ken_err *err)
{
    ken_status st = KEN_OK;
    uint64_t n_all = 0, n_batch = 0;
    size_t from = 0;
    for (size_t i = 0; i < n && !st; i++) {
        if (is_wanted(j, i) && n_all + j->sizes[i] > KEN_HISTORY_TEXTS_BYTES)
            j->texts[i].state = KEN_HISTORY_TEXT_LEFT;
        uint64_t size = is_wanted(j, i) ? j->sizes[i] : 0;
        if (i - from >= BATCH_FILES || n_batch + size > BATCH_BYTES) {
            st = show(j, from, i, n_batch, err);
            from = i;
            n_batch = 0;
        }
        n_all += size;
        n_batch += size;
    }
    return st ? st : show(j, from, n, n_batch, err);
}

ken_status ken_history_read_texts(const char *root, ken_str id, const ken_str *paths, size_t n,
                                  const ken_cancel *cancel, ken_arena *arena,
                                  ken_history_text **out, ken_err *err)
{
    if (!ken_is_object_id(id))
        return KEN_FAIL(err, KEN_EINVAL, "commit: expected an id of 40 or 64 digits, got %zu bytes",
                        id.len);
    show_job j = { .root = root, .cancel = cancel, .arena = arena, .paths = paths };
    size_t n_read = n < KEN_HISTORY_TEXTS_MAX ? n : KEN_HISTORY_TEXTS_MAX;
    ken_arena_init(&j.scratch, 0);
    ken_map_init(&j.by_path);
    j.id = ken_arena_dup(&j.scratch, id).ptr;
    j.ids = KEN_ARENA_ARRAY(&j.scratch, const char *, n + 1);
    j.sizes = KEN_ARENA_ARRAY(&j.scratch, uint64_t, n + 1);
    j.texts = KEN_ARENA_ARRAY(arena, ken_history_text, n + 1);
    for (size_t i = 0; i < n; i++) {
        j.texts[i] =
            (ken_history_text){ i < n_read ? KEN_HISTORY_TEXT_ABSENT : KEN_HISTORY_TEXT_LEFT,
                                KEN_STR("") };
        if (i < n_read)
            ken_map_put(&j.by_path, paths[i], i, NULL);
    }
    ken_status st = KEN_OK;
    for (size_t i = 0; i < n_read && !st; i += BATCH_FILES)
        st = list(&j, i, i + BATCH_FILES < n_read ? i + BATCH_FILES : n_read, err);
    if (!st)
        st = show_all(&j, n_read, err);
    if (!st)
        *out = j.texts;
    ken_map_release(&j.by_path);
    ken_arena_release(&j.scratch);
    return st;
}
