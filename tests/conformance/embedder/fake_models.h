// SPDX-License-Identifier: MIT
// fake_models.h -- strict servers of embeddings: they check every byte of a request and answer with
// vectors made from the texts, so that a vector tells which text it belongs to.
#ifndef KEN_TESTS_FAKE_MODELS_H
#define KEN_TESTS_FAKE_MODELS_H

#include <jansson.h>

#include "base/hash.h"
#include "fake_http.h"
#include "json/json.h"

enum {
    FAKE_DIMS = 24
};

// What is wrong with the next answers.
typedef enum fake_trouble {
    FAKE_FINE = 0,
    FAKE_CUT,    // the connection breaks in the middle
    FAKE_HALF,   // JSON that ends in the middle
    FAKE_TEXT,   // no JSON
    FAKE_FEWER,  // one vector too few
    FAKE_SHORT,  // vectors of another length
    FAKE_WORD,   // a value that is no number
    FAKE_HUGE,   // a value that no float holds
    FAKE_EMPTY,  // empty vectors
    FAKE_STATUS, // `status` with `reason`
    FAKE_TWICE,  // openai: the same index two times
} fake_trouble;

typedef struct fake_model {
    const char *name; // what `model` must be
    const char *key;  // that must be in the header; NULL = there must be none
    bool is_old;      // ollama without /api/embed
    fake_trouble trouble;
    unsigned n_troubles; // that are left; then all is fine
    int status;
    const char *reason, *headers;
    size_t max_words; // a text with more of them is answered as FAKE_STATUS is; 0 = any number
    char wrong[256];  // the first thing that was not as it must be
} fake_model;

static void fake_complain(fake_model *m, const char *what)
{
    if (!m->wrong[0])
        snprintf(m->wrong, sizeof m->wrong, "%s", what);
}

// Not of unit length, on purpose.
static void fake_vector(ken_str text, float *out)
{
    uint64_t h = ken_hash_str(text);
    for (size_t i = 0; i < FAKE_DIMS; i++) {
        h = h * 6364136223846793005ULL + 1442695040888963407ULL;
        out[i] = (float)((double)(h >> 40) / (double)(1 << 24) - 0.5);
    }
}

static void fake_put_row(const fake_model *m, fake_trouble trouble, ken_buf *out, ken_str text)
{
    float v[FAKE_DIMS];
    (void)m;
    size_t dims = trouble == FAKE_SHORT ? FAKE_DIMS - 1 : trouble == FAKE_EMPTY ? 0 : FAKE_DIMS;
    fake_vector(text, v);
    ken_buf_putc(out, '[');
    for (size_t i = 0; i < dims; i++) {
        const char *comma = i ? "," : "";
        if (i == 3 && trouble == FAKE_WORD)
            ken_buf_printf(out, "%snull", comma);
        else if (i == 3 && trouble == FAKE_HUGE)
            ken_buf_printf(out, "%s1e200", comma);
        else
            ken_buf_printf(out, "%s%.9g", comma, (double)v[i]);
    }
    ken_buf_putc(out, ']');
}

// That the request is what the documents of the server say, and nothing else.
static json_t *fake_check_request(fake_model *m, const fake_request *q, const char *texts,
                                  const char *const *members)
{
    char auth[128];
    if (strcmp(q->method, "POST") != 0)
        fake_complain(m, "not POST");
    if (ken_str_find(q->head, KEN_STR("\r\nContent-Type: application/json\r\n")) == SIZE_MAX)
        fake_complain(m, "content type");
    snprintf(auth, sizeof auth, "\r\nAuthorization: Bearer %s\r\n", m->key ? m->key : "");
    bool has_key = ken_str_find(q->head, KEN_STR("Authorization")) != SIZE_MAX;
    if (m->key ? ken_str_find(q->head, ken_str_c(auth)) == SIZE_MAX : has_key)
        fake_complain(m, "authorization");
    json_t *body = json_loadb(q->body.ptr, q->body.len, JSON_REJECT_DUPLICATES, NULL);
    if (!body) {
        fake_complain(m, "not JSON");
        return NULL;
    }
    size_t n = 0;
    for (; members[n]; n++)
        if (!json_object_get(body, members[n]))
            fake_complain(m, members[n]);
    if (json_object_size(body) != n)
        fake_complain(m, "a member too many");
    const json_t *model = json_object_get(body, "model"), *list = json_object_get(body, texts);
    if (model && strcmp(json_string_value(model), m->name) != 0)
        fake_complain(m, "model");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_string_length(json_array_get(list, i)))
            fake_complain(m, "an empty text");
    return body;
}

static size_t fake_count_words(const char *text)
{
    size_t n = 0;
    for (const char *p = text; *p; p++)
        n += *p == ' ';
    return n;
}

static fake_trouble fake_take_trouble(fake_model *m, const json_t *texts)
{
    for (size_t i = 0; m->max_words && i < json_array_size(texts); i++)
        if (fake_count_words(json_string_value(json_array_get(texts, i))) > m->max_words)
            return FAKE_STATUS;
    if (!m->n_troubles)
        return FAKE_FINE;
    m->n_troubles--;
    return m->trouble;
}

// True when the answer is done.
static bool fake_make_trouble(const fake_model *m, fake_trouble trouble, fake_reply *out)
{
    if (trouble == FAKE_TEXT)
        ken_buf_puts(&out->body, "<html>hello</html>");
    if (trouble == FAKE_STATUS) {
        out->status = m->status;
        ken_buf_puts(&out->body, m->reason ? m->reason : "");
        snprintf(out->headers, sizeof out->headers, "%s", m->headers ? m->headers : "");
    }
    return trouble == FAKE_TEXT || trouble == FAKE_STATUS;
}

static void fake_end_trouble(fake_trouble trouble, fake_reply *out)
{
    if (trouble == FAKE_CUT)
        out->cut_at = out->body.len / 2;
    if (trouble == FAKE_HALF)
        out->body.len /= 2;
}

static void fake_put_rows(const fake_model *m, fake_trouble trouble, ken_buf *out,
                          const json_t *texts)
{
    size_t n = json_array_size(texts) - (trouble == FAKE_FEWER ? 1 : 0);
    ken_buf_putc(out, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            ken_buf_putc(out, ',');
        fake_put_row(m, trouble, out, ken_json_text(json_array_get(texts, i)));
    }
    ken_buf_putc(out, ']');
}

static void fake_ollama(fake_http *s, const fake_request *q, fake_reply *out)
{
    static const char *const many[] = { "model", "input", "truncate", NULL };
    static const char *const one[] = { "model", "prompt", NULL };
    fake_model *m = s->ctx;
    bool is_many = !strcmp(q->path, "/api/embed");
    if (m->is_old && is_many) {
        out->status = 404;
        ken_buf_puts(&out->body, m->reason ? m->reason : "404 page not found");
        return;
    }
    if (!is_many && (strcmp(q->path, "/api/embeddings") != 0 || !m->is_old))
        fake_complain(m, "path");
    json_t *body = fake_check_request(m, q, "input", is_many ? many : one);
    fake_trouble trouble = fake_take_trouble(m, json_object_get(body, "input"));
    if (!fake_make_trouble(m, trouble, out)) {
        if (is_many) {
            ken_buf_printf(&out->body, "{\"model\":\"%s\",\"embeddings\":", m->name);
            fake_put_rows(m, trouble, &out->body, json_object_get(body, "input"));
        } else {
            ken_buf_puts(&out->body, "{\"embedding\":");
            fake_put_row(m, trouble, &out->body, ken_json_text(json_object_get(body, "prompt")));
        }
        ken_buf_putc(&out->body, '}');
        fake_end_trouble(trouble, out);
    }
    json_decref(body);
}

// Rows come in the wrong order.
static void fake_openai(fake_http *s, const fake_request *q, fake_reply *out)
{
    static const char *const members[] = { "model", "input", "encoding_format", NULL };
    fake_model *m = s->ctx;
    if (strcmp(q->path, "/v1/embeddings") != 0)
        fake_complain(m, "path");
    json_t *body = fake_check_request(m, q, "input", members);
    const json_t *texts = json_object_get(body, "input");
    fake_trouble trouble = fake_take_trouble(m, texts);
    if (!fake_make_trouble(m, trouble, out)) {
        size_t n = json_array_size(texts) - (trouble == FAKE_FEWER ? 1 : 0);
        ken_buf_puts(&out->body, "{\"object\":\"list\",\"data\":[");
        for (size_t i = n; i-- > 0;) {
            ken_buf_puts(&out->body, "{\"object\":\"embedding\",\"embedding\":");
            fake_put_row(m, trouble, &out->body, ken_json_text(json_array_get(texts, i)));
            ken_buf_printf(&out->body, ",\"index\":%zu}%s", trouble == FAKE_TWICE ? 0 : i,
                           i ? "," : "");
        }
        ken_buf_puts(&out->body, "],\"usage\":{\"prompt_tokens\":1,\"total_tokens\":1}}");
        fake_end_trouble(trouble, out);
    }
    json_decref(body);
}

static void fake_tei(fake_http *s, const fake_request *q, fake_reply *out)
{
    static const char *const members[] = { "inputs", "truncate", NULL };
    fake_model *m = s->ctx;
    if (strcmp(q->path, "/embed") != 0)
        fake_complain(m, "path");
    json_t *body = fake_check_request(m, q, "inputs", members);
    const json_t *texts = json_object_get(body, "inputs");
    if (json_array_size(texts) > 32)
        fake_complain(m, "more texts than a server takes");
    fake_trouble trouble = fake_take_trouble(m, texts);
    if (!fake_make_trouble(m, trouble, out)) {
        fake_put_rows(m, trouble, &out->body, texts);
        fake_end_trouble(trouble, out);
    }
    json_decref(body);
}

#endif
