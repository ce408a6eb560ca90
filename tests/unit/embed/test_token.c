// SPDX-License-Identifier: MIT
#include <jansson.h>

#include "embed/embed_token.h"
#include "json/json.h"
#include "ktest.h"

enum {
    IDS_MAX = 2048
};

static ken_err err;

static ken_wordpiece *load(const char *name)
{
    char path[128];
    ken_wordpiece *t = NULL;
    snprintf(path, sizeof path, "tokenizer/%s", name);
    kt_ok_err(ken_wordpiece_load(ktest_data(path), &t, &err), &err);
    return t;
}

static void check_line(const ken_wordpiece *t, const json_t *line)
{
    int64_t ids[IDS_MAX];
    const json_t *want = json_object_get(line, "ids");
    ken_str text = ken_json_text(json_object_get(line, "text"));
    size_t n = ken_wordpiece_run(t, text, ids, IDS_MAX);
    bool is_same = n == json_array_size(want);
    for (size_t i = 0; is_same && i < n; i++)
        is_same = ids[i] == json_integer_value(json_array_get(want, i));
    if (is_same)
        return;
    char *was = json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII);
    ken_buf b = KEN_BUF_INIT(100000);
    for (size_t i = 0; i < n; i++)
        ken_buf_printf(&b, " %lld", (long long)ids[i]);
    kt_fail("%s gave%s", was, b.ptr);
}

// tests/golden/embed/make_tokens.py says where the answers are from.
KEN_TEST(agrees_with_the_reference_in_every_text)
{
    ken_str text = ktest_read(ktest_data("../golden/embed/tokens.jsonl")), rest = text, one;
    ken_wordpiece *t = NULL;
    char name[64] = "";
    size_t n = 0;
    while (ken_str_line_next(&rest, &one)) {
        json_t *line = json_loadb(one.ptr, one.len, JSON_ALLOW_NUL, NULL);
        kt_not_null(line);
        const char *tokenizer = json_string_value(json_object_get(line, "tokenizer"));
        if (strcmp(name, tokenizer) != 0) {
            ken_wordpiece_free(t);
            snprintf(name, sizeof name, "%s", tokenizer);
            t = load(name);
        }
        check_line(t, line);
        json_decref(line);
        n++;
    }
    ken_wordpiece_free(t);
    kt_true(n > 1000);
}

KEN_TEST(a_list_of_pieces_is_an_uncased_tokenizer)
{
    ken_wordpiece *a = load("vocab.txt"), *b = load("uncased.json");
    const ken_str text = KEN_STR("static int retryBackoff(void) // caf\xc3\xa9");
    int64_t x[64], y[64];
    size_t n = ken_wordpiece_run(a, text, x, 64);
    kt_eq_u(ken_wordpiece_run(b, text, y, 64), n);
    kt_eq_mem(x, n * sizeof *x, y, n * sizeof *y);
    kt_eq_i(ken_wordpiece_pad(a), 0);
    kt_eq_u(ken_wordpiece_size(a), ken_wordpiece_size(b));
    ken_wordpiece_free(a);
    ken_wordpiece_free(b);
}

KEN_TEST(what_does_not_fit_is_cut_off_before_the_end_token)
{
    ken_wordpiece *t = load("vocab.txt");
    const ken_str text = KEN_STR("the function returns the name of the file");
    int64_t all[64], some[64];
    size_t n = ken_wordpiece_run(t, text, all, 64);
    kt_true(n > 10);
    for (size_t max = 2; max <= n; max++) {
        kt_eq_u(ken_wordpiece_run(t, text, some, max), max);
        kt_eq_mem(all, (max - 1) * sizeof *all, some, (max - 1) * sizeof *some);
        kt_eq_i(some[max - 1], all[n - 1]);
    }
    ken_wordpiece_free(t);
}

static void refuses(const char *text, ken_status want, const char *message)
{
    ken_wordpiece *t = NULL;
    kt_status(ken_wordpiece_parse(ken_str_c(text), "x", &t, &err), want);
    kt_null(t);
    kt_has_str(err.msg, message);
}

KEN_TEST(files_that_are_no_tokenizer_are_refused)
{
    refuses("", KEN_ECORRUPT, "none of the tokens [CLS]");
    refuses("[CLS]\n[SEP]\n[UNK]\n", KEN_ECORRUPT, "[PAD]");
    refuses("{", KEN_ECORRUPT, "tokenizer 'x'");
    refuses("{}", KEN_ECORRUPT, "no model.vocab");
    refuses("{\"model\":{\"type\":\"BPE\",\"vocab\":{}}}", KEN_EUNSUPPORTED, "the model 'BPE'");
    refuses("{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":1000000}}}", KEN_ELIMIT,
            "limits are");
    refuses("{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":-1}}}", KEN_ECORRUPT,
            "piece 'a' is not a whole number from 0");
    refuses("{\"model\":{\"vocab\":{\"a\":\"1\"}}}", KEN_ECORRUPT,
            "piece 'a' is not a whole number");
    refuses("{\"model\":{\"vocab\":{\"a\":1.5}}}", KEN_ECORRUPT, "piece 'a' is not a whole number");
    refuses("{\"model\":{\"vocab\":{\"a\":1}},\"pre_tokenizer\":{\"type\":\"ByteLevel\"}}",
            KEN_EUNSUPPORTED, "'ByteLevel'");
    refuses("{\"model\":{\"vocab\":{\"a\":1}},\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},"
            "\"normalizer\":{\"type\":\"NFKC\"}}",
            KEN_EUNSUPPORTED, "the normalizer 'NFKC'");
    ken_wordpiece *t = NULL;
    kt_status(ken_wordpiece_load(ktest_path("none"), &t, &err), KEN_ENOTFOUND);
}
