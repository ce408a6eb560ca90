// SPDX-License-Identifier: MIT
// Names, and the bytes of files: git is asked "<commit>:<path>" a line at a time.
#include "revision/revision.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "revision/revision_priv.h"

enum {
    SMALL_MS = 10000,
    LIST_MS = 120000,
    HEAD_BYTES = 8192,       // of an answer's first line: an id, a type, a size, or the question
    COMMIT_BYTES = 64 << 10, // of a commit, to find its time
};

ken_status ken_revision__run(const char *root, const char *const *argv, size_t max_bytes,
                             const ken_cancel *cancel, ken_proc_result *out, ken_err *err)
{
    static const char *const env[] = { "GIT_LITERAL_PATHSPECS=1", NULL };
    ken_err inner = { 0 };
    ken_status st = ken_git_run(&(ken_proc_opts){ .argv = argv,
                                                  .cwd = root,
                                                  .env = env,
                                                  .timeout_ms = max_bytes ? LIST_MS : SMALL_MS,
                                                  .max_out_bytes = max_bytes,
                                                  .cancel = cancel },
                                out, &inner);
    if (!st || st == KEN_ECANCELLED || st == KEN_ETIMEOUT || st == KEN_ELIMIT) {
        if (st && err)
            *err = inner;
        return st;
    }
    return KEN_FAIL(err, KEN_EUNSUPPORTED, "git cannot be run: %.300s", inner.msg);
}

// ---- names -------------------------------------------------------------------------------------

static ken_status check_name(ken_str name, ken_err *err)
{
    bool is_plain = name.len && name.len <= KEN_REVISION_NAME_MAX;
    for (size_t i = 0; i < name.len && is_plain; i++)
        is_plain = (unsigned char)name.ptr[i] >= ' ' && name.ptr[i] != 0x7f;
    if (!is_plain)
        return KEN_FAIL(err, KEN_EINVAL,
                        "at: expected a branch, a tag or a commit, as one line of 1 to %d bytes",
                        KEN_REVISION_NAME_MAX);
    if (name.ptr[0] == '-')
        return KEN_FAIL(err, KEN_EINVAL,
                        "at: '" KEN_STR_FMT "' begins with '-'; name it in full, as "
                        "refs/heads/" KEN_STR_FMT,
                        KEN_STR_ARG(name), KEN_STR_ARG(name));
    return KEN_OK;
}

static ken_status judge(const ken_proc_result *r, ken_str name, const char *root, ken_str *out,
                        ken_err *err)
{
    ken_str errors = ken_buf_str(&r->errors), id = ken_str_trim(ken_buf_str(&r->out));
    if (ken_str_find(errors, KEN_STR("is ambiguous")) != SIZE_MAX)
        return KEN_FAIL(err, KEN_EINVAL,
                        "at: '" KEN_STR_FMT "' names more than one commit; name one in full, as "
                        "refs/heads/" KEN_STR_FMT " or refs/tags/" KEN_STR_FMT
                        ", or give more digits of its id",
                        KEN_STR_ARG(name), KEN_STR_ARG(name), KEN_STR_ARG(name));
    if (!r->exit_code && ken_is_object_id(id)) {
        *out = id;
        return KEN_OK;
    }
    if (ken_str_find(errors, KEN_STR("not a git repository")) != SIZE_MAX)
        return KEN_FAIL(err, KEN_EUNSUPPORTED,
                        "at: '%s' is in no git repository, so there are no other revisions", root);
    ken_str why = ken_proc_complaint(r);
    if (ken_str_find(errors, KEN_STR("Needed a single revision")) == SIZE_MAX &&
        ken_str_find(errors, KEN_STR("expected commit type")) == SIZE_MAX && why.len)
        return KEN_FAIL(err, KEN_EINVAL, "at: '" KEN_STR_FMT "' names no commit: %.*s",
                        KEN_STR_ARG(name), (int)(why.len < 200 ? why.len : 200), why.ptr);
    return KEN_FAIL(err, KEN_EINVAL,
                    "at: '" KEN_STR_FMT "' names no commit of this repository; 'git branch -a' and "
                    "'git tag' list the names there are",
                    KEN_STR_ARG(name));
}

ken_status ken_revision_resolve(const char *root, ken_str name, const ken_cancel *cancel,
                                ken_arena *arena, ken_str *out, ken_err *err)
{
    static const char *const env[] = { "GIT_CONFIG_COUNT=1",
                                       "GIT_CONFIG_KEY_0=core.warnAmbiguousRefs",
                                       "GIT_CONFIG_VALUE_0=true", NULL };
    ken_status st = check_name(name, err);
    if (st)
        return st;
    const char *argv[] = { "rev-parse", "--verify", "--end-of-options",
                           ken_arena_printf(arena, KEN_STR_FMT "^{commit}", KEN_STR_ARG(name)).ptr,
                           NULL };
    ken_proc_result r;
    ken_err inner = { 0 };
    st = ken_git_run(
        &(ken_proc_opts){
            .argv = argv, .cwd = root, .env = env, .timeout_ms = SMALL_MS, .cancel = cancel },
        &r, &inner);
    if (st == KEN_ECANCELLED || st == KEN_ETIMEOUT)
        return KEN_FAIL(err, st, "%s", inner.msg);
    if (st)
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "at: git cannot be run: %.300s", inner.msg);
    st = judge(&r, name, root, out, err);
    if (!st)
        *out = ken_arena_dup(arena, *out);
    ken_proc_result_release(&r);
    return st;
}

// ---- one commit --------------------------------------------------------------------------------

ken_revision *ken_revision_new(const char *root, ken_str id)
{
    ken_revision *r = ken_zalloc(sizeof *r);
    ken_arena_init(&r->arena, 1024);
    r->root = ken_arena_dup(&r->arena, ken_str_c(root)).ptr;
    r->id = ken_arena_dup(&r->arena, id);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void ken_revision_free(ken_revision *r)
{
    if (!r)
        return;
    ken_proc_talk_close(r->git);
    pthread_mutex_destroy(&r->lock);
    ken_arena_release(&r->arena);
    ken_free(r);
}

ken_str ken_revision_id(const ken_revision *r)
{
    return r->id;
}

// ---- bytes -------------------------------------------------------------------------------------

static ken_status find_prefix(ken_revision *r, const ken_cancel *cancel, ken_err *err)
{
    static const char *const argv[] = { "rev-parse", "--show-prefix", NULL };
    ken_proc_result out;
    ken_status st = ken_revision__run(r->root, argv, 0, cancel, &out, err);
    if (st)
        return st;
    ken_str line, rest = ken_buf_str(&out.out);
    if (out.exit_code)
        st = KEN_FAIL(err, KEN_EUNSUPPORTED, "git ended with %d in '%s'", out.exit_code, r->root);
    else
        r->prefix = ken_str_line_next(&rest, &line) ? ken_arena_dup(&r->arena, line) : KEN_STR("");
    r->has_prefix = !st;
    ken_proc_result_release(&out);
    return st;
}

// With the lock.
static ken_status start(ken_revision *r, const ken_cancel *cancel, ken_err *err)
{
    static const char *const argv[] = { "cat-file", "--batch", NULL };
    ken_status st = r->has_prefix ? KEN_OK : find_prefix(r, cancel, err);
    if (st || r->git)
        return st;
    return ken_git_talk(&(ken_proc_opts){ .argv = argv, .cwd = r->root }, &r->git, err);
}

static void stop(ken_revision *r)
{
    ken_proc_talk_close(r->git);
    r->git = NULL;
}

// Asks for an object, with the lock: its type and size, whose bytes and a line break come next. The type is
// empty when there is none. A git that failed is started anew by the next question.
static ken_status ask(ken_revision *r, ken_str question, const ken_cancel *cancel, ken_buf *line,
                      ken_str *out_type, uint64_t *out_size, ken_err *err)
{
    ken_status st = start(r, cancel, err);
    if (!st)
        st = ken_proc_talk_ask(r->git, question, cancel, line, err);
    if (st)
        return st;
    ken_str rest = ken_buf_str(line), id, type;
    *out_type = KEN_STR("");
    bool is_there = ken_str_split_next(&rest, ' ', &id) && ken_is_object_id(id) &&
                    ken_str_split_next(&rest, ' ', &type) && ken_str_parse_u64(rest, out_size);
    if (is_there)
        *out_type = type;
    return KEN_OK;
}

// So many bytes of the answer. Behind them stands a line break.
static ken_status take(ken_revision *r, uint64_t size, const ken_cancel *cancel, ken_buf *out,
                       ken_err *err)
{
    ken_status st = KEN_OK;
    char part[16 << 10];
    while (size && !st) {
        size_t n = size < sizeof part ? (size_t)size : sizeof part;
        st = ken_proc_talk_read(r->git, part, n, cancel, err);
        if (!st)
            ken_buf_put(out, part, n);
        size -= n;
    }
    return st;
}

ken_status ken_revision__lacks(const ken_revision *r, ken_str path, ken_err *err)
{
    return KEN_FAIL(err, KEN_EIO,
                    "this clone lacks the contents of '" KEN_STR_FMT "' as commit " KEN_STR_FMT
                    " has it: it is a partial clone, or damaged ('git fsck' tells)",
                    KEN_STR_ARG(ken_str_sub(path, 0, 200)), KEN_STR_ARG(ken_str_sub(r->id, 0, 12)));
}

// How git is asked for a file.
static void put_name(const ken_revision *r, ken_str path, ken_buf *out)
{
    size_t n = r->known ? r->n_known : 0;
    size_t at = n ? KEN_FIRST_STR(revision_known, path, r->known, n, path) : n;
    if (at < n && ken_str_eq(r->known[at].path, path))
        ken_buf_printf(out, KEN_STR_FMT "\n", KEN_STR_ARG(r->known[at].id));
    else
        ken_buf_printf(out, KEN_STR_FMT ":" KEN_STR_FMT KEN_STR_FMT "\n", KEN_STR_ARG(r->id),
                       KEN_STR_ARG(r->prefix), KEN_STR_ARG(path));
}

static ken_status read_locked(ken_revision *r, ken_str path, size_t max_bytes,
                              const ken_cancel *cancel, ken_buf *line, ken_buf *out, ken_err *err)
{
    ken_str type;
    uint64_t size = 0;
    ken_status st = start(r, cancel, err);
    ken_buf question = KEN_BUF_INIT(HEAD_BYTES);
    if (!st)
        put_name(r, path, &question);
    if (!st)
        st = ask(r, ken_buf_str(&question), cancel, line, &type, &size, err);
    ken_buf_release(&question);
    if (st == KEN_EIO)
        return ken_revision__lacks(r, path, err);
    if (st)
        return st;
    if (!type.len)
        return KEN_ENOTFOUND;
    bool is_taken = ken_str_eq(type, KEN_STR("blob")) && size <= max_bytes;
    st = is_taken ? take(r, size, cancel, out, err) : KEN_OK;
    if (!st)
        st = ken_proc_talk_read(r->git, NULL, is_taken ? 1 : size + 1, cancel, err);
    if (st == KEN_EIO)
        return ken_revision__lacks(r, path, err);
    if (!st && !is_taken)
        st = KEN_FAIL(err, size > max_bytes ? KEN_ELIMIT : KEN_EINVAL, "'" KEN_STR_FMT "' is %s",
                      KEN_STR_ARG(ken_str_sub(path, 0, 200)),
                      size > max_bytes ? "too large" : "no file");
    return st;
}

ken_status ken_revision_read(ken_revision *r, ken_str path, size_t max_bytes,
                             const ken_cancel *cancel, ken_buf *out, ken_err *err)
{
    ken_buf_clear(out);
    if (!path.len || path.len > HEAD_BYTES / 2 || memchr(path.ptr, '\n', path.len))
        return KEN_FAIL(err, KEN_ENOTFOUND, "no such path in that commit");
    ken_buf line = KEN_BUF_INIT(HEAD_BYTES + 100);
    pthread_mutex_lock(&r->lock);
    ken_status st = read_locked(r, path, max_bytes, cancel, &line, out, err);
    if (st && st != KEN_ENOTFOUND && st != KEN_ELIMIT && st != KEN_EINVAL)
        stop(r); // what it still prints is not awaited
    pthread_mutex_unlock(&r->lock);
    ken_buf_release(&line);
    if (st != KEN_ENOTFOUND)
        return st;
    // Either the commit does not have it, or the clone.
    ken_revision_entry entry;
    st = ken_revision_find(r, path, cancel, &entry, err);
    return st ? st : ken_revision__lacks(r, path, err);
}

// ---- its time ----------------------------------------------------------------------------------

// "committer NAME <MAIL> SECONDS ZONE" among the lines before the message.
static int64_t time_of(ken_str commit)
{
    ken_str line;
    uint64_t seconds = 0;
    while (ken_str_line_next(&commit, &line) && line.len) {
        if (!ken_str_starts(line, KEN_STR("committer ")))
            continue;
        size_t at = ken_str_find_char(line, '>');
        ken_str rest =
            ken_str_trim(ken_str_sub(line, at == SIZE_MAX ? line.len : at + 1, line.len));
        size_t end = ken_str_find_char(rest, ' ');
        if (ken_str_parse_u64(ken_str_sub(rest, 0, end), &seconds) &&
            seconds < INT64_MAX / 1000000000)
            return (int64_t)seconds;
    }
    return 0;
}

static ken_status time_locked(ken_revision *r, const ken_cancel *cancel, ken_buf *line,
                              int64_t *out, ken_err *err)
{
    ken_buf question = KEN_BUF_INIT(200), text = KEN_BUF_INIT(COMMIT_BYTES + 1);
    ken_str type;
    uint64_t size = 0;
    ken_buf_printf(&question, KEN_STR_FMT "\n", KEN_STR_ARG(r->id));
    ken_status st = ask(r, ken_buf_str(&question), cancel, line, &type, &size, err);
    if (!st && !ken_str_eq(type, KEN_STR("commit")))
        st = KEN_FAIL(err, KEN_EIO, "this clone lacks commit " KEN_STR_FMT, KEN_STR_ARG(r->id));
    uint64_t n = size < COMMIT_BYTES ? size : COMMIT_BYTES; // the rest is message
    if (!st)
        st = take(r, n, cancel, &text, err);
    if (!st)
        st = ken_proc_talk_read(r->git, NULL, size - n + 1, cancel, err);
    if (!st)
        *out = time_of(ken_buf_str(&text));
    ken_buf_release(&question);
    ken_buf_release(&text);
    return st;
}

ken_status ken_revision__time(ken_revision *r, const ken_cancel *cancel, int64_t *out, ken_err *err)
{
    ken_buf line = KEN_BUF_INIT(HEAD_BYTES);
    pthread_mutex_lock(&r->lock);
    ken_status st = time_locked(r, cancel, &line, out, err);
    if (st)
        stop(r);
    pthread_mutex_unlock(&r->lock);
    ken_buf_release(&line);
    return st;
}
