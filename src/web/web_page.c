// SPDX-License-Identifier: MIT
// The page: files that the build packed into the program (tools/pack_page.py), for whoever comes. What they show they get
// from the API, which wants to know who asks.
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "embed_page.h"
#include "web/web_priv.h"

enum {
    ETAG_TEXT = 17,
};

struct web_page_file {
    ken_str path; // without the first slash
    const char *type;
    ken_str body;
    char etag[ETAG_TEXT];
};

#define ENTRY  "index.html"
#define ASSETS "assets/"

// Those of web/src/app/views.ts: their addresses are the page's to read.
static const char *const views[] = {
    "/",      "/projects", "/indexing",    "/search", "/outline", "/chunks",   "/graph",
    "/rules", "/tasks",    "/checkpoints", "/stats",  "/agents",  "/settings",
};

// ---- the pack ----------------------------------------------------------------------------------

// "ken page 1", lines of "LENGTH TYPE PATH", an empty line, then the files in that order.
static void read_pack(ken_web *w, ken_str pack)
{
    ken_str line, rest = pack;
    if (!ken_str_split_next(&rest, '\n', &line) || !ken_str_eq_c(line, "ken page 1"))
        return;
    ken_str list = rest;
    size_t n = 0;
    while (ken_str_split_next(&rest, '\n', &line) && line.len)
        n++;
    w->page = KEN_ARENA_ARRAY(&w->arena, web_page_file, n + 1);
    for (; w->n_page < n && ken_str_split_next(&list, '\n', &line); w->n_page++) {
        web_page_file *f = &w->page[w->n_page];
        ken_str length, type;
        uint64_t n_bytes = 0;
        if (!ken_str_split_next(&line, ' ', &length) || !ken_str_split_next(&line, ' ', &type) ||
            !ken_str_parse_u64(length, &n_bytes) || n_bytes > rest.len)
            break;
        f->path = line;
        f->type = ken_arena_dup(&w->arena, type).ptr;
        f->body = ken_str_sub(rest, 0, (size_t)n_bytes);
        snprintf(f->etag, sizeof f->etag, "%016llx", (unsigned long long)ken_hash_str(f->body));
        rest = ken_str_sub(rest, (size_t)n_bytes, rest.len);
    }
}

static const web_page_file *find_file(const ken_web *w, ken_str path)
{
    for (size_t i = 0; i < w->n_page; i++)
        if (ken_str_eq(w->page[i].path, path))
            return &w->page[i];
    return NULL;
}

// ---- answers -----------------------------------------------------------------------------------

// Scripts and styles come from here alone, and no text becomes markup or the address of a script but through the two
// policies that the page has.
#define POLICY                                                                         \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "  \
    "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; "        \
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " \
    "trusted-types vue ken"

static void answer_file(ken_httpd_request *r, const web_page_file *f)
{
    // The name of an asset has a hash of what is in it.
    bool is_lasting = ken_str_starts(f->path, KEN_STR(ASSETS));
    const ken_httpd_field fields[] = {
        { "Cache-Control", is_lasting ? "public, max-age=31536000, immutable" : "no-cache" },
        { "Content-Security-Policy", POLICY },
        { "X-Content-Type-Options", "nosniff" },
        { "Referrer-Policy", "no-referrer" },
        { "Cross-Origin-Opener-Policy", "same-origin" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
    };
    ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = 200,
                                                  .type = f->type,
                                                  .body = f->body,
                                                  .is_static = true,
                                                  .etag = f->etag,
                                                  .may_compress = true,
                                                  .fields = fields,
                                                  .n_fields = sizeof fields / sizeof *fields });
}

static void get_view(void *ctx, ken_httpd_request *r)
{
    const web_page_file *f = find_file(ctx, KEN_STR(ENTRY));
    if (f)
        answer_file(r, f);
    else
        ken_web__answer_problem(r, 404, "ENOTFOUND",
                                "this ken was built without its page; the API is at /api/v1, its "
                                "reference at /api/v1/reference");
}

static void get_file(void *ctx, ken_httpd_request *r)
{
    const web_page_file *f = find_file(ctx, ken_str_sub(ken_httpd_path(r), 1, SIZE_MAX));
    if (f)
        answer_file(r, f);
    else
        ken_web__answer_problem(r, 404, "ENOTFOUND", "the page has no such file");
}

// ---- a browser at the address for clients ------------------------------------------------------

bool ken_web__wants_page(const ken_web *w, const ken_httpd_request *r)
{
    ken_str accept = ken_httpd_header(r, "Accept");
    return w->n_page && ken_str_eq_c(ken_httpd_path(r), "/mcp") &&
           ken_str_eq_c(ken_httpd_method(r), "GET") &&
           ken_httpd_weight(accept, "text/html") > ken_httpd_weight(accept, "text/event-stream");
}

void ken_web__show_agents(ken_httpd_request *r)
{
    static const ken_httpd_field fields[] = {
        { "Location", "agents" }, // beside /mcp, also behind a proxy that has it below a folder
        { "Cache-Control", "no-store" },
        { "Vary", "Accept" },
    };
    ken_httpd_answer(r, &(ken_httpd_answer_opts){ .status = 303,
                                                  .fields = fields,
                                                  .n_fields = sizeof fields / sizeof *fields });
}

// ---- routes ------------------------------------------------------------------------------------

// Asked of every request: those of the API have a further '/', which of the page only assets have.
bool ken_web__is_of_page(const ken_web *w, const ken_httpd_request *r)
{
    ken_str path = ken_httpd_path(r), below = ken_str_sub(path, 1, SIZE_MAX);
    if (ken_str_find_char(below, '/') != SIZE_MAX)
        return ken_str_starts(below, KEN_STR(ASSETS));
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (ken_str_eq_c(path, views[i]))
            return true;
    return find_file(w, below) != NULL;
}

void ken_web__add_page(ken_web *w)
{
    read_pack(w,
              ken_str_n((const char *)ken_embed_page_table[0].data, ken_embed_page_table[0].len));
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        ken_web__add_route(w, "GET", views[i], get_view, 0);
    for (size_t i = 0; i < w->n_page; i++) {
        const ken_str path = w->page[i].path;
        if (!ken_str_starts(path, KEN_STR(ASSETS)) && !ken_str_eq_c(path, ENTRY))
            ken_web__add_route(w, "GET",
                               ken_arena_printf(&w->arena, "/" KEN_STR_FMT, KEN_STR_ARG(path)).ptr,
                               get_file, 0);
    }
    ken_web__add_route(w, "GET", "/" ASSETS "{file}", get_file, 0);
}
