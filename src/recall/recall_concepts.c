// SPDX-License-Identifier: MIT
// What people who build software speak of, each in the words that they use for it: who plans to
// "show it on the terminal" is told that logs go through the logger. The lists come from knowing
// the trade, not from any corpus; docs/rules.md says what they are worth. Words are lower case and
// count by their stems; one that stands in several lists says less about each.
#include <stdlib.h>

#include "base/alloc.h"
#include "recall/recall_priv.h"

// clang-format off
static const char *const concepts[] = {
    "log logger logging print printf println fprintf console terminal stdout stderr screen "
    "warn debug verbose trace message",
    "time clock date timestamp now today wall monotonic epoch timezone gettimeofday",
    "duration elapse elapsed long measure latency slow slowest slowly takes took millisecond "
    "microsecond second minute stopwatch benchmark profile",
    "timeout deadline wait give patience expire cancel abort hang stuck",
    "timer schedule scheduler cron interval periodic periodically tick every",
    "random rand randomness uuid shuffle sample dice deterministic reproducible seed",
    "expire expiry ttl evict eviction stale lifetime outdated lapse",
    "replica secondary slave follower standby copy replicate replication master primary "
    "leader propagate",
    "delete remove drop erase unlink discard purge clear wipe gone destroy",
    "deprecate deprecated obsolete retire sunset legacy remove removal drop throw old former "
    "rename alias compatibility compatible backward breaking major minor patch release "
    "migrate",
    "rename alias former old spelling call name",
    "version release newer older minimum support supported node python java go es2015 es2017 "
    "es2020 browser syntax feature polyfill ponyfill modern newest runtime target",
    "password secret passphrase credential token login auth authenticate authentication "
    "apikey certificate private redact mask sensitive",
    "authorize authorization permission access role acl admin privilege deny allow forbidden "
    "allowed right guard protect",
    "encrypt encryption cipher hash hashing crypto tls ssl signature sign verify",
    "redirect redirection forward origin host location follow cross site",
    "thread concurrent concurrency parallel race mutex lock atomic worker background "
    "simultaneous shared safe",
    "counter count statistics stats metrics gauge total sum increment tally number",
    "block blocking synchronous sync wait sleep stall freeze hang await async asyncio "
    "coroutine event loop executor responsive",
    "queue job worker background task pool offload defer later lazy lazyfree",
    "file disk filesystem open read write path directory folder chunk io",
    "dependency dependencies package library lib module npm pip pypi install vendor third "
    "party requirement pyproject manifest peer",
    "lockfile lock pnpm yarn npm bun pip poetry cargo install add package manager",
    "vendor vendored upstream submodule fork bundled third party patch licence license "
    "copied",
    "error exception raise throw fail failure panic status code cause unknown catch wrap",
    "status http code 400 401 403 404 405 406 408 409 410 412 413 415 418 422 423 424 426 "
    "428 429 431 451 500 501 502 503 504",
    "message text wording reword phrase sentence terse readable say tell describe inform",
    "stack trace traceback backtrace internal leak expose reveal disclose production live "
    "detail",
    "test tested unittest unit pytest coverage regression fixture assert spec suite flaky "
    "mock verify check",
    "bug issue report reported ticket regression fix crash reproduce complaint",
    "document documentation doc readme reference manual guide tutorial page comment "
    "docstring explain spelling",
    "changelog news release note fragment entry history announce",
    "public api export exported expose surface interface importable user stable top level "
    "offer",
    "private internal underscore hidden implementation detail unstable experimental",
    "subclass inherit inheritance derive extend final base class parent override mixin own",
    "attribute slot field property member instance object",
    "type typed typing annotation annotate mypy generic checker static strict ignore",
    "infer inferred inference explicit declare declared result return hover satisfies write",
    "null nil none undefined optional missing absent assertion exclamation bang certain",
    "union variant enum case switch exhaustive match branch default kind member",
    "argument parameter param option opts kwarg positional signature second third fourth "
    "fifth extra",
    "name naming prefix suffix camelcase pascalcase snake kebab identifier capital lowercase",
    "config configuration configurable setting option conf directive adjustable tune tunable "
    "knob flag default environment",
    "memory allocate allocation malloc calloc realloc free heap buffer bytes",
    "string sprintf strcpy strcat snprintf strlcpy buffer fixed array char overflow "
    "concatenate",
    "limit maximum max size large huge unbounded bound cap quota flood exhaust endless big",
    "header field content status line crlf newline carriage injection inject",
    "cookie jar session",
    "parse parser tokenizer lexer tokenise tokenize lenient strict lax tolerate tolerant "
    "malformed invalid reject accept forgiving",
    "validate validation sanitize sanitise input untrusted check schema verify user",
    "extension accelerate accelerated cython native compiled pure binding speedup twin both",
    "command subcommand verb",
    "reply response answer respond resp protocol result output array map",
    "lookup find get search fetch key dictionary keyspace entry",
    "modify change update mutate write set alter edit touch overwrite replace append insert "
    "increment",
    "notify notification event subscribe subscriber publish emit listen told inform",
    "transaction watch optimistic invalidate invalidation tracking commit rollback",
    "persist persistence save rdb aof snapshot dump restore durable disk",
    "serialise serialize serialization transformer encode decode json wire marshal bigint "
    "date superjson payload",
    "encoding representation layout compact structure embedded listpack ziplist intset",
    "fork child process cow copy rehash resize saving",
    "cluster slot node shard bus gossip topology routing",
    "plugin module extension api callback hook",
    "script lua eval multi inside sandbox",
    "complexity fast slow big log linear logarithmic cost",
    "oom full memory refuse deny grow",
    "schema shape structure validator describe definition reply",
    "generate generated codegen regenerate hand manually edit template",
    "client consumer caller browser frontend front user",
    "server backend web host service",
    "share shared common both helper util utils reuse duplicate sides",
    "import require circular cycle imported layer depend",
    "import startup start load loading heavy lazy slow fast",
    "layer boundary separate apart independent agnostic coupling decouple core know",
    "adapter framework express fastify koa next lambda fetch request req socket runtime "
    "environment proxy",
    "cache cached caching memoize storage store remember offline",
    "retry again attempt backoff tries",
    "link operation observable observer unsubscribe middleware chain interceptor",
    "middleware handler interceptor pipeline filter",
    "state variable global module scope request closure static",
    "resource dispose cleanup clean close finally teardown release shutdown",
    "prototype object record dictionary pollution proto merge form",
    "batch bulk together group aggregate",
    "stream streaming sse websocket chunk jsonl subscription transport channel",
    "component hook react query usequery render provider view",
    "route router endpoint procedure url path handler controller",
    "proxy recursive trap dynamic",
    "entry point subpath bundle build export package",
    "promise future resolve reject outcome set",
    "database sql query table column migration index orm transaction",
    "dependency injection container inject provide constructor",
    "format style lint linter prettier whitespace indent tidy clang",
    "commit branch merge pull squash review message git",
    "build compile compiler make cmake warning flag toolchain",
    "security vulnerability attack attacker exploit unsafe safe hostile forbidden",
    "performance speed optimise optimize faster allocation hot bottleneck",
    "translate translation locale language internationalisation i18n text",
    "accessibility aria keyboard contrast screen reader",
    "feature flag toggle switch experiment rollout gate",
    "magic constant literal hardcode hardcoded inline string number",
    "singleton global static instance shared mutable",
    "comment todo explain note doc",
    "exit quit shutdown stop terminate kill signal",
    "network internet external remote socket connection port address resolve dns",
    "payment money currency price decimal float rounding amount",
    "upload download attachment image photo picture file",
    "email mail notification sms message send",
    "user account profile person customer personal data privacy gdpr",
};
// clang-format on

_Static_assert(sizeof concepts / sizeof *concepts <= RECALL_CONCEPTS_MAX, "counted in an array");

static int by_term(const void *a, const void *b)
{
    const recall_concept *x = a, *y = b;
    if (x->term != y->term)
        return x->term < y->term ? -1 : 1;
    return (x->concept > y->concept) - (x->concept < y->concept);
}

void ken_recall_use_concepts(ken_recall *r)
{
    ken_vec_clear(&r->concepts);
    for (uint32_t c = 0; c < sizeof concepts / sizeof *concepts; c++) {
        ken_str rest = ken_str_c(concepts[c]), word;
        while (ken_str_split_next(&rest, ' ', &word)) {
            char stem[KEN_TOKEN_MAX + 2];
            memcpy(stem, word.ptr, word.len);
            ken_term term = ken_term_of_word(ken_str_n(stem, ken_stem(stem, word.len)));
            ken_vec_push(&r->concepts, ((recall_concept){ term, c }));
        }
    }
    qsort(r->concepts.ptr, r->concepts.len, sizeof *r->concepts.ptr, by_term);
    size_t n = 0; // two words of a list may have one stem
    for (size_t i = 0; i < r->concepts.len; i++)
        if (!n || by_term(&r->concepts.ptr[n - 1], &r->concepts.ptr[i]) != 0)
            r->concepts.ptr[n++] = r->concepts.ptr[i];
    r->concepts.len = n;
}

const recall_concept *ken_recall__find_concepts(const ken_recall *r, ken_term term, size_t *out_n)
{
    size_t lo = 0, hi = r->concepts.len, n = 0;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (r->concepts.ptr[mid].term < term)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo + n < r->concepts.len && r->concepts.ptr[lo + n].term == term)
        n++;
    *out_n = n;
    return n ? &r->concepts.ptr[lo] : NULL;
}
