// SPDX-License-Identifier: MIT
// fuzz_http.h -- whether what a server of HTTP sent are answers: well formed, with a status that an input
// may cause, problems and JSON that say the same.
#ifndef KEN_FUZZ_HTTP_H
#define KEN_FUZZ_HTTP_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "json/json.h"

typedef struct fuzz_answer {
    int status;
    const char *head, *body, *end; // the end of the body; NULL = not all of it has come
    size_t n_body;
} fuzz_answer;

// No 500: an input is no fault of the server. No 507 and the like either: nothing is short here.
static inline bool fuzz_may_answer(int status)
{
    static const int all[] = { 100, 200, 202, 204, 304, 400, 401, 403, 404, 405, 406,
                               409, 413, 414, 415, 422, 429, 431, 501, 503, 504, 505 };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == status)
            return true;
    return false;
}

// "Name: value" lines up to an empty one; where the body begins. NULL: they have not all come.
static inline const char *fuzz_check_fields(const char *at, const char *end)
{
    for (const char *line = at; line < end;) {
        const char *eol = memchr(line, '\n', (size_t)(end - line));
        if (!eol)
            return NULL;
        KEN_ASSERT(eol > line && eol[-1] == '\r');
        if (eol == line + 1)
            return eol + 1;
        const char *colon = memchr(line, ':', (size_t)(eol - line));
        KEN_ASSERT(colon && colon > line && colon[1] == ' ');
        for (const char *p = line; p < colon; p++)
            KEN_ASSERT(isalnum((unsigned char)*p) || *p == '-');
        for (const char *p = colon; p < eol - 1; p++)
            KEN_ASSERT((unsigned char)*p >= ' ' && *p != 0x7f);
        line = eol + 1;
    }
    return NULL;
}

// The value in a head, or NULL.
static inline const char *fuzz_field(const fuzz_answer *a, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = strchr(a->head, '\n'); at && at < a->body - 2; at = strchr(at + 1, '\n'))
        if (!strncasecmp(at + 1, name, n) && !strncmp(at + 1 + n, ": ", 2))
            return at + 1 + n + 2;
    return NULL;
}

static inline const char *fuzz_check_chunks(const char *at, const char *end)
{
    while (at < end) {
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        char *after;
        if (!eol)
            return NULL;
        size_t n = strtoul(at, &after, 16);
        KEN_ASSERT(after > at && after == eol - 1 && *after == '\r');
        at = eol + 1;
        if ((size_t)(end - at) < n + 2)
            return NULL;
        KEN_ASSERT(!memcmp(at + n, "\r\n", 2));
        at += n + 2;
        if (!n)
            return at;
    }
    return NULL;
}

// `may_be_bare`: of a request without a body in its answer (HEAD), which only the next answer can show.
static inline void fuzz_find_body(fuzz_answer *a, const char *end, bool may_be_bare)
{
    const char *length = fuzz_field(a, "Content-Length");
    const char *coding = fuzz_field(a, "Transfer-Encoding");
    bool is_bare = a->status < 200 || a->status == 204 || a->status == 304;
    KEN_ASSERT(!length || !coding);
    if (may_be_bare && (a->body == end || !strncmp(a->body, "HTTP/1.1 ", 9)))
        is_bare = true;
    if (is_bare) {
        a->end = a->body;
    } else if (coding) {
        a->end = fuzz_check_chunks(a->body, end);
    } else {
        char *after;
        KEN_ASSERT(length);
        a->n_body = strtoul(length, &after, 10);
        KEN_ASSERT(after > length && *after == '\r');
        a->end = (size_t)(end - a->body) < a->n_body ? NULL : a->body + a->n_body;
    }
}

// libmicrohttpd 0.9.75 sends the head twice when it refuses a head itself (no Host, a Content-Length that is
// no number or too large), and closes. Where the body begins; NULL: not all of the second head has come.
static inline const char *fuzz_skip_twin(const fuzz_answer *a, const char *end)
{
    const char *close = fuzz_field(a, "Connection"), *eol = memchr(a->head, '\n', 64);
    size_t n_line = eol ? (size_t)(eol + 1 - a->head) : 0;
    if ((a->status != 400 && a->status != 413) || !close || strncmp(close, "close", 5) != 0 ||
        fuzz_field(a, "Content-Type") || (size_t)(end - a->body) < n_line ||
        memcmp(a->body, a->head, n_line) != 0)
        return a->body;
    return fuzz_check_fields(a->body + n_line, end);
}

static inline void fuzz_check_json(const fuzz_answer *a)
{
    const char *type = fuzz_field(a, "Content-Type");
    bool is_problem = type && !strncmp(type, "application/problem+json", 24);
    if (!type || fuzz_field(a, "Content-Encoding") || !a->n_body ||
        (strncmp(type, "application/json", 16) != 0 && !is_problem))
        return;
    json_t *v = json_loadb(a->body, a->n_body, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    KEN_ASSERT(v);
    if (is_problem)
        KEN_ASSERT(json_integer_value(json_object_get(v, "status")) == a->status);
    json_decref(v);
}

// All that was heard on a connection; the last answer may have been cut, as a server may close while a
// client still sends. `may_be_bare`: a HEAD may be among the requests.
static inline void fuzz_check_answers(const char *heard, size_t n, bool may_be_bare)
{
    const char *at = heard, *end = heard + n;
    while (end - at >= 13) {
        KEN_ASSERT(!strncmp(at, "HTTP/1.1 ", 9));
        fuzz_answer a = { .status = atoi(at + 9), .head = at };
        KEN_ASSERT(at[12] == ' ' && fuzz_may_answer(a.status));
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        a.body = eol ? fuzz_check_fields(eol + 1, end) : NULL;
        if (a.body)
            a.body = fuzz_skip_twin(&a, end);
        if (!a.body)
            return;
        fuzz_find_body(&a, end, may_be_bare);
        if (!a.end)
            return;
        fuzz_check_json(&a);
        at = a.end;
    }
}

#endif
