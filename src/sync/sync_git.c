// SPDX-License-Identifier: MIT
// git in the clone, and what its failures mean. Each git holds the lock of the clone too: one that outlives
// a ken that was killed keeps the next sync away.
#include "base/clock.h"
#include "base/utf8.h"
#include "sync/sync_priv.h"

enum {
    TIMEOUT_MS = 30 * 60 * 1000,
    NS_PER_MS = 1000000,
    WORDS_MAX = 150, // of git at each end
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

typedef struct git_failure {
    const char *words;
    ken_status st;
    const char *advice; // NULL: none, but to wait
} git_failure;

#define FREE_ROOM "free some room; the next sync does the rest"
#define LOG_IN                                                                  \
    "see that git has what the remote asks for: a credential helper, a key of " \
    "ssh, or KEN_GIT_TOKEN_<HOST>"
#define TRY_LATER   "the next sync tries again; until then the files stay as they are"
#define LOOK_AT_URL "see whether it has moved or was removed, and whether we may read it"
#define REACH_IT    "see whether the address is right, and whether the host is reached from here"
#define TRUST_IT                                                                        \
    "see whether the address is right; to trust an authority of your own, name it with" \
    " git config http.sslCAInfo"

// git says what happened in words only; these are those of the C locale, and of common servers. The first that is
// found counts.
static const git_failure failures[] = {
    { "No space left", KEN_ENOSPC, FREE_ROOM },
    { "Out of diskspace", KEN_ENOSPC, FREE_ROOM },
    { "Disk quota exceeded", KEN_ENOSPC, FREE_ROOM },
    { "Authentication failed", KEN_EPERM, LOG_IN },
    { "could not read Username", KEN_EPERM, LOG_IN },
    { "could not read Password", KEN_EPERM, LOG_IN },
    { "Permission denied", KEN_EPERM, LOG_IN },
    { "Host key verification failed", KEN_EPERM, "connect once with ssh, and accept its key" },
    { "returned error: 401", KEN_EPERM, LOG_IN },
    { "returned error: 403", KEN_EPERM, LOG_IN },
    { "couldn't find remote ref", KEN_ENOTFOUND, "add the repository with another branch" },
    { "returned error: 404", KEN_ENOTFOUND, LOOK_AT_URL },
    { "epository not found", KEN_ENOTFOUND, LOOK_AT_URL },
    { "' not found", KEN_ENOTFOUND, LOOK_AT_URL },
    { "does not appear to be a git repository", KEN_ENOTFOUND, LOOK_AT_URL },
    { "not exported", KEN_ENOTFOUND, LOOK_AT_URL }, // git daemon
    { "not valid: is this a git repository", KEN_ENOTFOUND, LOOK_AT_URL },
    { "Could not resolve host", KEN_EREMOTE, REACH_IT },
    { "unable to look up", KEN_EREMOTE, REACH_IT }, // git daemon
    { "unable to connect", KEN_EREMOTE, REACH_IT },
    { "Failed to connect", KEN_EREMOTE, REACH_IT },
    { "onnection refused", KEN_EREMOTE, REACH_IT },
    { "onnection timed out", KEN_EREMOTE, REACH_IT },
    { "onnection reset", KEN_EREMOTE, NULL },
    { "No route to host", KEN_EREMOTE, REACH_IT },
    { "etwork is unreachable", KEN_EREMOTE, REACH_IT },
    { "certificate problem", KEN_EREMOTE, TRUST_IT },
    { "certificate verification failed", KEN_EREMOTE, TRUST_IT },
    { "returned error: 5", KEN_EREMOTE, "the host has a fault of its own" },
    { "unable to write file", KEN_EIO,
      "see whether the disk is full; the next sync does the rest" },
    { "not our ref", KEN_EIO, "it changed in this moment, or it is damaged; sync again" },
    { "not allowed", KEN_EPERM, "see the setting sync.protocols" }, // transport
};

// The clone is damaged, whatever git was doing when it met that. What a remote says of itself counts not.
static const char *const damages[] = {
    "corrupt",
    "bad object",
    "unable to read",
    "bad index",
    "broken",
    "loose object",
    "index file smaller",
    "bad signature",
    "bad config",
    "not a git repository",
    "inside a git repository",
    "data stream",
    "non-monotonic",
    "does not match index",
    "too short to be a packfile",
    "invalid object",
    "object file",
    "index uses",
};

static bool is_damage(ken_str words)
{
    ken_str line;
    while (ken_str_line_next(&words, &line)) {
        if (ken_str_starts(line, KEN_STR("remote: ")))
            continue;
        for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
            if (ken_str_find(line, ken_str_c(damages[i])) != SIZE_MAX)
                return true;
    }
    return false;
}

static git_failure find_failure(ken_str words)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (ken_str_find(words, ken_str_c(failures[i].words)) != SIZE_MAX)
            return failures[i];
    if (is_damage(words))
        return (git_failure){ "", KEN_ECORRUPT, NULL };
    bool is_theirs = ken_str_find(words, KEN_STR("on the remote side")) != SIZE_MAX;
    return is_theirs ? (git_failure){ "", KEN_EIO,
                                      "the remote is damaged, not the clone; tell who keeps it" }
                     : (git_failure){ "", KEN_EIO, NULL };
}

static void put_words(ken_buf *b, ken_str words)
{
    for (size_t i = 0; i < words.len; i++)
        ken_buf_putc(b, (unsigned char)words.ptr[i] < ' ' ? ' ' : words.ptr[i]);
}

// On one line, and of many words the first and the last: some say what led to it, "fatal:" comes at the end.
static ken_status fail(const sync_job *j, const ken_proc_result *r, const char *command,
                       ken_err *err)
{
    ken_str words = ken_str_trim(ken_buf_str(&r->errors));
    git_failure failure = find_failure(words);
    ken_buf text = KEN_BUF_INIT(0);
    if (words.len > 2 * WORDS_MAX) {
        put_words(&text, ken_utf8_clip(words, WORDS_MAX));
        ken_buf_puts(&text, " ... ");
        words = ken_str_sub(words, words.len - WORDS_MAX, words.len);
    }
    put_words(&text, words.len ? words : KEN_STR("it says nothing"));
    if (failure.advice)
        ken_buf_printf(&text, "; %s", failure.advice);
    bool may_pass = failure.st == KEN_EREMOTE || (failure.st == KEN_EIO && !failure.advice);
    if (may_pass && j->has_clone)
        ken_buf_puts(&text, "; " TRY_LATER);
    ken_status st = KEN_FAIL(err, failure.st, "git %s failed: " KEN_STR_FMT, command,
                             KEN_STR_ARG(ken_buf_str(&text)));
    ken_buf_release(&text);
    return st;
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
        st = fail(j, &r, argv[0], err);
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
