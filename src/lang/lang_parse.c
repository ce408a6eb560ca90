// SPDX-License-Identifier: MIT
// A parser keeps one TSParser per language it has met, and the trees of the file at hand. Grammars are
// asked to stop through tree-sitter's progress callback, which it calls every hundred operations.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/vec.h"
#include "lang/lang.h"

struct ken_parser {
    TSParser *parsers[KEN_LANG_COUNT]; // made on first use
    KEN_VEC(TSTree *) trees;
};

typedef struct parse_watch {
    const ken_cancel *cancel;
    int64_t deadline_ns;
    bool is_late;
} parse_watch;

typedef struct parse_input {
    ken_str text;
} parse_input;

static bool should_stop(TSParseState *state)
{
    parse_watch *w = state->payload;
    if (ken_cancel_is_set(w->cancel))
        return true;
    w->is_late = w->deadline_ns && ken_clock_mono_ns() > w->deadline_ns;
    return w->is_late;
}

static const char *read_text(void *payload, uint32_t byte, TSPoint at, uint32_t *out_n)
{
    (void)at;
    const parse_input *in = payload;
    if (byte >= in->text.len) {
        *out_n = 0;
        return "";
    }
    *out_n = (uint32_t)(in->text.len - byte);
    return in->text.ptr + byte;
}

ken_parser *ken_parser_new(void)
{
    return ken_zalloc(sizeof(ken_parser));
}

void ken_parser_free(ken_parser *p)
{
    if (!p)
        return;
    ken_parser_reset(p);
    ken_vec_release(&p->trees);
    for (size_t i = 0; i < KEN_LANG_COUNT; i++)
        if (p->parsers[i])
            ts_parser_delete(p->parsers[i]);
    ken_free(p);
}

void ken_parser_reset(ken_parser *p)
{
    for (size_t i = 0; i < p->trees.len; i++)
        ts_tree_delete(p->trees.ptr[i]);
    ken_vec_clear(&p->trees);
}

static TSParser *parser_of(ken_parser *p, ken_lang_id lang)
{
    if (p->parsers[lang])
        return p->parsers[lang];
    const TSLanguage *grammar = ken_lang_grammar(lang);
    if (!grammar)
        return NULL;
    TSParser *ts = ts_parser_new();
    if (!ts_parser_set_language(ts, grammar)) {
        ts_parser_delete(ts);
        return NULL;
    }
    p->parsers[lang] = ts;
    return ts;
}

ken_status ken_parser_parse(ken_parser *p, ken_lang_id lang, ken_str text,
                            const ken_parse_opts *opts, TSTree **out, ken_err *err)
{
    TSParser *ts = parser_of(p, lang);
    if (!ts)
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "no grammar for %s", ken_lang_name(lang));
    if (text.len > UINT32_MAX / 2)
        return KEN_FAIL(err, KEN_ELIMIT, "text of %zu bytes is too long to parse", text.len);
    ts_parser_set_included_ranges(ts, opts->ranges, opts->n_ranges);
    parse_input input = { text };
    parse_watch watch = { .cancel = opts->cancel,
                          .deadline_ns = opts->budget_ns ? ken_clock_mono_ns() + opts->budget_ns
                                                         : 0 };
    TSInput ts_input = { .payload = &input, .read = read_text, .encoding = TSInputEncodingUTF8 };
    TSParseOptions ts_opts = { .payload = &watch, .progress_callback = should_stop };
    TSTree *tree = ts_parser_parse_with_options(ts, NULL, ts_input, ts_opts);
    if (!tree) {
        ts_parser_reset(ts);
        ken_status st = ken_cancel_check(opts->cancel, err);
        return st ? st : KEN_FAIL(err, KEN_ETIMEOUT, "parsing went over its budget");
    }
    ken_vec_push(&p->trees, tree);
    *out = tree;
    return KEN_OK;
}
