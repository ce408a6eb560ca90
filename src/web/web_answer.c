// SPDX-License-Identifier: MIT
// Answers: JSON, and problems (RFC 9457).
#include <stdio.h>

#include "base/hash.h"
#include "web/web_priv.h"

enum {
    ANSWER_MAX = 64 * 1024 * 1024,
    FIELDS_MAX = 6,
};

static const struct {
    int status;
    const char *title;
} titles[] = {
    { 400, "Bad request" },        { 401, "Unauthorized" },
    { 403, "Forbidden" },          { 404, "Not found" },
    { 405, "Method not allowed" }, { 409, "Conflict" },
    { 413, "Too large" },          { 415, "Unsupported media type" },
    { 422, "Unprocessable" },      { 429, "Too many requests" },
    { 500, "Internal error" },     { 501, "Not supported" },
    { 502, "Another host fails" }, { 503, "Unavailable" },
    { 504, "Timed out" },          { 507, "No space left" },
};

static const char *title_of(int status)
{
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (titles[i].status == status)
            return titles[i].title;
    return "Error";
}

void ken_web__answer_problem_with(ken_httpd_request *r, int status, const char *code,
                                  const char *detail, const ken_httpd_field *fields, size_t n)
{
    const web_request *q = ken_web__request(r);
    ken_httpd_field all[FIELDS_MAX] = { { "Cache-Control", "no-store" },
                                        { "X-Request-Id", q ? q->id : NULL } };
    size_t n_all = 2;
    for (size_t i = 0; i < n && n_all < FIELDS_MAX; i++)
        all[n_all++] = fields[i];
    ken_buf body = KEN_BUF_INIT(64 * 1024);
    ken_buf_printf(
        &body,
        "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"code\":\"%s\",\"detail\":",
        title_of(status), status, code);
    ken_json_put_quoted(&body, ken_str_c(detail));
    if (q) {
        ken_buf_puts(&body, ",\"request_id\":");
        ken_json_put_quoted(&body, ken_str_c(q->id));
    }
    ken_buf_puts(&body, "}\n");
    ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = status,
                                                  .type = "application/problem+json",
                                                  .body = ken_buf_str(&body),
                                                  .fields = all,
                                                  .n_fields = n_all });
    ken_buf_release(&body);
}

void ken_web__answer_problem(ken_httpd_request *r, int status, const char *code, const char *detail)
{
    ken_web__answer_problem_with(r, status, code, detail, NULL, 0);
}

static int status_of(ken_status st)
{
    switch (st) {
    case KEN_EINVAL:
        return 400;
    case KEN_EPERM:
        return 403;
    case KEN_ENOTFOUND:
        return 404;
    case KEN_EEXIST:
    case KEN_EBUSY:
        return 409;
    case KEN_ELIMIT:
        return 422;
    case KEN_EREMOTE:
        return 502;
    case KEN_ETIMEOUT:
        return 504;
    case KEN_ECANCELLED:
    case KEN_ENOMEM:
        return 503;
    case KEN_ENOSPC:
        return 507;
    case KEN_EUNSUPPORTED:
    case KEN_EVERSION:
        return 501;
    case KEN_OK:
    case KEN_EIO:
    case KEN_ECORRUPT:
    case KEN_EINTERNAL:
    case KEN_STATUS_COUNT:
    default:
        return 500;
    }
}

void ken_web__answer_busy(ken_httpd_request *r)
{
    static const ken_httpd_field later = { "Retry-After", "1" };
    ken_web__answer_problem_with(r, 503, "EBUSY", "too many calls wait; try again in a second",
                                 &later, 1);
}

void ken_web__answer_failure(ken_httpd_request *r, const ken_err *err)
{
    ken_web__answer_problem(r, status_of(err->status), ken_status_name(err->status),
                            err->msg[0] ? err->msg : ken_status_text(err->status));
}

static void answer_json(ken_httpd_request *r, int status, json_t *value, const char *state)
{
    const web_request *q = ken_web__request(r);
    const ken_httpd_field fields[] = { { "Cache-Control", "no-cache" }, { "X-Request-Id", q->id } };
    char etag[40];
    ken_buf body = KEN_BUF_INIT(ANSWER_MAX);
    ken_json_dump(value, &body);
    json_decref(value);
    if (body.is_over) {
        ken_web__answer_problem(r, 422, "ELIMIT",
                                "the answer is larger than 64 MiB: ask for less of it");
    } else {
        bool is_get =
            ken_str_eq_c(ken_httpd_method(r), "GET") || ken_str_eq_c(ken_httpd_method(r), "HEAD");
        snprintf(etag, sizeof etag, "%016llx",
                 (unsigned long long)ken_hash_str(ken_buf_str(&body)));
        ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = status,
                                                      .type = "application/json",
                                                      .body = ken_buf_str(&body),
                                                      .etag = !is_get ? NULL
                                                              : state ? state
                                                                      : etag,
                                                      .may_compress = true,
                                                      .fields = fields,
                                                      .n_fields = 2 });
    }
    ken_buf_release(&body);
}

void ken_web__answer_json(ken_httpd_request *r, int status, json_t *value)
{
    answer_json(r, status, value, NULL);
}

void ken_web__answer_json_as(ken_httpd_request *r, json_t *value, const char *etag)
{
    answer_json(r, 200, value, etag);
}

void ken_web__answer_known(ken_httpd_request *r, const char *etag)
{
    answer_json(r, 200, json_object(), etag); // the engine makes 304 of it
}
