// SPDX-License-Identifier: MIT
// git in the clone, and what its failures mean. Each git holds the lock of the clone too: one that outlives
// a ken that was killed keeps the next sync away.
#include "base/clock.h"
#include "sync/sync_priv.h"

enum {
    TIMEOUT_MS = 30 * 60 * 1000,
    NS_PER_MS = 1000000,
    WORDS_MAX = 300,
    EXIT_NO = 1,
};

void ken_sync__begin(sync_job *j, const ken_sync_source *s, const char *folder, int64_t timeout_ms,
                     const ken_cancel *cancel, ken_arena *arena)
{
    *j = (sync_job){ .source = s, .folder = folder, .arena = arena };
    ken_buf protocols = KEN_BUF_INIT(KEN_SYNC_URL_MAX);
    ken_str rest = s->protocols, part;
    while (ken_str_split_next(&rest, ',', &part)) {
        if (protocols.len)
            ken_buf_putc(&protocols, ':');
        ken_buf_put_str(&protocols, ken_str_trim(part));
    }
    j->reach = (ken_git_reach){
        .protocols = ken_arena_dup(arena, ken_buf_str(&protocols)).ptr,
        .url = ken_arena_dup(arena, s->url).ptr,
    };
    ken_buf_release(&protocols);
    j->cancel.also = cancel;
    j->cancel.deadline_ns =
        ken_clock_mono_ns() + (timeout_ms ? timeout_ms : TIMEOUT_MS) * (int64_t)NS_PER_MS;
}

// git says what happened in words only; these are those of the C locale, and of common servers.
static ken_status status_of(ken_str words)
{
    static const struct {
        const char *words;
        ken_status st;
    } kinds[] = {
        { "No space left", KEN_ENOSPC },
        { "Disk quota exceeded", KEN_ENOSPC },
        { "Authentication failed", KEN_EPERM },
        { "could not read Username", KEN_EPERM },
        { "could not read Password", KEN_EPERM },
        { "Permission denied", KEN_EPERM },
        { "Host key verification failed", KEN_EPERM },
        { "returned error: 401", KEN_EPERM },
        { "returned error: 403", KEN_EPERM },
        { "couldn't find remote ref", KEN_ENOTFOUND },
        { "returned error: 404", KEN_ENOTFOUND },
        { "epository not found", KEN_ENOTFOUND },
        { "does not appear to be a git repository", KEN_ENOTFOUND },
        { "not allowed", KEN_EPERM }, // transport
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ken_str_find(words, ken_str_c(kinds[i].words)) != SIZE_MAX)
            return kinds[i].st;
    return KEN_EIO;
}

// The first lines are often about what led to it ("fatal:" comes last), so all are shown, on one line.
static ken_status fail(const ken_proc_result *r, const char *command, ken_err *err)
{
    ken_str words = ken_str_trim(ken_buf_str(&r->errors));
    char text[WORDS_MAX + 1];
    size_t n = words.len < WORDS_MAX ? words.len : WORDS_MAX;
    for (size_t i = 0; i < n; i++)
        text[i] = (unsigned char)words.ptr[i] < ' ' ? ' ' : words.ptr[i];
    text[n] = '\0';
    return KEN_FAIL(err, status_of(words), "git %s failed: %s", command,
                    n ? text : "it says nothing");
}

static ken_status run(sync_job *j, const char *const *argv, int max_exit, ken_str *out,
                      ken_err *err)
{
    ken_proc_result r;
    ken_status st = ken_cancel_check(&j->cancel, err);
    if (st)
        return st;
    int64_t left_ms = (j->cancel.deadline_ns - ken_clock_mono_ns()) / NS_PER_MS;
    st = ken_git_run_clone(&(ken_proc_opts){ .argv = argv,
                                             .cwd = j->folder,
                                             .timeout_ms = left_ms > 1 ? left_ms : 1,
                                             .held_fd = j->lock_fd,
                                             .cancel = &j->cancel },
                           &j->reach, &r, err);
    if (st)
        return st;
    if (r.exit_code < 0 || r.exit_code > max_exit)
        st = fail(&r, argv[0], err);
    else if (out)
        *out = r.exit_code ? KEN_STR("") : ken_arena_dup(j->arena, ken_buf_str(&r.out));
    ken_proc_result_release(&r);
    return st;
}

ken_status ken_sync__git(sync_job *j, const char *const *argv, ken_str *out, ken_err *err)
{
    return run(j, argv, 0, out, err);
}

ken_status ken_sync__ask(sync_job *j, const char *const *argv, ken_str *out, ken_err *err)
{
    return run(j, argv, EXIT_NO, out, err);
}
