// SPDX-License-Identifier: MIT
// /healthz, /readyz and /metrics.
#include "metrics/metrics.h"
#include "web/web_priv.h"

enum {
    METRICS_MAX = 16 * 1024 * 1024
};

static void answer_text(ken_httpd_request *r, int status, const char *type, ken_str text)
{
    static const ken_httpd_field field = { "Cache-Control", "no-store" };
    ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = status,
                                                  .type = type,
                                                  .body = text,
                                                  .may_compress = true,
                                                  .fields = &field,
                                                  .n_fields = 1 });
}

// The process runs and its loop takes requests.
static void get_healthz(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    answer_text(r, 200, "text/plain; charset=utf-8", KEN_STR("ok\n"));
}

// It takes work: it has not begun to end, and the list of projects can be read.
static void get_readyz(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    ken_project_info *projects;
    size_t n;
    ken_err err = { 0 };
    if (!atomic_load(&w->is_ready))
        answer_text(r, 503, "text/plain; charset=utf-8", KEN_STR("the server is not serving\n"));
    else if (ken_app_list_projects(w->app, ken_httpd_arena(r), &projects, &n, &err))
        answer_text(r, 503, "text/plain; charset=utf-8",
                    ken_arena_printf(ken_httpd_arena(r), "%s\n", err.msg));
    else
        answer_text(r, 200, "text/plain; charset=utf-8", KEN_STR("ok\n"));
}

// OpenMetrics for who asks for it by name and rather than for text; what takes anything gets text.
static ken_metrics_form form_of(ken_str accept)
{
    double open = ken_httpd_weight(accept, "application/openmetrics-text");
    return open > ken_httpd_weight(accept, "text/plain") ? KEN_METRICS_OPENMETRICS
                                                         : KEN_METRICS_PROMETHEUS;
}

static void get_metrics(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    ken_metrics_form form = form_of(ken_httpd_header(r, "Accept"));
    ken_buf text = KEN_BUF_INIT(METRICS_MAX);
    ken_metrics_write(&text, form);
    answer_text(r, 200, ken_metrics_type(form), ken_buf_str(&text));
    ken_buf_release(&text);
}

void ken_web__add_health(ken_web *w)
{
    ken_web__add_route(w, "GET", "/healthz", get_healthz, 0);
    ken_web__add_route(w, "GET", "/readyz", get_readyz, 0);
    ken_web__add_route(w, "GET", "/metrics", get_metrics, 0);
}
